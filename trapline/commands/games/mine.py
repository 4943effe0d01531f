"""The command ``trapline mine``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import (
    ClusterOption,
    DbOption,
    EngineOption,
    JobsOption,
    JsonOption,
    bounds,
)
from trapline.commands.resources import check_outputs, leave_if_failed, open_or_make, pool_for, prover_with
from trapline.echo import echo

if TYPE_CHECKING:
    from db.games.index_games import Progress
    from db.mining.mine import MiningProgress


def mine(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="PGN files to index first, packed or not. - is stdin.")
    ] = None,
    min_games: Annotated[int, typer.Option(metavar="N", help="Only moves of at least N games, 1 or more.")] = 5,
    nodes: Annotated[int, typer.Option(metavar="N", help="Nodes for each question of the trap test.")] = 400_000,
    rating: Annotated[
        str | None, typer.Option(metavar="LOW-HIGH", help="Only players of this rating, such as 1200-1599.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Also write the new traps as PGN.")
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Also write the new traps as chapters of lichess studies, 64 a file."),
    ] = None,
    engine: EngineOption = None,
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find traps in the indexed games: moves that people play often and that lose by force.

    Each trap is proved. What it wins must agree with the engine, or without one with the results of the games. The list
    says how many players fell for it, the worst trap first. An interrupted run continues where it stopped.
    """
    from coach.study_files import study_files, write_study
    from db.formats.export_file import write_traps
    from db.games.index_games import index_files
    from db.games.trap_stats import stats_of
    from db.mining.mine import MiningOptions
    from db.mining.mine import mine as dig
    from trapline.commands.terminal import Status, counted, index_json, print_json, say

    check_outputs([output, *study_files(study)], db, files or ())
    low, high = bounds("rating", rating)
    options = MiningOptions(
        min_games=min_games,
        nodes=nodes,
        min_rating=low,
        max_rating=high,
    )
    status = Status()

    def reading(done: Progress) -> None:
        part = f", {done.raw_done / done.raw_size:.0%}" if done.raw_size else ""
        status.show(f"{done.file}{part}: {done.new_games:,} new games, {done.positions:,} positions")

    def looking(now: MiningProgress) -> None:
        left = now.candidates - now.known - now.resumed
        status.show(f"{now.done:,} of {left:,} moves looked at: {counted(sorted(now.findings.items()))}")

    with (
        prover_with(engine) as prover,
        pool_for(jobs, cluster) as pool,
        open_or_make(db) as library,
    ):
        indexed = index_files(library, files, pool=pool, progress=reading) if files else None
        status.clear()
        try:
            found = dig(library, options, prover=prover, pool=pool, progress=looking)
        except KeyboardInterrupt:
            status.clear()
            say("what was looked at is stored; the same command goes on from there")
            raise
        status.clear()
        all_stats = {trap.slug: stats_of(library, trap) for trap in found.traps}
        found.traps.sort(key=lambda trap: (-all_stats[trap.slug].score, trap.slug))
        if output is not None:
            write_traps(found.traps, output, as_json=False, library=library.name)
        if study is not None:
            write_study([(trap, all_stats[trap.slug]) for trap in found.traps], study)
    if as_json:
        traps = [{**trap.to_dict(), "toll": all_stats[trap.slug].to_dict()} for trap in found.traps]
        counts = {
            "candidates": found.candidates,
            "known": found.known,
            "resumed": found.resumed,
            **{finding: found.findings[finding] for finding in ("harmless", "refuted", "undecided", "proved")},
        }
        read = None if indexed is None else index_json(indexed)
        print_json({"index": read, **counts, "traps": traps})
    else:
        for trap in found.traps:
            stats = all_stats[trap.slug]
            echo(
                f"{trap.slug}\t{stats.score:.4f}\t{stats.frequency.played:,} of {stats.frequency.decisions:,} "
                f"({stats.low:.0%} to {stats.high:.0%})\t{' '.join(trap.sans())}\t{trap.name}"
            )
        say(
            f"{found.candidates:,} moves were played often enough; {found.known:,} are known traps, {found.resumed:,} "
            f"had been looked at before; {counted(sorted(found.findings.items()))}; {len(found.traps):,} new traps"
        )
    leave_if_failed(indexed.failures if indexed is not None else [])
