"""The command ``trapline research dynamics``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.echo import echo


def dynamics(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="chess, tic-tac-toe, connect-four, breakthrough[-6x6], go-5x5, …")
    ],
    pgn: Annotated[
        Path | None, typer.Argument(metavar="[PGN]", help="Chess only: real games instead of random ones.")
    ] = None,
    games: Annotated[int, typer.Option(metavar="N", help="Number of games, 1 to 100,000.")] = 10,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Of random games: the same seed, the same games.")
    ] = None,
    plies: Annotated[int | None, typer.Option(metavar="N", help="Random games end there; default 100.")] = None,
    depth: Annotated[int, typer.Option(metavar="PLIES", help="Depth of the local trees, 1 to 3.")] = 2,
) -> None:
    """Tell how dynamic a game is, and which search heuristic the founding paper expects to suit it.

    The variability is how much the number of moves per position changes from one ply to the next.
    """
    from trapcore.errors import UsageError
    from workshop.games.monte_carlo.tree_dynamics import LESS_DYNAMIC, Heuristic, pgn_games, playouts
    from workshop.games.monte_carlo.tree_dynamics import dynamics as measured
    from workshop.games.rules import game_named

    played = game_named(game)
    if pgn is not None:
        if played.name != "chess":
            raise UsageError(f"a PGN file is for chess, not for {played.name}")
        if seed is not None or plies is not None:
            raise UsageError("--seed and --plies belong to random games, not to a PGN file")
        found = measured(played, pgn_games(pgn, games), depth)
        source = f"{found.games} games of {pgn}"
    else:
        seed, plies = seed if seed is not None else 1, plies if plies is not None else 100
        found = measured(played, playouts(played, games, seed, plies), depth)
        source = f"{found.games} random games, seed {seed}, at most {plies} plies"
    error = f" ± {found.standard_error:.3f}" if found.standard_error is not None else ""
    echo(f"{played.name}: {source}, {found.positions:,} positions, depth {depth}")
    echo(f"connection density  {found.density:.1f} moves per position")
    echo(f"variability         {found.variability:.3f}{error} from ply to ply")
    if found.turn_variability is not None:
        echo(f"turn variability    {found.turn_variability:.3f} from turn to turn")
    echo(f"spread              {found.spread:.3f} along a game")
    if found.kept is not None:
        echo(f"kept moves          {found.kept:.3f} from turn to turn")
    match found.heuristic:
        case Heuristic.SHARING:
            echo(
                f"less dynamic (below {LESS_DYNAMIC}): a move is likely to do much the same in sibling positions, so "
                "sharing its value among them may help (all-moves-as-first, RAVE)"
            )
        case Heuristic.PRUNING:
            echo(
                f"dynamic (above {LESS_DYNAMIC}): what a move does depends on the position, so values shared among "
                "siblings are less reliable; branches differ sharply in value, so pruning may help most"
            )
        case None:
            echo(f"undecided: these games do not tell on which side of {LESS_DYNAMIC} the variability lies")
