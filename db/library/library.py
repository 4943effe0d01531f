"""Trap library: traps by name and by key, sightings in games, counts, a digest of all traps."""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, delete, func, insert, select, update

from db.storage.bulk import BulkLookup
from db.storage.column_types import stored, time_text
from db.storage.database import Database
from db.storage.frequency import frequencies, frequencies_by_rating
from db.storage.sighting_rows import BY_KEY, RECORDED_TRAPS, Sighting, record_occurrences
from db.storage.tables import (
    Base,
    GameRow,
    MetaRow,
    OccurrenceRow,
    PositionRow,
    SightingRow,
    SourceRow,
    TrapRow,
    WeightsRow,
)
from db.storage.trap_rows import PROOF, insert_traps, mark_changed, read_traps, replace_trap, traps_by_identity
from db.traps.temptation import Frequency, RatingBand
from db.traps.trap import Trap
from trapcore.errors import InputError, LibraryError, UsageError, unknown_name
from trapcore.io.bounded_numbers import whole_number
from trapcore.proof.verdict import Verdict
from trapcore.ranking.weights import VOCABULARY_VERSION, Weights


class Added(StrEnum):
    """What became of a trap that was added."""

    ADDED = "added"
    UNCHANGED = "unchanged"
    """It was there already, field for field."""
    REPLACED = "replaced"
    REFUSED = "refused"
    """Another trap with this position and bait is there, and nobody said to replace it."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is of everything."""

    traps: int
    proved: int
    refuted: int
    undecided: int
    sources: int
    games: int
    positions: int
    occurrences: int
    sightings: int


