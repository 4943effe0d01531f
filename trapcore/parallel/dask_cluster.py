"""Work done by a Dask cluster: a pool whose workers are other processes, on this machine or on others.

What is to be done (`trapcore.parallel.pools.Work`) is sent to every worker once, with the traps and weights that it
knows. Then each item goes to a worker that is free. Dask gives the items of a lost worker to others. A result counts
once, however often it was worked out, because the waiting caller takes one. Only the client writes anything.

The scheduler needs Dask alone: it hands on what only workers open. They need this very version of trapline, which is
checked before they get work. A cluster runs what anyone sends it, so its network has to be trusted. A scheduler
behind ``tls://`` takes the certificates that Dask's own configuration names.
"""

import logging
import operator
import pickle
import re
import socket
import ssl
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Event
from typing import TYPE_CHECKING, Any, Generic

from trapcore import _native
from trapcore.errors import ClusterError, UsageError
from trapcore.extras import extra
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Item, Pending, Result, Work
from trapcore.version import installed_version

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS = 10.0
"""Patience with a scheduler that does not answer: one that is stopped, or whose machine has gone, says nothing."""

WORKER_SECONDS = 60.0
"""Patience with a cluster that has no worker: a lost one may be replaced."""

HALT_SECONDS = 5.0
"""Patience with workers that are to end their work; it ends by itself where they do not answer."""

_TICK_SECONDS = 0.5  # between two looks at what is not as it should be
_ADDRESS = re.compile(r"(?:tcp|tls)://(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]+):(?P<port>\d{1,5})")
_MOST_PORT = 65_535

Versions = Mapping[str, str]


def versions() -> Versions:
    """What decides about results: the versions of trapline and of what its core proves, reads and compares."""
    return {
        "trapline": installed_version() or "not installed",
        "prover": _native.PROVER_VERSION,
        "tester": _native.TESTER_VERSION,
        "position keys": str(_native.POSITION_KEY_VERSION),
        "fingerprints": str(_native.FINGERPRINT_VERSION),
        "vocabulary": str(_native.VOCABULARY_VERSION),
    }


@contextmanager
def cluster(address: str) -> Iterator["Cluster"]:
    """The cluster whose scheduler listens there, ``tcp://HOST:PORT``; what is under way when it is left is ended.

    Raises `UsageError` for what is no address and without Dask, `ClusterError` if the scheduler does not answer, has no
    workers, or has some without trapline or with another version.
    """
    with ExitStack() as stack:
        # The errors here report a failed connection. Dask would log a traceback as well.
        log = logging.getLogger("distributed.client")
        stack.callback(log.setLevel, log.level)
        client = _connected(address)
        log.setLevel(logging.CRITICAL)  # behind the import, which sets it
        stack.callback(_close, client)
        pool = Cluster(client, address)
        pool.check()
        stack.callback(pool.end)
        yield pool


def _close(client: "Client") -> None:
    # What is lost with the connection does not matter any more, and another error may be on its way.
    with suppress(OSError):
        client.close(timeout=CONNECT_SECONDS)


