"""Large files by address and by month: whole, checked, and gone on with after an interruption."""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import zstandard

from tests.fake_lichess.http.server import Server
from tests.support.db_traps import FELL, OTHER
from tests.support.service_site import service_for
from trapline.service.jobs import run_job
from trapline.service.service import Service
from trapline.service.state.job_log import Outcome

MONTH = "/standard/lichess_db_standard_rated_2013-01.pgn.zst"
CONTENT = zstandard.ZstdCompressor().compress(f"{FELL}\n\n{OTHER}\n".encode())


class Database(ThreadingHTTPServer):
    """A server with a month; ``cuts`` are after how many bytes the next answers break off."""

    daemon_threads = True

    def __init__(self) -> None:
        self.cuts: list[int] = []
        self.ranges: list[str] = []
        self.sum = hashlib.sha256(CONTENT).hexdigest()
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: Database

    def do_GET(self) -> None:
        if self.path.endswith("sha256sums.txt"):
            self._send(200, f"{self.server.sum}  {MONTH.rpartition('/')[2]}\n".encode(), {})
            return
        if self.path != MONTH:
            self._send(404, b"", {})
            return
        wanted = self.headers.get("Range", "")
        self.server.ranges.append(wanted)
        at = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        self._send(206 if at else 200, CONTENT[at:], {"ETag": '"one"'})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = self.server.cuts.pop(0) if self.server.cuts and self.path == MONTH else len(body)
        self.wfile.write(body[:cut])

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def database() -> Iterator[Database]:
    with Database() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def lichess() -> Iterator[Server]:
    with Server(speed=0.0) as running:
        yield running


def ran(service: Service) -> Outcome:
    done = run_job(service, "dumps")
    assert done is not None
    return done.outcome


def test_a_month_comes_whole_over_broken_connections_and_once(
    lichess: Server, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trapline.service.sources.dumps.PIECE", 10)
    url = f"http://127.0.0.1:{database.server_port}"
    database.cuts = [50, 20]
    with service_for(lichess, tmp_path, dumps=("2013-01",), database_url=url) as service:
        outcome = ran(service)
        assert (outcome.counts["new"], outcome.problems) == (2, [])
        assert database.ranges == ["", "bytes=50-", "bytes=70-"]
        file = tmp_path / "service" / "dumps" / MONTH.rpartition("/")[2]
        assert file.read_bytes() == CONTENT
        assert ran(service).counts["new"] == 0
        file.unlink()
        assert ran(service).problems == []
        assert len(database.ranges) == 3
        assert service.library.counts().games == 2


def test_a_damaged_month_is_not_read(lichess: Server, database: Database, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{database.server_port}"
    right, database.sum = database.sum, "0" * 64
    with service_for(lichess, tmp_path, dumps=(f"{url}{MONTH}",), database_url=url) as service:
        assert "arrived damaged" in ran(service).problems[0]
        assert list((tmp_path / "service" / "dumps").iterdir()) == []
        database.sum = right
        assert ran(service).counts["new"] == 2
    with service_for(lichess, tmp_path, dumps=(f"{url}/nothing.pgn",)) as service:
        assert "404" in ran(service).problems[0]
