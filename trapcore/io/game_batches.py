"""Batches of the games of a PGN file, in their order."""

from collections.abc import Iterator
from pathlib import Path

from trapcore import _native
from trapcore.io.streams import open_bytes

BATCH_BYTES = 1 << 20
"""Least size of a batch but the last."""


def game_batches(path: Path | str, batch_bytes: int = BATCH_BYTES) -> Iterator[_native.Batch]:
    """The games of a file, plain or compressed, in batches of ``batch_bytes`` or a game more.

    Raises ``InputError`` for a file that cannot be read; the games before the place are in the batches before it.
    """
    splitter = _native.PgnSplitter(batch_bytes)
    with open_bytes(path) as chunks:
        for chunk in chunks:
            yield from splitter.feed(chunk)
    yield from splitter.finish()
