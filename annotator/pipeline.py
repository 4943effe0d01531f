"""Run over files: inputs, detection, comments, outputs, and the journal by which an interrupted run goes on."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from annotator.annotation import Annotator
from annotator.comments.commentary import Commentator
from annotator.counts import NO_GAME, Counts, readable
from annotator.files.journal import InputState, Journal, OutputState, not_a_journal
from annotator.files.output import DIGEST_BYTES, Output
from annotator.files.plan import STDIN, Plan, Target
from annotator.files.progress import Progress
from annotator.files.work import RunFiles
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest, BatchAnalyzer
from annotator.worker import Workers, analyzed, no_input_error
from trapcore.errors import InputError, UsageError
from trapcore.io.streams import ByteReader, open_bytes
from trapcore.io.text_encoding import encoded
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Pool, threads

GROUP_BATCHES = 4
"""So many batches make one compressed frame; behind each of them an interrupted run can go on."""

CHECKPOINT_SECONDS = 0.5
"""The journal is written at most so often: to have bytes on the disk for certain is slow."""


@dataclass(frozen=True, slots=True)
class _RunContext:
    """State that the inputs share while a run is under way."""

    files: RunFiles
    annotator: Annotator
    pool: Pool
    report: Output | None


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
        cancellation: Callable[[], AbstractContextManager[Cancellation]] = lambda: nullcontext(Cancellation()),
        resume: bool,
    ) -> None:
        """With ``resume`` an interrupted run of the same plan is continued.

        ``pool`` works in place of the request's threads. ``cancellation`` gives a new cancellation for each input.
        Another thread may cancel it: the run then writes its journal and raises ``RuntimeError``.

        Raises ``UsageError`` if there is one that cannot be continued because something changed.
        """
        self.counts = Counts()
        """What was counted so far, also after an error."""
        self.resumable = False
        """A journal of this run lies on the disk, so that ``--resume`` can go on from it."""
        self._request = request
        self._plan = plan
        self._known = known
        self._analyzer = BatchAnalyzer(request, known)
        self._pool = pool
        self._cancellation = cancellation
        self._progress = progress
        self._saved_at = float("-inf")
        self._journal = Journal(
            request.as_options(known),
            inputs=[InputState(source) for target in plan.targets for source in target.sources],
            outputs=[OutputState(STDIN if target.path is None else str(target.path)) for target in plan.targets],
            report=None if plan.report is None else OutputState(str(plan.report)),
        )
        self._resume = resume
        for error in plan.unreadable.values():
            self._note(error)

    def _begin(self) -> RunFiles:
        """Lock the outputs, and read the journal of the run that is to be continued, if there is one."""
        adopted = RunFiles.adopt(self._plan, self._journal) if self._resume else None
        if adopted is None:
            return RunFiles.begin(self._plan, self._journal)
        files, self._journal = adopted
        self.resumable = True
        try:
            self.counts = Counts.from_dict(self._journal.counts)
        except ValueError as error:
            files.leave()
            raise not_a_journal(Path(self._journal.outputs[0].path), error) from error
        return files

    def execute(self) -> Counts:
        """Do it, and return what was counted.

        Raises ``InputError`` if no input could be read (with ``strict``: if any was damaged), ``OutputError``,
        ``EngineError``, what the pool raises, and ``UsageError`` if what is to be continued is not what it was, or if
        no input has a game. After an error the partial files and the journal stay, so that the run can go on.
        """
        files = self._begin()
        try:
            self._execute(files)
        except BaseException:
            if self.resumable:
                files.leave()
            else:
                files.remove()
            raise
        files.remove()
        return self.counts

    def _execute(self, files: RunFiles) -> None:
        with ExitStack() as stack:
            verifier = stack.enter_context(self._request.verifier())
            pool = self._pool or stack.enter_context(threads(self._request.jobs, "analyze"))
            context = _RunContext(
                files,
                self._request.annotator(self._known, verifier, reporting=self._plan.report is not None),
                pool,
                self._open_report(files, stack),
            )
            inputs = iter(self._journal.inputs)
            for target, state in zip(self._plan.targets, self._journal.outputs, strict=True):
                self._write(target, state, [next(inputs) for _ in target.sources], context)
            if self._journal.inputs and all(source.failed for source in self._journal.inputs):
                self.resumable = False  # there is nothing in it
                raise InputError(self.counts.problems[0])
            self._end_report(context)
            if self._journal.inputs and not any(source.games for source in self._journal.inputs):
                self.resumable = False
                raise UsageError(self.counts.problems[0])

    # One output -------------------------------------------------------------------------------------------------

    def _write(self, target: Target, state: OutputState, sources: list[InputState], context: _RunContext) -> None:
        if state.finished:
            for source in sources:
                self._verify(source)
        else:
            streams = target.path is None or target.streams
            out = Output.stream(target.path) if streams else context.files.open(state)
            state.begun = True
            try:
                for source in sources:
                    if source.finished:
                        self._verify(source)
                    else:
                        self._copy(source, out, state, context, alone=len(sources) == 1)
                self._close(out, state)
            finally:
                out.abandon()
            self._checkpoint(context.files)
        if target.path is None or target.streams or all(source.failed for source in sources):
            return
        context.files.finish(state)

    def _close(self, out: Output, state: OutputState) -> None:
        state.length, state.digest = out.close()
        state.finished = True

    def _copy(self, source: InputState, out: Output, state: OutputState, context: _RunContext, *, alone: bool) -> None:
        """Write the output of one input, from where it was left off; in its own encoding if it is ``alone`` in the
        output, otherwise in UTF-8 where it is UTF-16."""
        digest = blake2b(digest_size=DIGEST_BYTES)
        seen = 0
        commentator = Commentator.of(self._request.style, source.told)
        try:
            with open_bytes(source.path) as reader, self._cancellation() as stop:
                _check_file(source, reader)
                self._progress.begin(reader)
                batches = analyzed(
                    reader,
                    Workers(self._analyzer, context.pool, self._request.look(context.annotator.verifier)),
                    batch_bytes=self._request.batch_bytes,
                    from_byte=source.consumed,
                    to_the_end=not self._request.strict,
                    stop=stop,
                )
                with closing(batches):
                    for count, (batch, found) in enumerate(batches, 1):
                        if found is None:
                            digest.update(batch.data())
                            seen += batch.size
                            continue
                        _check_prefix(source, seen, digest.hexdigest())
                        with no_input_error():
                            annotated = context.annotator.annotate(
                                batch, found, source.path, self.counts, commentator, reader.encoding
                            )
                        digest.update(annotated.original)
                        seen += batch.size
                        text = encoded(annotated.text, reader.encoding) if alone else annotated.text
                        self._append(text, out, state, first=source.consumed == 0)
                        source.consumed = seen
                        source.games += readable(found)
                        source.digest = digest.hexdigest()
                        source.told = sorted(commentator.teller.known)
                        if context.report is not None:
                            context.report.write(annotated.report)
                        if count % GROUP_BATCHES == 0:
                            self._end_group(out, state, context, at_least=CHECKPOINT_SECONDS)
                        self._progress.advance(self.counts)
                if alone and reader.rest:
                    out.write(reader.rest)
            if source.games == 0:
                self._note(InputError(f"{source.path}: {NO_GAME}"))
        except RuntimeError:
            if source.consumed:
                self._end_group(out, state, context, at_least=0.0)
            raise
        except InputError as error:
            if self._request.strict:
                # Fetched again it may be longer; what was read of it has to be the same.
                source.file = None
                if source.consumed:
                    self._end_group(out, state, context, at_least=0.0)
                raise
            self._note(error)
            source.failed = seen == 0
        _check_prefix(source, seen, digest.hexdigest())
        source.finished = True
        self._end_group(out, state, context, at_least=0.0)

    def _verify(self, source: InputState) -> None:
        """Read a finished input again, to be certain that it is still the one that was read."""
        digest = blake2b(digest_size=DIGEST_BYTES)
        seen = 0
        if source.failed:
            return
        # What could not be read then may fail again now: the digest shows whether as much came before it.
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

    def _end_group(self, out: Output, state: OutputState, context: _RunContext, *, at_least: float) -> None:
        """End the compressed frame, and write the journal if ``at_least`` so many seconds have passed."""
        state.length, state.digest = out.end_frame()
        report = context.report
        if report is not None and self._journal.report is not None:
            self._journal.report.length, self._journal.report.digest = report.end_frame()
        if time.monotonic() - self._saved_at >= at_least and self._plan.directory is not None:
            out.sync()
            if report is not None:
                report.sync()
            self._checkpoint(context.files)

    # Report and journal -----------------------------------------------------------------------------------------

    def _open_report(self, files: RunFiles, stack: ExitStack) -> Output | None:
        state = self._journal.report
        if state is None or state.finished:
            return None
        report = files.open(state)
        state.begun = True
        stack.callback(report.abandon)
        return report

    def _end_report(self, context: _RunContext) -> None:
        state = self._journal.report
        if state is None:
            return
        if context.report is not None:
            self._close(context.report, state)
            self._checkpoint(context.files)
        context.files.finish(state)

    def _checkpoint(self, files: RunFiles) -> None:
        """Write the journal; what it speaks of must be on the disk by now."""
        self._journal.counts = self.counts.as_dict()
        self.resumable = files.save(self._journal)
        self._saved_at = time.monotonic()

    def _note(self, error: InputError) -> None:
        if str(error) not in self.counts.problems:
            self.counts.problems.append(str(error))


def _check_file(source: InputState, reader: ByteReader) -> None:
    """Raise unless the input is the file that the journal speaks of; without a journal, note which file it is."""
    now = None if reader.state is None else [reader.state.inode, reader.state.size, reader.state.changed]
    if source.file is not None and source.file != now and source.path != STDIN:
        raise UsageError(
            f"{source.path} is not the file that it was when the run was interrupted; run without --resume to start "
            "over"
        )
    source.file = now


def _check_prefix(source: InputState, seen: int, digest: str) -> None:
    """Raise unless what was read so far is what the journal says of it."""
    if source.consumed != seen or (seen and source.digest != digest):
        name = "standard input" if source.path == STDIN else source.path
        raise UsageError(f"{name} is not what it was when the run was interrupted; run without --resume to start over")
