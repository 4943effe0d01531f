"""One input annotated as it is read: for whoever has no files but bytes that come in and go out."""

from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

from annotator.annotation import AnnotatedBatch, Annotator
from annotator.counts import Tally
from annotator.engine_check import EngineVerifier
from annotator.request import AnalysisRequest
from annotator.worker import judged
from db.similarity.annotator_index import Screen
from db.traps.trap import Trap
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Threads


def annotated(
    chunks: Iterable[bytes],
    name: str,
    request: AnalysisRequest,
    traps: Sequence[Trap],
    tally: Tally,
    pool: ThreadPoolExecutor,
    *,
    screen: Screen | None = None,
    stop: Cancellation | None = None,
) -> Generator[AnnotatedBatch]:
    """The annotated text of an input, a batch at a time; adds to ``tally`` what there was in each.

    ``chunks`` are its bytes, unpacked, e.g. a `ByteReader`; ``name`` is what messages call it. ``pool`` judges, on
    ``request.jobs`` of its threads; ``screen``: see `AnalysisRequest.analyzer`. If another thread cancels ``stop``,
    ``RuntimeError`` is raised soon. Raises ``InputError`` for an input that cannot be read to its end, after all that
    came before, ``EngineError``, and ``UsageError`` for options that exclude each other.
    """
    with ExitStack() as stack:
        verifier = None
        if request.engine is not None:
            verifier = stack.enter_context(EngineVerifier(request.engine, request.engine_nodes))
        annotator = Annotator(
            traps, request.measure, request.selection, unproved=request.unproved, reporting=False, verifier=verifier
        )
        judge = request.analyzer(traps, screen).judge
        judges = Threads(pool, request.jobs)
        batches = judged(chunks, judge, judges, batch_bytes=request.batch_bytes, stop=stop)
        for batch, found in stack.enter_context(closing(batches)):
            assert found is not None, "only what was read before is not judged"
            yield annotator.annotate(batch, found, name, tally)
