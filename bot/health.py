"""Health of the bot, and its endpoint on the loopback interface.

``GET /health`` answers 200 if the bot is well, else 503, with JSON.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lichess.rate_limits import Pause
from trapcore.errors import OutputError

SILENT_SECONDS = 60.0
"""Silence of the account's stream after which the bot is not well,"""

UNSENT_SECONDS = 20.0
"""or time for which a move that is ready could not be sent."""


def summary(silent: float, unsent: Mapping[str, float], held: Sequence[Pause]) -> dict[str, object]:
    """What is wrong or waits, as part of the answer.

    ``silent``: seconds without a sign of the account's stream; ``unsent``: seconds for which a move that is ready could
    not be sent, by game; ``held``: kinds of requests that pause after a 429.
    """
    problems = [f"the account's stream is silent for {silent:.0f} s"] if silent >= SILENT_SECONDS else []
    problems += [
        f"a move in game {game} could not be sent for {seconds:.0f} s"
        for game, seconds in unsent.items()
        if seconds >= UNSENT_SECONDS
    ]
    return {
        "ok": not problems,
        "problems": problems,
        "silent_seconds": round(silent, 1),
        "unsent_seconds": round(max(unsent.values()), 1) if unsent else None,
        "held": [
            {"requests": pause.kind.name.lower(), "seconds": round(pause.seconds, 1), "reason": pause.reason}
            for pause in held
        ],
    }


def serve(port: int, health: Callable[[], Mapping[str, object]]) -> Callable[[], None]:
    """Start the endpoint; the returned function ends it. Raises `OutputError` if the port is taken."""

    class Answer(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:
            if self.path.split("?")[0] not in ("/", "/health"):
                self.send_error(404)
                return
            found = health()
            body = json.dumps(found).encode()
            self.send_response(200 if found.get("ok") else 503)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Answer)
    except OSError as error:
        raise OutputError(f"the health endpoint cannot be opened on port {port}: {error.strerror}") from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="health", daemon=True)
    thread.start()

    def end() -> None:
        server.shutdown()
        server.server_close()

    return end
