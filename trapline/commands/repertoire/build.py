"""The command ``trapline repertoire build``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JobsOption, JsonOption, bounds
from trapline.commands.resources import check_outputs, jobs_or_default, open_existing

if TYPE_CHECKING:
    from coach.repertoire.tree import Repertoire, TrapAhead


def build(
    color: Annotated[str, typer.Option(metavar="white|black", help="Your colour.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.pgn|FILE.bin|FOLDER",
            help="Output: PGN with variations, a polyglot book, or study chapters, 64 a file.",
        ),
    ],
    rating: Annotated[
        str | None,
        typer.Option(
            metavar="LOW-HIGH", help="Rating of the opponents. Either end may be left out. Default: any known rating."
        ),
    ] = None,
    max_cost: Annotated[
        float,
        typer.Option("--max-cost", metavar="C", help="Most win chance (-1 to 1) that a move gives away, 0 to 1."),
    ] = 0.08,
    depth: Annotated[int, typer.Option(metavar="PLIES", help="Depth, 1 to 60.")] = 20,
    positions: Annotated[int, typer.Option(metavar="N", help="Number of positions, the likeliest first.")] = 200,
    nodes: Annotated[
        int,
        typer.Option(
            metavar="N", help="Nodes for a position of the opponent, 100 or more; yours get eight times as many."
        ),
    ] = 4_000,
    db: DbOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build a trap repertoire against players of a rating: the moves with the best expected score, and their traps.

    Opponents answer as the players of the indexed games do, and elsewhere as a model of people's moves says. Each trap
    is proved. The list says how often a game reaches the trap, how often opponents fall, and what it wins. It also
    says what the trap costs against somebody who knows it.
    """
    from coach.repertoire.build import RepertoireOptions, build_repertoire
    from coach.repertoire.export import check_kind, write_repertoire
    from coach.repertoire.played import check_games
    from db.traps.temptation import RatingBand
    from trapcore.errors import UsageError
    from trapline.commands.terminal import Status, print_json, say

    low, high = bounds("rating", rating)
    if low is not None and high is not None and low > high:
        raise UsageError(f"the lowest rating, {low}, must not be above the highest, {high}")
    options = RepertoireOptions(
        color=color,
        band=RatingBand(1 if low is None else low, high),
        max_cost=max_cost,
        depth=depth,
        positions=positions,
        nodes=nodes,
    )
    check_outputs([output], db)
    check_kind(output)
    status = Status()
    with open_existing(db) as library:
        check_games(library, options.band)
        found = build_repertoire(
            library,
            options,
            jobs=jobs_or_default(jobs),
            progress=lambda done, total: status.show(f"{done:,} of {total:,} positions"),
        )
    status.clear()
    written = write_repertoire(found, output)
    if as_json:
        print_json({**found.to_dict(), "files": [str(path) for path in written]})
        return
    _print(found)
    say(
        f"{found.points:.3f} points a game are expected, with the best move each time {found.main_points:.3f}; "
        f"written: {', '.join(map(str, written))}"
    )


def _print(found: Repertoire) -> None:
    from trapline.commands.terminal import print_table

    columns = ("trap", "bait", "gets there", "fall", "wins", "costs", "in games")
    traps = found.traps()
    title = f"{len(traps):,} trap{'' if len(traps) == 1 else 's'} for {found.color.capitalize()} against {found.band}"
    print_table(title, columns, [_row(trap) for trap in traps])


def _row(trap: TrapAhead) -> tuple[str, ...]:
    wins = f"#{trap.mate_in}" if trap.mate_in is not None else f"{trap.wins / 2:.2f}"
    games = f"{trap.fell:,} of {trap.decisions:,}" if trap.decisions else ""
    shares = f"{trap.reach:.2%}", f"{trap.falls:.0%}", wins, f"{trap.costs / 2:.2f}", games
    return (" ".join(trap.moves), trap.bait_san, *shares)
