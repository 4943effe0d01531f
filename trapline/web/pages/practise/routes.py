"""Pages of practice: the player, the next exercise, and the result of an answer.

They work without a script: a square is a link that chooses a piece, or a button that answers. What was answered is in
the library, and everything else in the address, so that a session goes on after a reload and after a restart. On a
public instance every signed-in visitor has a session of his own.
"""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from coach.group.assignment import assigned_practice
from coach.practice.export import exercises_deck, exercises_pgn
from coach.practice.progress import LEAST_GAMES, PracticeProgress, progress_of
from coach.practice.schedule import now_utc
from coach.practice.session import Practice, open_practice
from coach.practice.wording import HINTS, theme_words
from db.storage.practice_rows import profile_names
from trapcore.errors import Message, UsageError
from trapline.web.api.params import read_form
from trapline.web.pages.practise.groups import group_at
from trapline.web.pages.practise.view import CHOICE, AskAgain, Place, PracticeView, Wanted, number
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.problems import NotFound
from trapline.web.profile import SIGN_IN_FIRST, Profile, name_of, player_of, profile_of, required_profile
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

SECONDS = 60.0
"""Longest time for the judgement of an answer, and for the choice of the next exercise."""

EXPORT_SECONDS = 300.0
"""Longest time for an export: a right move is searched for each exercise that has none."""


@router.get("/practise")
async def practise(request: Request, place: Annotated[Place, Query()]) -> Response:
    """Page of the choice, of an exercise, or of an answer."""
    service = service_of(request)
    profile = profile_of(request)
    wanted = place.wanted(profile, language_of(request))
    if profile is None:
        return _choice(request, wanted, [], SIGN_IN_FIRST)
    if not place.go:
        known = await service.run(request, lambda stop: _known(service, profile))
        return _choice(request, wanted, known, "")
    try:
        practice = await service.run(request, lambda stop: _practice(service, profile, wanted))
    except UsageError as error:
        known = await service.run(request, lambda stop: _known(service, profile))
        return _choice(request, wanted, known, error.message)
    view = PracticeView(request, service, wanted, practice)
    if place.review is not None:
        return await view.answered(place.review, place.ply)
    exercise = practice.find(place.exercise) if place.exercise else None
    if exercise is None:
        exercise = await service.run(
            request,
            lambda stop: practice.next(service.library, now_utc(), frozenset(wanted.skip)),
            seconds=SECONDS,
        )
    if exercise is None:
        return await view.nothing()
    return await view.exercise(exercise, place.hints, place.chosen, sure=place.sure)


@router.post("/practise")
async def answer(request: Request) -> Response:
    """Judge and store the answer of the form, and redirect to its page; or ask again."""
    service = service_of(request)
    profile = required_profile(request)
    fields = {name: value for name, value in (await read_form(request)).items() if isinstance(value, str)}
    given = {name: fields[name] for name in CHOICE if name in fields}
    wanted = Place.model_validate(given).wanted(profile, language_of(request))
    practice = await service.run(request, lambda stop: _practice(service, profile, wanted))
    exercise = practice.find(fields.get("exercise", ""))
    if exercise is None:
        raise NotFound("there is no such exercise any more; go back to the start of the practice")
    hints = min(HINTS, number(fields.get("hints", "")) or 0)
    view = PracticeView(request, service, wanted, practice)
    try:
        return await service.run(request, lambda stop: view.stored(exercise, fields, hints, stop), seconds=SECONDS)
    except AskAgain as again:
        return await view.exercise(
            exercise,
            hints,
            "",
            sure=bool(fields.get("sure")),
            message=view.language.message(again.message),
            status=again.status,
        )


@router.get("/practise/progress")
async def progress(request: Request, player: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Page of the progress: weak themes against others of the same rating, and games since somebody practises."""
    service, profile = service_of(request), required_profile(request)

    def work() -> tuple[str, PracticeProgress]:
        whose = player_of(service, profile, player)
        return name_of(whose), progress_of(service.library, whose)

    try:
        name, found = await service.run(request, lambda stop: work(), seconds=SECONDS)
    except UsageError as error:
        raise NotFound(error.message) from error
    text = language_of(request).text
    rated = text("Against others rated %(band)s", band=found.band)
    began = text("Before and since %(day)s, when practice began", day=language_of(request).day(str(found.since)))
    more, fewer = text("more than others"), text("fewer than others")
    tables = [
        (rated, (text("you"), text("others")), (more, fewer), found.against_others),
        (began, (text("before"), text("since")), (text("fewer since"), text("more since")), found.over_time),
    ]
    return page(
        request,
        "practise/progress.html",
        is_stored=False,
        name=name,
        tables=[table for table in tables if table[-1]],
        theme_words=theme_words,
        least=LEAST_GAMES,
        back=address("/practise", go=1, player=name),
    )


@router.get("/practise/exercises.{kind}")
async def export(request: Request, kind: str, place: Annotated[Place, Query()]) -> Response:
    """Exercises as PGN or as a deck for Anki."""
    service, profile = service_of(request), required_profile(request)
    media = {"pgn": "application/x-chess-pgn", "apkg": "application/octet-stream"}
    if kind not in media:
        raise NotFound("exercises are given as .pgn or .apkg")
    wanted = place.wanted(profile, language_of(request))

    def work() -> bytes:
        practice = _practice(service, profile, wanted)
        exercises = practice.exported(service.library, service.open_for_writing)
        return exercises_deck(exercises, practice.name) if kind == "apkg" else exercises_pgn(exercises).encode()

    content = await service.export(request, lambda stop: work(), seconds=EXPORT_SECONDS)
    headers = {"Content-Disposition": f'attachment; filename="exercises.{kind}"', "Cache-Control": "no-store"}
    return Response(content, media_type=media[kind], headers=headers)


def _practice(service: Service, profile: Profile, wanted: Wanted) -> Practice:
    if wanted.group:
        return _assigned(service, profile, wanted)
    # Without an account the name may be a part of one, or empty.
    whose = wanted.player if profile.account is None else player_of(service, profile, wanted.player)
    return service.page_cache.get(
        service.state(),
        ("practice", whose, *wanted.fields().values()),
        lambda: open_practice(service.library, whose, wanted.filter),
    )


def _assigned(service: Service, profile: Profile, wanted: Wanted) -> Practice:
    """What is assigned to a group in which the visitor has a part; on a private instance for the pupil that is named.

    Raises `NotFound`, `UsageError` and `LibraryError`.
    """
    group, _ = group_at(service.library, profile, wanted.group)
    whose = profile.account or group.pupil(wanted.player).player
    return assigned_practice(service.library, group, whose, wanted.filter)


def _known(service: Service, profile: Profile) -> list[str]:
    with service.library.database.read() as connection:
        return profile.shown_names(profile_names(connection))


def _choice(request: Request, wanted: Wanted, known: list[str], wrong: Message | str) -> Response:
    status = 400 if wrong else 200
    profile, can_sign_in = profile_of(request), service_of(request).settings.web.can_sign_in
    return page(
        request,
        "practise/practise.html",
        status,
        is_stored=False,
        state="choose",
        wanted=wanted.fields(),
        known=known,
        wrong=capital(language_of(request).message(wrong)),
        own=profile is None or profile.name is not None,
        sign_in="/sign-in?back=/practise" if profile is None and can_sign_in else None,
    )
