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
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The weights.")],
    engine: Annotated[
        str, typer.Option(metavar="PATH", help="Stockfish 15.1, whose network gives the values.")
    ] = "stockfish",
    positions: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many are learned from, each once.")
    ] = 700_000_000,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="FILE", help="Weights to go on from, in place of random ones.")
    ] = None,
    batch: Annotated[int, typer.Option(metavar="N", min=1, help="Positions of a step.")] = 16_384,
    jobs: JobsOption = None,
) -> None:
    """Train the network that values positions in the search, on the values of an engine's network.

    An hour of one processor learns from some 350 million positions. The weights in use are those in
    trapcore/native/src/search/network/weights.bin: put the new ones there and build.
    """
    import shutil

    from trapcore.errors import UsageError
    from trapline.commands.resources import check_outputs, jobs_or_default
    from trapline.commands.terminal import say
    from workshop.network.teacher import network_of
    from workshop.network.train import Training, train

    command = shutil.which(engine)
    if command is None:
        raise UsageError(f"{engine}: there is no such engine; name its path with --engine")
    check_outputs([output], None, files)
    training = Training(positions=positions, batch=batch, threads=jobs_or_default(jobs), start=start)
    trained = train(files, network_of(command), output, training, say)
    echo(f"{trained.steps:,} steps of {batch:,} positions: mean squared error of the win chance (0 to 1),")
    echo(f"on games that were left out: {trained.after:.5f} ({trained.before:.5f} before)")
    echo(f"written: {output}")
