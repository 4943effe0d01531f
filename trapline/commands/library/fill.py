"""The commands that fill a library: ``trapline library init``, ``add`` and ``import``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, EngineNodesOption, EngineOption, JobsOption, JsonOption
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


def init(
    db: DbOption = None,
    bundled: Annotated[
        bool | None, typer.Option("--bundled/--empty", help="With the traps that come with the program, or without.")
    ] = None,
    engine: EngineOption = None,
    engine_nodes: EngineNodesOption = None,
    jobs: JobsOption = None,
) -> None:
    """Make a library, of the bundled traps or empty. The certificates of their proofs are checked."""
    from db.formats.bundled import add_bundled
    from db.library.open import create_library, open_library
    from trapcore.errors import LibraryError
    from trapline.commands.terminal import counted, say, trap_count

    path = db if db is not None else str(default_library())
    threads = jobs_or_default(jobs)
    with prover_with(engine, engine_nodes) as prover:
        if exists(path):
            with open_library(path, read_only=True) as opened:
                there = trap_count(opened.counts().traps)
            raise LibraryError(f"{path} is a trap library already, with {there}")
        if "://" in path:
            with open_library(path, create=True) as opened:
                if bundled is not False:
                    add_bundled(opened, prover, jobs=threads, log=say)
        else:
            fill = None if bundled is False else lambda made: add_bundled(made, prover, jobs=threads, log=say)
            create_library(path, fill)
    with open_library(path, read_only=True) as opened:
        counts = opened.counts()
    verdicts = counted([("proved", counts.proved), ("refuted", counts.refuted), ("undecided", counts.undecided)])
    say(f"{path} has {trap_count(counts.traps)}: {verdicts}")


def add(
    bait: Annotated[str, typer.Option(metavar="MOVE", help="The losing move, SAN or UCI.")],
    line: Annotated[str, typer.Option(metavar="MOVES", help="What refutes it: the attacker's move first.")],
    name: Annotated[str, typer.Option(metavar="TEXT", help="What people call the trap.")],
    moves: Annotated[str | None, typer.Option(metavar="MOVES", help="From the usual start to the position.")] = None,
    fen: Annotated[str | None, typer.Option(metavar="FEN", help="The position before the bait.")] = None,
    family: Annotated[str, typer.Option(metavar="WORD", help="What the trap is a case of.")] = "other",
    eco: Annotated[str, typer.Option(metavar="CODE", help="ECO code.")] = "",
    opening: Annotated[str, typer.Option(metavar="TEXT", help="Name of the opening.")] = "",
    source: Annotated[str, typer.Option(metavar="TEXT", help="Where you have it from.")] = "added by hand",
    replace: Annotated[bool, typer.Option("--replace", help="In place of one with this position and bait.")] = False,
    engine: EngineOption = None,
    engine_nodes: EngineNodesOption = None,
    db: DbOption = None,
) -> None:
    """Add one trap; it is checked, and proved as far as that can be done. Prints its slug."""
    from db.traps.trap import make_trap
    from db.wording.claims import claim
    from trapline.commands.terminal import say

    trap = make_trap(
        name=name,
        bait=bait,
        killer_line=line,
        fen=fen,
        moves=moves,
        family=family,
        eco=eco,
        opening=opening,
        source=source,
    )
    with prover_with(engine, engine_nodes) as prover, open_or_make(db) as opened:
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
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="PGN or lichess puzzles, packed or not; - stdin.")],
    limit: Annotated[int | None, typer.Option(metavar="N", min=0, help="Stop after so many entries of a file.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="In place of those with the same position and bait.")
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust-proofs", help="Take the proofs of a PGN export as they stand in it.")
    ] = False,
    engine: EngineOption = None,
    engine_nodes: EngineNodesOption = None,
    jobs: JobsOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the traps of PGN files, a game a trap, or of the lichess puzzle file. Mates are proved.

    In a PGN game the bait is the last main-line move marked ?? or ?, or the one that the tag Bait names. The same file
    again changes nothing.
    """
    from db.formats.import_file import import_file
    from db.library.library import Added
    from db.proof.engine_choice import OFF
    from trapline.commands.terminal import Status, counted, import_json, print_json, say

    status = Status()
    reports = []
    # Puzzles come by the ten thousand: only an engine that was asked for judges them.
    with prover_with(engine or OFF, engine_nodes) as prover, open_or_make(db) as opened:
        for file in files:
            report = import_file(
                opened,
                file,
                prover=prover if prover.engine is not None else None,
                replace=replace,
                trust=trust,
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
