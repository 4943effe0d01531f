"""The commands of this floor: ``trapline library ...`` and ``trapline index``.

Everything but typer is imported when a command runs, so that ``trapline --help`` stays quick. What is asked for goes
to standard output, talk to standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.backup import backup, restore
from trapline.commands.db_options import (
    DbOption,
    EngineNodesOption,
    EngineOption,
    JobsOption,
    default_library,
    exists,
    jobs_or_default,
    judge_with,
    leave_if_failed,
    open_existing,
    open_or_make,
    pool_for,
)
from trapline.commands.options import ClusterOption, JsonOption
from trapline.commands.propose import fit

if TYPE_CHECKING:
    from db.traps.trap import Trap

library = typer.Typer(no_args_is_help=True, help="Fill, look at and check the trap library.")
library.command()(fit)
library.command()(backup)
library.command()(restore)

SlugsArgument = Annotated[list[str] | None, typer.Argument(metavar="SLUG", help="Only these traps.")]


@library.command()
def init(
    db: DbOption = None,
    bundled: Annotated[
        bool | None, typer.Option("--bundled/--empty", help="With the traps that come with the program, or without.")
    ] = None,
    upgrade: Annotated[bool, typer.Option("--upgrade", help="Bring an existing library up to date.")] = False,
    engine: EngineOption = None,
    engine_nodes: EngineNodesOption = None,
    jobs: JobsOption = None,
) -> None:
    """Make a library; its mates are proved at once, which takes some seconds.

    With --upgrade, an existing library gets the present schema and keys and keeps its traps; --bundled then also
    brings its bundled traps up to date.
    """
    from db.formats.bundled import add_bundled
    from db.library.open import create_library, open_library, upgrade_library
    from trapcore.errors import LibraryError
    from trapline.commands.terminal import counted, say, trap_count
    from trapline.settings import Settings

    path = db if db is not None else str(default_library())
    threads = jobs_or_default(jobs)
    with judge_with(engine or Settings().engine, engine_nodes) as judge:
        if upgrade:
            for step in upgrade_library(path) or ["nothing had to be brought up to date"]:
                say(f"{path}: {step}")
            if bundled:
                with open_library(path) as opened:
                    add_bundled(opened, judge, jobs=threads)
        elif exists(path):
            with open_library(path, read_only=True) as opened:
                there = trap_count(opened.counts().traps)
            raise LibraryError(f"{path} is a trap library already, with {there}; --upgrade brings it up to date")
        elif "://" in path:
            with open_library(path, create=True) as opened:
                if bundled is not False:
                    add_bundled(opened, judge, jobs=threads)
        else:
            fill = None if bundled is False else lambda made: add_bundled(made, judge, jobs=threads)
            create_library(path, fill)
    with open_library(path, read_only=True) as opened:
        counts = opened.counts()
    verdicts = counted([("proved", counts.proved), ("refuted", counts.refuted), ("undecided", counts.undecided)])
    say(f"{path} has {trap_count(counts.traps)}: {verdicts}")


@library.command()
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
    from db.traps.wording import claim
    from trapline.commands.terminal import say
    from trapline.settings import Settings

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
    with judge_with(engine or Settings().engine, engine_nodes) as judge, open_or_make(db) as opened:
        proved = judge.prove(trap)
        result = opened.add(proved, replace=replace)
        opened.sweep()
        say(f"{proved.name} is {result}: {claim(proved)}")
    typer.echo(proved.slug)


@library.command("import")
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
    from trapline.commands.terminal import Status, counted, import_json, print_json, say

    status = Status()
    reports = []
    with judge_with(engine, engine_nodes) as judge, open_or_make(db) as opened:
        for file in files:
            report = import_file(
                opened,
                file,
                judge=judge if engine is not None else None,
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
                typer.echo(f"{file}: {report.read:,} read: {results}; {counted(sorted(report.verdicts.items()))}")
    if as_json:
        print_json([import_json(report) for report in reports])
    leave_if_failed([report.failure for report in reports if report.failure is not None])


@library.command("list")
def list_(
    family: Annotated[str | None, typer.Option(metavar="WORD", help="Only traps of this family.")] = None,
    verdict: Annotated[
        str | None, typer.Option(metavar="proved|refuted|undecided", help="Only traps with this verdict.")
    ] = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the traps; without a terminal a line each: slug, verdict, victim, bait, killer line, name, reason.

    The reason is that of a famous line which is no trap, and empty for the others.
    """
    from db.traps.answer import trap_to_dict
    from db.traps.wording import claim
    from trapline.commands.terminal import print_json, print_table, say, trap_count

    with open_existing(db) as opened:
        traps, frequencies = opened.traps(), opened.frequencies()
    if family is not None:
        _known("family", family, {trap.family for trap in traps})
        traps = [trap for trap in traps if trap.family == family]
    if verdict is not None:
        _known("verdict", verdict, {"proved", "refuted", "undecided"})
        traps = [trap for trap in traps if trap.verdict == verdict]
    if as_json:
        print_json([trap_to_dict(trap, frequencies.get(trap.slug)) for trap in traps])
        return
    rows = []
    for trap in traps:
        bait, *killer = trap.sans()
        rows.append((trap.slug, claim(trap), trap.victim, bait, " ".join(killer), trap.name, trap.reason))
    columns = ("slug", "verdict", "victim", "bait", "killer line", "name", "reason")
    print_table(trap_count(len(rows)), columns, rows)
    if not rows:
        say("there are no such traps")


