"""Options that ``search`` and ``play`` have, and what a search thinks, as text and as JSON."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trapcore.parallel.pools import Pool
    from workshop.games.search.local_search import LocalOpinion
    from workshop.games.search.monte_carlo import LocalSight, Opinion, PlayoutBudget

GAMES_HELP = "chess, tic-tac-toe, connect-four, breakthrough, breakthrough-6x6, go-5x5, go-7x7."
SEARCH_METAVAR = (
    "mcts|mcts-local|uct|solver|mast|history|rave|grave|minimax"
    "|similarity-rave|similarity-match|killer-rave|similarity-mcts|similarity-killer"
)

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help=GAMES_HELP)]
PositionArgument = Annotated[
    str | None,
    typer.Argument(metavar="[POSITION]", help="In the notation of the game, quoted. Default: the first position."),
]
MovesOption = Annotated[
    str, typer.Option(metavar='"MOVE …"', help="Moves to play first, with spaces between.", show_default=False)
]
SecondsOption = Annotated[
    float | None, typer.Option(metavar="S", help="Time for a move. Default: 1, without --playouts.")
]
PlayoutsOption = Annotated[
    int | None, typer.Option(metavar="N", help="Playouts for a move. The answer is then the same everywhere.")
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="The same seed gives the same answer.")]


def chosen_budget(seconds: float | None, playouts: int | None) -> PlayoutBudget:
    """What was given, or a second. Raises ``UsageError``."""
    from workshop.games.search.monte_carlo import PlayoutBudget

    return PlayoutBudget(seconds=1.0 if seconds is None and playouts is None else seconds, playouts=playouts)


@contextmanager
def hint_pool(cluster: str | None, *, is_asked: bool) -> Iterator[Pool | None]:
    """The workers of a cluster for local searches, if one is named. Raises ``UsageError`` if no search asks them."""
    from trapcore.errors import UsageError
    from trapcore.parallel.dask_cluster import cluster as connected

    if cluster is None:
        yield None
    elif not is_asked:
        raise UsageError("--cluster is for the local searches of mcts-local; nothing else asks them here")
    else:
        with connected(cluster) as workers:
            yield workers


def opinion_text(opinion: Opinion) -> str:
    """One line: the move, how good it is, how sure that is, and what comes next."""
    best = opinion.best
    sure = f"a proved {best.proved}" if best.proved is not None else f"win chance {opinion.win_chance:.0%}"
    line = f", expects {' '.join(opinion.line)}" if opinion.line else ""
    notes = [note for note, holds in (("cancelled", opinion.cancelled), ("tree full", opinion.tree_full)) if holds]
    end = f" ({', '.join(notes)})" if notes else ""
    return f"{best.move}: {sure} after {opinion.playouts:,} playouts{line}{end}"


def opinion_json(opinion: Opinion) -> dict[str, Any]:
    """Everything but the other moves."""
    best = opinion.best
    return {
        "move": best.move,
        "value": best.value,
        "win_chance": opinion.win_chance,
        "proved": None if best.proved is None else str(best.proved),
        "playouts": opinion.playouts,
        "line": list(opinion.line),
        "local": [sight_json(sight) for sight in opinion.local],
        "nodes": opinion.nodes,
        "fingerprints": opinion.fingerprints,
        "cancelled": opinion.cancelled,
        "tree_full": opinion.tree_full,
    }


def sight_text(sight: LocalSight) -> str:
    """One line: what local search saw of this position, or of one that comes next."""
    place = "" if sight.after is None else f"after {sight.after} "
    if sight.finding == "none":
        held = f", {' '.join(sight.losing)} lose" if sight.losing else ""
        return f"{place}a move elsewhere loses in {sight.tenuki}{held}"
    return f"{place}a local {sight.finding} in {sight.moves}: {' '.join(sight.line)}"


def sight_json(sight: LocalSight) -> dict[str, Any]:
    """Everything of it."""
    return {
        "after": sight.after,
        "result": str(sight.finding),
        "moves": sight.moves,
        "line": list(sight.line),
        "losing": list(sight.losing),
        "tenuki": sight.tenuki,
    }


def local_text(opinion: LocalOpinion) -> list[str]:
    """What a local search found, in a line or two."""
    notes = f"{opinion.nodes:,} nodes{', cancelled' if opinion.cancelled else ''}"
    if opinion.finding == "none":
        lines = [f"no forced win of either player found within {opinion.depth} moves ({notes})"]
        if opinion.tenuki is not None:
            losing = " ".join(one.move for one in opinion.losing)
            lines.append(f"a move elsewhere loses in {opinion.tenuki}; losing: {losing or 'none found'}")
        return lines
    told = "wins" if opinion.finding == "win" else "loses last of all moves, which all lose:"
    return [f"{opinion.best}: {told} in {opinion.moves}, {' '.join(opinion.line)} ({notes})"]


def local_json(opinion: LocalOpinion) -> dict[str, Any]:
    """Everything of it."""
    return {
        "move": opinion.best,
        "value": opinion.value,
        "result": str(opinion.finding),
        "moves": opinion.moves,
        "line": list(opinion.line),
        "losing": {one.move: one.moves for one in opinion.losing},
        "tenuki": opinion.tenuki,
        "depth": opinion.depth,
        "nodes": opinion.nodes,
        "cancelled": opinion.cancelled,
    }
