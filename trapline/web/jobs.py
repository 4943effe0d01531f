"""Jobs of one server: work on a client's games in the background, with progress, limits, cancellation and an end."""

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import StrEnum
from typing import TypeVar

from trapcore._native import give_way
from trapcore.errors import InputError, Message, TraplineError
from trapcore.io.decompress import ReadLimits
from trapcore.parallel.budget import Cancellation
from trapline.web.metrics import Metrics
from trapline.web.problems import FAILED, STOPS, NotFound, Overloaded, RateLimited
from trapline.web.settings import WebOptions

MAX_JOBS = 64
"""Jobs that are kept. The oldest finished ones are removed first."""

UPLOAD_WINDOW = 1 << 23
"""Largest window of Zstandard in an upload in bytes. RFC 9659 says that every reader has to accept it. It lies in
memory."""

STORED_OF_ADDRESS = 2
"""Results that are kept for one address, as a multiple of the largest unpacked upload."""
STORED = 8
"""Results that are kept for all addresses, in the same unit."""


class State(StrEnum):
    """State of a job."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """It was cancelled, timed out, or the server stopped."""


class Job:
    """Work for one client. Its thread changes the attributes, and the event loop reads them."""

    missing: Message
    """Says that there is no such job any more."""
    too_long: Message
    """The problem of a job that ran for so many ``minutes``."""

    def __init__(self, address: str) -> None:
        """Job for the client at ``address``."""
        self.id = secrets.token_urlsafe(16)
        """Identifier that cannot be guessed. A client that knows it may see the job."""
        self.address = address
        self.state = State.RUNNING
        self.problem: Message | None = None
        """Reason why it failed or was stopped."""
        self.written = 0
        """Bytes of the result written so far."""
        self.stop = Cancellation()

    def cancel(self, reason: Message) -> None:
        """Stop the job. ``reason`` becomes its problem unless it has ended already."""
        if self.state is State.RUNNING and self.problem is None:
            self.problem = reason
        self.stop.cancel()

    def check(self) -> None:
        """Raise `RuntimeError` if the job is to stop, as calls of the core do."""
        if self.stop.is_cancelled:
            raise RuntimeError("stopped")

    def close(self) -> None:
        """Delete the result, if there is one."""

    def run(self, work: Callable[[], None]) -> None:
        """Call ``work`` and record how it ends. Raises only what is a bug."""
        try:
            work()
        except TraplineError as error:
            self.end(State.FAILED, error.message)
        except OSError as error:
            reason = Message("the server cannot store the games: {reason}", {"reason": error.strerror})
            self.end(State.FAILED, reason)
        except BaseException:
            if not self.stop.is_cancelled:
                self.end(State.FAILED, FAILED)
                raise
            self.end(State.STOPPED, self.problem)
        else:
            self.end(State.DONE, None)

    def end(self, state: State, problem: Message | None) -> None:
        """Record the end. Only the result of a job that is done is kept."""
        self.problem = problem
        self.state = state
        if state is not State.DONE:
            self.close()


J = TypeVar("J", bound=Job)


class Jobs:
    """All jobs of one server, and the slots in which they run. An address has half of the slots at most."""

    def __init__(self, settings: WebOptions, metrics: Metrics) -> None:
        self._seconds = settings.web.annotation_minutes * 60
        self._unpacked = settings.web.unpacked_megabytes << 20
        self.limits = ReadLimits(self._unpacked, UPLOAD_WINDOW)
        """What a packed upload may cost."""
        self._slots = settings.web.annotations
        self._slots_of_address = max(1, self._slots // 2)
        self._metrics = metrics
        self._jobs: dict[str, Job] = {}
        self._pool = ThreadPoolExecutor(self._slots, thread_name_prefix="job", initializer=give_way)

    def check(self, address: str) -> None:
        """Raise `RateLimited` if the address has as many slots as one may have, and `Overloaded` if none is free.

        Called before an upload is received.
        """
        # A job has its slot until its end is known, and no longer: a client may send the next upload at once.
        running = [job.address for job in list(self._jobs.values()) if job.state is State.RUNNING]
        if running.count(address) >= self._slots_of_address:
            raise RateLimited(
                "your address has as many uploads at work as one may have, {most}; wait until one is done",
                {"Retry-After": "10"},
                most=self._slots_of_address,
            )
        if len(running) >= self._slots:
            raise Overloaded(
                "{count} uploads are being annotated, which is as many as are at once; try again later",
                {"Retry-After": "10"},
                count=self._slots,
            )

    def start(self, job: J, work: Callable[[], None]) -> J:
        """Give the job a slot until it ends, and call ``work`` in its thread. Raises as `check` does.

        Called when the upload has been received, so that no sender holds a slot by being slow.
        """
        self.check(job.address)
        self._metrics.annotations.inc()
        self._jobs[job.id] = job
        for oldest in self._ended()[: max(0, len(self._jobs) - MAX_JOBS)]:
            self._remove(oldest)
        loop = asyncio.get_running_loop()
        too_long = Message(job.too_long.template, {"minutes": self._seconds / 60})
        timeout = loop.call_later(self._seconds, job.cancel, too_long)

        def run() -> None:
            try:
                job.run(work)
            finally:
                with suppress(RuntimeError):  # the event loop has ended
                    loop.call_soon_threadsafe(finish)

        def finish() -> None:
            timeout.cancel()
            self._metrics.annotations.dec()
            loop.call_later(self._seconds, self._remove, job)

        self._pool.submit(run)
        return job

    def find(self, id: str, kind: type[J]) -> J:
        """Job of an identifier. Raises `NotFound`."""
        job = self._jobs.get(id)
        if not isinstance(job, kind):
            raise NotFound(kind.missing)
        return job

    def remove(self, job: Job) -> None:
        """Cancel a job if it is running, and delete its result."""
        job.cancel(Message("it was removed"))
        self._remove(job)

    def make_room(self, job: Job) -> None:
        """Remove the oldest results if too much is kept, those of the job's address first. Raises `InputError` if
        the running jobs alone write too much."""
        for limit, address in ((STORED_OF_ADDRESS, job.address), (STORED, None)):
            left = sum(each.written for each in list(self._jobs.values()) if address in (None, each.address))
            ended = iter([each for each in self._ended() if address in (None, each.address)])
            while left > limit * self._unpacked:
                oldest = next(ended, None)
                if oldest is None:
                    raise InputError("too much is being annotated already; send less at a time")
                left -= oldest.written
                self._remove(oldest)

    def cancel_all(self) -> None:
        """Cancel all running jobs. Clients that wait get an error."""
        for job in self._jobs.values():
            job.cancel(STOPS)

    def close(self) -> None:
        """Cancel all jobs, wait for their threads, and delete the results."""
        self.cancel_all()
        self._pool.shutdown()
        for job in list(self._jobs.values()):
            self._remove(job)

    def _ended(self) -> list[Job]:
        return [job for job in list(self._jobs.values()) if job.state is not State.RUNNING]

    def _remove(self, job: Job) -> None:
        if self._jobs.pop(job.id, None) is not None:
            job.close()
