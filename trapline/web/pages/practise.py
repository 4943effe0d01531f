"""Pages of practice: the player, the next exercise, and the result of an answer.

They work without a script: a square is a link that chooses a piece, or a button that answers. What was answered is in
the library, and everything else in the address, so that a session goes on after a reload and after a restart. On a
public instance every signed-in visitor has a session of his own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import chess
from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from coach.practice.collect import Filter
from coach.practice.exercise import AnswerError, Exercise, read_answer
from coach.practice.export import exercises_deck, exercises_pgn
from coach.practice.judge import Judgement, Mark
from coach.practice.progress import LEAST_GAMES, PracticeProgress, progress_of
from coach.practice.session import Practice, Standing, now_utc, open_practice
from coach.practice.tested import recall, right_move, search_all
from coach.practice.wording import (
    HINTS,
    PIECE_HINT,
    hint,
    hinted_square,
    numbered,
    question,
    solution,
    source,
    theme_key,
    theme_words,
    verdict,
)
from db.storage.practice_rows import Review, profile_names, reviews_of
from db.wording.boards import square_words
from db.wording.grammar import Grammar
from trapcore.errors import LibraryError, Message, UsageError
from trapcore.parallel.budget import Cancellation
from trapline.web.api.params import read_form
from trapline.web.pages.boards import Picture, dests, ground
from trapline.web.pages.line_viewer import around
from trapline.web.pages.position import Square, square_order
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.problems import NotFound, status_of
from trapline.web.profile import SIGN_IN_FIRST, Profile, can_sign_in, name_of, player_of, profile_of, required_profile
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

SECONDS = 60.0
"""Longest time for the judgement of an answer, and for the choice of the next exercise."""

EXPORT_SECONDS = 300.0
"""Longest time for an export: a right move is searched for each exercise that has none."""

SKIPPED = 200
"""Most exercises that an address puts off."""

_NO_STORE = {"Cache-Control": "no-store"}

Name = Annotated[str, Field(max_length=200)]
Short = Annotated[str, Field(max_length=20)]
Rating = Annotated[str, Field(max_length=4, pattern=r"\d*")]
"""A rating, or nothing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose exercises are wanted, and which."""

    player: str
    """As it was written; empty for the library's traps."""
    theme: str
    opening: str
    least: int | None = None
    """Rating of the opponent, as `Filter` takes it."""
    most: int | None = None
    pattern: str = ""
    skip: tuple[str, ...] = ()
    """Identifiers of the exercises that are put off."""

    def url(self, **params: object) -> str:
        """Address of the practice with these parameters."""
        return address("/practise", go=1, **self.fields(), **{"skip": ",".join(self.skip), **params})

    def fields(self) -> dict[str, str]:
        """Whose and which, as parameters."""
        bounds = {"least": "" if self.least is None else str(self.least), "most": str(self.most or "")}
        return {"player": self.player, "theme": self.theme, "opening": self.opening, "pattern": self.pattern, **bounds}

    def filter(self) -> Filter:
        """The same for `open_practice`."""
        bounds = {"least_rating": self.least, "most_rating": self.most}
        return Filter(theme=self.theme, pattern=self.pattern, opening=self.opening, **bounds)


class Place(BaseModel):
    """The parameters of the address: where somebody is in his practice."""

    go: bool = False
    """The choice is made."""
    player: Name = ""
    theme: Name = ""
    opening: Name = ""
    least: Rating = ""
    most: Rating = ""
    pattern: Name = ""
    skip: Annotated[str, Field(max_length=13 * SKIPPED)] = ""
    exercise: Short = ""
    """`Exercise.id`; empty for the next one."""
    hints: Annotated[int, Field(ge=0, le=HINTS)] = 0
    review: Annotated[int, Field(ge=1)] | None = None
    """Number of the answer that is shown."""
    ply: Annotated[int, Field(ge=0)] | None = None
    """How far its line is played."""
    chosen: Annotated[Short, Field(alias="from")] = ""
    """Square of the piece that is to move."""


