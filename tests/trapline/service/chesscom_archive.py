"""An archive of finished games as chess.com publishes it, on loopback: months of a player, and the PGN of each."""

import json
import re
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"/pub/player/([a-z0-9_-]+)/games/(archives|(\d{4}/\d{2})/pgn)")


@dataclass
class Archive:
    """The running server."""

    url: str
    games: Mapping[str, Mapping[str, str]]
    """PGN by player and month, ``2026/10``."""
    asked: list[str] = field(default_factory=list)
    """Paths of the requests."""
    agents: set[str] = field(default_factory=set)
    unchanged: list[str] = field(default_factory=list)
    """Paths of the requests that were answered with 304."""
    versions: str = "ETag"
    """The header that names versions: ETag or Last-Modified."""


@contextmanager
def chesscom(games: Mapping[str, Mapping[str, str]]) -> Iterator[Archive]:
    """An archive with these games."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            archive.asked.append(path)
            archive.agents.add(self.headers.get("User-Agent", ""))
            found = _ADDRESS.fullmatch(path)
            months = archive.games.get(found[1]) if found else None
            if found is None or months is None:
                name = found[1] if found else ""
                self._send(404, "application/json", json.dumps({"code": 0, "message": f'User "{name}" not found.'}))
            elif found[2] == "archives":
                named = [f"https://api.chess.com/pub/player/{found[1]}/games/{month}" for month in sorted(months)]
                self._send(200, "application/json", json.dumps({"archives": named}))
            else:
                text = months.get(found[3], "")
                version = (
                    f'"{zlib.crc32(text.encode())}"'
                    if archive.versions == "ETag"
                    else formatdate(len(text), usegmt=True)
                )
                asked = "If-None-Match" if archive.versions == "ETag" else "If-Modified-Since"
                if self.headers.get(asked) == version:
                    archive.unchanged.append(path)
                    self.send_response(304)
                    self.end_headers()
                else:
                    self._send(200, "application/x-chess-pgn", text, version)

        def _send(self, status: int, kind: str, text: str, version: str = "") -> None:
            body = text.encode()
            self.send_response(status)
            if version:
                self.send_header(archive.versions, version)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    archive = Archive(f"http://127.0.0.1:{server.server_address[1]}", games)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield archive
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
