"""One input cut into batches, which a pool of threads analyzes, in the order of the input."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from trapcore import _native
from trapcore.errors import InputError
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Pool, Work, in_order

BATCH_BYTES = 1 << 20
"""A batch is about this long: 1 MiB, so that crossing into Rust costs nothing beside the work done there."""

LOSSES_BATCH_BYTES = 1 << 12
"""The same where losing moves are searched for: a game or two, so that what is done shows and is kept in good time."""

_FEED_BYTES = 1 << 18  # so that one feeding never makes more than a batch or two


class Workers(NamedTuple):
    """What is done with a batch, and by whom."""

    analyzer: Work[_native.Batch, _native.BatchFindings]
    pool: Pool
    look: Callable[[_native.Batch, Cancellation], _native.Batch] | None = None
    """An engine's at each batch before it is analyzed, while others are analyzed."""


def analyzed(
    chunks: Iterable[bytes],
    workers: Workers,
    *,
    batch_bytes: int = BATCH_BYTES,
    from_byte: int = 0,
    to_the_end: bool = True,
    stop: Cancellation | None = None,
) -> Generator[tuple[_native.Batch, _native.BatchFindings | None]]:
    """The batches of ``chunks`` in order, with what was found; None for those that end at ``from_byte`` or before.

    Never more than ``2 * pool.width + 2`` batches are alive. If reading fails, everything before is handed on, unless
    ``to_the_end`` is False; then ``InputError`` is raised. When the generator is closed early, work under way is
    cancelled. If another thread cancels ``stop``, ``RuntimeError`` is raised soon. It is raised as well where a batch
    cannot be judged: that is no fault of the input.
    """
    failures: list[InputError] = []
    analyzer, pool, look = workers
    stop = stop or Cancellation()
    batches = _batches(chunks, batch_bytes, failures, to_the_end=to_the_end)
    for batch in batches:
        if batch.offset + batch.size > from_byte:
            left = chain([batch], batches)
            seen = left if look is None else (look(each, stop) for each in left)
            with no_input_error(failures):
                yield from in_order(pool, analyzer, seen, ahead=2, stop=stop)
        else:
            yield batch, None
    if failures:
        raise failures[0]


@contextmanager
def no_input_error(but: Collection[InputError] = ()) -> Iterator[None]:
    """In the block an ``InputError`` is a fault of ours, unless it is one of ``but``. Raises ``RuntimeError`` for it.

    Otherwise the games after it would be taken for games that cannot be read, and left out.
    """
    try:
        yield
    except InputError as error:
        if error in but:
            raise
        raise RuntimeError(f"a game that was read could not be annotated: {error}") from error


def _batches(
    chunks: Iterable[bytes], batch_bytes: int, failures: list[InputError], *, to_the_end: bool
) -> Iterator[_native.Batch]:
    """The input in batches. Where it cannot be read on, the error is noted in ``failures``, and raised unless it is
    read ``to_the_end``."""
    splitter = _native.PgnSplitter(batch_bytes)
    step = min(_FEED_BYTES, max(batch_bytes, LOSSES_BATCH_BYTES))
    try:
        for chunk in chunks:
            for start in range(0, len(chunk), step):
                yield from splitter.feed(chunk[start : start + step])
    except InputError as error:
        failures.append(error)
        if not to_the_end:
            raise
    yield from splitter.finish()
