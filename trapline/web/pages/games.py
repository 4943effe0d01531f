"""Page of a game at one of its moves: board, values, moves with comments, the best move when it is asked for."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import chess
from fastapi import Request
from fastapi.responses import Response

from coach.practice.wording import numbered
from db.games.accuracy import GameAccuracy, accuracy_of
from db.traps.position_value import PositionValue, Values
from db.wording.claims import percent_of_chance
from db.wording.languages.grammar import Grammar
from trapcore import _native
from trapcore.parallel.budget import Cancellation
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import INACCURACY
from trapline.web.pages.boards import Picture, dests, ground, with_gaps
from trapline.web.pages.game_viewer import GameView, Ply, around
from trapline.web.pages.plots import chance_bar, chance_plot
from trapline.web.pages.rendering import address, language_of, page
from trapline.web.service import Service, service_of

LINE_PLIES = 8
"""Plies shown of the line that is expected after it."""

SECONDS = 60.0
"""Longest time for that."""


COSTLY = 50 * INACCURACY
"""Percentage points of win chance that a side loses at least in its costliest phase."""


@dataclass(frozen=True, slots=True)
class GamePlace:
    """Where the page of a game is, and what it leads to."""

    path: str
    crumbs: Sequence[tuple[str, str]]
    """Name and address of the pages that lead here."""
    player: str = ""
    """Whose game it is, if the page says so; else empty."""
    following: str | None = None
    """Address of the next game."""
    likes: Mapping[int, str] = field(default_factory=dict)
    """Addresses of the losing moves most like those of this game, by half-move."""

    def url(self, ply: int, *, black: bool, best: bool = False) -> str:
        """The page at a half-move, Black below if ``black``; with ``best`` it shows the best move."""
        return address(self.path, player=self.player, ply=str(ply), side="black" if black else "white", best=best)


async def game_page(
    request: Request,
    view: GameView,
    *,
    place: GamePlace,
    at: int,
    told: Mapping[int, str],
    best: bool,
    values: Values = MappingProxyType({}),
) -> Response:
    """Response with the page at a half-move.

    ``told``: the list of moves with a comment, in words, by half-move. With ``best`` the best move is shown.
    ``values``: those that the comments of the game were written with.
    """
    service, language, flipped = service_of(request), language_of(request), view.plies[0].picture.flipped
    at = max(0, min(at, len(view.plies) - 1))
    here = view.plies[at]

    def url(ply: int) -> str:
        return place.url(ply, black=flipped)

    def look(stop: Cancellation) -> tuple[tuple[str, str] | None, tuple[float, ...]]:
        found = best_move(service, here, values, language, stop) if best else None
        return found, chances_of(service, view, values, stop)

    found, chances = await service.search(request, look, seconds=SECONDS)
    picture = here.picture if found is None else replace(here.picture, bait="", killer=found[0][:4])
    opening = view.opening(at)
    tags = view.tags
    return page(
        request,
        "game.html",
        is_stored=False,
        white=tags.get("White", "?"),
        black=tags.get("Black", "?"),
        tags=tags,
        plies=view.plies,
        is_cut=view.is_cut,
        here=here,
        picture=picture,
        ground=_ground(view, at, picture, url),
        url=url,
        told=[(ply, text, url(ply), place.likes.get(ply)) for ply, text in sorted(told.items())],
        steppers=(*around([url(number) for number in range(len(view.plies))], at), place.url(at, black=not flipped)),
        crumbs=place.crumbs,
        following=place.following,
        elsewhere=address("/position", fen=here.picture.fen, side="black" if flipped else ""),
        lichess=lichess_analysis(here.picture.fen, flipped=flipped),
        best_url=place.url(at, black=flipped, best=True),
        best=None if found is None else found[1],
        opening=None if opening is None else f"{opening.eco} {opening.name}",
        caption=here.san or language.text("The beginning of the game."),
        plot=chance_plot(chances, at, [ply for ply in told if ply < len(chances)], language),
        summary=summary(view, chances, language),
        bar=chance_bar(chances[at], flipped=flipped),
        chance=percent_of_chance(chances[at]),
    )


def _ground(view: GameView, at: int, picture: Picture, url: Callable[[int], str]) -> str:
    """The board: the game's next move steps on, another one leads to the page of its position."""
    board = parse_position(picture.fen)
    following = view.plies[at + 1] if at + 1 < len(view.plies) else None
    side = "black" if picture.flipped else ""
    played = with_gaps(address("/position", fen=picture.fen, line="{uci}", side=side))
    return ground(
        picture,
        dests=dests(board.legal_moves),
        play=played,
        leaves=True,
        next=None if following is None else [following.picture.last, url(at + 1)],
    )


def lichess_analysis(fen: str, *, flipped: bool = False) -> str:
    """Address of the position on lichess's analysis board."""
    return f"https://lichess.org/analysis/standard/{fen.replace(' ', '_')}{'?color=black' if flipped else ''}"


