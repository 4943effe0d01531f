"""Pages of the drill: the next position of a line against the visitor, his answer, and what is said of it.

They work without a script, as those of practice do: the line is in the address, and the answers are in the library.
"""

from dataclasses import dataclass, replace
from hashlib import blake2b
from random import Random
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from coach.practice.exercise import AnswerError, read_answer
from coach.practice.schedule import now_utc
from coach.preparation.drill import Drill, DrillLine, open_drill
from coach.preparation.drill_words import moves_of, question, verdict
from coach.preparation.games import newest_game
from db.storage.practice_rows import Repertoire
from db.traps.terms import side_named
from trapcore.errors import LibraryError, Message, UsageError
from trapline.web.api.params import read_form
from trapline.web.pages.boards import Picture, dests, ground, squares
from trapline.web.pages.preparation.own import (
    SECONDS,
    Whose,
    own_games,
    read_repertoire,
    stored_repertoire,
    whose_repertoire,
)
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.problems import NotFound, status_of
from trapline.web.profile import Profile, required_profile
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

SKIPPED = 200
"""Most positions that an address puts off."""

_GONE = Message("the repertoire has no such line any more; begin the drill anew")

Name = Annotated[str, Field(max_length=200)]
Short = Annotated[str, Field(max_length=20)]


