"""The command ``trapline mine``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import (
    ClusterOption,
    DbOption,
    EngineNodesOption,
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
        list[str] | None, typer.Argument(metavar="FILE", help="PGN files to index first, packed or not; - is stdin.")
    ] = None,
    min_games: Annotated[
        int | None, typer.Option(metavar="N", help="Moves that were played in so many games, 1 or more. Default 5.")
    ] = None,
    min_share: Annotated[
        float | None, typer.Option(metavar="SHARE", help="And in this part of the games that had the position, 0 to 1.")
    ] = None,
    rating: Annotated[
        str | None, typer.Option(metavar="LOW-HIGH", help="Only the choices of players rated so, e.g. 1200-1599.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="For each question of the trap test. Default 400,000.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Also write the new traps, as PGN.")
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Also write the new traps for lichess studies, 64 chapters a file."),
    ] = None,
    engine: EngineOption = None,
    engine_nodes: EngineNodesOption = None,
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find traps in the indexed games: moves that people play often and that lose by force.

    Each is proved as any trap of the library; what it wins is borne out by the engine, or without one by the results of
    the games. It is named by its opening and pattern, and listed with how many fell for it, worst first. An interrupted
    run goes on where it stopped; with new games only what is new is looked at.
    """
    from coach.lichess_study import study_files, write_study
    from db.formats.export_file import write_traps
    from db.games.index_games import index_files
    from db.games.trap_stats import stats_of
    from db.mining.mine import TEST_NODES, MiningOptions
    from db.mining.mine import mine as dig
    from trapline.commands.terminal import Status, counted, index_json, print_json, say

    check_outputs([output, *study_files(study)], db, files or ())
    low, high = bounds("rating", rating)
    options = MiningOptions(
        min_games=5 if min_games is None else min_games,
        min_share=0.0 if min_share is None else min_share,
        min_rating=low,
        max_rating=high,
        nodes=TEST_NODES if nodes is None else nodes,
    )
    status = Status()

    def reading(done: Progress) -> None:
        part = f", {done.raw_done / done.raw_size:.0%}" if done.raw_size else ""
        status.show(f"{done.file}{part}: {done.new_games:,} new games, {done.positions:,} positions")

    def looking(now: MiningProgress) -> None:
        left = now.candidates - now.known - now.resumed
        status.show(f"{now.done:,} of {left:,} moves looked at: {counted(sorted(now.findings.items()))}")

    with (
        prover_with(engine, engine_nodes) as prover,
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
