"""The commands that fill a library: ``trapline library init``, ``add`` and ``import``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, EngineOption, JobsOption, JsonOption
from trapline.commands.resources import (
    default_library,
    exists,
    jobs_or_default,
    leave_if_failed,
    open_or_make,
    prover_with,
)
from trapline.echo import echo

if TYPE_CHECKING:
    from db.formats.import_file import Imported
    from db.library.library import Library


def init(
    db: DbOption = None,
    bundled: Annotated[bool, typer.Option("--bundled/--empty", help="With the bundled traps, or without.")] = True,
) -> None:
    """Make a library of the bundled traps, or an empty one. The certificates of the proofs are checked."""
    import os

    from db.formats.bundled import add_bundled, bundled_prover
    from db.library.open import create_library, open_library
    from trapcore.errors import LibraryError
    from trapline.commands.terminal import counted, say, trap_count

    path = db if db is not None else str(default_library())
    if exists(path):
        with open_library(path, read_only=True) as opened:
            there = trap_count(opened.counts().traps)
        raise LibraryError(f"{path} is a trap library already, with {there}")

    def fill(made: Library) -> None:
        if bundled:
            add_bundled(made, bundled_prover(), jobs=os.cpu_count() or 1, log=say)

    if "://" in path:
        with open_library(path, create=True) as opened:
            fill(opened)
    else:
        create_library(path, fill)
    with open_library(path, read_only=True) as opened:
        counts = opened.counts()
    verdicts = counted([("proved", counts.proved), ("refuted", counts.refuted), ("undecided", counts.undecided)])
    say(f"{path} has {trap_count(counts.traps)}: {verdicts}")


def add(
    bait: Annotated[str, typer.Option(metavar="MOVE", help="The losing move, SAN or UCI.")],
    line: Annotated[str, typer.Option(metavar="MOVES", help="The moves that punish it, the attacker's first.")],
    name: Annotated[str, typer.Option(metavar="TEXT", help="Name of the trap.")],
    moves: Annotated[str | None, typer.Option(metavar="MOVES", help="From the usual start to the position.")] = None,
    fen: Annotated[str | None, typer.Option(metavar="FEN", help="The position before the bait.")] = None,
    family: Annotated[str, typer.Option(metavar="WORD", help="Traps of one idea share a family.")] = "other",
    source: Annotated[str, typer.Option(metavar="TEXT", help="Where you have it from.")] = "added by hand",
    replace: Annotated[bool, typer.Option("--replace", help="Replace a trap with this position and bait.")] = False,
    db: DbOption = None,
) -> None:
    """Add one trap, checked and proved as far as that can be done. Prints its slug."""
    from db.traps.trap import make_trap
    from db.wording.claims import claim
    from trapline.commands.terminal import say

    trap = make_trap(name=name, bait=bait, killer_line=line, fen=fen, moves=moves, family=family, source=source)
    with prover_with(None) as prover, open_or_make(db) as opened:
        proved = prover.prove(trap)
        result = opened.add(proved, replace=replace)
        opened.record_occurrences()
        say(f"{proved.name} is {result}: {claim(proved)}")
    echo(proved.slug)


def _verdicts(report: Imported) -> list[tuple[str, int]]:
    """Verdicts with their counts, and how many entries were no traps because there was no choice."""
    found = [(str(verdict), count) for verdict, count in sorted(report.verdicts.items())]
    return [*found, ("without a choice (the bait was the only legal move)", report.without_choice)]


def import_(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="PGN or lichess puzzles. - is stdin.")],
    limit: Annotated[int | None, typer.Option(metavar="N", min=0, help="Read at most N entries of a file.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace traps with the same position and bait.")] = False,
    engine: EngineOption = None,
    jobs: JobsOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the traps of PGN files, one a game, or of the lichess puzzle file. Mates are proved.

    In a PGN game the bait is the last main-line move marked ?? or ?, or the move that the tag Bait names. The same file
    again changes nothing.
    """
    from db.formats.import_file import import_file
    from db.library.library import Added
    from db.proof.engine_choice import OFF
    from trapline.commands.terminal import Status, counted, import_json, print_json, say

    status = Status()
    reports = []
    # Puzzles come by the ten thousand: only an engine that was asked for judges them.
    with prover_with(engine or OFF) as prover, open_or_make(db) as opened:
        for file in files:
            report = import_file(
                opened,
                file,
                prover=prover if prover.engine is not None else None,
                replace=replace,
                limit=limit,
                jobs=jobs_or_default(jobs),
                progress=lambda now: status.show(f"{now.file}: {now.read:,} read"),
            )
            status.clear()
            reports.append(report)
            for bad in report.bad[:10]:
                say(f"{file}, {bad.where}: {bad.reason}")
            if len(report.bad) > 10:
                say(f"{file}: and {len(report.bad) - 10:,} bad ones more")
            if report.results[Added.REFUSED]:
                say(f"{file}: the library has other traps with the same position and bait; --replace overwrites them")
            if not report.read:
                say(f"{file}: there is nothing in it")
            if not as_json:
                results = counted([*sorted(report.results.items()), ("bad", len(report.bad))])
                echo(f"{file}: {report.read:,} read: {results}; {counted(_verdicts(report))}")
    if as_json:
        print_json([import_json(report) for report in reports])
    leave_if_failed([report.failure for report in reports if report.failure is not None])
