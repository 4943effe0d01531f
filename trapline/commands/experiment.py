"""The command ``trapline experiment``. The experiments themselves are imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from research.report import Report


def experiment(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME…", help="Experiments, or `all`; see --list.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write NAME.md there, and the plots as SVG (with the extra `plots`)."),
    ] = None,
    account: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what all of them found into one Markdown file.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of whatever is drawn at random.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Threads. Default: the setting `jobs`, 1 unless changed.")
    ] = None,
    as_list: Annotated[bool, typer.Option("--list", help="Name the experiments and stop.")] = False,
) -> None:
    """Repeat the experiments of the founding paper, ours beside what is printed there.

    The findings go to standard output as Markdown; the same seed gives the same ones, except for times. All of them
    take some minutes.
    """
    from time import perf_counter

    from research.paper.benchmark import Run
    from research.paper.registry import EXPERIMENTS, experiments_named
    from research.plots import can_draw
    from research.report import markdown
    from research.write_report import NO_PLOTS, make_folder, write_report, write_text
    from trapcore.errors import UsageError
    from trapline.settings import Settings

    if as_list:
        width = max(map(len, EXPERIMENTS))
        for known in EXPERIMENTS.values():
            typer.echo(f"{known.name:<{width}}  {known.summary}")
        return
    if not names:
        raise UsageError("experiment needs a name, or all; --list names them")
    chosen = experiments_named(names)
    if jobs is None:
        jobs = Settings().jobs
    elif jobs < 1:
        raise UsageError(f"jobs must be at least 1, not {jobs}")
    if not 0 <= seed < 2**64:
        raise UsageError(f"the seed must be 0..2**64-1, not {seed}")
    if out is not None:
        make_folder(out)
        if not can_draw():
            typer.echo(f"trapline: {NO_PLOTS}", err=True)
    run = Run(jobs, seed)
    reports = []
    for one in chosen:
        began = perf_counter()
        report = one.report(run)
        reports.append(report)
        if len(reports) > 1:
            typer.echo()
        typer.echo(markdown(report), nl=False)
        if out is not None:
            write_report(report, one.name, out)
        typer.echo(f"trapline: {one.name}: {perf_counter() - began:.1f} s", err=True)
    if account is not None:
        write_text(account, _account(reports, names, seed))


def _account(reports: list[Report], names: list[str], seed: int) -> str:
    from research.report import markdown

    head = (
        "# The paper's experiments, repeated\n\n"
        f"Written by `trapline experiment {' '.join(names)} --seed {seed} --account FILE`; nothing here is written by "
        "hand. *Printed* is what stands in Evans and Turrini, “Improving Strategic Decisions in Sequential Games by "
        "Exploiting Positional Similarity”, Games 2023, 14(3), 36. Times are those of the machine it ran on; "
        "everything else is the same everywhere.\n"
    )
    return "\n".join([head, *(markdown(report, 2) for report in reports)])
