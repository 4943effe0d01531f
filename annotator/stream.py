"""One input annotated as it is read, for callers that have bytes coming in and going out instead of files."""

from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

from annotator.annotation import AnnotatedBatch
from annotator.comments.commentary import Commentator
from annotator.counts import Counts
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest, BatchAnalyzer
from annotator.worker import Workers, analyzed, no_input_error
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Threads


def annotate_stream(
    chunks: Iterable[bytes],
    name: str,
    request: AnalysisRequest,
    known: KnownTraps,
    counts: Counts,
    pool: ThreadPoolExecutor,
    *,
    stop: Cancellation | None = None,
) -> Generator[AnnotatedBatch]:
    """Annotated text of an input, a batch at a time; adds to ``counts`` what there was in each.

    ``chunks`` are its bytes, unpacked, e.g. a `ByteReader`; ``name`` is what messages call it. ``pool`` works on
    ``request.jobs`` of its threads. If another thread cancels ``stop``, ``RuntimeError`` is
    raised soon. Raises ``InputError`` for an input that cannot be read to its
    end, after all that came before, ``EngineError``, and ``UsageError`` for options that exclude each other.
    """
    with ExitStack() as stack:
        verifier = stack.enter_context(request.verifier())
        annotator = request.annotator(known, verifier)
        commentator = Commentator.of(request.style)
        batches = analyzed(
            chunks,
            Workers(BatchAnalyzer(request, known), Threads(pool, request.jobs), request.look(verifier)),
            batch_bytes=request.batch_bytes,
            stop=stop,
        )
        for batch, found in stack.enter_context(closing(batches)):
            assert found is not None, "only what was read before is not analyzed"
            with no_input_error():
                annotated = annotator.annotate(batch, found, name, counts, commentator)
            yield annotated