class Library(AbstractContextManager["Library"]):
    """An open trap library, see `db.library.open.open_library`. Every method raises `LibraryError` if the database
    fails.
    """

    def __init__(self, database: Database) -> None:
        """Take a database that is known to be a library of the present version."""
        self.database = database

    @property
    def name(self) -> str:
        """Path or URL, for messages."""
        return self.database.name

    @property
    def bad_rows(self) -> Mapping[str, str]:
        """What could not be read since the library was opened, and why: by name, for example ``trap legals-mate``."""
        return self.database.bad_rows

    def close(self) -> None:
        """Close the database; its file is left without companions if nobody else has it open."""
        self.database.close()

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def traps(self) -> list[Trap]:
        """All traps, ascending by slug."""
        with self.database.read() as connection:
            return read_traps(connection)

    def trap(self, slug: str) -> Trap:
        """The trap of that slug. Raises `UsageError`, which names the nearest one, if there is none."""
        with self.database.read() as connection:
            found = read_traps(connection, TrapRow.slug == slug)
            if found:
                return found[0]
            fault = self.database.bad_rows.get(f"trap {slug}")
            if fault is not None:
                raise LibraryError(f"the trap {slug} in {self.name} cannot be read: {fault}")
            known = connection.scalars(select(TrapRow.slug).order_by(TrapRow.slug)).all()
        if len(known) > 20:
            # Listing a whole library helps nobody.
            error = unknown_name("trap", slug, known)
            if "nearest" not in error.message.values:
                raise UsageError(
                    "unknown trap {slug!r}; `trapline library list` shows the {count:,} there are",
                    slug=slug,
                    count=len(known),
                )
            raise error
        if not known:
            raise UsageError("unknown trap {slug!r}: the library {name} is empty", slug=slug, name=self.name)
        raise unknown_name("trap", slug, known)

    def find(self, slug: str) -> Trap | None:
        """The trap of that slug, or None; nothing is said about names that are near."""
        with self.database.read() as connection:
            return next(iter(read_traps(connection, TrapRow.slug == slug)), None)

    def find_by_key(self, key: bytes, *, mirrored: bool = False) -> list[Trap]:
        """The traps of the position with this key (16 bytes), by slug; ``mirrored`` asks for exchanged colours."""
        column = TrapRow.mirror_key if mirrored else TrapRow.key
        with self.database.read() as connection:
            return read_traps(connection, column == key)

    def add(self, trap: Trap, *, replace: bool = False) -> Added:
        """Check and store one trap; the same trap again changes nothing.

        A trap with the same position and bait but other fields is replaced if ``replace`` says so. Otherwise raises
        `UsageError`, as for a slug that another trap has; and `InputError` for a bad trap.
        """
        with self.database.read() as connection:
            owners = read_traps(connection, TrapRow.slug == trap.slug)
        if owners and (owners[0].epd, owners[0].bait) != (trap.epd, trap.bait):
            raise UsageError(f"the slug {trap.slug} belongs to another trap, {owners[0].name}; choose another one")
        (result,) = self.add_all([trap], replace=replace)
        if result is Added.REFUSED:
            (there,) = [known for known in self.find_by_key(trap.key) if known.bait == trap.bait]
            raise UsageError(
                f"the position and bait of {trap.slug} are in the library as {there.slug}, with other fields; "
                "say --replace to put this one in its place"
            )
        return result

    def add_all(self, traps: Sequence[Trap], *, replace: bool = False, checked: bool = False) -> list[Added]:
        """Store many traps in one transaction; what became of each, in order.

        A slug that another trap has gets a number: ``legals-mate-2``. ``checked`` says that `Trap.check` was called.
        """
        if not checked:
            for trap in traps:
                trap.check()
        results = [Added.UNCHANGED] * len(traps)
        # Sorted by key, so that one page of the index after the other is written.
        order = sorted(((trap.key, trap.bait, number) for number, trap in enumerate(traps)))
        with self.database.write() as connection:
            there = traps_by_identity(connection, [key for key, _, _ in order])
            slugs = _Slugs(connection, [trap.slug for trap in traps])
            new: dict[tuple[bytes, str], int] = {}
            rows: list[Trap] = []
            for key, bait, number in order:
                trap = traps[number]
                first = new.get((key, bait))
                if first is not None:
                    known: Trap | None = traps[first]
                else:
                    known = there.get((key, bait))
                if known is None:
                    new[key, bait] = number
                    rows.append(dataclasses.replace(trap, slug=slugs.take(trap.slug)))
                    results[number] = Added.ADDED
                elif not _same(known, trap):
                    # Of two in one go the first one counts: a file that contradicts itself is no reason to replace.
                    if not replace or first is not None:
                        results[number] = Added.REFUSED
                        continue
                    slug = known.slug if trap.slug == known.slug else slugs.take(trap.slug)
                    replace_trap(connection, key, dataclasses.replace(trap, slug=slug))
                    results[number] = Added.REPLACED
            insert_traps(connection, rows)
        return results

    def remove(self, slug: str) -> None:
        """Take a trap out, with what was seen of it. Raises `UsageError`, which names the nearest, if there is none."""
        slug = self.trap(slug).slug
        with self.database.write() as connection:
            removed = connection.scalar(select(TrapRow.id).where(TrapRow.slug == slug))
            connection.execute(delete(TrapRow).where(TrapRow.id == removed))
            mark_changed(connection)
            # The next trap may get the number, and has to be searched for in the games all the same.
            last = connection.scalar(select(func.max(TrapRow.id))) or 0
            swept = connection.scalar(select(MetaRow.value).where(MetaRow.key == RECORDED_TRAPS))
            if swept is not None and stored(whole_number, swept) > last:
                connection.execute(update(MetaRow).where(MetaRow.key == RECORDED_TRAPS).values(value=str(last)))

    def known(self, traps: Sequence[Trap]) -> list[Trap | None]:
        """For each trap the stored one, if that has a proof and the given one brings nothing else; otherwise None."""
        keys = [trap.key for trap in traps]
        with self.database.read() as connection:
            there = traps_by_identity(connection, keys)
        stored = [there.get((key, trap.bait)) for key, trap in zip(keys, traps, strict=True)]
        return [
            known if known is not None and known.proof_by and _same(known, trap) else None
            for known, trap in zip(stored, traps, strict=True)
        ]

    def sightings(self, slug: str | None = None) -> list[Sighting]:
        """What was seen of one trap, or of all, by file, game and ply."""
        wanted = (
            select(
                TrapRow.slug.label("trap"),
                SightingRow.file,
                SightingRow.game_number,
                SightingRow.byte_offset,
                SightingRow.ply,
                SightingRow.event,
                SightingRow.measure,
                SightingRow.score,
                SightingRow.verdict,
            )
            .join_from(SightingRow, TrapRow, TrapRow.id == SightingRow.trap_id)
            .order_by(SightingRow.file, SightingRow.game_number, SightingRow.ply, TrapRow.slug, SightingRow.event)
        )
        if slug is not None:
            wanted = wanted.where(TrapRow.slug == self.trap(slug).slug)
        with self.database.read() as connection:
            found = [Sighting(**row._mapping) for row in connection.execute(wanted)]
        return [dataclasses.replace(each, verdict=stored(Verdict, each.verdict)) for each in found]

    def add_sightings(self, sightings: Iterable[Sighting]) -> int:
        """Store sightings; how many were new. Those that are there already change nothing.

        Raises `UsageError` for a trap that is not in the library.
        """
        added = 0
        with self.database.write() as connection:
            ids = {row.slug: row.id for row in connection.execute(select(TrapRow.slug, TrapRow.id))}
            for sighting in sightings:
                if sighting.trap not in ids:
                    raise unknown_name("trap", sighting.trap, ids)
                identity = {
                    "trap_id": ids[sighting.trap],
                    "file": sighting.file,
                    "game_number": sighting.game_number,
                    "ply": sighting.ply,
                    "event": sighting.event,
                    "measure": sighting.measure,
                }
                if connection.scalar(select(SightingRow.id).filter_by(**identity)) is None:
                    rest = {
                        "byte_offset": sighting.byte_offset,
                        "score": sighting.score,
                        "verdict": sighting.verdict.value,
                        "game_id": _game_at(connection, sighting),
                    }
                    connection.execute(insert(SightingRow).values(**identity, **rest))
                    added += 1
        return added

    def record_occurrences(self) -> int:
        """Record where the traps occurred in the indexed games; how many sightings were new. See
        `db.storage.sighting_rows`.
        """
        with self.database.write() as connection:
            return record_occurrences(connection)

    def events(self, slug: str) -> dict[str, int]:
        """How often the very position of a trap was seen with each event, e.g. ``{"avoided": 12, "fell": 3}``."""
        counted = (
            select(SightingRow.event, func.count())
            .join_from(SightingRow, TrapRow, TrapRow.id == SightingRow.trap_id)
            .where(TrapRow.slug == slug, SightingRow.measure == BY_KEY)
            .group_by(SightingRow.event)
            .order_by(SightingRow.event)
        )
        with self.database.read() as connection:
            return dict(connection.execute(counted).all())

    def frequency(self, slug: str) -> Frequency:
        """How often the bait of a trap was played in its position in the indexed games, in either colour."""
        with self.database.read() as connection:
            return frequencies(connection, slug).get(slug, Frequency(decisions=0, played=0))

    def frequencies(self, *, min_rating: int | None = None, max_rating: int | None = None) -> dict[str, Frequency]:
        """The same for all traps whose position occurred, by slug.

        With a least or a highest rating only by victims whose rating is known and within these bounds.
        """
        with self.database.read() as connection:
            return frequencies(connection, min_rating=min_rating, max_rating=max_rating)

    def frequencies_by_rating(self, slug: str | None = None) -> dict[str, dict[RatingBand, Frequency]]:
        """By slug, of one trap or of all, and by the victim's rating, the lowest band first."""
        with self.database.read() as connection:
            return frequencies_by_rating(connection, slug)

    def weights(self) -> Weights | None:
        """What was learned from the traps, see `db.similarity.train`; None as long as nothing was.

        Raises `LibraryError` for weights that are damaged or of another vocabulary.
        """
        with self.database.read() as connection:
            row = connection.execute(select(WeightsRow.vocabulary, WeightsRow.data)).first()
        if row is None:
            return None
        again = f"learn them again with `trapline library train --db {self.name}`"
        if row.vocabulary != VOCABULARY_VERSION:
            raise LibraryError(
                f"the weights in {self.name} are for version {row.vocabulary} of the vocabulary, this program has "
                f"version {VOCABULARY_VERSION}; {again}"
            )
        try:
            return Weights.from_bytes(row.data, self.name)
        except InputError as error:
            raise LibraryError(f"the weights in {self.name} are damaged; {again}") from error

    def set_weights(self, weights: Weights) -> None:
        """Store what was learned, in place of what was learned before."""
        fitted = time_text()
        row = {"vocabulary": VOCABULARY_VERSION, "data": weights.to_bytes(), "traps": weights.traps, "fitted": fitted}
        with self.database.write() as connection:
            connection.execute(delete(WeightsRow))
            connection.execute(insert(WeightsRow).values(**row))

    def counts(self) -> Counts:
        """How much there is of everything."""
        with self.database.read() as connection:
            by_verdict = select(TrapRow.verdict, func.count()).group_by(TrapRow.verdict)
            verdicts = dict(connection.execute(by_verdict).all())

            def rows(table: type[Base]) -> int:
                return connection.scalar(select(func.count()).select_from(table)) or 0

            return Counts(
                traps=sum(verdicts.values()),
                proved=verdicts.get(Verdict.PROVED, 0),
                refuted=verdicts.get(Verdict.REFUTED, 0),
                undecided=verdicts.get(Verdict.UNDECIDED, 0),
                sources=rows(SourceRow),
                games=rows(GameRow),
                positions=rows(PositionRow),
                occurrences=rows(OccurrenceRow),
                sightings=rows(SightingRow),
            )

    def digest(self) -> str:
        """32 hexadecimal digits that stand for the content of all traps: equal libraries have equal ones.

        When and by which version a trap was stored does not count, nor do the days of opinions, games and sightings.
        """
        digest = hashlib.blake2b(digest_size=16)
        for trap in self.traps():
            undated = tuple(dataclasses.replace(opinion, date="") for opinion in trap.opinions)
            content = dataclasses.replace(trap, opinions=undated).to_dict()
            digest.update(json.dumps(content, sort_keys=True, separators=(",", ":")).encode() + b"\n")
        return digest.hexdigest()

    def facts(self) -> dict[str, str]:
        """What the library says of itself: format, versions, maker."""
        with self.database.read() as connection:
            return {row.key: row.value for row in connection.execute(select(MetaRow).order_by(MetaRow.key))}

    def check_file(self) -> None:
        """Read the whole of a SQLite file and raise `LibraryError` if any is damaged; servers check themselves."""
        with self.database.read() as connection:
            if connection.dialect.name == "sqlite":
                first = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
                if first != "ok":
                    detail = " ".join(str(first).split())  # SQLite says it on several lines
                    raise LibraryError(f"{self.name} is damaged ({detail}); put back a copy of it")