class Place(BaseModel):
    """The parameters of the address: where somebody is in his drill."""

    player: Name = ""
    color: Short = ""
    """Of the line; empty for the next line."""
    start: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Number of the position in which the line begins."""
    moves: Annotated[str, Field(max_length=2000)] = ""
    """UCI, with commas."""
    skip: Annotated[str, Field(max_length=9 * SKIPPED)] = ""
    """Positions that are put off, see `_short`."""
    review: Annotated[int, Field(ge=1)] | None = None
    """Number of the answer that is told."""
    on: bool = False
    """The line is to go on by the move of the repertoire."""
    chosen: Annotated[Short, Field(alias="from")] = ""
    """Square of the piece that is to move."""


@dataclass(frozen=True, slots=True)
class _View:
    """Pages of one drill."""

    request: Request
    service: Service
    drill: Drill
    place: Place

    def url(self, line: DrillLine | None = None, **more: object) -> str:
        """Address of a line, or of the next one."""
        return address("/repertoire/drill", **{**self.fields(line), **more})

    def fields(self, line: DrillLine | None = None) -> dict[str, str]:
        """The parameters of a line, those of the next one without it."""
        found = {"player": self.place.player, "skip": self.place.skip}
        if line is not None:
            start = self.drill.lines[line.colour].starts().index(line.start)
            found |= {"color": line.colour, "start": str(start), "moves": ",".join(line.moves)}
        return found

    def skipped(self) -> set[str]:
        """The positions that are put off."""
        short = set(self.place.skip.split(","))
        return {epd for epd, _ in self.drill.places() if _short(epd) in short}

    def line(self) -> DrillLine:
        """The line of the address. Raises `NotFound`."""
        side = side_named(self.place.color)
        moves = [move for move in self.place.moves.split(",") if move]
        line = None if side is None else self.drill.line(side, self.place.start, moves)
        if line is None:
            raise NotFound(_GONE)
        return line

    def next(self) -> str | None:
        """Address of the next line; None if nothing is to be done."""
        line = self.drill.begin(self.service.library, now_utc(), Random(), self.skipped())
        return None if line is None else self.url(line)

    def gone_on(self, line: DrillLine, uci: str, **more: object) -> str:
        """Address of the line after a move of the repertoire and the reply."""
        after = self.drill.go_on(self.service.library, line, uci, now_utc(), Random(), self.skipped())
        return self.url(after, **more)

    def stored(self, line: DrillLine, uci: str) -> str:
        """Store an answer (UCI, or empty to be shown the move); address of where it leads."""
        with self.service.open_for_writing() as library:
            done = self.drill.answer(library, line, uci, now_utc())
        if done.is_right:
            return self.gone_on(line, uci, review=done.number)
        return self.url(line, review=done.number)

    async def shown(self, line: DrillLine, message: str = "", status: int = 200) -> Response:
        """Page of a line: the answer before, and the position that is asked, or the end."""
        board, language = line.board(), language_of(self.request)
        told, shown = await self.service.run(self.request, lambda stop: self._last_answer(line))
        flipped = line.colour == "black"
        last = line.moves[-1] if line.moves else ""
        picture = Picture(fen=board.fen(), last=last, killer=shown, flipped=flipped)
        asked = not shown and self.drill.is_asked(line)
        return await self.page(
            status,
            state="ask" if asked else "shown" if shown else "end",
            message=message,
            told=told,
            question=question(self.drill, line, language),
            picture=picture,
            ground=ground(picture, dests=dests(board.legal_moves) if asked else {}, answer=asked),
            squares=squares(
                board,
                self.place.chosen,
                language,
                flipped=flipped,
                choose=lambda square: self.url(line, **{"from": square}),
                play=lambda moves: board.uci(moves[0]),  # a pawn becomes a queen
            ),
            hidden=self.fields(line),
            on=self.url(line, on=1) if shown else self.url(),
            skip=self.url(skip=",".join((*filter(None, self.place.skip.split(",")), _short(line.epd))[-SKIPPED:])),
        )

    async def page(self, status: int = 200, **values: object) -> Response:
        """The page of the drill with how it stands."""
        standing = await self.service.run(
            self.request, lambda stop: self.drill.standing(self.service.library, now_utc())
        )
        player = self.place.player
        about = {
            "standing": standing,
            "standing_words": standing.words(language_of(self.request)),
            "check": address("/repertoire", player=player) if player else "/repertoire?player=",
        }
        return page(self.request, "preparation/drill.html", status, is_stored=False, **about, **values)

    def _last_answer(self, line: DrillLine) -> tuple[list[str], str]:
        """What is said of the answer of the address, and the move (UCI) that the board shows after a wrong one."""
        found = None if self.place.review is None else self.drill.answered(self.service.library, self.place.review)
        if found is None or found[0] not in line.epds:
            return [], ""
        epd, uci, is_first = found
        plies = line.epds.index(epd)
        there = replace(line, moves=line.moves[:plies], epds=line.epds[: plies + 1])
        sentences = verdict(self.drill, there, uci, language_of(self.request), is_first=is_first)
        known = self.drill.lines[line.colour].moves[epd]
        if uci in known:
            return [*sentences, moves_of(self.drill, line, plies)], ""
        return sentences, next(iter(known)) if there == line else ""


@router.get("/repertoire/drill")
async def drill(request: Request, place: Annotated[Place, Query()]) -> Response:
    """Page of a position that is asked, of an answer, or of the end of a line; without a line it draws one."""
    view = await _view(request, place)
    if not place.color:
        where = await view.service.run(request, lambda stop: view.next(), seconds=SECONDS)
        return await view.page(state="done") if where is None else _to(where)
    line = view.line()
    if place.on and view.drill.is_asked(line):
        uci = next(iter(view.drill.lines[line.colour].moves[line.epd]))
        return _to(await view.service.run(request, lambda stop: view.gone_on(line, uci), seconds=SECONDS))
    return await view.shown(line)


@router.post("/repertoire/drill")
async def answer(request: Request) -> Response:
    """Judge and store the answer of the form, and redirect to where the line goes on; or ask again."""
    fields = {name: value for name, value in (await read_form(request)).items() if isinstance(value, str)}
    wanted = {name: fields[name] for name in ("player", "color", "start", "moves", "skip") if name in fields}
    view = await _view(request, Place.model_validate(wanted))
    line = view.line()
    if not view.drill.is_asked(line):
        raise NotFound(_GONE)
    language = language_of(request)
    try:
        uci = ""
        if "show" not in fields:
            uci = read_answer(line.board(), fields.get("square") or fields.get("answer", ""))
        return _to(await view.service.run(request, lambda stop: view.stored(line, uci), seconds=SECONDS))
    except AnswerError as error:
        return await view.shown(line, language.message(error.message), 400)
    except LibraryError as error:
        unstored = Message("the answer was not stored, give it again: {reason}", {"reason": error.message})
        return await view.shown(line, capital(language.message(unstored)), status_of(error))


async def _view(request: Request, place: Place) -> _View:
    """The drill of the repertoire that the player has given. Raises `NotFound` if there is none."""
    service, profile = service_of(request), required_profile(request)
    try:
        found = await service.search(request, lambda stop: _drill(service, profile, place.player), seconds=SECONDS)
    except UsageError as error:
        raise NotFound(error.message) from error
    if found is None:
        raise NotFound("no repertoire was given yet; /repertoire takes one")
    return _View(request, service, found, place)


def _drill(service: Service, profile: Profile, player: str) -> Drill | None:
    whose = whose_repertoire(service, profile, player.strip())
    found = stored_repertoire(service, whose)
    if found is None:
        return None
    # Answers change the library as well; what is drawn from changes with its traps and games alone.
    state = f"{service.traps_state()} {newest_game(service.library)}"
    return service.page_cache.get(state, ("drill", str(whose), found), lambda: _opened(service, whose, found))


def _opened(service: Service, whose: Whose, found: Repertoire) -> Drill:
    games = own_games(service, whose)
    return open_drill(service.library, str(whose), read_repertoire(service, found, games), games)


def _short(epd: str) -> str:
    """What a position is called in an address."""
    return blake2b(epd.encode(), digest_size=4).hexdigest()


def _to(where: str) -> Response:
    return RedirectResponse(where, status_code=303, headers={"Cache-Control": "no-store"})