@router.get("/practise")
async def practise(request: Request, place: Annotated[Place, Query()]) -> Response:
    """Page of the choice, of an exercise, or of an answer."""
    service = service_of(request)
    wanted = Wanted(
        place.player.strip(),
        theme_key(place.theme.strip(), language_of(request)),
        place.opening.strip(),
        _number(place.least),
        _number(place.most),
        place.pattern.strip(),
        tuple(filter(None, place.skip.split(","))),
    )
    profile = profile_of(request)
    if profile is None:
        return _choice(request, wanted, [], SIGN_IN_FIRST)
    wanted = replace(wanted, player=profile.player(wanted.player))
    if not place.go:
        known = await service.run(request, lambda stop: _known(service, profile))
        return _choice(request, wanted, known, "")
    try:
        practice = await service.run(request, lambda stop: _practice(service, profile, wanted))
    except UsageError as error:
        known = await service.run(request, lambda stop: _known(service, profile))
        return _choice(request, wanted, known, error.message)
    view = _View(request, service, wanted, practice)
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
    return await view.exercise(exercise, place.hints, place.chosen)


@router.post("/practise")
async def answer(request: Request) -> Response:
    """Judge and store the answer of the form, and redirect to its page; or ask again."""
    service = service_of(request)
    profile = required_profile(request)
    fields = {name: value for name, value in (await read_form(request)).items() if isinstance(value, str)}
    player, theme, opening, pattern = (fields.get(name, "")[:200] for name in ("player", "theme", "opening", "pattern"))
    least, most = (_number(fields.get(name, "")) for name in ("least", "most"))
    wanted = Wanted(profile.player(player), theme, opening, least, most, pattern)
    practice = await service.run(request, lambda stop: _practice(service, profile, wanted))
    exercise = practice.find(fields.get("exercise", ""))
    if exercise is None:
        raise NotFound("there is no such exercise any more; go back to the start of the practice")
    hints = min(HINTS, _number(fields.get("hints", "")) or 0)
    view = _View(request, service, wanted, practice)
    try:
        return await service.run(request, lambda stop: view.stored(exercise, fields, hints, stop), seconds=SECONDS)
    except _AskAgain as again:
        return await view.exercise(
            exercise, hints, "", message=view.language.message(again.message), status=again.status
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
    answer = page(
        request,
        "progress.html",
        name=name,
        tables=[table for table in tables if table[-1]],
        theme_words=theme_words,
        least=LEAST_GAMES,
        back=address("/practise", go=1, player=name),
    )
    answer.headers.update(_NO_STORE)
    return answer


@router.get("/practise/exercises.{kind}")
async def export(request: Request, kind: str, place: Annotated[Place, Query()]) -> Response:
    """Exercises as PGN or as a deck for Anki."""
    service, profile = service_of(request), required_profile(request)
    media = {"pgn": "application/x-chess-pgn", "apkg": "application/octet-stream"}
    if kind not in media:
        raise NotFound("exercises are given as .pgn or .apkg")
    bounds = _number(place.least), _number(place.most)
    wanted = Wanted(profile.player(place.player.strip()), place.theme.strip(), place.opening.strip(), *bounds)

    def work() -> bytes:
        practice = _practice(service, profile, wanted)
        search_all(service.library, practice.exercises, service.open_for_writing)
        if kind == "apkg":
            return exercises_deck(practice.exercises, practice.name)
        return exercises_pgn(practice.exercises).encode()

    content = await service.export(request, lambda stop: work(), seconds=EXPORT_SECONDS)
    headers = {"Content-Disposition": f'attachment; filename="exercises.{kind}"', **_NO_STORE}
    return Response(content, media_type=media[kind], headers=headers)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= 4 else None


class _AskAgain(Exception):
    """The answer is to be given again; why."""

    def __init__(self, message: Message, status: int = 200) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


@dataclass(frozen=True, slots=True)
class _View:
    """Pages of one practice."""

    request: Request
    service: Service
    wanted: Wanted
    practice: Practice

    @property
    def language(self) -> Grammar:
        """In which exercises are asked and answered."""
        return language_of(self.request)

    def stored(self, exercise: Exercise, fields: Mapping[str, str], hints: int, stop: Cancellation) -> Response:
        """Redirection to the page of the stored answer. Raises `_AskAgain`."""
        try:
            uci = (
                ""
                if "show" in fields
                else read_answer(exercise.board(), fields.get("square") or fields.get("answer", ""))
            )
        except AnswerError as error:
            raise _AskAgain(error.message, 400) from error
        try:
            with self.service.open_for_writing() as library:
                if uci:
                    done = self.practice.answer(library, exercise, uci, now_utc(), hints=hints, stop=stop)
                else:
                    done = self.practice.give_up(library, exercise, now_utc(), hints=hints)
        except LibraryError as error:
            unstored = Message("the answer was not stored, give it again: {reason}", {"reason": error.message})
            raise _AskAgain(unstored, status_of(error)) from error
        if done.number is None:
            raise _AskAgain(Message(verdict(exercise, uci, done.judgement, self.language)))
        return RedirectResponse(self.wanted.url(review=done.number), status_code=303)

    async def exercise(
        self, exercise: Exercise, hints: int, from_: str, *, message: str = "", status: int = 200
    ) -> Response:
        """Page of an exercise with the hints so far."""
        board = exercise.board()
        flipped = not board.turn
        here = {"exercise": exercise.id, "hints": hints or ""}
        picture = Picture(fen=board.fen(), last=exercise.played_before, flipped=flipped)
        circle = hinted_square(exercise) if hints >= PIECE_HINT else ""
        return await self._page(
            status,
            state="ask",
            exercise=exercise,
            question=question(exercise, self.language),
            message=message,
            hints=[hint(exercise, number, self.language) for number in range(1, hints + 1)],
            picture=picture,
            ground=ground(picture, dests=dests(board.legal_moves), answer=True, circle=circle),
            squares=_squares(
                board, flipped, from_, lambda square: self.wanted.url(**here, **{"from": square}), self.language
            ),
            hidden={**here, **self.wanted.fields()},
            more=self.wanted.url(exercise=exercise.id, hints=hints + 1) if hints < HINTS else None,
            skip=self.wanted.url(skip=",".join((*self.wanted.skip, exercise.id)[-SKIPPED:])),
        )

    async def answered(self, number: int, ply: int | None) -> Response:
        """Page of a stored answer: what is said of it, and its line on the board."""
        found = await self.service.run(self.request, lambda stop: self._review(number))
        if found is None:
            raise NotFound("there is no such answer any more; go back to the start of the practice")
        exercise, review, best = found
        start = exercise.board()
        boards, moves = [start], [review.answer, *review.line] if review.answer else list(exercise.line)
        for uci in moves:
            boards.append(boards[-1].copy(stack=False))
            boards[-1].push_uci(uci)
        # A wrong answer is shown with what it is answered by.
        at = min(len(moves), (1 if review.is_right or not review.answer else 2) if ply is None else ply)
        urls = [self.wanted.url(review=number, ply=str(each)) for each in range(len(boards))]
        picture = Picture(fen=boards[at].fen(), last=moves[at - 1] if at else "", flipped=not start.turn)
        said = self.language.text("The solution was shown.")
        if review.answer:
            mate = (len(review.line) + 1) // 2 if boards[-1].is_checkmate() and not review.is_right else None
            mark = Mark.RIGHT if review.is_right else Mark.WRONG
            said = verdict(exercise, review.answer, Judgement(mark, review.line, 0.0, mate), self.language)
        return await self._page(
            200,
            state="answered",
            exercise=exercise,
            question=question(exercise, self.language),
            said=said,
            is_right=review.is_right,
            solution=solution(exercise, best, self.language),
            shown=not review.answer,
            source=source(exercise, self.language),
            picture=picture,
            ground=ground(picture),
            steppers=(*around(urls, at), None),
            moves=[(numbered(boards[each], [uci]), urls[each + 1], each + 1 == at) for each, uci in enumerate(moves)],
            again=None if review.is_right else self.wanted.url(exercise=exercise.id),
            next=self.wanted.url(),
        )

    async def nothing(self) -> Response:
        """Page where nothing is left to do now."""
        return await self._page(200, state="done", next=self.wanted.url(skip="") if self.wanted.skip else None)

    def _review(self, number: int) -> tuple[Exercise, Review, str | None] | None:
        with self.service.library.database.read() as connection:
            reviews = reviews_of(connection, self.practice.profile)
        for epd, task, each, review in reviews:
            if each == number:
                exercise = next((e for e in self.practice.exercises if (e.epd, e.task) == (epd, task)), None)
                recall(self.service.library, filter(None, [exercise]))
                return None if exercise is None else (exercise, review, right_move(exercise))
        return None

    async def _page(self, status: int, **values: object) -> Response:
        standing: Standing = await self.service.run(
            self.request, lambda stop: self.practice.standing(self.service.library, now_utc())
        )
        fields = self.wanted.fields()
        about = {
            "name": self.practice.name,
            "standing": standing,
            "standing_words": standing.words(self.language),
            "choice": "/practise",
            "progress": address("/practise/progress", player=self.practice.name),
            "exports": [(kind, address(f"/practise/exercises.{kind}", **fields)) for kind in ("pgn", "apkg")],
        }
        answer = page(self.request, "practise.html", status, **about, **values)
        answer.headers.update(_NO_STORE)
        return answer


def _practice(service: Service, profile: Profile, wanted: Wanted) -> Practice:
    # Without an account the name may be a part of one, or empty.
    whose = wanted.player if profile.account is None else player_of(service, profile, wanted.player)
    return service.page_cache.get(
        service.state(),
        ("practice", whose, *wanted.fields().values()),
        lambda: open_practice(service.library, whose, wanted.filter()),
    )


def _known(service: Service, profile: Profile) -> list[str]:
    with service.library.database.read() as connection:
        return profile.shown_names(profile_names(connection))


def _choice(request: Request, wanted: Wanted, known: list[str], wrong: Message | str) -> Response:
    status = 400 if wrong else 200
    profile = profile_of(request)
    about = {
        "own": profile is None or profile.name is not None,
        "sign_in": "/sign-in?back=/practise" if profile is None and can_sign_in(service_of(request)) else None,
    }
    answer = page(
        request,
        "practise.html",
        status,
        state="choose",
        wanted=wanted,
        known=known,
        wrong=capital(language_of(request).message(wrong)),
        **about,
    )
    answer.headers.update(_NO_STORE)
    return answer


def _squares(
    board: chess.Board, flipped: bool, selected: str, url: Callable[[str], str], language: Grammar
) -> list[Square]:
    """Squares in their order on the page: links that choose a piece, and those where the chosen one goes.

    The ``url`` of the latter is the move (UCI) that a button answers with; a pawn becomes a queen.
    """
    origins = {chess.square_name(move.from_square) for move in board.legal_moves}
    targets = {
        chess.square_name(move.to_square): board.uci(move)
        for move in board.legal_moves
        if chess.square_name(move.from_square) == selected and move.promotion in (None, chess.QUEEN)
    }
    squares = []
    for square in square_order(flipped):
        name, label = chess.square_name(square), square_words(board, square, language)
        if name in targets:
            kind = "to takes" if board.piece_at(square) else "to"
            squares.append(Square(name, language.text("%(square)s: move here", square=label), targets[name], kind))
        elif name in origins:
            chosen = name == selected
            words = language.text("%(square)s, chosen", square=label) if chosen else label
            squares.append(Square(name, words, url(name), "from" if chosen else ""))
        else:
            squares.append(Square(name, label))
    return squares
