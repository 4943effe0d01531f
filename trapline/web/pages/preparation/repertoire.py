"""Page of a visitor's own repertoire: he gives it, or takes it from his games, and sees what his games say of it."""

import asyncio
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

from coach.practice.schedule import now_utc
from coach.preparation.check import check
from coach.preparation.check_sheet import check_sheet
from coach.preparation.derive import as_text, derived
from coach.preparation.games import at_site, opening_games, sites_of
from coach.report.sheet import Sheet
from db.games.players import players
from db.storage.practice_rows import Repertoire, repertoire_names, store_repertoire
from db.traps.terms import side_named
from lichess.api import LichessError
from lichess.studies import study_id
from trapcore.errors import InputError, Message, TraplineError, UsageError
from trapline.web.api.uploads import PGN, read_games_form
from trapline.web.pages.preparation.own import (
    MOST_NAMES,
    SECONDS,
    Whose,
    own_games,
    read_repertoire,
    stored_repertoire,
    uploaded_text,
    whose_repertoire,
)
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.problems import NotFound, RequestError, headers_of, status_of
from trapline.web.profile import Profile, name_of, profile_of, required_profile
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

LEAST_GAMES, PLIES = 2, 24
"""A repertoire from games has the moves of so many games, so deep, as `trapline repertoire from-games` has them."""

_FIELDS = 3
_LONGEST_ADDRESS = 200  # of a study, in place of games
Name = Annotated[str, Query(max_length=200)]


@router.get("/repertoire")
async def repertoire(request: Request, player: Name = "", site: Name = "", new: bool = False) -> Response:
    """Page where a repertoire is given, or with the check of the one that was given."""
    service, profile = service_of(request), profile_of(request)
    if profile is None:
        return await _choice(request, {})
    if new or not (player.strip() or profile.account is not None or "player" in request.query_params):
        return await _choice(request, {"player": player})
    language = language_of(request)

    def work() -> tuple[Whose, Repertoire | None, Sheet | None, dict[str, int]]:
        whose = whose_repertoire(service, profile, player.strip())
        found = stored_repertoire(service, whose)
        if found is None:
            return whose, None, None, {}
        games = own_games(service, whose)
        sites = dict(sites_of(games).most_common())
        chosen = at_site(games, site or None)
        checks = service.page_cache.get(
            service.state(),
            ("check", str(whose), site, found),
            lambda: check(service.library, chosen, read_repertoire(service, found, games)),
        )
        shown = {site: sites[site]} if site else sites
        return whose, found, check_sheet(checks, name_of(whose), shown, language), sites

    try:
        whose, found, sheet, sites = await service.search(request, lambda stop: work(), seconds=SECONDS)
    except (UsageError, InputError) as error:
        return await _choice(request, {"player": player}, error)
    if found is None or sheet is None:
        return await _choice(request, {"player": name_of(whose)})
    name = name_of(whose)
    return page(
        request,
        "preparation/repertoire.html",
        is_stored=False,
        state="checked",
        sheet=sheet,
        source=found.source,
        day=f"{found.at:%Y-%m-%d}",
        sites=[
            (each, games, address("/repertoire", player=name, site=each), each == site) for each, games in sites.items()
        ]
        if len(sites) > 1
        else [],
        all_sites=address("/repertoire", player=name) if site else None,
        drill=f"/repertoire/drill?{_of(name)}",
        pgn=f"/repertoire/mine.pgn?{_of(name)}",
        new=address("/repertoire", player=name, new=1),
    )


@router.post("/repertoire")
async def give(request: Request) -> Response:
    """Store the repertoire of the form, or what its player's games have, and redirect to its check."""
    service, profile = service_of(request), required_profile(request)
    fields: dict[str, str] = {}
    try:
        upload, _, fields = await read_games_form(request, _FIELDS)
        text = "" if upload is None else await asyncio.to_thread(uploaded_text, upload)
        fields["pgn"] = text.strip()
        name = await _stored(request, service, profile, fields)
    except (RequestError, InputError, UsageError, LichessError) as error:
        return await _choice(request, fields, error)
    return RedirectResponse(f"/repertoire?{_of(name)}", status_code=303)


