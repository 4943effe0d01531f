"""The commands ``trapline research puzzles`` and ``trapline research games``.

Everything but typer is imported when a command runs. Results go to standard output, messages to standard error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import JobsOption, OutputFolderOption
from trapline.commands.resources import check_outputs
from trapline.echo import echo

if TYPE_CHECKING:
    from workshop.evaluation.account import Account
    from workshop.evaluation.run import Run

LibrarySizeOption = Annotated[
    int, typer.Option("--library-size", metavar="N", min=1, help="Puzzles that are learned from, of one side.")
]
QueriesOption = Annotated[
    int, typer.Option(metavar="N", min=2, help="Test puzzles, of the other side; half of them mates.")
]


def puzzles(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv[.zst]", help="Lichess puzzles.")],
    library_size: LibrarySizeOption = 20_000,
    queries: QueriesOption = 4_000,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Learn again without each kind of token; takes minutes more.")
    ] = False,
    output: OutputFolderOption = None,
    jobs: JobsOption = None,
) -> None:
    """Ask for the killers of puzzles whose games are not in the library, and see what comes.

    Learned from, and compared with, is only the library. Some minutes for 20,000 puzzles.
    """

    from workshop.evaluation.ablation import ablation as without_kinds
    from workshop.evaluation.account import account_of_puzzles
    from workshop.evaluation.calibration import calibration
    from workshop.evaluation.cost import cost
    from workshop.evaluation.killers import killers
    from workshop.evaluation.patterns import patterns
    from workshop.evaluation.proof_work import proof_work
    from workshop.evaluation.temptation import temptation

    parts = [killers, patterns, calibration, proof_work, temptation, cost, *([without_kinds] if ablation else [])]
    check_outputs(_written(output, "puzzles"), None, [file])
    with _run(file, library_size, queries, jobs) as run:
        account = account_of_puzzles(run, [part(run) for part in parts])
    _publish(account, "puzzles", output)


def games(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.pgn…", help="Games that nothing was learned from.")],
    puzzle_file: Annotated[
        Path, typer.Option("--puzzles", metavar="FILE.csv[.zst]", help="Lichess puzzles: what has to be detected.")
    ],
    engine: Annotated[
        str | None,
        typer.Option(metavar="PATH|auto", help="UCI engine that judges moves. Default: setting `engine`."),
    ] = None,
    engine_nodes: Annotated[
        int, typer.Option("--engine-nodes", metavar="N", min=1, help="Nodes of the engine for a position.")
    ] = 15_000,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The engine's evaluations: those in the file are used, new ones added."),
    ] = None,
    library_size: LibrarySizeOption = 20_000,
    queries: QueriesOption = 2_000,
    output: OutputFolderOption = None,
    jobs: JobsOption = None,
) -> None:
    """See whether the proposals tell puzzles from ordinary moves of real games.

    A few positions of each game are drawn, always the same, and an engine says what the move played there lost.
    """
    from db.proof.engine_choice import engine_command
    from trapcore.errors import InputError, UsageError
    from trapline.settings import read_settings
    from workshop.coverage.killers import Answers
    from workshop.evaluation.account import account_of_games
    from workshop.evaluation.background_moves import judged_moves
    from workshop.evaluation.detection import detection

    command = engine_command(engine or read_settings().engine)
    if command is None:
        raise UsageError("moves of games have to be judged: name a UCI engine with --engine")
    for path in files:
        if not path.is_file():
            raise InputError(f"{path}: there is no such file")
    check_outputs([*_written(output, "games"), answers], None, [*files, puzzle_file])
    with (
        closing(Answers(answers, command, engine_nodes)) as asked,
        _run(puzzle_file, library_size, queries, jobs) as run,
    ):
        judged = judged_moves(files, asked, run.say)
        account = account_of_games(run, [path.name for path in files], engine_nodes, [detection(run, judged)])
    _publish(account, "games", output)


def _written(folder: Path | None, name: str) -> list[Path]:
    """What `_publish` may replace."""
    if folder is None or not folder.is_dir():
        return []
    return [folder / f"{name}.md", *folder.glob("*.svg")]


@contextmanager
def _run(file: Path, library_size: int, queries: int, jobs: int | None) -> Iterator[Run]:
    from trapline.commands.resources import jobs_or_default
    from trapline.commands.terminal import Status
    from workshop.evaluation.run import Run
    from workshop.evaluation.sample import read_sample

    threads = jobs_or_default(jobs)
    status = Status()
    status.show(f"reading {file}")
    run = Run(read_sample(file, library_size, queries), threads, status.show)
    try:
        yield run
    finally:
        status.clear()
        run.close()


def _publish(account: Account, name: str, output: Path | None) -> None:
    from trapline.commands.terminal import print_table
    from workshop.evaluation.account import markdown_of
    from workshop.write_report import make_folder, write_plots, write_text

    if output is not None:
        make_folder(output)
        shown = [write_plots(finding.report, output) for finding in account.findings]
        write_text(output / f"{name}.md", markdown_of(account, shown))
    print_table(account.title, ("figure", "value"), [row for finding in account.findings for row in finding.brief])
    if output is not None:
        echo(f"{output / name}.md has everything")
