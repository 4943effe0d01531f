"""Clusters that say nothing: schedulers and workers that are stopped, as on a machine that is unplugged."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import dask
import pytest
from distributed import LocalCluster

from trapcore.errors import ClusterError, UsageError
from trapcore.parallel import dask_cluster as cluster
from trapcore.parallel.budget import Cancellation

SOON = 2.0
"""Patience in these tests; it is seconds longer outside."""


@contextmanager
def asked_to_end(command: list[str]) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.communicate()


@contextmanager
def scheduler() -> Iterator[tuple["subprocess.Popen[str]", str]]:
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    with asked_to_end([sys.executable, "-m", "distributed.cli.dask_scheduler", *words]) as process:
        assert process.stderr is not None
        found = next(found for line in process.stderr if (found := re.search(r"Scheduler at:\s+(\S+)", line)))
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield process, found[1]


NO_ADDRESSES = (
    *("tcp://", "tcp://127.0.0.1", "tcp://:8786", "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:nan"),
    *("tcp://127.0.0.1:-5", "tcp://127.0.0.1:8786/", "tcp://a b:1", "tcp://\x01:1", "tcp://[::1:1", "inproc://a:1"),
)


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_what_is_no_address_is_refused_before_anything_is_tried(address: str) -> None:
    with pytest.raises(UsageError, match="wants the address"), cluster.cluster(address):
        pass


def test_certificates_that_are_not_there_are_missed_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="names none"), cluster.cluster("tls://127.0.0.1:1"):
        pass
    broken = tmp_path / "broken.pem"
    broken.write_text("nothing")
    named = {f"distributed.comm.tls.client.{what}": str(broken) for what in ("cert", "key")}
    with (
        dask.config.set({**named, "distributed.comm.tls.ca-file": str(broken)}),
        pytest.raises(UsageError, match="cannot be read"),
        cluster.cluster("tls://127.0.0.1:1"),
    ):
        pass


def test_a_scheduler_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(ClusterError, match="said nothing"),
        cluster.cluster(f"tcp://127.0.0.1:{silent.getsockname()[1]}"),
    ):
        pass


def until_stopped(item: int, stop: Cancellation) -> int:
    while not stop.is_cancelled:
        time.sleep(0.01)
    return item


@pytest.mark.slow
def test_a_scheduler_that_is_stopped_ends_the_work_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with scheduler() as (process, address):
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"]
        with asked_to_end(worker), cluster.cluster(address) as pool:
            pending = pool.submit(until_stopped, 1, Cancellation())
            monkeypatch.setattr(cluster, "CONNECT_SECONDS", SOON)
            monkeypatch.setattr(cluster, "HALT_SECONDS", SOON)
            process.send_signal(signal.SIGSTOP)
            with pytest.raises(ClusterError, match="has not answered for 2 seconds"):
                pending.result()
            began = time.monotonic()
        assert time.monotonic() - began < 60


@pytest.mark.slow
def test_a_worker_that_is_stopped_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )
    with ExitStack() as stack:
        stack.enter_context(workers)
        pid = next(iter(workers.workers.values())).pid
        stack.callback(os.kill, pid, signal.SIGCONT)
        os.kill(pid, signal.SIGSTOP)
        monkeypatch.setattr(cluster, "WORKER_SECONDS", SOON)
        with pytest.raises(ClusterError, match="does not answer"), cluster.cluster(workers.scheduler_address):
            pass
