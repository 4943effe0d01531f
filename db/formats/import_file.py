"""Import of traps from files: PGN, each game a trap, and the lichess puzzle file; bad entries are listed."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from sys import maxsize
from typing import TypedDict, Unpack

from db.formats.pgn_import import game_trap
from db.formats.puzzle_file import LONGEST_LINE, read_rows
from db.formats.puzzles import puzzle_trap
from db.library.library import Added, Library
from db.proof.prover import SEARCH_NODES, TrapProver, prove_all
from db.storage.trap_rows import PROOF
from db.traps.trap import Trap
from trapcore import _native
from trapcore.errors import InputError
from trapcore.io.streams import ByteReader, open_bytes
from trapcore.proof.verdict import Verdict

PUZZLE_PROVER = TrapProver(prover_nodes=200_000, escape_nodes=1_000_000, profile_nodes=1_000)
"""For puzzles, which come by the ten thousand: what it leaves undecided, `trapline library verify` takes up again."""

_AT_A_TIME = 2000  # traps of one transaction


@dataclass(frozen=True, slots=True)
class Bad:
    """An entry that is no trap."""

    where: str
    """``line 17`` or ``game 4``."""
    reason: str


@dataclass(slots=True)
class Imported:
    """What became of a file."""

    file: str
    read: int = 0
    """Entries examined, the bad ones included."""
    results: Counter[Added] = field(default_factory=Counter)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    """Of the entries that were traps, without those whose bait was the only legal move."""
    without_choice: int = 0
    """Entries whose bait was the only legal move: mates or wins, but no traps."""
    bad: list[Bad] = field(default_factory=list)
    failure: InputError | None = None
    """Why the file could not be read to its end."""
    sightings: int = 0
    """New sightings of the new traps in the games that are indexed."""


class ImportOptions(TypedDict, total=False):
    """What is taken from a file."""

    replace: bool
    """Traps take the place of others with the same position and bait; without it they are counted as refused."""
    limit: int | None
    """Only so many entries, 0 or more."""


def import_file(
    library: Library,
    path: Path | str,
    *,
    prover: TrapProver | None = None,
    jobs: int = 1,
    progress: Callable[[Imported], None] | None = None,
    **options: Unpack[ImportOptions],
) -> Imported:
    """Read a PGN or puzzle file (``-`` is standard input, compressed or not), prove its traps and store them.

    The same file again changes nothing. ``prover`` proves; by default the prover alone, for puzzles with a small
    budget. ``jobs`` (1 or more) proofs run at the same time. ``progress`` is called now and then. ``options`` are those
    of `ImportOptions`. Raises `InputError` if the file cannot be opened or is neither PGN nor puzzles.
    """
    limit = options.get("limit")
    with open_bytes(path) as reader:
        source = "stdin" if str(path) == "-" else Path(path).name
        report = Imported(source)
        chunks = _Torn(reader, report)
        head = b""
        for chunk in chunks:
            head += chunk
            if b"\n" in chunk or len(head) > LONGEST_LINE:
                break
        if report.failure is not None:
            return report  # it broke off within its first line
        traps = _puzzles(head, chunks, report) if _is_table(head) else _games(head, chunks, report)
        usual = PUZZLE_PROVER if _is_table(head) else TrapProver(search_nodes=SEARCH_NODES)
        chosen = prover if prover is not None else usual
        entries = traps if limit is None else islice(traps, min(limit, maxsize))
        while batch := list(islice(entries, _AT_A_TIME)):
            good = [trap for trap in batch if trap is not None]
            proved = _proved(library, chosen, good, jobs, report)
            avoidable = [trap for trap in proved if not (trap.reason and trap.is_forced)]
            report.without_choice += len(proved) - len(avoidable)
            report.verdicts.update(trap.verdict for trap in avoidable)
            report.results.update(library.add_all(proved, replace=options.get("replace", False), checked=True))
            if progress is not None:
                progress(report)
        report.sightings = library.record_occurrences()
    return report


class _Torn:
    """The chunks of a reader; how it breaks off goes into the report, so that what was read before is kept."""

    def __init__(self, reader: ByteReader, report: Imported) -> None:
        self._reader = reader
        self._report = report

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._reader
        except InputError as error:
            self._report.failure = error


def _is_table(head: bytes) -> bool:
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return b"," in first and not first.lstrip().startswith((b"[", b"{", b"1.", b"%", b";"))


def _proved(library: Library, prover: TrapProver, traps: list[Trap], jobs: int, report: Imported) -> list[Trap]:
    """The traps with their proofs; those that the library has with a proof already keep that one."""
    known = library.known(traps)
    new = [trap for trap, stored in zip(traps, known, strict=True) if stored is None]
    proved = [stored for stored in known if stored is not None]
    # The same trap comes in many games; it is proved once.
    different = {_question(trap): trap for trap in new}
    answers = {_question(trap): result for trap, result in prove_all(prover, different.values(), jobs, checked=True)}
    for trap in new:
        result = answers[_question(trap)]
        if isinstance(result, InputError):
            report.bad.append(Bad(trap.slug, str(result)))
        else:
            found = {name: getattr(result, name) for name in ("outcome", "killer_line", "reason", *PROOF)}
            proved.append(dataclasses.replace(trap, **found))
    return proved


def _question(trap: Trap) -> tuple[object, ...]:
    return trap.epd, trap.bait, trap.killer_line, trap.outcome, trap.reason, trap.opinions


def _games(head: bytes, chunks: _Torn, report: Imported) -> Iterator[Trap | None]:
    splitter = _native.PgnSplitter(1)  # a game at a time
    for batch in _batches(splitter, head, chunks, report):
        if batch.games == 0:
            continue
        report.read += 1
        data = batch.data()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        try:
            yield game_trap(text.replace("\r\n", "\n"), source=report.file)
        except InputError as error:
            report.bad.append(Bad(f"game {batch.first_game}", str(error)))
            yield None


def _batches(splitter: _native.PgnSplitter, head: bytes, chunks: _Torn, report: Imported) -> Iterator[_native.Batch]:
    yield from splitter.feed(head)
    for chunk in chunks:
        yield from splitter.feed(chunk)
    tail = splitter.finish()
    # Where the file broke off, the last game did so too.
    yield from tail if report.failure is None else tail[:-1]


def _puzzles(head: bytes, chunks: _Torn, report: Imported) -> Iterator[Trap | None]:
    rows = read_rows(chain([head], chunks), report.file, is_whole=lambda: report.failure is None)
    for number, row in rows:
        report.read += 1
        try:
            if isinstance(row, InputError):
                raise row
            yield puzzle_trap(row)
        except InputError as error:
            report.bad.append(Bad(f"line {number}", str(error)))
            yield None
