"""Indexing of games: each is read once, also after an interruption.

A file is cut into batches of whole games. What a batch gave and how far the file is done are stored in one transaction,
so that a run that was killed goes on where it stopped, and the same games again change nothing.
"""

import hashlib
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session

from db.games.clocks import clocks_of_games
from db.games.game_address import with_address
from db.library.library import Library
from db.storage.bulk import BulkInsert, BulkLookup, Value
from db.storage.tables import CheckpointRow, GameRow, OccurrenceRow, PositionRow, SourceRow
from db.traps.terms import HIGHEST_RATING
from trapcore import _native
from trapcore.errors import InputError, UsageError
from trapcore.io.bounded_numbers import whole_number
from trapcore.io.streams import open_bytes
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Pool, in_order, threads

BATCH_BYTES = 384 * 1024
"""Of games for one transaction: some 50,000 positions of master games. Fewer cost speed, more cost memory."""

_GAME_COLUMNS = (
    "id",
    "digest",
    "white",
    "black",
    "date",
    "event",
    "site",
    "utc_time",
    "round",
    "eco",
    "variant",
    "result",
    "white_elo",
    "black_elo",
    "start_fen",
    "plies",
    "moves",
    "clocks",
    "source_id",
    "game_number",
    "byte_offset",
)
_TAGS = ("White", "Black", "Date", "Event", "Site", "UTCTime", "Round", "ECO", "Variant")


UNREAD_NAMED = 20
"""Games that could not be read; each is named."""


@dataclass(slots=True)
class Progress:
    """How far a run is; the same object is changed and given again."""

    file: str = ""
    """The file that is being read."""
    raw_done: int = 0
    """Bytes of it, as it lies on disk, that were read."""
    raw_size: int | None = None
    """Its size on disk; None for a pipe."""
    games: int = 0
    """Games read in this run, new or not; those that an earlier run had done are not read again."""
    new_games: int = 0
    rated_games: int = 0
    """Games that the library had already, and of which it now knows a rating that it did not know."""
    positions: int = 0
    """Positions of the new games, one a ply and the last one."""
    resumed: int = 0
    """Games that an earlier run had done."""
    sightings: int = 0
    """New sightings of traps."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Games that could not be read, by reason."""
    unread: list[str] = field(default_factory=list)
    """The first `UNREAD_NAMED` of them: file, number in it, and what is wrong."""
    notes: Counter[str] = field(default_factory=Counter)
    """Games of which words, or the moves from one that cannot be played, were left out, by reason."""
    noted: list[str] = field(default_factory=list)
    """The first `UNREAD_NAMED` of these notes: a sentence each."""
    failures: list[InputError] = field(default_factory=list)
    """Files that could not be read, or not to their end."""
    seconds: float = 0.0


def index_files(
    library: Library,
    paths: Sequence[Path | str],
    *,
    jobs: int = 1,
    pool: Pool | None = None,
    batch_bytes: int = BATCH_BYTES,
    source: str = "",
    progress: Callable[[Progress], None] | None = None,
) -> Progress:
    """Read PGN files (``-`` is standard input) into the library and record where its traps occurred.

    ``jobs`` threads (1 or more) read games while this one stores them, or ``pool`` does in their place. ``progress`` is
    called after each batch. ``source`` is stored as where the games are from, in place of the path, where the files are
    not kept. A file that cannot be read does not stop the others: it is in ``failures`` of the result.
    Raises `LibraryError`, `UsageError` for jobs out of range, and what the pool raises.
    """
    if jobs < 1:
        raise UsageError(f"jobs must be 1 or more, not {jobs}")
    done = Progress()
    began = time.monotonic()
    with threads(jobs, "read-games") if pool is None else nullcontext(pool) as readers:
        for path in paths:
            try:
                _File(library, path, done, progress, source).read(readers, batch_bytes)
            except InputError as error:
                done.failures.append(error)
            done.seconds = time.monotonic() - began
    done.sightings = library.record_occurrences()
    done.seconds = time.monotonic() - began
    if progress is not None:
        progress(done)
    return done


@dataclass(frozen=True, slots=True)
class _Part:
    """Some games of an input."""

    batch: _native.Batch
    torn: bool
    """The last game was cut off by the end of a broken file."""


def _read_records(part: _Part, stop: Cancellation) -> _native.BatchRecords:
    return _native.read_records(part.batch)  # which takes less time than anyone would notice


