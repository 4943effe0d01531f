"""The command ``trapline research search``. What it needs is imported when it runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from trapline.commands.options import ClusterOption, JsonOption
from trapline.echo import echo
from workshop.commands.search_options import (
    SEARCH_METAVAR,
    GameArgument,
    MovesOption,
    PlayoutsOption,
    PositionArgument,
    SecondsOption,
    SeedOption,
    chosen_budget,
    hint_pool,
    local_json,
    local_text,
    opinion_json,
    opinion_text,
    sight_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trapcore.parallel.budget import Cancellation

T = TypeVar("T")
LOCAL = "local"
"""The search that is no Monte Carlo search."""
SHOWN = 8
"""Moves that are shown; the rest is counted."""


def search(
    game: GameArgument,
    position: PositionArgument = None,
    moves: MovesOption = "",
    name: Annotated[
        str,
        typer.Option("--search", metavar=f"{SEARCH_METAVAR}|local", help="The variant. local finds only forced wins."),
    ] = "mcts",
    seconds: SecondsOption = None,
    playouts: PlayoutsOption = None,
    seed: SeedOption = 0,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best move of a position by Monte Carlo tree search, or a forced win by local search.

    Ctrl-C ends the search with the best move so far, marked as cancelled. The exit code is then 130.
    """
    from workshop.games.search.monte_carlo import MonteCarloSearch, search_named

    if name == LOCAL:
        with hint_pool(cluster, is_asked=False):
            _search_locally(game, position, moves.split(), seconds, playouts, as_json=as_json)
        return
    budget = chosen_budget(seconds, playouts)
    with hint_pool(cluster, is_asked=search_named(name).local) as pool:
        made = MonteCarloSearch(game, position, name, moves=moves.split(), seed=seed, pool=pool)
        opinion = _cancellable(lambda stop: made.search(budget, stop))
    if as_json:
        answer = {"game": game, "position": made.text, "search": name, "seed": seed, **opinion_json(opinion)}
        echo(json.dumps(answer))
    else:
        echo(made.text)
        echo(opinion_text(opinion))
        for other in opinion.moves[:SHOWN]:
            proved = f"  proved {other.proved}" if other.proved is not None else ""
            hint = f"  local {other.hint}" if other.hint != "none" else ""
            echo(f"  {other.move:<6} {(other.value + 1) / 2:>6.1%} {other.playouts:>12,} playouts{proved}{hint}")
        if len(opinion.moves) > SHOWN:
            echo(f"  … {len(opinion.moves) - SHOWN} more")
        for sight in opinion.local:
            echo(f"local search: {sight_text(sight)}")
    if opinion.cancelled:
        raise typer.Exit(130)


def _search_locally(
    game: str,
    position: str | None,
    moves: Sequence[str],
    seconds: float | None,
    playouts: int | None,
    *,
    as_json: bool,
) -> None:
    """Answer by local search alone."""
    from trapcore.errors import UsageError
    from workshop.games.search.local_search import LocalBudget, LocalSearch, locality

    if playouts is not None:
        raise UsageError("local search plays no playouts: give --seconds")
    budget = LocalBudget(seconds=1.0 if seconds is None else seconds)
    made = LocalSearch(game, position, moves=moves)
    known = locality(game)
    opinion = _cancellable(lambda stop: made.search(budget, stop))
    if as_json:
        distances = {"mean_distance": known.mean_distance, "pays": known.pays, "focus": known.focus}
        echo(json.dumps({"game": game, "position": made.text, "search": LOCAL, **distances, **local_json(opinion)}))
    else:
        echo(made.text)
        focus = f", moves of a win at most {known.focus} files apart" if known.focus is not None else ""
        worth = "pays" if known.pays else "does not pay"
        echo(f"moves are {known.mean_distance:.2f} turns apart on the average: local search {worth}{focus}")
        for line in local_text(opinion):
            echo(line)
    if opinion.cancelled:
        raise typer.Exit(130)


def _cancellable(ask: Callable[[Cancellation], T]) -> T:
    """The answer; after Ctrl-C that which there is so far."""
    from concurrent.futures import ThreadPoolExecutor

    from trapcore.parallel.budget import Cancellation

    stop = Cancellation()
    # Another thread searches, so that Ctrl-C reaches this one and does not end the search without an answer.
    with ThreadPoolExecutor(max_workers=1) as pool:
        asked = pool.submit(ask, stop)
        try:
            return asked.result()
        except KeyboardInterrupt:
            stop.cancel()
            return asked.result()