@library.command()
def show(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="As `trapline library list` gives it.")],
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show everything about one trap: its proof, what others say, how the bait looks by depth and in the games."""
    from dataclasses import asdict

    from db.traps.answer import trap_to_dict
    from db.traps.wording import is_rated
    from trapline.commands.terminal import print_json, print_trap

    with open_existing(db) as opened:
        trap = opened.trap(slug)
        if as_json:
            seen = [asdict(sighting) for sighting in opened.sightings(slug)]
            by_rating = opened.frequencies_by_rating(slug).get(slug, {})
            bands = {str(band): asdict(known) for band, known in by_rating.items()} if is_rated(by_rating) else {}
            found = {**trap_to_dict(trap, opened.frequency(slug)), "frequency_by_rating": bands}
            print_json({**found, "events": opened.events(slug), "sightings": seen})
        else:
            print_trap(trap, opened)


@library.command()
def verify(
    slugs: SlugsArgument = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a trap is refuted that is not known as none, or disputed.")
    ] = False,
    engine: EngineOption = None,
    engine_nodes: EngineNodesOption = None,
    jobs: JobsOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read the whole library, prove its traps again, and store what changed.

    With an engine, its opinions are stored beside our own; what engines have said before stays. Where two opinions
    contradict each other, nothing is claimed unless a mate is proved. After an interruption, a run over all traps goes
    on where it was.
    """
    from db.proof.reverify import Verified, verify_traps
    from db.traps.wording import claim, contradiction
    from trapcore.proof.verdict import Verdict
    from trapline.commands.terminal import Status, counted, print_json, say, trap_count
    from trapline.settings import Settings

    status = Status()

    def progress(now: Verified) -> None:
        status.show(f"{now.done:,} of {trap_count(now.wanted)}: {_verdicts(now)}")

    def _verdicts(now: Verified) -> str:
        figures = [(str(verdict), now.verdicts[verdict]) for verdict in Verdict]
        one = "contradiction" if len(now.disputed) == 1 else "contradictions"
        return counted([*figures, (one, len(now.disputed))])

    with judge_with(engine or Settings().engine, engine_nodes) as judge, open_existing(db, read_only=False) as opened:
        opened.check_file()
        chosen = [opened.trap(slug) for slug in slugs] if slugs else None
        try:
            report = verify_traps(opened, judge, chosen, jobs=jobs_or_default(jobs), progress=progress)
        except KeyboardInterrupt:
            status.clear()
            say("what was verified is stored" + ("" if chosen else "; the same command goes on from there"))
            raise
        status.clear()
    if report.resumed:
        say(f"{trap_count(report.resumed)} had been verified before the last run was interrupted")
    if as_json:
        print_json(report.to_dict())
    else:
        for before, after in report.changes:
            typer.echo(f"{after.slug}: was {claim(before)}, is {claim(after)}")
        for trap in report.disputed:
            typer.echo(f"{trap.slug}: {contradiction(trap)}")
        typer.echo(_verdicts(report))
    if strict and (report.refuted or report.disputed):
        raise typer.Exit(1)


@library.command()
def export(
    slugs: SlugsArgument = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Packed if it ends in .gz, .bz2 or .zst; - is stdout."),
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write them there for lichess studies, 64 chapters a file."),
    ] = None,
    db: DbOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of PGN.")] = False,
) -> None:
    """Write the traps as PGN games, which `trapline library import --trust-proofs` reads back, or as JSON.

    With --study the proved ones as chapters of lichess studies instead, and with -o as well as both.
    """
    from db.formats.export_file import write_traps
    from db.formats.lichess_study import write_study
    from db.games.trap_stats import toll_of
    from trapcore.proof.verdict import Verdict
    from trapline.commands.terminal import say, trap_count

    with open_existing(db) as opened:
        traps: list[Trap] = [opened.trap(slug) for slug in slugs] if slugs else opened.traps()
        if study is not None:
            # A chapter says that it is a trap.
            proved = [trap for trap in traps if trap.verdict is Verdict.PROVED]
            files = write_study([(trap, toll_of(opened, trap)) for trap in proved], study)
            others = len(traps) - len(proved)
            left = f"; {others:,} not proved and left out" if others else ""
            say(f"{trap_count(len(proved))} in {', '.join(map(str, files)) or 'no file'}{left}")
        if output is not None or study is None:
            write_traps(traps, output or "-", as_json=as_json, library=opened.name)


def index(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="PGN files, packed or not; - is stdin.")],
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read games into the library and find where its traps occurred in them.

    The same games again change nothing; an interrupted run goes on where it stopped. The exit code is 3 if a file could
    not be read to its end.
    """
    from db.games.index_games import Progress, index_files
    from trapline.commands.terminal import Status, counted, index_json, print_json

    status = Status()

    def progress(done: Progress) -> None:
        part = f", {done.raw_done / done.raw_size:.0%}" if done.raw_size else ""
        status.show(f"{done.file}{part}: {done.new_games:,} new games, {done.positions:,} positions")

    with pool_for(jobs, cluster) as pool, open_or_make(db) as opened:
        done = index_files(opened, files, pool=pool, progress=progress)
    status.clear()
    if as_json:
        print_json(index_json(done))
    else:
        skipped = counted(sorted(done.skipped.items()))
        rated = f"{done.rated_games:,} games that were there got ratings; " if done.rated_games else ""
        typer.echo(
            f"{done.games:,} games read, {done.new_games:,} of them new, with {done.positions:,} positions; {rated}"
            f"{done.resumed:,} games were done before; skipped: {skipped}; {done.sightings:,} new sightings of traps"
        )
    leave_if_failed(done.failures)


def _known(what: str, given: str, known: set[str]) -> None:
    from trapcore.suggestions import unknown_name

    if given not in known:
        raise unknown_name(what, given, sorted(known))
