"""The command ``trapline research mcts``. What it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.echo import echo

if TYPE_CHECKING:
    from collections.abc import Callable

    from workshop.games.monte_carlo.page import Match
    from workshop.games.search.monte_carlo import PlayoutBudget

SPEED_PLAYOUTS = {"breakthrough": 20_000, "breakthrough-6x6": 20_000, "go-7x7": 5_000, "chess": 2_000}
"""Games whose speed is measured, with the playouts of a variant."""


def mcts(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The page is written there.")],
    puzzles: Annotated[
        Path | None, typer.Option(metavar="FILE.csv[.zst]", help="Lichess puzzles. Default: the bundled traps.")
    ] = None,
    positions: Annotated[
        int, typer.Option(metavar="N", min=0, help="Puzzles or traps, those of each depth by turns.")
    ] = 200,
    playouts: Annotated[
        int, typer.Option(metavar="N", min=100, help="Choices are looked at after 100, 300, 1,000 … up to N playouts.")
    ] = 10_000,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="The equal time, for a move.")] = 0.1,
    games: Annotated[int, typer.Option(metavar="N", min=0, help="Games of each match; 0: none are played.")] = 40,
    game: Annotated[str, typer.Option(metavar="GAME,…", help="What the matches are played in.")] = "breakthrough-6x6",
    against: Annotated[str, typer.Option(metavar="NAME,…", help="The rivals of every variant in them.")] = "uct",
    match_playouts: Annotated[
        int, typer.Option("--match-playouts", metavar="N", min=1, help="For a move, in the matches at equal playouts.")
    ] = 1_000,
    match_seconds: Annotated[
        float, typer.Option("--match-seconds", metavar="S", min=0.001, help="For a move, in those at equal time.")
    ] = 0.01,
    searches: Annotated[
        str, typer.Option(metavar="NAME,…", help="Only these variants.", show_default="all that can play")
    ] = "",
) -> None:
    """Measure how often Monte Carlo searches choose the bait of a trap, how strong they are and how fast.

    Beside them stands the alpha-beta search at equal time. One thread; with the usual options about an hour.
    """
    import sys

    from trapline.commands.resources import check_outputs
    from trapline.commands.terminal import Status
    from workshop.games.monte_carlo import baits, page, speed
    from workshop.games.rules import game_named
    from workshop.games.search.monte_carlo import SEARCHES, PlayoutBudget, can_play, search_named
    from workshop.write_report import make_folder, write_report

    names = [name for name in searches.split(",") if name] or list(SEARCHES)
    rivals, boards = ([name for name in given.split(",") if name] for given in (against, game))
    for name in (*names, *rivals):
        search_named(name)
    for name in boards:
        game_named(name)
    make_folder(out)
    check_outputs([out / "mcts.md"], None, [puzzles] if puzzles else [])
    numbers = baits.steps(playouts)
    status = Status()
    try:
        if puzzles is None or not positions:
            drawn = baits.bundled_positions(positions)
        else:
            drawn = baits.read_puzzles(puzzles, positions)
        able = [name for name in names if can_play(name, "chess")]
        choices = baits.measure(drawn, able, numbers, seconds, status.show)
        budgets = [PlayoutBudget(playouts=match_playouts), PlayoutBudget(seconds=match_seconds)] if games else []
        played = [
            one
            for board in boards
            for rival in rivals
            for budget in budgets
            for one in _matches(board, names, rival, budget, games, status.show)
        ]
        measured = [one for name, count in SPEED_PLAYOUTS.items() for one in speed.speeds(name, count)]
        random_speeds = {name: speed.of_random_playouts(name) for name in SPEED_PLAYOUTS}
    finally:
        status.clear()
    words = ["trapline", *sys.argv[1:]] if sys.argv[1:2] == ["research"] else ["trapline", "research", "mcts"]
    found = page.Found(" ".join(words), able, numbers, seconds, choices, played, measured, random_speeds)
    write_report(page.report(found), "mcts", out)
    echo(f"{out / 'mcts.md'} has everything")


def _matches(
    game: str, names: list[str], rival: str, budget: PlayoutBudget, games: int, show: Callable[[str], None]
) -> list[Match]:
    """Each variant that can play the game against the rival; none if that cannot."""
    from workshop.games.monte_carlo.matches import match
    from workshop.games.monte_carlo.page import Match
    from workshop.games.search.monte_carlo import can_play

    if not can_play(rival, game):
        return []
    is_timed = budget.seconds is not None
    told = f"{budget.seconds:g} s" if is_timed else f"{budget.playouts:,} playouts"
    able = [name for name in names if name != rival and can_play(name, game)]
    return [Match(game, name, rival, told, match(game, name, rival, budget, games, show), is_timed) for name in able]
