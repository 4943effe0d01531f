"""What the service says of its health, whom it alerts, and what its check finds."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from db.library.open import create_library
from tests.fake_lichess.http.server import Server
from tests.support.service_site import service_for
from trapcore.io.status_server import exposition
from trapline.service.alerts import alert
from trapline.service.health import OVERDUE_SECONDS, health, metrics
from trapline.service.jobs import run_job
from trapline.service.schedule import Schedule
from trapline.service.self_check import check
from trapline.service.service import Service
from trapline.settings import Settings


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(speed=0.0, keep_alive=0.1) as running:
        yield running


def test_health_tells_what_failed_and_what_is_overdue(server: Server, tmp_path: Path) -> None:
    with service_for(server, tmp_path, folders=(tmp_path / "nowhere",), poll_minutes=60) as service:
        schedule = Schedule(service)
        schedule.update()
        assert health(service, schedule)["problems"] == []
        server.advance(OVERDUE_SECONDS + 61)
        assert "folders is due for 16 minutes and does not run" in health(service, schedule)["problems"]  # type: ignore[operator]
        assert "folders" in schedule.take_due()
        run_job(service, "folders")
        found: dict[str, Any] = health(service, schedule)
        assert "folders: 1 of its sources failed" in found["problems"]
        assert not found["ok"]
        assert found["jobs"]["folders"]["last"]["counts"]["failed"] == 1
        text = exposition(metrics(service, schedule)).splitlines()
        assert "trapline_service_well 0" in text
        assert 'trapline_service_job_count{job="folders",what="failed"} 1' in text
        assert 'trapline_service_job_failed{job="folders"} 0' in text
        assert len([line for line in text if line.startswith("# TYPE trapline_service_job_count")]) == 1
        (tmp_path / "nowhere").mkdir()
        run_job(service, "folders")
        assert not any("folders: " in problem for problem in health(service, schedule)["problems"])  # type: ignore[attr-defined]


class Hook:
    """An address that remembers what it gets; ``status`` is its answer."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.status = 200
        hook = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if hook.status == 200:
                    hook.got.append(content)
                self.send_response(hook.status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}/secret-path"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def hook() -> Iterator[Hook]:
    made = Hook()
    yield made
    made.close()


def test_an_address_is_told_once_that_a_job_fails_and_once_that_it_is_well(
    server: Server, tmp_path: Path, hook: Hook, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "games"

    def run(service: Service) -> None:
        result = run_job(service, "folders")
        assert result is not None
        alert(service, "folders", result)

    with service_for(server, tmp_path, folders=(folder,), alert_url=hook.url) as service:
        hook.status = 500
        run(service)
        assert "an alert of the job folders could not be sent: HTTPError" in caplog.messages
        assert "secret-path" not in caplog.text
        hook.status = 200
        for _ in range(2):
            run(service)
        assert [(one["job"], one["ok"], one["problems"]) for one in hook.got] == [
            ("folders", False, [f"folder {folder}: there is no such folder"])
        ]
        folder.mkdir()
        for _ in range(2):
            run(service)
        assert [one["ok"] for one in hook.got] == [False, True]


def findings(settings: Settings) -> dict[str, tuple[str, str]]:
    return {one.what: (one.outcome, one.message) for one in check(settings)}


def settings_for(server: Server, tmp_path: Path, **mine: Any) -> Settings:
    return Settings(db=tmp_path / "library.sqlite", service={"url": server.url, "folder": tmp_path / "service", **mine})


def test_the_check_changes_nothing_and_says_what_there_is(server: Server, tmp_path: Path) -> None:
    found = findings(settings_for(server, tmp_path))
    assert "nothing is named that is fetched" in found["configuration"][1]
    assert found["token"] == ("good", "there is none; private studies and broadcasts are not read")
    assert found["library"][0] == "unchecked"
    assert found["folder"][0] == found["backups"][0] == "good"
    assert list(tmp_path.iterdir()) == []
    create_library(tmp_path / "library.sqlite", lambda library: None)
    found = findings(settings_for(server, tmp_path, users=("alice",)))
    assert found["library"] == ("good", f"{tmp_path / 'library.sqlite'}, 0 traps and 0 games")
    assert "users" in found["configuration"][1]


@pytest.mark.parametrize(("scopes", "outcome"), [(("study:read",), "good"), (("bot:play",), "bad")])
def test_the_check_asks_what_a_token_may_do(
    server: Server, tmp_path: Path, scopes: tuple[str, ...], outcome: str
) -> None:
    secret = server.do(lambda site: site.token(site.join("Owner"), scopes=scopes)).secret
    file = tmp_path / "token"
    file.write_text(secret)
    file.chmod(0o600)
    assert findings(settings_for(server, tmp_path, token_file=file))["token"][0] == outcome
    assert secret not in str(findings(settings_for(server, tmp_path, token=SecretStr(secret))))
