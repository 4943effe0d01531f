"""Options that commands of several rooms take, declared once so that they read the same everywhere."""

from typing import Annotated

import typer

IndexedMeasureOption = Annotated[
    str | None,
    typer.Option(
        metavar="abstracted|sequences|continuations|structural",
        help="Similarity measure. Default: the setting `measure`, abstracted unless changed.",
    ),
]
DepthOption = Annotated[
    int | None,
    typer.Option(
        metavar="PLIES",
        help="Depth of the trees, 1 to 3 (default 2); for structural that of its base, 1 or 2 (default 1).",
    ),
]
LabelsOption = Annotated[str, typer.Option(metavar="uci|san", help="How moves are named when they are compared.")]
CapturesOption = Annotated[bool, typer.Option("--captures", help="The captured piece belongs to the name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="tcp://HOST:PORT",
        help="The scheduler of a Dask cluster whose workers do the work, in place of threads here.",
    ),
]
