"""Options that several commands have, declared once so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

IndexedMeasureOption = Annotated[
    str | None,
    typer.Option(
        metavar="abstracted|sequences|continuations|structural",
        help="Similarity measure. Default: the setting `measure`, abstracted unless changed.",
    ),
]
TellOption = Annotated[
    str | None,
    typer.Option(
        metavar="known|similar|losses",
        help="What is told: the library's traps, also what is like them, or also every other move that lost by force. "
        "Default: the setting `tell`, losses unless changed.",
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
DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="PATH",
        help="The library: a file, or an SQLAlchemy URL. A missing file is made, with the bundled traps, by `index`, "
        "`mine`, `library add`, `library import` and `library init`, which also makes an empty one; others say that it "
        "is missing. Default: the setting `db`, which any command makes.",
    ),
]

LanguageOption = Annotated[
    str | None,
    typer.Option(metavar="en|de", help="Language of what is written. Default: the setting `language`, en."),
]

JobsOption = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Threads, 1 or more. Default: the setting `jobs`, 1.")
]

EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="PATH|auto|off",
        help="UCI engine for a second opinion beside our own proofs; auto is a Stockfish found on the machine.",
    ),
]
EngineNodesOption = Annotated[
    int | None,
    typer.Option(
        "--engine-nodes", metavar="N", help="Nodes of the engine for a position, then four times as many; 1 or more."
    ),
]
SinceOption = Annotated[
    int | None, typer.Option("--since", metavar="YEAR", min=1, max=9999, help="Only games from then on.")
]
UntilOption = Annotated[
    int | None, typer.Option("--until", metavar="YEAR", min=1, max=9999, help="Only games until then.")
]
SlugsArgument = Annotated[list[str] | None, typer.Argument(metavar="SLUG", help="Only these traps.")]
OutputFolderOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FOLDER", help="Write Markdown and plots (with the extra `plots`) there, as files."
    ),
]


def bounds(option: str, text: str | None) -> tuple[int | None, int | None]:
    """Both ends of ``1200-1599``, ``2000-`` or ``-1400``; None where there is none.

    Raises ``UsageError``, which names the option.
    """
    import re

    from trapcore.errors import UsageError

    if text is None:
        return None, None
    found = re.fullmatch(r"\s*(\d{1,4})?\s*-\s*(\d{1,4})?\s*", text, re.ASCII)
    if found is None or not any(found.groups()):
        raise UsageError(
            f"--{option} wants two numbers with a hyphen between, either of which may be left out: {text!r}"
        )
    low, high = found.groups()
    return None if low is None else int(low), None if high is None else int(high)
