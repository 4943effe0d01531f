"""Status of a running program on the loopback interface.

``GET /health`` answers 200 if the program is well, else 503, with JSON; ``GET /metrics`` answers in the text format of
Prometheus.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from trapcore.errors import OutputError

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Metric:
    """One value of a metric."""

    name: str
    help: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    is_counter: bool = False
    """Whether it only grows; a gauge otherwise."""


def exposition(metrics: Iterable[Metric]) -> str:
    """Metrics in the text format of Prometheus; values of one name follow each other."""
    lines: list[str] = []
    described: set[str] = set()
    for metric in metrics:
        if metric.name not in described:
            described.add(metric.name)
            kind = "counter" if metric.is_counter else "gauge"
            lines += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {kind}"]
        labels = ",".join(f"{name}={json.dumps(value)}" for name, value in metric.labels.items())
        lines.append(f"{metric.name}{f'{{{labels}}}' if labels else ''} {metric.value:g}")
    return "\n".join(lines) + "\n"


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong here; that a client has gone is no error, and a line for each would fill the disk."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def serve(
    port: int, health: Callable[[], Mapping[str, object]], metrics: Callable[[], Iterable[Metric]] | None = None
) -> Callable[[], None]:
    """Start the server; the returned function ends it. Raises `OutputError` if the port is taken.

    ``health`` gives the JSON object, whose ``ok`` says whether the program is well. Without ``metrics`` there are none.
    """

    class Answer(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            if path in ("/", "/health"):
                found = health()
                self._send(200 if found.get("ok") else 503, "application/json", json.dumps(found))
            elif path == "/metrics" and metrics is not None:
                self._send(200, METRICS_TYPE, exposition(metrics()))
            else:
                self.send_error(404)

        def _send(self, status: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    try:
        server = _Server(("127.0.0.1", port), Answer)
    except OSError as error:
        raise OutputError(f"the health endpoint cannot be opened on port {port}: {error.strerror}") from error
    thread = threading.Thread(target=server.serve_forever, name="status", daemon=True)
    thread.start()

    def end() -> None:
        server.shutdown()
        server.server_close()

    return end