class Cluster:
    """The workers of a cluster as a `trapcore.parallel.pools.Pool`; made by `cluster`."""

    def __init__(self, client: "Client", address: str) -> None:
        """Take a connection, which stays the caller's to close."""
        self._client = client
        self._address = address
        self._posted: dict[Hashable, Future] = {}
        self._width = 1
        self._looked_at = self._seen_at = float("-inf")
        self._cancelled = False

    @property
    def width(self) -> int:
        """Threads of all workers, who may come and go. Raises `ClusterError` if there has been none for too long."""
        now = time.monotonic()
        if now - self._looked_at >= _TICK_SECONDS:
            try:
                with _translate_errors(self._address):
                    threads = sum(self._client.nthreads(callback_timeout=CONNECT_SECONDS).values())
            except TimeoutError as error:
                raise ClusterError(
                    f"the scheduler at {self._address} has not answered for {CONNECT_SECONDS:.0f} seconds; what was "
                    "finished before stays"
                ) from error
            self._looked_at, self._width = now, max(1, threads)
            if threads:
                self._seen_at = now
            elif now - self._seen_at > WORKER_SECONDS:
                raise ClusterError(
                    f"the cluster at {self._address} has had no worker for {now - self._seen_at:.0f} seconds; what was "
                    "finished before stays"
                )
        return self._width

    def check(self) -> None:
        """Raise `ClusterError` unless there are workers, all with the trapline that is here."""
        with _translate_errors(self._address):
            try:
                self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
            except TimeoutError:
                raise ClusterError(
                    f"the cluster at {self._address} has no workers; start some: `dask worker`"
                ) from None
            try:
                answers = self._client.run(_version_query(), on_error="return", callback_timeout=WORKER_SECONDS)
            except TimeoutError:
                raise ClusterError(
                    f"a worker of the cluster at {self._address} does not answer; end it, or start it anew"
                ) from None
        for worker, found in sorted(answers.items()):
            if isinstance(found, Exception):
                raise ClusterError(
                    f"the worker at {worker} cannot use trapline ({found}); install this version of it there, "
                    f"{versions()['trapline']}"
                )
            refuse_others(found, f"the worker at {worker}")

    def submit(self, work: Work[Item, Result], item: Item, stop: Cancellation, /) -> Pending[Result]:
        """See `Pool.submit`. Both are pickled; ``work`` is sent only if it was not sent before."""
        data = pickle.dumps(item)
        with _translate_errors(self._address):
            posted = self._posted.get(work)
            if posted is None:
                posted = self._posted[work] = self._post(work)
            return _Expected(self, self._client.submit(operator.call, posted, data, pure=False), stop)

    def _post(self, work: Callable[..., object]) -> "Future":
        import dask

        data = pickle.dumps(_Posted(work, versions()))
        # A task and not mere data: if every worker that has it is lost, the scheduler has it made again.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            posted = self._client.submit(pickle.loads, data, pure=False)
        self._wait(posted, Cancellation())
        with suppress(TimeoutError):  # workers that have not got it by then get it with their first item
            self._client.replicate([posted], callback_timeout=CONNECT_SECONDS)
        return posted

    def wait(self, future: "Future", stop: Cancellation) -> Any:
        """What a worker made of an item; raises what it raised, and `ClusterError` if nobody is left who could."""
        while True:
            self._wait(future, stop)
            with suppress(TimeoutError), _translate_errors(self._address):
                return future.result(timeout=WORKER_SECONDS)

    def _wait(self, future: "Future", stop: Cancellation) -> None:
        """Wait until it is done, looking now and then whether somebody is left to do it; raises the same."""
        from distributed import KilledWorker

        done, halted = Event(), False
        future.add_done_callback(lambda _: done.set())
        while not done.wait(_TICK_SECONDS):
            _ = self.width
            if stop.is_cancelled and not halted:
                self._halt()
                halted = True
        with _translate_errors(self._address):
            error = future.exception()
        if isinstance(error, KilledWorker):
            raise ClusterError(
                f"{error.allowed_failures + 1} workers of the cluster at {self._address} died of the same piece of "
                f"work, at last {error.last_worker.address}, whose log may say why; often memory is short"
            )
        if error is not None:
            raise error.with_traceback(future.traceback())

    def cancel(self, future: "Future") -> None:
        """Do not begin with it any more; what was begun ends with `end`."""
        self._cancelled = True
        with suppress(ClusterError), _translate_errors(self._address):  # a scheduler that is lost begins with nothing
            future.cancel()

    def end(self) -> None:
        """End what was cancelled."""
        if self._cancelled:
            with suppress(ClusterError):
                self._halt()
        self._posted.clear()

    def _halt(self) -> None:
        """What the workers do for this pool ends soon, now and later."""
        keys = [future.key for future in self._posted.values()]
        # A worker that answers has it in a moment, and nobody waits for the others.
        with suppress(TimeoutError), _translate_errors(self._address):
            self._client.run(_halt, keys, on_error="ignore", callback_timeout=HALT_SECONDS)


