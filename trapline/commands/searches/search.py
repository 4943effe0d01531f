"""The command ``trapline search``. What it needs is imported when it runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import JsonOption
from trapline.commands.searches.choice import (
    SEARCH_METAVAR,
    GameArgument,
    MovesOption,
    PlayoutsOption,
    PositionArgument,
    SecondsOption,
    SeedOption,
    chosen_budget,
    opinion_json,
    opinion_text,
)
from trapline.echo import echo

if TYPE_CHECKING:
    from trapcore.proof.monte_carlo import MonteCarloSearch, Opinion, PlayoutBudget

SHOWN = 8
"""Moves that are shown; the rest is counted."""


def search(
    game: GameArgument,
    position: PositionArgument = None,
    moves: MovesOption = "",
    name: Annotated[str, typer.Option("--search", metavar=SEARCH_METAVAR, help="The variant of the search.")] = "mcts",
    seconds: SecondsOption = None,
    playouts: PlayoutsOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Find the best move of a position by Monte Carlo tree search.

    Ctrl-C ends the search with the best move so far, marked as cancelled; the exit code is 130 then.
    """
    from trapcore.proof.monte_carlo import MonteCarloSearch

    budget = chosen_budget(seconds, playouts)
    made = MonteCarloSearch(game, position, name, moves=moves.split(), seed=seed)
    opinion = _cancellable(made, budget)
    if as_json:
        answer = {"game": game, "position": made.text, "search": name, "seed": seed, **opinion_json(opinion)}
        echo(json.dumps(answer))
    else:
        echo(made.text)
        echo(opinion_text(opinion))
        for other in opinion.moves[:SHOWN]:
            proved = f"  proved {other.proved}" if other.proved is not None else ""
            echo(f"  {other.move:<6} {(other.value + 1) / 2:>6.1%} {other.playouts:>12,} playouts{proved}")
        if len(opinion.moves) > SHOWN:
            echo(f"  … {len(opinion.moves) - SHOWN} more")
    if opinion.cancelled:
        raise typer.Exit(130)


def _cancellable(search: MonteCarloSearch, budget: PlayoutBudget) -> Opinion:
    """The opinion; after Ctrl-C that which there is so far."""
    from concurrent.futures import ThreadPoolExecutor

    from trapcore.parallel.budget import Cancellation

    stop = Cancellation()
    # Another thread searches, so that Ctrl-C reaches this one and does not end the search without an answer.
    with ThreadPoolExecutor(max_workers=1) as pool:
        asked = pool.submit(search.search, budget, stop)
        try:
            return asked.result()
        except KeyboardInterrupt:
            stop.cancel()
            return asked.result()