class _Slugs:
    """Slugs of a library, and a free one for each new trap."""

    def __init__(self, connection: Connection, wanted: Sequence[str]) -> None:
        self._connection = connection
        found = BulkLookup(connection, [TrapRow.slug], TrapRow.slug).find(sorted(set(wanted)))
        self._taken = {slug for (slug,) in found}

    def take(self, slug: str) -> str:
        free = slug
        if slug in self._taken:
            # Numbers are given in order. So doubling and halving ask little, however many traps have the name.
            below, above = 1, 2
            while self._has(_numbered(slug, above)):
                below, above = above, 2 * above
            while above - below > 1:
                middle = (below + above) // 2
                below, above = (middle, above) if self._has(_numbered(slug, middle)) else (below, middle)
            free = _numbered(slug, above)
        self._taken.add(free)
        return free

    def _has(self, slug: str) -> bool:
        return slug in self._taken or self._stored(slug)

    def _stored(self, slug: str) -> bool:
        return self._connection.scalar(select(TrapRow.id).where(TrapRow.slug == slug)) is not None


def _numbered(slug: str, number: int) -> str:
    return f"{slug[: 79 - len(str(number))]}-{number}"


def _same(known: Trap, trap: Trap) -> bool:
    """Whether a trap of the same position and bait brings nothing new.

    It may have given its slug without the number that the library added, and it may come without the proof that the
    library has.
    """
    added = known.slug.removeprefix(trap.slug)
    slug = known.slug if added[:1] == "-" and added[1:].isdigit() else trap.slug
    if not trap.proof_by:
        trap = dataclasses.replace(trap, **{field: getattr(known, field) for field in PROOF})
    return known == dataclasses.replace(trap, slug=slug)


def _game_at(connection: Connection, sighting: Sighting) -> int | None:
    return connection.scalar(
        select(GameRow.id)
        .join_from(GameRow, SourceRow, SourceRow.id == GameRow.source_id)
        .where(SourceRow.path == sighting.file, GameRow.game_number == sighting.game_number)
    )
