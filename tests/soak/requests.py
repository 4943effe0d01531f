"""One client's requests to the server, and what of them is no fault of the server."""

import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.soak.server_process import ServerProcess

TIMEOUT = 330.0
"""Longer than the server takes for anything."""


@dataclass
class Record:
    """What all clients have seen; any thread may write to it."""

    times: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds of undisturbed answers, by kind of request."""
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    """By kind of request."""
    wrong: list[str] = field(default_factory=list)
    """Answers that may not be."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def blame(self, what: str) -> None:
        """Take down an answer that may not be."""
        with self.lock:
            self.wrong.append(what)


class Client:
    """Asks one server, whatever is done to it meanwhile."""

    def __init__(self, server: ServerProcess, record: Record, kind: str) -> None:
        """``kind`` is that of its requests in the record."""
        self._server = server
        self.record = record
        self.kind = kind
        self._client = httpx.Client(base_url=server.url, timeout=TIMEOUT)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def ask(
        self, method: str, path: str, *, allowed: Sequence[int], kind: str | None = None, **parts: Any
    ) -> httpx.Response | None:
        """The answer; None where none came because the server was killed, or where it may not be, which is recorded.

        503 is always allowed: a server may say that it has too much to do, or no space on its disk.
        """
        kind = kind or self.kind
        began = time.monotonic()
        try:
            answer = self._client.request(method, path, **parts)
        except httpx.HTTPError as error:
            # A moment for whoever kills to have taken it down.
            time.sleep(0.3)
            if not self._server.was_disturbed(began, time.monotonic()):
                self.record.blame(f"{method} {path[:120]}: {error!r}")
            return None
        ended = time.monotonic()
        with self.record.lock:
            self.record.statuses[kind, answer.status_code] += 1
            if answer.status_code < 400 and not self._server.was_disturbed(began, ended):
                self.record.times.setdefault(kind, []).append((ended - began) * 1000)
        if answer.status_code not in (*allowed, 503):
            self.record.blame(f"{method} {path[:120]}: {answer.status_code} {answer.text[:200]!r}")
            return None
        return answer
