"""Index of the killers of a library: their token sets in an inverted index, in files beside the library.

A killer is compared by the tokens of its abstracted tree and, where its line ends in mate, by those of the mating net.
The similarity of two token sets is the weight of what they share over the weight of what either has. A token weighs
what it says: the logarithm of how many moves there are for one that has it, as the weights in use know it; tokens of
mating nets, which the weights do not know, are counted among the mating traps.

`db.similarity.stored_index` says where it lies. The weights of mating nets stay while it is brought up to date.
"""

import math
import shutil
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select

from db.library.library import Library
from db.similarity.stored_index import Entries, TokenSet, check_index, open_index
from db.storage.bulk import BulkLookup
from db.storage.row_check import RowCheck
from db.storage.tables import TrapRow
from db.storage.trap_rows import is_example, traps_state
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.ranking.weights import VOCABULARY_VERSION, Table, Weights

NET_FACTOR = 4.0
"""A token of a mating net weighs so many times what its inverse document frequency says: the net is what names a mate.
Of 1, 2 and 4 this found most traps of the same pattern, tried on one library with a part of itself."""
SUFFIX = ".bags"
"""Of the folder beside the library."""

_LAYOUT = b"likeness 3"
_NET_KINDS = frozenset(kind for kind, (_, stage, _) in enumerate(_native.token_kinds()) if stage == "proved")
_BATCH = 8192  # traps whose token sets are made at a time
_Row = Sequence[Any]  # number, EPD, bait, killer line


@dataclass(frozen=True, slots=True)
class KnownTrap:
    """The fields of a trap that something is like."""

    slug: str
    name: str
    family: str
    epd: str
    """Before the bait."""
    bait: str
    killer_line: tuple[str, ...]
    """UCI."""


class KillerIndex(AbstractContextManager["KillerIndex"]):
    """The index of one state of a library, see `open_killer_index`; any thread may ask it, one at a time."""

    def __init__(self, library: Library, index: _native.TokenIndex, path: Path, made: Path | None) -> None:
        """Take an open index; ``made`` is a temporary folder to delete afterwards."""
        self._library = library
        self.index = index
        """Its payloads are the traps' numbers in the database."""
        self._made = made
        self.path = path
        """Folder of the index."""

    def __len__(self) -> int:
        """Number of traps."""
        return len(self.index)

    def weight(self, token: int) -> float:
        """What it says that two killers share the token; 0 or more."""
        return self.index.weight(token)

    def nearest(
        self, token_sets: Sequence[Sequence[int]], k: int, *, jobs: int = 1
    ) -> list[list[tuple[KnownTrap, float]]]:
        """For each token set the ``k`` (1 or more) most similar traps, with the similarity, above 0 to 1.

        A token set is what `_native.killer_tokens` gives. Raises `UsageError` for a ``k`` below 1, and `LibraryError`.
        """
        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}")
        found = self.index.top(token_sets, k, jobs=jobs)
        known = self._read({number for hits in found for number, _ in hits})
        # A trap that was removed since the index was opened is skipped.
        return [[(known[number], s) for number, s in hits if number in known] for hits in found]

    def _read(self, numbers: Iterable[int]) -> dict[int, KnownTrap]:
        columns = (
            TrapRow.id,
            TrapRow.slug,
            TrapRow.name,
            TrapRow.family,
            TrapRow.epd,
            TrapRow.bait,
            TrapRow.killer_line,
        )
        with self._library.database.read() as connection:
            rows = BulkLookup(connection, columns, TrapRow.id).find(sorted(numbers))
            return {
                number: KnownTrap(slug, name, family, epd, bait, tuple(line.split()))
                for number, slug, name, family, epd, bait, line in RowCheck(columns).whole(connection, rows)
            }

    @property
    def is_in_place(self) -> bool:
        """Whether its files are those that were opened, unchanged and in their places."""
        return self.index.is_in_place

    def close(self) -> None:
        """Delete the index if it was built for this use only."""
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def open_killer_index(
    library: Library, weights: Weights, log: Callable[[str], None] | None = None, *, jobs: int = 1
) -> KillerIndex:
    """The index of the library's traps as they are now, which is built or brought up to date if need be.

    Its traps are those that are not refuted, nor known as none and not proved. ``weights`` are those in use. ``log`` is
    given a few words if something has to be built, which ``jobs`` threads do. Raises `LibraryError`.
    """
    with library.database.read() as connection:
        found = open_index(library, _State(connection, weights, jobs), SUFFIX, log if log is not None else _no_log)
    return KillerIndex(library, found.index, found.path, found.made)