class _File:
    """One input and how far it is done."""

    def __init__(
        self,
        library: Library,
        path: Path | str,
        done: Progress,
        progress: Callable[[Progress], None] | None,
        source: str,
    ) -> None:
        self._library = library
        self._path = path
        self._done = done
        self._progress = progress
        self._reader = open_bytes(path)
        # A pipe cannot be read again, so it has no checkpoint either.
        self._name = source or ("stdin" if str(path) == "-" else str(Path(path).absolute()))
        self._digest = hashlib.blake2b(digest_size=16)
        self._offset = 0
        self._games = 0
        self._torn: InputError | None = None

    def read(self, pool: Pool, batch_bytes: int) -> None:
        """Read it from where an earlier run stopped, if it is the same file, else from its beginning."""
        try:
            self._done.file, self._done.raw_size = self._name, self._reader.raw_size
            parts = self._parts(_native.PgnSplitter(batch_bytes))
            with closing(in_order(pool, _read_records, parts, ahead=1, stop=Cancellation())) as read:
                for part, found in read:
                    self._store(part.batch, part.torn, found)
        finally:
            self._reader.close()
        self._done.raw_done = self._reader.raw_offset
        if self._torn is not None:
            raise self._torn

    def _parts(self, splitter: _native.PgnSplitter) -> Iterator[_Part]:
        """The batches that are not done."""
        try:
            for chunk in self._rest():
                for batch in splitter.feed(chunk):
                    yield _Part(batch, False)
        except InputError as error:
            self._torn = error
        tail = splitter.finish()
        for number, batch in enumerate(tail, start=1):
            yield _Part(batch, self._torn is not None and number == len(tail))

    def _rest(self) -> Iterator[bytes]:
        """The bytes that are not done."""
        checkpoint = self._checkpoint()
        if checkpoint is None:
            yield from self._reader
            return
        digest = hashlib.blake2b(digest_size=16)
        left = checkpoint.offset
        for chunk in self._reader:
            digest.update(chunk[:left])
            if len(chunk) < left:
                left -= len(chunk)
                continue
            if digest.digest() != checkpoint.digest:
                break
            self._digest, self._offset, self._games = digest, checkpoint.offset, checkpoint.games
            self._done.resumed += checkpoint.games
            yield chunk[left:]
            yield from self._reader
            return
        # Another file of that name and size.
        self._reader.close()
        self._reader = open_bytes(self._path)
        yield from self._reader

    def _checkpoint(self) -> CheckpointRow | None:
        if self._reader.raw_size is None:
            return None
        with self._library.database.read() as connection, Session(connection) as session:
            return session.scalars(
                select(CheckpointRow)
                .join(SourceRow, SourceRow.id == CheckpointRow.source_id)
                .where(SourceRow.path == self._name, CheckpointRow.size == self._reader.raw_size)
            ).one_or_none()

    def _store(self, batch: _native.Batch, torn: bool, found: _native.BatchRecords) -> None:
        records = found.records
        if torn and records and records[-1].game == batch.first_game + batch.games - 1:
            records.pop()
        with self._library.database.write() as connection:
            source_id = _source(connection, self._name)
            ratings = _ratings(records)
            new, rated = _told_apart(connection, records, ratings)
            _fill_ratings(connection, rated)
            clocks = clocks_of_games(batch, records)
            before = _Place(source_id, self._games, self._offset)
            _insert_games(connection, new, ratings, clocks, before, dict(found.positions))
            if not torn and self._reader.raw_size is not None:
                self._digest.update(batch.data())
                connection.execute(delete(CheckpointRow).where(CheckpointRow.source_id == source_id))
                connection.execute(
                    insert(CheckpointRow).values(
                        source_id=source_id,
                        size=self._reader.raw_size,
                        digest=self._digest.digest(),
                        offset=self._offset + batch.offset + batch.size,
                        games=self._games + batch.first_game - 1 + batch.games,
                    )
                )
        done = self._done
        done.raw_done = self._reader.raw_offset
        done.games += batch.games
        done.new_games += len(new)
        done.rated_games += len(rated)
        done.positions += sum(record.plies + 1 for record in new)
        done.skipped.update(skipped.reason for skipped in found.skipped)
        for skipped in found.skipped[: UNREAD_NAMED - len(done.unread)]:
            done.unread.append(f"{done.file}, game {self._games + skipped.game:,}: {skipped.detail}")
        done.notes.update(note.reason for note in found.notes)
        for note in found.notes[: UNREAD_NAMED - len(done.noted)]:
            place = f"{done.file}, game {self._games + note.game:,}, move {note.number}"
            done.noted.append(f"{place}: {note.detail}.")
        if self._progress is not None:
            self._progress(done)


def _source(connection: Connection, path: str) -> int:
    wanted = select(SourceRow.id).where(SourceRow.path == path)
    there = connection.scalar(wanted)
    if there is None:
        connection.execute(insert(SourceRow).values(path=path))
        there = connection.scalar(wanted)
        assert there is not None
    return there