class _Expected(Generic[Result]):
    """The result of one item."""

    def __init__(self, pool: Cluster, future: "Future", stop: Cancellation) -> None:
        self._pool, self._future, self._stop = pool, future, stop

    def result(self) -> Result:
        """See `Pending`."""
        found: Result = self._pool.wait(self._future, self._stop)
        return found

    def cancel(self) -> None:
        """See `Pending`."""
        self._pool.cancel(self._future)


class _Posted:
    """Work as a worker has it."""

    def __init__(self, work: Callable[[Any, Cancellation], object], made_with: Versions) -> None:
        self._work, self._made_with = work, made_with
        self.stop = Cancellation()

    def __reduce__(self) -> tuple[type["_Posted"], tuple[object, ...]]:
        return _Posted, (self._work, self._made_with)

    def __call__(self, data: bytes) -> object:
        # Workers that came later have not been examined.
        refuse_others(self._made_with, "the client", "this worker")
        return self._work(pickle.loads(data), self.stop)


def _halt(keys: Sequence[str], dask_worker: Any) -> None:
    """On a worker: cancel the work under these keys."""
    for key in keys:
        posted = dask_worker.data.get(key)
        if posted is not None:
            posted.stop.cancel()


def _version_query() -> Callable[[], Versions]:
    """Asks a worker for its versions. It is sent as code and not by its name, which a worker may not know."""

    def versions() -> Versions:
        from trapcore.parallel.dask_cluster import versions

        return versions()

    return versions


def refuse_others(found: Versions, who: str, here: str = "this client") -> None:
    """Raise `ClusterError` unless the versions found are those that are here."""
    for what, version_here in versions().items():
        if found.get(what) != version_here:
            raise ClusterError(
                f"{who} has another trapline than {here}: {what} {found.get(what, 'unknown')}, not {version_here}; "
                "results would not be the same, install the same version everywhere"
            )


def _connected(address: str) -> "Client":
    # Dask would try for a while to reach what is no address, and leave half a client behind.
    parts = _ADDRESS.fullmatch(address)
    if parts is None or not 1 <= int(parts["port"]) <= _MOST_PORT:
        raise UsageError(f"--cluster wants the address of a Dask scheduler, tcp://HOST:PORT, not {address!r}")
    with extra("cluster", "--cluster"):
        from distributed import Client, Security
    security = Security()
    try:
        tls = security.get_connection_args("client").get("ssl_context")
    except OSError as error:
        raise UsageError(f"--cluster: the certificates of Dask's configuration cannot be read: {error}") from error
    if tls is None and address.startswith("tls://"):
        raise UsageError(f"--cluster: {address} needs certificates, and Dask's configuration names none")
    try:
        _await_greeting(parts["host"].strip("[]"), int(parts["port"]), tls if address.startswith("tls://") else None)
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="trapline", security=security)
    except OSError as error:  # time that has run out among them
        raise ClusterError(f"no Dask scheduler answers at {address}: {error}") from error


def _await_greeting(host: str, port: int, tls: ssl.SSLContext | None) -> None:
    """Wait for the first bytes of a scheduler, which speaks first; for those Dask itself would wait without end.

    Raises `TimeoutError`. A scheduler that cannot be reached at all is left to Dask, which tries for a while.
    """
    try:
        with ExitStack() as stack:
            connection = stack.enter_context(socket.create_connection((host, port), timeout=CONNECT_SECONDS))
            if tls is not None:
                connection = stack.enter_context(tls.wrap_socket(connection, server_hostname=host))
            connection.recv(1)
    except TimeoutError:
        raise TimeoutError(f"it said nothing for {CONNECT_SECONDS:.0f} seconds") from None
    except OSError:
        return


@contextmanager
def _translate_errors(address: str) -> Iterator[None]:
    """Say what it means when the scheduler has gone."""
    from distributed import CancelledError

    try:
        yield
    except TimeoutError:
        raise
    except (OSError, CancelledError) as error:
        raise ClusterError(
            f"the connection with the scheduler at {address} was lost; what was finished before stays"
        ) from error
