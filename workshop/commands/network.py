"""The command ``trapline research network``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.commands.options import JobsOption
from trapline.echo import echo


def network(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE.pgn…", help="Games; those with an odd number are learned from.")
    ],
    folder: Annotated[
        Path,
        typer.Option("--records", metavar="FOLDER", help="Labelled positions: those there are used, others added."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The weights.")],
    engine: Annotated[str, typer.Option(metavar="PATH", help="UCI engine that gives the values.")] = "stockfish",
    share: Annotated[
        float, typer.Option(metavar="SHARE", min=0.0, max=1.0, help="Share of the positions of a game that are drawn.")
    ] = 0.35,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="FILE", help="Weights to go on from, in place of random ones.")
    ] = None,
    rounds: Annotated[float, typer.Option(metavar="N", min=0.001, help="How often each record is used.")] = 8.0,
    batch: Annotated[int, typer.Option(metavar="N", min=1, help="Records of a step.")] = 16_384,
    jobs: JobsOption = None,
) -> None:
    """Train the network that values positions in the search, on an engine's values.

    A game gives some hundred records of 32 bytes, an hour of one processor some thirty million of them, and the same
    time trains on as many eight times. The weights in use are those in
    trapcore/native/src/search/network/weights.bin: put the new ones there and build.
    """
    import shutil

    from trapcore.errors import UsageError
    from trapline.commands.resources import check_outputs, jobs_or_default
    from trapline.commands.terminal import say
    from workshop.network.label import Sampling, label
    from workshop.network.train import Training, train

    command = shutil.which(engine)
    if command is None:
        raise UsageError(f"{engine}: there is no such engine; name its path with --engine")
    threads = jobs_or_default(jobs)
    check_outputs([output], None, files)
    held_out = folder / "held-out"
    label(files, folder, Sampling(command, share), threads, say)
    # Enough to measure by, for any games.
    label(files, held_out, Sampling(command, share / 20, held_out=True), threads, say)
    trained = train(folder, held_out, output, Training(rounds=rounds, batch=batch, threads=threads, start=start), say)
    echo(f"{trained.records:,} records, {trained.steps:,} steps: mean squared error of the win chance (0 to 1)")
    echo(f"{trained.loss:.5f} on the last of them, {trained.held_out_loss:.5f} on games that were left out")
    echo(f"written: {output}")
