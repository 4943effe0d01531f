"""Plain blocking client for the tests of the server itself, independent of the bot's client."""

import http.client
import json
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.fake_lichess.http.server import HOST

#: Called with method, path, status and the decoded body or stream line.
Check = Callable[[str, str, int, object], None]
PATIENCE = 30.0


@dataclass(frozen=True)
class HttpAnswer:
    """An answer; ``body`` is decoded where it is JSON."""

    status: int
    body: Any
    headers: http.client.HTTPMessage


class Lines:
    """The lines of an open stream: dicts, and "" for a keep-alive."""

    def __init__(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse, check: Check) -> None:
        self.status = answer.status
        self._connection = connection
        self._answer = answer
        self._check = check
        self.path = ""

    def raw(self) -> bytes:
        """The next line as it came; b"" at a clean end; OSError if the connection broke or is silent."""
        return self._answer.readline()

    def some(self) -> bytes:
        """One byte, or b"" at a clean end."""
        return self._answer.read1(1)

    def next(self) -> Any:
        """The next event; keep-alives are skipped; EOFError at the end, TimeoutError if only they come."""
        end = time.monotonic() + PATIENCE
        while True:
            if time.monotonic() > end:
                raise TimeoutError("nothing but keep-alives")
            line = self.raw()
            if not line:
                raise EOFError
            if line.strip():
                event = json.loads(line)
                self._check("GET", self.path, 200, event)
                return event

    def until(self, wanted: Callable[[Any], bool]) -> Any:
        while not wanted(event := self.next()):
            pass
        return event

    def rest(self) -> list[Any]:
        events = []
        try:
            while True:
                events.append(self.next())
        except EOFError:
            return events

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


class Client:
    """One token's requests to one server."""

    def __init__(self, port: int, secret: str, check: Check = lambda *_: None) -> None:
        self.port = port
        self.headers = {"Authorization": f"Bearer {secret}", "User-Agent": "test/1 user:TrapBot"}
        self.check = check

    def ask(self, method: str, path: str, form: dict[str, Any] | str | None = None, **headers: str) -> HttpAnswer:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE)
        try:
            body = None
            more = {**self.headers, **headers}
            if isinstance(form, dict):
                body = urllib.parse.urlencode(form)
                more["Content-Type"] = "application/x-www-form-urlencoded"
            elif form is not None:
                body = form
            connection.request(method, path, body, more)
            answer = connection.getresponse()
            text = answer.read().decode()
            decoded = json.loads(text) if answer.headers.get_content_type() == "application/json" else text
            self.check(method, path, answer.status, decoded)
            return HttpAnswer(answer.status, decoded, answer.headers)
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> HttpAnswer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, form: dict[str, Any] | str | None = None) -> HttpAnswer:
        return self.ask("POST", path, form)

    @contextmanager
    def lines(self, path: str, form: dict[str, Any] | None = None, patience: float = PATIENCE) -> Iterator[Lines]:
        """An open stream, closed at the end of the block; a read waits ``patience`` seconds."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=patience)
        more = dict(self.headers)
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            more["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request("POST" if form is not None else "GET", path, body, more)
        lines = Lines(connection, connection.getresponse(), self.check if form is None else lambda *_: None)
        lines.path = path
        try:
            yield lines
        finally:
            lines.close()