@router.get("/repertoire/mine.pgn")
async def pgn(request: Request, player: Name = "") -> Response:
    """The repertoire as it was given, or as it was taken from games."""
    service, profile = service_of(request), required_profile(request)

    def work() -> Repertoire | None:
        return stored_repertoire(service, whose_repertoire(service, profile, player.strip()))

    try:
        found = await service.run(request, lambda stop: work())
    except UsageError as error:
        raise NotFound(error.message) from error
    if found is None:
        raise NotFound("no repertoire was given yet; /repertoire takes one")
    headers = {"Content-Disposition": 'attachment; filename="repertoire.pgn"', "Cache-Control": "no-store"}
    return PlainTextResponse(found.pgn, headers=headers, media_type=PGN)


async def _stored(request: Request, service: Service, profile: Profile, fields: Mapping[str, str]) -> str:
    """Store what the form gives; the name of the player. Raises `InputError`, `UsageError`, `LichessError`."""
    given, colour = fields.get("pgn", "").strip(), fields.get("color", "")
    from_games, source = fields.get("take") == "games", ""
    if from_games:
        colour = ""
    elif not given:
        raise UsageError("paste a repertoire, choose a file, or give the address of a study")
    elif len(given) <= _LONGEST_ADDRESS and given.startswith(("http://", "https://")):
        if service.fetch_study is None:
            raise UsageError("this server reads no studies; give the repertoire as PGN")
        study, fetch = study_id(given), service.fetch_study
        given = await service.sign_in(request, lambda stop: fetch(study))
        source = study

    def work() -> str:
        whose = whose_repertoire(service, profile, fields.get("player", "").strip())
        text = _derived(service, whose) if from_games else given
        made = Repertoire(pgn=text, colour=side_named(colour) or "", source=source, at=now_utc())
        read_repertoire(service, made, own_games(service, whose))
        with service.open_for_writing() as library, library.database.write() as connection:
            store_repertoire(connection, str(whose), made)
        return name_of(whose)

    return await service.search(request, lambda stop: work(), seconds=SECONDS)


def _derived(service: Service, whose: Whose) -> str:
    """What a player plays, as PGN. Raises `UsageError` if that is nothing."""
    if not whose:
        raise UsageError("whose games? Write the name of a player in the library")
    name = name_of(whose)
    chapters = derived(opening_games(own_games(service, whose)), name, least=LEAST_GAMES, plies=PLIES)
    if not chapters:
        raise UsageError("no move of {name} was played in {least} games or more", name=name, least=LEAST_GAMES)
    return as_text(chapters)


async def _choice(request: Request, fields: Mapping[str, str], wrong: TraplineError | None = None) -> Response:
    """Page where a repertoire is given; ``wrong`` says why the one before was not taken."""
    service, profile = service_of(request), profile_of(request)

    def known() -> tuple[list[str], list[str]]:
        """The players of most games, and those who have a repertoire; of a public server nobody's."""
        if not service.settings.web.is_private:
            return [], []
        with service.library.database.read() as connection:
            names = repertoire_names(connection)
        games = players(service.library)
        return sorted(games, key=lambda name: (-games[name], name))[:MOST_NAMES], names

    names, have = await service.run(request, lambda stop: known())
    message: Message | str = "" if wrong is None else wrong.message
    answer = page(
        request,
        "preparation/repertoire.html",
        200 if wrong is None else status_of(wrong) if status_of(wrong) != 500 else 502,
        is_stored=False,
        state="choose",
        profile=profile,
        fields={name: fields.get(name, "") for name in ("player", "color", "pgn")},
        known=names,
        have=[(name, f"/repertoire?{_of(name)}") for name in have],
        wrong=capital(language_of(request).message(message)),
        studies=service.fetch_study is not None,
        sign_in="/sign-in?back=/repertoire" if service.settings.web.can_sign_in else None,
    )
    if wrong is not None:
        answer.headers.update(headers_of(wrong))
    return answer


def _of(name: str) -> str:
    """The parameter of a player, which is there also for nobody."""
    return address("", player=name).removeprefix("?") or "player="
