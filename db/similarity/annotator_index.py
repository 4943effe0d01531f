"""Weights in use and index of the killers, as the annotator needs them for the measure ``abstracted``.

Apart from `db.similarity.train`, so that using weights does not load what learning them takes.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, select

from db.library.library import Library
from db.similarity.killer_index import open_killer_index
from db.storage.tables import TrapRow
from trapcore import _native
from trapcore.ranking.weights import VOCABULARY_VERSION, Weights, shipped_weights

WeightsSource = Literal["library", "shipped"]
"""Where weights come from: the library's own, or those that come with trapline."""


def weights_in_use(library: Library) -> tuple[Weights, WeightsSource]:
    """The library's weights and ``library``; without them those that come with trapline and ``shipped``.

    Raises `LibraryError` for weights of another vocabulary.
    """
    own = library.weights()
    if own is not None:
        return own, "library"
    return shipped_weights(), "shipped"


@dataclass(frozen=True, slots=True)
class Screen:
    """Learned weights with an index of the killers of one state of a library; pickled, it takes the index along."""

    weights: Weights
    index: _native.TokenIndex
    numbers: Mapping[str, int]
    """Each trap's payload in the index, by slug."""
    digest: str
    """Changes with the weights."""

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle needs; the files of the index may have gone from the disk."""
        return _arrived, (self.weights.to_bytes(), self.index.files(), dict(self.numbers), self.digest)


def _arrived(weights: bytes, files: Sequence[tuple[Path, bytes]], numbers: Mapping[str, int], digest: str) -> Screen:
    """A screen from another process."""
    # It lies in memory, so that its files may go.
    with tempfile.TemporaryDirectory(prefix="trapline-bags-", ignore_cleanup_errors=True) as folder:
        for name, content in files:
            (Path(folder) / name).write_bytes(content)
        index = _native.TokenIndex(folder, vocabulary=VOCABULARY_VERSION)
    return Screen(Weights.from_bytes(weights, "another process"), index, numbers, digest)


def open_screen(library: Library, log: Callable[[str], None]) -> Screen:
    """The screen of a library as it is now; ``log`` hears what has to be built.

    Raises ``LibraryError`` for weights of another vocabulary, and if the index can neither be used nor built.
    """
    weights, _ = weights_in_use(library)
    # It lies in memory, so that the files of a temporary index may go.
    with library.database.read() as connection, open_killer_index(library, weights, log) as killer_index:
        return screen_of(connection, weights, killer_index.index)


def screen_of(connection: Connection, weights: Weights, index: _native.TokenIndex) -> Screen:
    """The screen of a library with an open index of its killers."""
    numbers = {slug: number for number, slug in connection.execute(select(TrapRow.id, TrapRow.slug))}
    return Screen(weights, index, numbers, blake2b(weights.to_bytes(), digest_size=8).hexdigest())
