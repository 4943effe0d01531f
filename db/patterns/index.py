"""Index of the mistakes of a library by their token sets: which of a hundred thousand are most like one.

The similarity of two mistakes is the weight of the tokens that they share over the weight of those that either has. The
weights come with trapline and never change with the library, so that an index that grew game by game gives the answers
of one built anew. A token of the killer's tree weighs its inverse document frequency, one that was added half of that
once more, one that was taken as much as `TAKEN_WEIGHT`; every other token, those of labels and mating nets, as much as
the heaviest.
"""

import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from hashlib import blake2b
from pathlib import Path

from sqlalchemy import Connection, func, select

from db.library.library import Library
from db.patterns import bundled
from db.patterns.keys import Labelled, token_sets
from db.similarity.stored_index import Entries, StoredIndex, TokenSet, open_index
from db.storage.bulk import BulkLookup
from db.storage.tables import GameRow, MistakeRow
from trapcore import _native
from trapcore.ranking.weights import VOCABULARY_VERSION, shipped_weights

ADDED_SHARE = 0.5
"""What an added token weighs, of what the killer's own token weighs."""
TAKEN_WEIGHT = 2.0
SUFFIX = ".mistakes"
"""Of the folder beside the library."""

_LAYOUT = 1
_BATCH = 8192
_NEWEST = 16

Place = tuple[int, int]
"""Number of a game in the library, and the ply of the mistake; 0 and its number for a bundled pattern."""

Rows = tuple[Collection[int], Collection[int]]
"""Numbers of rows of `MistakeRow` and of `BundledPatternRow`."""

_BUNDLED = 1 << 60
"""Payload of a bundled pattern: this and its number."""


class MistakeIndex(AbstractContextManager["MistakeIndex"]):
    """The index of one state of a library's mistakes; any thread may ask it, one at a time."""

    def __init__(self, library: Library, stored: StoredIndex) -> None:
        """Take an open index."""
        self._library = library
        self.index = stored.index
        """Its payloads are the numbers of rows of `MistakeRow`, and of `BundledPatternRow` beyond `_BUNDLED`."""
        self._made = stored.made

    def __len__(self) -> int:
        """Number of mistakes."""
        return len(self.index)

    def nearest(self, token_sets: Sequence[bytes], k: int, only: Rows | None = None) -> list[list[tuple[Place, float]]]:
        """For each token set the ``k`` (1 or more) most similar mistakes and their similarity, above 0 to 1; of the
        rows ``only`` if given. Raises `UsageError` and `LibraryError`."""
        payloads = None if only is None else _native.Payloads([*only[0], *(_BUNDLED | number for number in only[1])])
        found = self.index.top(token_sets, k, only=payloads)
        with self._library.database.read() as connection:
            columns = [MistakeRow.id, MistakeRow.game_id, MistakeRow.ply]
            every = {number for hits in found for number, _ in hits}
            wanted = sorted(number for number in every if number < _BUNDLED)
            places = {
                number: (game, ply) for number, game, ply in BulkLookup(connection, columns, MistakeRow.id).find(wanted)
            }
            places |= {number: (0, number - _BUNDLED) for number in every if number >= _BUNDLED}
        # A mistake that has gone since the index was opened is left out.
        return [[(places[number], s) for number, s in hits if number in places] for hits in found]

    def close(self) -> None:
        """Delete the index if it was built for this use only."""
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def open_mistakes(library: Library, log: Callable[[str], None] | None = None) -> MistakeIndex:
    """The index of the library's mistakes as they are now, which is built or brought up to date if need be.

    ``log`` is given a few words if something has to be built. Raises `LibraryError`.
    """
    with library.database.read() as connection:
        return MistakeIndex(library, open_index(library, _State(connection), SUFFIX, log or _no_log))


@cache
def token_weights() -> tuple[dict[int, float], float]:
    """Weights of tokens, and that of every other token."""
    idf = {token: max(0.0, weight) for token, weight in shipped_weights().idf.as_dict().items()}
    added = {_native.added_token(token): ADDED_SHARE * weight for token, weight in idf.items()}
    taken = {_native.TAKEN_KIND << _native.FIELD_BITS | place: TAKEN_WEIGHT for place in range(64)}
    known = {token: weight for token, weight in added.items() if token is not None}
    return idf | known | taken, max(idf.values())


def write_index(path: Path, token_sets: Sequence[TokenSet]) -> None:
    """Write an index of mistakes, each a payload and its token set, to a folder."""
    weights, heaviest = token_weights()
    _native.build_token_index(path, token_sets, weights=weights, default_weight=heaviest, vocabulary=VOCABULARY_VERSION)


class _State:
    """The mistakes of a library as one connection sees them."""

    what = "mistakes"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        figures = (_LAYOUT, VOCABULARY_VERSION, ADDED_SHARE, TAKEN_WEIGHT)
        idf = shipped_weights().idf
        self.weights = blake2b(repr(figures).encode() + idf.tokens + idf.weights, digest_size=16).digest()
        # Of two copies that went different ways, the newest rows differ.
        newest = select(MistakeRow.id, MistakeRow.tokens, GameRow.digest).join(
            GameRow, GameRow.id == MistakeRow.game_id
        )
        rows = connection.execute(newest.order_by(MistakeRow.id.desc()).limit(_NEWEST)).all()
        total = connection.scalar(select(func.sum(MistakeRow.id)))
        state = repr((self.count(), total, [tuple(row) for row in rows], bundled.state(connection)))
        self.name = blake2b(self.weights + state.encode(), digest_size=16).hexdigest()

    def count(self) -> int:
        """Number of mistakes."""
        own = self._connection.scalar(select(func.count()).select_from(MistakeRow)) or 0
        return own + bundled.count(self._connection)

    def entries(self) -> Entries:
        """Every mistake's number with a digest of its tokens, or of what these are made of."""
        found = Entries()
        for batch in self._own():
            found.add(batch)
        found.add((number, content) for number, content, _ in self._bundled())
        return found

    def token_sets(self, entries: Entries | None = None, only: Collection[int] | None = None) -> Iterator[TokenSet]:
        """By ascending number; of ``only`` these if given. Fills ``entries``."""
        for batch in self._own():
            if entries is not None:
                entries.add(batch)
            yield from (row for row in batch if only is None or row[0] in only)
        rows = list(self._bundled())
        if entries is not None:
            entries.add((number, content) for number, content, _ in rows)
        chosen = [(number, mistake) for number, _, mistake in rows if only is None or number in only]
        sets = token_sets(mistake for _, mistake in chosen)
        yield from ((number, tokens) for (number, _), tokens in zip(chosen, sets, strict=True))

    def _own(self) -> Iterator[list[TokenSet]]:
        """Of the indexed games, in batches."""
        rows = self._connection.execute(select(MistakeRow.id, MistakeRow.tokens).order_by(MistakeRow.id))
        for batch in rows.partitions(_BATCH):
            yield [(number, tokens) for number, tokens in batch]

    def _bundled(self) -> Iterator[tuple[int, bytes, Labelled]]:
        """Of the bundled patterns: payload, content, and what its tokens are made of."""
        for number, each in bundled.stored_patterns(self._connection).items():
            yield _BUNDLED | number, repr(each.labelled).encode(), each.labelled

    def write(self, path: Path, token_sets: list[TokenSet]) -> None:
        """Write an index of these to a folder."""
        write_index(path, token_sets)


def _no_log(_: str) -> None:
    """Log nothing."""
