"""Run over files: inputs, detection, comments, outputs, and the journal by which an interrupted run goes on."""

import time
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from hashlib import blake2b

from annotator.annotation import Annotator
from annotator.counts import Counts
from annotator.engine_check import EngineVerifier
from annotator.files.journal import InputState, Journal, OutputState, load, not_a_journal
from annotator.files.output import Output, PartialFile, Stream, move_into_place, partial_of
from annotator.files.plan import STDIN, Plan, Target
from annotator.files.progress import Progress
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest, BatchAnalyzer
from annotator.worker import analyzed
from trapcore.errors import InputError, UsageError
from trapcore.io.streams import open_bytes
from trapcore.parallel.pools import Pool, threads

GROUP_BATCHES = 4
"""So many batches make one compressed frame; behind each of them an interrupted run can go on."""

CHECKPOINT_SECONDS = 0.5
"""The journal is written at most so often: to have bytes on the disk for certain is slow."""


@dataclass(frozen=True, slots=True)
class _RunContext:
    """State that the inputs share while a run is under way."""

    annotator: Annotator
    pool: Pool
    report: PartialFile | None


class Run:
    """One run over the inputs of a plan."""

    def __init__(
        self,
        request: AnalysisRequest,
        plan: Plan,
        known: KnownTraps,
        progress: Progress,
        *,
        pool: Pool | None = None,
        resume: bool,
    ) -> None:
        """With ``resume`` an interrupted run of the same plan is continued.

        ``pool`` works in place of the request's threads.

        Raises ``UsageError`` if there is one that cannot be continued because something changed.
        """
        self.counts = Counts()
        """What was counted so far, also after an error."""
        self.resumable = False
        """A journal of this run lies on the disk, so that ``--resume`` can go on from it."""
        self._request = request
        self._plan = plan
        self._traps = known.traps
        self._analyzer = BatchAnalyzer(request, known)
        self._pool = pool
        self._progress = progress
        self._saved_at = float("-inf")
        self._journal = Journal(
            request.as_options(known),
            inputs=[InputState(source) for target in plan.targets for source in target.sources],
            outputs=[OutputState(STDIN if target.path is None else str(target.path)) for target in plan.targets],
            report=None if plan.report is None else OutputState(str(plan.report)),
        )
        if resume:
            self._continue()
        for error in plan.unreadable.values():
            self._note(error)

    def _continue(self) -> None:
        path = self._plan.journal
        if path is None:
            raise UsageError("--resume needs an output file, named with -o: what went to a pipe cannot be continued")
        before = load(path)
        if before is not None:
            before.check_same(self._journal, path)
            self._journal = before
            try:
                self.counts = Counts.from_dict(before.counts)
            except TypeError as error:
                raise not_a_journal(path, error) from error

    def execute(self) -> Counts:
        """Do it, and return what was counted.

        Raises ``InputError`` if no input could be read (with ``strict``: if any was damaged), ``OutputError``,
        ``EngineError``, what the pool raises, and ``UsageError`` if what is to be continued is not what it was. After
        an error the partial files and the journal stay, so that the run can go on.
        """
        with ExitStack() as stack:
            verifier = None
            if self._request.engine is not None:
                verifier = stack.enter_context(
                    EngineVerifier(self._request.engine, self._request.engine_nodes, self._request.jobs)
                )
            pool = self._pool or stack.enter_context(threads(self._request.jobs, "analyze"))
            context = _RunContext(
                Annotator(
                    self._traps,
                    self._request.measure,
                    self._request.selection,
                    unproved=self._request.unproved,
                    reporting=self._plan.report is not None,
                    verifier=verifier,
                ),
                pool,
                self._open_report(stack),
            )
            inputs = iter(self._journal.inputs)
            for target, state in zip(self._plan.targets, self._journal.outputs, strict=True):
                self._write(target, state, [next(inputs) for _ in target.sources], context)
            if self._journal.inputs and all(source.failed for source in self._journal.inputs):
                self._discard()
                raise InputError(self.counts.problems[0])
            self._end_report(context.report)
        if self._plan.journal is not None:
            self._plan.journal.unlink(missing_ok=True)
        return self.counts

    # One output -------------------------------------------------------------------------------------------------

    def _write(self, target: Target, state: OutputState, sources: list[InputState], context: _RunContext) -> None:
        if state.finished:
            for source in sources:
                self._verify(source)
        else:
            out: Output
            if target.path is None or target.streams:
                out = Stream(target.path)
            else:
                out = PartialFile(target.path, at=state.length if state.begun else None)
            state.begun = True
            try:
                for source in sources:
                    if source.finished:
                        self._verify(source)
                    else:
                        self._copy(source, out, state, context)
                out.close()
            finally:
                out.abandon()
            state.finished = True
            self._checkpoint()
        if target.path is None or target.streams or all(source.failed for source in sources):
            return
        if partial_of(target.path).exists():
            move_into_place(target.path)
        elif not target.path.exists():
            raise UsageError(f"{target.path}: was finished and has gone since; run without --resume to start over")

    def _copy(self, source: InputState, out: Output, state: OutputState, context: _RunContext) -> None:
        """Write what becomes of one input, from where it was left off."""
        digest = blake2b(digest_size=32)
        seen = 0
        try:
            with open_bytes(source.path) as reader:
                self._progress.begin(reader)
                batches = analyzed(
                    reader,
                    self._analyzer,
                    context.pool,
                    batch_bytes=self._request.batch_bytes,
                    from_byte=source.consumed,
                    to_the_end=not self._request.strict,
                )
                with closing(batches):
                    for count, (batch, found) in enumerate(batches, 1):
                        if found is None:
                            digest.update(batch.data())
                            seen += batch.size
                            continue
                        _check_prefix(source, seen, digest.hexdigest())
                        annotated = context.annotator.annotate(batch, found, source.path, self.counts)
                        digest.update(annotated.original)
                        seen += batch.size
                        self._append(annotated.text, out, state, first=source.consumed == 0)
                        source.consumed = seen
                        source.digest = digest.hexdigest()
                        if context.report is not None:
                            context.report.write(annotated.report)
                        if count % GROUP_BATCHES == 0:
                            self._end_group(out, state, context.report, at_least=CHECKPOINT_SECONDS)
                        self._progress.advance(self.counts)
        except InputError as error:
            if self._request.strict:
                raise
            self._note(error)
            source.failed = seen == 0
        _check_prefix(source, seen, digest.hexdigest())
        source.finished = True
        self._end_group(out, state, context.report, at_least=0.0)

    def _verify(self, source: InputState) -> None:
        """Read a finished input again, to be certain that it is still the one that was read."""
        digest = blake2b(digest_size=32)
        seen = 0
        if source.failed:
            return
        # What could not be read then may fail again now: the digest tells whether as much came before it.
        with suppress(InputError), open_bytes(source.path) as reader:
            self._progress.begin(reader)
            for chunk in reader:
                digest.update(chunk)
                seen += len(chunk)
                self._progress.advance(self.counts)
        _check_prefix(source, seen, digest.hexdigest())

    def _append(self, text: bytes, out: Output, state: OutputState, *, first: bool) -> None:
        if not text:
            return
        if first and state.line_open:
            out.write(b"\n")  # the last line of the input before had no end; two games must not share a line
        out.write(text)
        state.line_open = not text.endswith(b"\n")

    def _end_group(self, out: Output, state: OutputState, report: PartialFile | None, *, at_least: float) -> None:
        """End the compressed frame, and write the journal if ``at_least`` so many seconds have passed."""
        state.length = out.end_frame()
        if report is not None and self._journal.report is not None:
            self._journal.report.length = report.end_frame()
        if time.monotonic() - self._saved_at >= at_least and self._plan.journal is not None:
            out.sync()
            if report is not None:
                report.sync()
            self._checkpoint()

    # Report and journal -----------------------------------------------------------------------------------------

    def _open_report(self, stack: ExitStack) -> PartialFile | None:
        state = self._journal.report
        if self._plan.report is None or state is None or state.finished:
            return None
        report = PartialFile(self._plan.report, at=state.length if state.begun else None)
        state.begun = True
        stack.callback(report.abandon)
        return report

    def _end_report(self, report: PartialFile | None) -> None:
        state = self._journal.report
        if self._plan.report is None or state is None:
            return
        if report is not None:
            report.close()
            state.finished = True
            self._checkpoint()
        if partial_of(self._plan.report).exists():
            move_into_place(self._plan.report)

    def _checkpoint(self) -> None:
        """Write the journal; what it speaks of must be on the disk by now."""
        if self._plan.journal is None:
            return
        self._journal.counts = self.counts.as_dict()
        self._journal.save(self._plan.journal)
        self.resumable = True
        self._saved_at = time.monotonic()

    def _discard(self) -> None:
        """Take away what was begun, since there is nothing in it."""
        outputs = [target.path for target in self._plan.targets if not target.streams]
        for path in [*outputs, self._plan.report]:
            if path is not None:
                partial_of(path).unlink(missing_ok=True)
        if self._plan.journal is not None:
            self._plan.journal.unlink(missing_ok=True)

    def _note(self, error: InputError) -> None:
        if str(error) not in self.counts.problems:
            self.counts.problems.append(str(error))


def _check_prefix(source: InputState, seen: int, digest: str) -> None:
    """Raise unless what was read so far is what the journal says of it."""
    if source.consumed != seen or (seen and source.digest != digest):
        name = "standard input" if source.path == STDIN else source.path
        raise UsageError(f"{name} is not what it was when the run was interrupted; run without --resume to start over")
