"""The commands ``trapline research puzzles`` and ``trapline research games``.

Everything but typer is imported when a command runs. Results go to standard output, messages to standard error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import JobsOption, JsonOption, OutputFolderOption
from trapline.commands.resources import check_outputs
from trapline.echo import echo, say

if TYPE_CHECKING:
    from workshop.evaluation.account import Account
    from workshop.evaluation.run import Run

GivenDbOption = Annotated[
    str | None,
    typer.Option(
        "--db", metavar="PATH", help="Evaluate this library with its weights, instead of one made of the puzzles."
    ),
]
LibrarySizeOption = Annotated[
    int, typer.Option("--library-size", metavar="N", min=1, help="Puzzles that are learned from, of one side.")
]
QueriesOption = Annotated[
    int, typer.Option(metavar="N", min=2, help="Test puzzles, of the other side; half of them mates.")
]


def puzzles(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv[.zst]", help="Lichess puzzles.")],
    db: GivenDbOption = None,
    library_size: LibrarySizeOption = 20_000,
    queries: QueriesOption = 4_000,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Learn again without each kind of token; takes minutes more.")
    ] = False,
    output: OutputFolderOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
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
    check_outputs(_written(output, "puzzles"), db, [file])
    with _run(file, db, library_size, queries, jobs) as run:
        account = account_of_puzzles(run, [part(run) for part in parts])
    _publish(account, "puzzles", output, as_json)


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
    db: GivenDbOption = None,
    library_size: LibrarySizeOption = 20_000,
    queries: QueriesOption = 2_000,
    output: OutputFolderOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
) -> None:
    """See whether the proposals tell puzzles from ordinary moves of real games.

    A few positions of each game are drawn, always the same, and an engine says what the move played there lost.
    """
    from db.proof.engine_choice import engine_command
    from trapcore.engines.uci_engine import UciEngine
    from trapcore.errors import InputError, UsageError
    from trapline.settings import read_settings
    from workshop.evaluation.account import account_of_games
    from workshop.evaluation.background_moves import Answers, judged_moves
    from workshop.evaluation.detection import detection

    command = engine_command(engine or read_settings().engine)

    def start() -> UciEngine:
        if command is None:
            raise UsageError("moves of games have to be judged: name a UCI engine with --engine")
        return UciEngine(command)

    for path in files:
        if not path.is_file():
            raise InputError(f"{path}: there is no such file")
    check_outputs([*_written(output, "games"), answers], db, [*files, puzzle_file])
    with _run(puzzle_file, db, library_size, queries, jobs) as run:
        judged = judged_moves(files, start, engine_nodes, Answers(answers, engine_nodes), run.say)
        account = account_of_games(run, [path.name for path in files], engine_nodes, [detection(run, judged)])
    _publish(account, "games", output, as_json)


def _written(folder: Path | None, name: str) -> list[Path]:
    """What `_publish` may replace."""
    if folder is None or not folder.is_dir():
        return []
    return [folder / f"{name}.md", folder / f"{name}.json", *folder.glob("*.svg")]


@contextmanager
def _run(file: Path, db: str | None, library_size: int, queries: int, jobs: int | None) -> Iterator[Run]:
    from db.library.open import open_library
    from trapline.commands.resources import jobs_or_default
    from trapline.commands.terminal import Status
    from workshop.evaluation.run import Run
    from workshop.evaluation.sample import read_sample

    threads = jobs_or_default(jobs)
    status = Status()
    status.show(f"reading {file}")
    weights = None
    if db is None:
        sample = read_sample(file, library_size, queries)
    else:
        with open_library(db, read_only=True) as opened:
            sample = read_sample(file, library_size, queries, opened)
            weights = opened.weights()
        if weights is None:
            status.clear()
            say(f"{db} has no weights of its own; they are learned from its traps now")
    run = Run(sample, threads, status.show, weights)
    try:
        yield run
    finally:
        status.clear()
        run.close()


def _publish(account: Account, name: str, output: Path | None, as_json: bool) -> None:
    from trapline.commands.terminal import print_json, print_table
    from workshop.evaluation.account import markdown_of
    from workshop.write_report import make_folder, write_plots, write_text

    if output is not None:
        import json

        make_folder(output)
        shown = [write_plots(finding.report, output) for finding in account.findings]
        write_text(output / f"{name}.md", markdown_of(account, shown))
        write_text(output / f"{name}.json", json.dumps(account.content(), indent=1) + "\n")
    if as_json:
        print_json(account.content())
        return
    print_table(account.title, ("figure", "value"), [row for finding in account.findings for row in finding.brief])
    if output is not None:
        echo(f"{output / name}.md has everything")
