"""The command ``trapline research paper``. The experiments themselves are imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import JobsOption, OutputFolderOption
from trapline.echo import echo, say

if TYPE_CHECKING:
    from workshop.report import Report


def paper(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME…", help="Experiments, or `all`; see --list.", show_default=False)
    ] = None,
    output: OutputFolderOption = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.md", help="Write what all of them found into one Markdown file.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of whatever is drawn at random.")] = 0,
    jobs: JobsOption = None,
    as_list: Annotated[bool, typer.Option("--list", help="Name the experiments and stop.")] = False,
) -> None:
    """Repeat the experiments of the founding paper, ours beside what is printed there.

    The findings go to standard output as Markdown; the same seed gives the same ones, except for times. All of them
    take some minutes.
    """
    from time import perf_counter

    from trapcore.errors import UsageError
    from trapline.commands.resources import check_outputs, jobs_or_default
    from workshop.paper.benchmark import Run
    from workshop.paper.registry import EXPERIMENTS, experiments_named
    from workshop.report import markdown
    from workshop.write_report import make_folder, write_report, write_text

    if as_list:
        width = max(map(len, EXPERIMENTS))
        for known in EXPERIMENTS.values():
            echo(f"{known.name:<{width}}  {known.summary}")
        return
    if not names:
        raise UsageError("research paper needs a name, or all; --list names them")
    chosen = experiments_named(names)
    threads = jobs_or_default(jobs)
    check_outputs([report], None)
    if not 0 <= seed < 2**64:
        raise UsageError(f"the seed must be 0..2**64-1, not {seed}")
    if output is not None:
        make_folder(output)
    run = Run(threads, seed)
    reports = []
    for one in chosen:
        began = perf_counter()
        found = one.report(run)
        reports.append(found)
        if len(reports) > 1:
            echo()
        echo(markdown(found), nl=False)
        if output is not None:
            write_report(found, one.name, output)
        say(f"{one.name}: {perf_counter() - began:.1f} s")
    if report is not None:
        write_text(report, _combined(reports, names, seed))


def _combined(reports: list[Report], names: list[str], seed: int) -> str:
    from workshop.report import markdown

    head = (
        "# The paper's experiments, repeated\n\n"
        f"Written by `trapline research paper {' '.join(names)} --seed {seed} --report FILE`; nothing here is written "
        "by hand. *Printed* is what stands in Evans and Turrini, “Improving Strategic Decisions in Sequential Games by "
        "Exploiting Positional Similarity”, Games 2023, 14(3), 36. Times are those of the machine it ran on. "
        "Everything else is the same everywhere.\n"
    )
    return "\n".join([head, *(markdown(report, 2) for report in reports)])