_Ratings = tuple[int | None, int | None]
"""White's and Black's."""


def _ratings(records: Sequence[_native.GameRecord]) -> dict[bytes, _Ratings]:
    """By digest; of a game that is there twice, what the first one says that says anything."""
    found: dict[bytes, _Ratings] = {}
    for record in records:
        white, black = found.get(record.digest, (None, None))
        tags = record.tags
        found[record.digest] = (
            white if white is not None else _rating(tags.get("WhiteElo", "")),
            black if black is not None else _rating(tags.get("BlackElo", "")),
        )
    return found


def _rating(tag: str) -> int | None:
    try:
        return whole_number(tag, 1, HIGHEST_RATING)
    except ValueError:
        return None


def _told_apart(
    connection: Connection, records: Sequence[_native.GameRecord], ratings: dict[bytes, _Ratings]
) -> tuple[list[_native.GameRecord], list[tuple[int, _Ratings]]]:
    """The games that the library has not, each once; and of those it has the numbers that get ratings, and which."""
    by_digest = {record.digest: record for record in reversed(records)}
    columns = [GameRow.digest, GameRow.id, GameRow.white_elo, GameRow.black_elo]
    rated: list[tuple[int, _Ratings]] = []
    for digest, game_id, *known in BulkLookup(connection, columns, GameRow.digest).find(sorted(by_digest)):
        if by_digest.pop(digest, None) is None:
            continue
        white, black = (
            there if there is not None else read for there, read in zip(known, ratings[digest], strict=True)
        )
        if [white, black] != known:
            rated.append((game_id, (white, black)))
    return [record for record in records if by_digest.get(record.digest) is record], rated


def _fill_ratings(connection: Connection, rated: Sequence[tuple[int, _Ratings]]) -> None:
    if rated:
        values = [{"game": game_id, "white_elo": white, "black_elo": black} for game_id, (white, black) in rated]
        connection.execute(update(GameRow).where(GameRow.id == bindparam("game")), values)


class _Place(NamedTuple):
    """A source, and what of it was read before a batch."""

    source_id: int
    games: int
    bytes: int


def _insert_games(
    connection: Connection,
    new: Sequence[_native.GameRecord],
    ratings: dict[bytes, _Ratings],
    clocks: dict[int, bytes],
    before: _Place,
    fingerprints: dict[bytes, bytes],
) -> None:
    next_game = (connection.scalar(select(func.max(GameRow.id))) or 0) + 1
    games: list[tuple[Value, ...]] = []
    keys_of: list[list[bytes]] = []
    for game_id, record in enumerate(new, start=next_game):
        tags = with_address(record.tags)
        place = (before.source_id, before.games + record.game, before.bytes + record.offset)
        rated = ratings[record.digest]
        named = tuple(tags.get(tag, "").replace("\0", "") for tag in _TAGS)  # a server's text cannot have it
        played = (record.result, *rated, record.start_fen, record.plies, record.moves, clocks.get(record.game))
        games.append((game_id, record.digest, *named, *played, *place))
        keys_of.append(record.keys)
    BulkInsert(connection, GameRow, _GAME_COLUMNS).insert(games)
    ids = _position_ids(connection, sorted({key for keys in keys_of for key in keys}), fingerprints)
    occurrences: list[tuple[Value, ...]] = []
    for game_id, (record, keys) in enumerate(zip(new, keys_of, strict=True), start=next_game):
        moves = (*struct.unpack(f"<{record.plies}H", record.moves), None)
        occurrences += [(ids[key], game_id, ply, move) for ply, (key, move) in enumerate(zip(keys, moves, strict=True))]
    occurrences.sort(key=itemgetter(0, 1, 2))  # the order on disk
    BulkInsert(connection, OccurrenceRow, ("position_id", "game_id", "ply", "move")).insert(occurrences)


def _position_ids(connection: Connection, keys: Sequence[bytes], fingerprints: dict[bytes, bytes]) -> dict[bytes, int]:
    """The number of each position; those that are new are stored. ``keys`` ascend, as the index on them does."""
    ids = dict(BulkLookup(connection, [PositionRow.key, PositionRow.id], PositionRow.key).find(keys))
    next_id = (connection.scalar(select(func.max(PositionRow.id))) or 0) + 1
    new: list[tuple[Value, ...]] = []
    for number, key in enumerate((key for key in keys if key not in ids), start=next_id):
        new.append((number, key, fingerprints[key]))
    ids.update((key, number) for number, key, _ in new)
    BulkInsert(connection, PositionRow, ("id", "key", "fingerprint")).insert(new)
    return ids
