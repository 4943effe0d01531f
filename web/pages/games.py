"""Page of a game at one of its moves: board, values, moves with comments, the best move when it is asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fastapi import Request
from fastapi.responses import Response

from db.practice.wording import numbered
from db.proof.uci_engine import UciEngine
from db.wording.grammar import Grammar
from db.wording.sentences import percent_of_chance
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import search, win_chance
from trapcore.trees.chess_game import parse_position
from web.pages.boards import Picture
from web.pages.game_viewer import GameView
from web.pages.ground import dests, ground, with_gaps
from web.pages.line_viewer import around
from web.pages.plots import chance_bar, chance_plot
from web.pages.rendering import address, language_of, page
from web.service import Service, service_of

BEST_NODES = 200_000
"""Nodes of our own search for the best move that is asked for."""

LINE_PLIES = 8
"""So much is shown of what is expected after it."""

SECONDS = 60.0
"""Longest time for that."""


@dataclass(frozen=True, slots=True)
class GamePlace:
    """Where the page of a game is, and what it leads to."""

    path: str
    crumbs: Sequence[tuple[str, str]]
    """Name and address of the pages that lead here."""
    player: str = ""
    """Whose game it is, where the page tells; else empty."""
    following: str | None = None
    """Address of the next game."""

    def url(self, ply: int, *, black: bool, best: bool = False) -> str:
        """The page at a half-move, Black below if ``black``; with ``best`` it tells the best move."""
        return address(self.path, player=self.player, ply=str(ply), side="black" if black else "white", best=best)


async def game_page(
    request: Request,
    view: GameView,
    *,
    place: GamePlace,
    at: int,
    told: Mapping[int, str],
    best: bool,
) -> Response:
    """Response with the page at a half-move.

    ``told``: the moves in the list of those that something is told of, in words, by half-move. With ``best`` the best
    move is told.
    """
    service, language, flipped = service_of(request), language_of(request), view.plies[0].picture.flipped
    at = max(0, min(at, len(view.plies) - 1))
    here = view.plies[at]

    def url(ply: int) -> str:
        return place.url(ply, black=flipped)

    def values(stop: Cancellation) -> tuple[float, ...]:
        # They follow from the moves alone, whatever becomes of the library.
        key = ("chances", tuple((each.picture.fen, each.chance) for each in view.plies))
        return service.page_cache.get("", key, view.chances)

    chances = await service.search(request, values, seconds=SECONDS)
    found = None
    if best:
        found = await service.search(
            request, lambda stop: best_move(service, here.picture.fen, language, stop), seconds=SECONDS
        )
    picture = here.picture if found is None else replace(here.picture, bait="", killer=found[0][:4])
    opening = view.opening(at)
    tags = view.tags
    answer = page(
        request,
        "game.html",
        white=tags.get("White", "?"),
        black=tags.get("Black", "?"),
        tags=tags,
        plies=view.plies,
        is_cut=view.is_cut,
        here=here,
        picture=picture,
        ground=_ground(view, at, picture, url),
        url=url,
        told=[(ply, text, url(ply)) for ply, text in sorted(told.items())],
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
        bar=chance_bar(chances[at], flipped=flipped),
        chance=percent_of_chance(chances[at]),
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


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


def best_move(service: Service, fen: str, language: Grammar, stop: Cancellation) -> tuple[str, str]:
    """Best move of a position (UCI, empty if there is none) by the engine of the settings, else by our own search, and
    a sentence about it. Raises ``EngineError`` and `PositionError`."""
    board = parse_position(fen)
    if not any(board.legal_moves):
        return "", language.text("There is no legal move.")
    command = service.settings.engine_command
    if command is None:
        result = search(fen, Budget(nodes=BEST_NODES), stop)
        line, mate_in, depth, by = result.line, result.mate_in, result.depth, language.text("trapline’s search")
        chance = win_chance(result.value)
    else:
        with UciEngine(command) as engine:
            said = engine.evaluate(board, service.settings.engine_nodes, line=True)
            line, by = tuple(move.uci() for move in said.line), engine.name
            mate_in, depth, chance = said.mate_in, said.depth, said.chance
    if not line:
        return "", language.text("The search found nothing in time.")
    if mate_in is not None and mate_in > 0:
        worth = language.text("mate in %(count)s", count=mate_in)
    else:
        side = language.sides[board.turn]
        worth = language.text("%(chance)s for %(side)s", chance=percent_of_chance(chance), side=side)
    return line[0], language.text(
        "Best: %(line)s (%(worth)s, depth %(depth)s, %(by)s).",
        line=numbered(board, line[:LINE_PLIES]),
        worth=worth,
        depth=depth,
        by=by,
    )
