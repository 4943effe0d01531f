"""The command ``trapline research local-search``. What it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.echo import echo

GAMES = ("breakthrough", "breakthrough-6x6")
"""The boards whose positions are searched."""
CHECKED = "breakthrough-6x6"
"""The board that a complete search can look through near the end."""
QUICK_NODES = 5_000
"""For a position whose claim is only checked."""


def local_search(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The page and its plot are written there.")],
    positions: Annotated[int, typer.Option(metavar="N", min=1, help="Positions of each board.")] = 20,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="For a position, each search.")] = 5.0,
    claims: Annotated[
        int, typer.Option(metavar="N", min=0, help="More positions of 6x6, whose claims are checked.")
    ] = 100,
    games: Annotated[int, typer.Option(metavar="N", min=0, help="Games with hints against without; 0: none.")] = 20,
    match_seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="For a move of these games.")] = 1.0,
) -> None:
    """Measure local search: depth, nodes against other searches, false claims, and what its hints are worth."""
    import os
    import sys

    from trapline.commands.resources import check_outputs
    from trapline.commands.terminal import Status
    from workshop.games.local_search import page
    from workshop.games.local_search import positions as drawing
    from workshop.games.local_search.blunders import blunders
    from workshop.games.local_search.claims import claims as claims_of
    from workshop.games.local_search.radius import radii
    from workshop.games.monte_carlo.matches import match
    from workshop.games.monte_carlo.page import Match
    from workshop.games.search.local_search import Finding, LocalBudget, locality
    from workshop.games.search.monte_carlo import PlayoutBudget
    from workshop.write_report import make_folder, write_report

    make_folder(out)
    check_outputs([out / "local-search.md", *out.glob("*.svg")], None, [])
    budget, move = LocalBudget(seconds=seconds), PlayoutBudget(seconds=match_seconds)
    status = Status()
    try:
        drawn = {game: drawing.near_the_end(game, positions, status.show, plies=drawing.LONG) for game in GAMES}
        found = [one for game in GAMES for one in claims_of(game, drawn[game], budget, budget, status.show)]
        # The first are of the games that were drawn from above.
        more = drawing.near_the_end(CHECKED, positions + claims, status.show)[positions:]
        quick_budget = LocalBudget(nodes=QUICK_NODES)
        quick = claims_of(CHECKED, more, quick_budget, quick_budget, status.show)
        matches = []
        for game in GAMES if games else ():
            result = match(game, "mcts-local", "mcts", move, games, status.show)
            matches.append(Match(game, "mcts-local", "mcts", f"{match_seconds:g} s", result, is_timed=True))
        won = [one.position for one in (*found, *quick) if one.game == CHECKED and one.finding is Finding.WIN]
        status.show("blunders")
        tenth = PlayoutBudget(seconds=match_seconds / 10)
        thrown = [blunders(CHECKED, won, name, tenth) for name in ("uct", "mcts", "mcts-local")]
        status.show("distances")
        known = {name: locality(name) for name in (*GAMES, "connect-four", "tic-tac-toe", "chess")}
        radius = radii()
    finally:
        status.clear()
    words = ["trapline", *sys.argv[1:]] if sys.argv[1:2] == ["research"] else ["trapline", "research", "local-search"]
    load = os.getloadavg()[0]
    machine = f"a machine of {os.cpu_count()} cores with a load of {load:.0f}"
    all_of_it = page.Found(" ".join(words), machine, seconds, known, found, quick, matches, thrown, radius)
    write_report(page.report(all_of_it), "local-search", out)
    echo(f"{out / 'local-search.md'} has everything")
