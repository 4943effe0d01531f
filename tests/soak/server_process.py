"""The real server in a process of its own: started, and started again if it ends."""

import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.support.web_server import TOKEN, environment

READY_SECONDS = 60.0
"""After which a server that was started has to answer."""


def end_in_order(process: "subprocess.Popen[bytes]", patience: float) -> int:
    """Asks a process to end, kills it if it does not, and returns its exit code."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


@dataclass
class ServerProcess:
    """``trapline serve`` over one library, at one port, however often it is started."""

    folder: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None
    disturbed: list[tuple[float, float]] = field(default_factory=list)
    """Monotonic seconds from an end to the first answer of the next process."""
    died: list[int] = field(default_factory=list)
    """Exit codes of ends that nobody asked for."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    _log: IO[bytes] | None = None

    @property
    def library(self) -> Path:
        """The library that is served."""
        return self.folder / "library.sqlite"

    @property
    def log(self) -> Path:
        """What it writes to its standard error."""
        return self.folder / "server.log"

    @property
    def work(self) -> Path:
        """Folder of its temporary files."""
        return self.folder / "work"

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers. Raises `RuntimeError` if it does not."""
        self.work.mkdir(exist_ok=True)
        self._log = self.log.open("ab")
        variables = {"web_token": TOKEN, "web_folder": self.work, "web_seconds": 5, "web_annotations": 4, "jobs": 1}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "trapline", "serve", "--db", str(self.library), "--port", str(self.port)],
            env=environment(self.folder, variables),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        try:
            end = time.monotonic() + READY_SECONDS
            while not self.answers():
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError(f"the server does not start: {self.log.read_text()[-2000:]}")
                time.sleep(0.1)
        except BaseException:
            # Nobody else would end it, should somebody end the soak meanwhile.
            self.process.kill()
            self.process.wait()
            raise

    def answers(self) -> bool:
        """Whether ``/health`` says that it is well."""
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=10) as answer:
                return bool(answer.status == 200)
        except urllib.error.HTTPError as error:
            error.close()
            return False
        except OSError:
            return False

    def restart_if_dead(self) -> None:
        """Start it again as systemd would; an end that nobody asked for is remembered."""
        assert self.process is not None
        code = self.process.poll()
        if code is not None:
            self.died.append(code)
            began = time.monotonic() - 2
            with self.lock:
                self.disturbed.append((began, float("inf")))
            self._close_log()
            self.start()
            with self.lock:
                self.disturbed[-1] = (began, time.monotonic())

    def was_disturbed(self, began: float, ended: float) -> bool:
        """Whether it was not there at any moment between these two."""
        with self.lock:
            return any(since <= ended and began <= until for since, until in self.disturbed)

    def stop(self, patience: float = 30.0) -> int:
        """Ask it to end in order; its exit code, -9 if it had to be killed."""
        assert self.process is not None
        try:
            return end_in_order(self.process, patience)
        finally:
            self._close_log()

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None
