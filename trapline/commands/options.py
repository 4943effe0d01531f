"""Options that several commands have, declared once so that they read the same everywhere."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from db.query.condition import Condition, conditions_of

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
        metavar="known|similar|losses|all",
        help="What is reported: traps of the library, also positions like them, also every other move that lost by "
        "force, or also inaccuracies. Default: the setting `tell`, losses unless changed.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="tcp://HOST:PORT", help="Work on a Dask cluster with this scheduler."),
]
DbOption = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH", help="The library, a file or a URL. Default: the setting `db`."),
]
LanguageOption = Annotated[
    str | None, typer.Option(metavar="en|de", help="Language of the text. Default: the setting `language`, en.")
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Threads, 1 or more. Default: the setting `jobs`.")
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="PATH|auto|off",
        help="UCI engine for a second opinion beside our own proofs. auto finds a Stockfish.",
    ),
]
SinceOption = Annotated[
    int | None, typer.Option("--since", metavar="YEAR", min=1, max=9999, help="Only games of this year and later.")
]
UntilOption = Annotated[
    int | None, typer.Option("--until", metavar="YEAR", min=1, max=9999, help="Only games of this year and before.")
]
AllNamesOption = Annotated[
    bool, typer.Option("--all", help="All players with that part in their names are one person.")
]
SiteOption = Annotated[
    str | None,
    typer.Option(
        metavar="chess.com|lichess.org|elsewhere",
        help="Only games of this site. Elsewhere the name may be somebody else's.",
    ),
]
SheetOption = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Also write the sheet as HTML, to print. - is stdout."),
]
SlugsArgument = Annotated[list[str] | None, typer.Argument(metavar="SLUG", help="Only these traps.")]
OutputFolderOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FOLDER", help="Write Markdown and plots into this folder. Needs the extra `plots`."
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
        raise UsageError(f"--{option} takes two numbers with a hyphen between; either may be left out: {text!r}")
    low, high = found.groups()
    return None if low is None else int(low), None if high is None else int(high)


def takes_conditions(*queries: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorator of a command: it gets an option for each condition of these queries, and what is given as ``asked``.

    ``asked`` has texts by the names of conditions, for `db.query.condition.query_of`. Two bounds are one option:
    ``--rating 1200-1599`` is ``min_rating`` and ``max_rating``.
    """
    by_option: dict[str, Condition] = {}
    for each in (each for query in queries for each in conditions_of(query).values()):
        by_option.setdefault(each.pair or each.name, each)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            asked: dict[str, str] = {}
            for name, each in by_option.items():
                value = given.pop(name)
                if each.pair:
                    ends = zip(("min", "max"), bounds(name, value), strict=True)
                    asked |= {f"{end}_{name}": str(number) for end, number in ends if number is not None}
                elif value is not None and value is not False:
                    asked[name] = "true" if value is True else value
            command(asked, **given)

        _, *own = signature(command, eval_str=True).parameters.values()
        options = [_option(name, each) for name, each in by_option.items()]
        run.__signature__ = Signature([*options, *(each.replace(kind=Parameter.KEYWORD_ONLY) for each in own)])  # type: ignore[attr-defined]
        return run

    return decorate


def _option(name: str, condition: Condition) -> Parameter:
    metavar = "LOW-HIGH" if condition.pair else "|".join(condition.choices) or condition.metavar
    option = typer.Option(condition.option, metavar=metavar, help=condition.help)
    text = None if condition.default is None else str(condition.default)
    kind, default = (bool, False) if condition.kind is bool else (str | None, text)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])