def white_chance(service: Service, fen: str, stop: Cancellation) -> float:
    """White's win chance in a position, -1..1, by the deepest value that there is."""
    epd = _native.epd(fen)
    (value,) = service.values.of([epd], stop).values()
    return value.chance if epd.split()[1] == "w" else -value.chance


def chances_of(service: Service, view: GameView, values: Values, stop: Cancellation) -> tuple[float, ...]:
    """White's win chance at each half-move, -1..1: by ``values`` where these have the position, else as the file says,
    else by the deepest value that there is."""
    left = [each.epd for each in view.plies if each.epd not in values and each.chance is None]
    known = {**service.values.of(left, stop), **values}
    found = []
    for each in view.plies:
        value = known.get(each.epd)
        if value is None:
            assert each.chance is not None
            found.append(each.chance)
        else:
            found.append(value.chance if each.epd.split()[1] == "w" else -value.chance)
    return tuple(found)


def summary(view: GameView, chances: Sequence[float], language: Grammar) -> str:
    """What the plot of White's win chances (-1..1) says of both sides.

    It is empty if a game is too short for that, or longer than the page shows.
    """
    board = parse_position(view.plies[-1].picture.fen)
    is_over = board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material()
    counted = chances[:-1] if is_over else chances
    black_begins = view.plies[0].epd.split()[1] == "b"
    found = None if view.is_cut else accuracy_of(counted, black_begins=black_begins)
    if found is None:
        return ""
    figures = language.text(
        "Accuracy: White %(white)s %%, Black %(black)s %%. "
        "Average loss: %(white_loss)s and %(black_loss)s points a move.",
        white=round(found.white.accuracy),
        black=round(found.black.accuracy),
        white_loss=language.decimal(found.white.loss, 1),
        black_loss=language.decimal(found.black.loss, 1),
    )
    return f"{figures} {_costliest_phases(view, found, language, black_begins)}".rstrip()


def _costliest_phases(view: GameView, found: GameAccuracy, language: Grammar, black_begins: bool) -> str:
    """The phase in which each side lost most; empty if none cost enough."""
    white = _costliest_phase(view.plies[black_begins::2], found.white.losses)
    black = _costliest_phase(view.plies[not black_begins :: 2], found.black.losses)
    if white and white == black:
        said = language.text("%(phase)s for both sides", phase=language.message(white))
    else:
        sides = ((white, chess.WHITE), (black, chess.BLACK))
        said = ", ".join(
            language.text("%(phase)s for %(side)s", phase=language.message(phase), side=language.sides[colour])
            for phase, colour in sides
            if phase
        )
    return language.text("Costliest phase: %(phases)s.", phases=said) if said else ""


def _costliest_phase(plies: Sequence[Ply], losses: Sequence[float]) -> str:
    """Phase in which the moves after these plies lost most together, of `db.games.phases.PHASES`; empty if that is less
    than `COSTLY` points."""
    lost: dict[str, float] = defaultdict(float)
    for each, loss in zip(plies, losses, strict=False):
        lost[each.phase] += loss
    costliest = max(lost, key=lost.__getitem__)
    return costliest if lost[costliest] >= COSTLY else ""


def best_move(service: Service, here: Ply, values: Values, language: Grammar, stop: Cancellation) -> tuple[str, str]:
    """Best move of a position (UCI, empty if there is none), and a sentence about it; ``values`` as `game_page` has
    them. Raises ``EngineError`` and `LibraryError`."""
    board = parse_position(here.picture.fen)
    if not any(board.legal_moves):
        return "", language.text("There is no legal move.")
    told = values.get(here.epd)
    value = told if told is not None and told.line else service.values.best(here.epd, stop)
    if not value.line:
        return "", language.text("The search found nothing in time.")
    line = numbered(board, value.line[:LINE_PLIES])
    is_own = value.by == _native.TESTER_VERSION
    by = language.text("trapline’s search") if is_own else value.by
    if (told is not None and told is not value) or (told is None and here.chance is not None):
        # Its value is on the page already, and is not of this search.
        return value.line[0], language.text("Best: %(line)s (%(by)s).", line=line, by=by)
    worth = _worth(board, value, language)
    if value.nodes is None:
        return value.line[0], language.text("Best: %(line)s (%(worth)s, proved).", line=line, worth=worth)
    return value.line[0], language.text(
        "Best: %(line)s (%(worth)s, %(nodes)s nodes, %(by)s).",
        line=line,
        worth=worth,
        nodes=language.number(value.nodes),
        by=by,
    )


def _worth(board: chess.Board, value: PositionValue, language: Grammar) -> str:
    """``mate in 3`` where the line shows it, else the win chance."""
    ended = board.copy(stack=False)
    for uci in value.line:
        ended.push_uci(uci)
    if ended.is_checkmate() and ended.turn != board.turn:
        return language.text("mate in %(count)s", count=(len(value.line) + 1) // 2)
    side = language.sides[board.turn]
    return language.text("%(chance)s for %(side)s", chance=percent_of_chance(value.chance), side=side)