def check_killer_index(library: Library, weights: Weights) -> str:
    """Compare the stored index of the library's traps with the traps, see `check_index`."""
    with library.database.read() as connection:
        return check_index(library, _State(connection, weights, 1), SUFFIX)


class _State:
    """The traps of a library as one connection sees them, the weights, and the name of it all.

    The name is made of what the library keeps about changes, so that no trap has to be read to know it.
    """

    what = "traps"

    def __init__(self, connection: Connection, weights: Weights, jobs: int) -> None:
        self._connection, self._jobs = connection, jobs
        self.idf = weights.idf
        digest = blake2b(b"%s %d %f" % (_LAYOUT, VOCABULARY_VERSION, NET_FACTOR), digest_size=16)
        digest.update(weights.idf.tokens + weights.idf.weights)
        self.weights = digest.digest()
        """Digest of what the weights of tokens come from."""
        self.name = blake2b(self.weights + traps_state(connection).encode(), digest_size=16).hexdigest()

    def count(self) -> int:
        """Number of traps that something can be likened to."""
        return self._connection.scalar(select(func.count()).select_from(TrapRow).where(is_example())) or 0

    def entries(self) -> Entries:
        """Every trap's number with a digest of what is indexed of it."""
        found = Entries()
        for batch in self._rows():
            found.add(map(_content, batch))
        return found

    def token_sets(self, entries: Entries | None = None, only: Collection[int] | None = None) -> Iterator[TokenSet]:
        """Number and packed tokens of each trap, ascending; of ``only`` these if given. Fills ``entries``."""
        for batch in self._rows():
            if entries is not None:
                entries.add(map(_content, batch))
            rows = batch if only is None else [row for row in batch if row[0] in only]
            token_sets = _native.killer_token_sets([(epd, bait, line) for _, epd, bait, line in rows], jobs=self._jobs)
            yield from zip((row[0] for row in rows), token_sets, strict=True)

    def write(self, path: Path, token_sets: list[TokenSet]) -> None:
        """Write an index of these to a folder."""
        build_index(path, token_sets, self.idf)

    def _rows(self) -> Iterator[Sequence[_Row]]:
        columns = (TrapRow.id, TrapRow.epd, TrapRow.bait, TrapRow.killer_line)
        rows = self._connection.execute(select(*columns).where(is_example()).order_by(TrapRow.id))
        check = RowCheck(columns)
        for batch in rows.partitions(_BATCH):
            yield list(check.whole(self._connection, batch))


def _content(row: _Row) -> tuple[int, bytes]:
    number, *texts = row
    return number, "\t".join(texts).encode()


def build_index(path: Path, token_sets: Sequence[tuple[int, bytes | Sequence[int]]], idf: Table) -> None:
    """Write an index of known killers, each a payload and a token set; `_native.build_token_index` says what is raised.

    ``idf`` is that of the weights in use. A token that no known killer has weighs as much as the heaviest.
    """
    weights = _token_weights(idf, [tokens for _, tokens in token_sets])
    heaviest = max(weights.values(), default=1.0)
    _native.build_token_index(path, token_sets, weights=weights, default_weight=heaviest, vocabulary=VOCABULARY_VERSION)


def _token_weights(idf: Table, token_sets: Sequence[bytes | Sequence[int]]) -> dict[int, float]:
    mates, counts = 0, Counter[int]()
    for tokens in token_sets:
        net = [token for token in array("I", tokens) if token >> _native.FIELD_BITS in _NET_KINDS]
        if net:
            mates += 1
            counts.update(net)
    known = {token: max(0.0, weight) for token, weight in idf.as_dict().items()}
    return known | {token: NET_FACTOR * math.log(mates / count) for token, count in counts.items()}


def _no_log(_: str) -> None:
    """Log nothing."""
