"""One input through the Judge: read, cut into batches, judged on several threads, handed on in the input's order."""

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from trapcore import _native
from trapcore.budget import Cancellation
from trapcore.errors import InputError

BATCH_BYTES = 1 << 20
"""A batch is about this long: 1 MiB, so that crossing into Rust costs nothing beside the work done there."""

_FEED_BYTES = 1 << 18  # so that one feeding never makes more than a batch or two


def judged(
    chunks: Iterable[bytes],
    judge: _native.Judge,
    pool: ThreadPoolExecutor,
    *,
    jobs: int,
    batch_bytes: int = BATCH_BYTES,
    from_byte: int = 0,
    to_the_end: bool = True,
) -> Generator[tuple[_native.Batch, _native.BatchFindings | None]]:
    """The batches of ``chunks`` in order, with what was found; None for those that end at ``from_byte`` or before.

    Never more than ``2 * jobs + 2`` batches are alive. If reading fails, everything before is handed on, unless
    ``to_the_end`` is False; then ``InputError`` is raised. When the generator is closed early, work under way is
    cancelled.
    """
    splitter = _native.PgnSplitter(batch_bytes)
    stop = Cancellation()
    waiting: deque[tuple[_native.Batch, Future[_native.BatchFindings] | None]] = deque()

    def done() -> tuple[_native.Batch, _native.BatchFindings | None]:
        batch, future = waiting.popleft()
        return batch, None if future is None else future.result()

    def submit(batch: _native.Batch) -> None:
        known = batch.offset + batch.size <= from_byte
        waiting.append((batch, None if known else pool.submit(judge.judge, batch, stop)))

    failure: InputError | None = None
    try:
        try:
            for chunk in chunks:
                for start in range(0, len(chunk), _FEED_BYTES):
                    for batch in splitter.feed(chunk[start : start + _FEED_BYTES]):
                        submit(batch)
                        while len(waiting) > 2 * jobs:
                            yield done()
        except InputError as error:
            if not to_the_end:
                raise
            failure = error
        for batch in splitter.finish():
            submit(batch)
            while len(waiting) > 2 * jobs:
                yield done()
        while waiting:
            yield done()
    finally:
        stop.cancel()
        for _, future in waiting:
            if future is not None:
                future.cancel()
    if failure is not None:
        raise failure
