"""Health endpoint on the loopback interface: ``GET /health`` answers 200 if the bot is well, else 503, with JSON."""

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from trapcore.errors import OutputError


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
