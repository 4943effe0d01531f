"""The digest: what was found goes out once by each way, and no secret with it."""

import email
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.fake_lichess.faults import Fault
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.support.db_traps import legal
from tests.support.service_site import LEGAL, finished, service_for
from tests.trapline.service.mail_server import MailServer, made_certificate, running
from trapcore.errors import UsageError
from trapline.service.digest_senders import Undelivered, mail_server
from trapline.service.jobs import run_job
from trapline.service.service import Service
from trapline.service.settings import ServiceSettings
from trapline.service.state.job_log import Outcome


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    def prepare(site: Site) -> None:
        for name in ("Alice", "Bob", "Owner"):
            site.join(name)
        site.token(site.accounts["owner"], "lip_owner", ("msg:write", "study:read"))

    monkeypatch.setenv("TRAPLINE_SERVICE_TOKEN", "lip_owner")
    with Server(speed=0.0, keep_alive=0.1) as made:
        made.do(prepare)
        yield made


@pytest.fixture
def mail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    certificate = made_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    password = tmp_path / "password"
    password.write_text("secret-of-mail\n")
    password.chmod(0o600)
    with running(MailServer(certificate)) as made:
        yield made


@contextmanager
def webhook(statuses: list[int]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An address that answers with these statuses in turn, then with 200, and what it got."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = statuses.pop(0) if statuses else 200
            if status == 200:
                got.append(json.loads(body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    made = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{made.server_port}/hook-secret", got
    finally:
        made.shutdown()
        made.server_close()
        thread.join()


def ran(service: Service) -> Outcome:
    done = run_job(service, "digest")
    assert done is not None
    assert done.error is None
    return done.outcome


def messages(server: Server) -> list[str]:
    return server.do(lambda site: [text for _, to, text in site.archive.messages if to == "owner"])


def prepared(service: Service) -> None:
    """The library has a trap, and everything before now counts as read."""
    service.library.add(legal())
    assert ran(service).counts["sent"] == 0


def test_what_was_found_goes_out_once_by_each_way(server: Server, tmp_path: Path, mail: MailServer) -> None:
    with webhook([]) as (address, got):
        ways: dict[str, Any] = {
            "digest_message": "Owner",
            "digest_mail": "me@example.org",
            "mail_server": f"smtp://me@localhost:{mail.port}",
            "mail_password_file": tmp_path / "password",
            "digest_webhook": address,
        }
        with service_for(server, tmp_path, users=("Bob",), **ways) as service:
            prepared(service)
            server.do(lambda site: finished(site, "digest01", "Alice", "Bob", LEGAL))
            server.do(lambda site: finished(site, "digest02", "Bob", "Alice", LEGAL))
            assert ran(service).counts["sent"] == 3
            again = ran(service)
            assert (again.counts["sent"], again.problems) == (0, [])
    (text,) = messages(server)
    assert text.startswith("trapline, 20")
    assert "traps in 2 games" in text
    assert f"{server.url}/digest01 (Bob, 1-0)" in text
    assert "5... Bxd1 (Bob): Falls into Légal's mate: 6.Bxf7+ Ke7 7.Nd5#." in text
    (raw,) = mail.mails
    sent = email.message_from_string(raw)
    assert sent["To"] == sent["From"] == "me@example.org"
    payload = sent.get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert payload.decode().strip() == text
    assert mail.signed_in == [True]
    assert [one["text"] for one in got] == [text]


def test_a_way_that_fails_is_tried_again_and_the_others_are_not(server: Server, tmp_path: Path) -> None:
    with (
        webhook([500]) as (address, got),
        service_for(server, tmp_path, users=("Bob",), digest_message="Owner", digest_webhook=address) as service,
    ):
        prepared(service)
        server.do(lambda site: finished(site, "digest01", "Alice", "Bob", LEGAL))
        outcome = ran(service)
        assert (outcome.counts["sent"], outcome.counts["failed"]) == (1, 1)
        assert outcome.problems == ["digest by webhook: the address answered 500"]
        assert ran(service).counts["sent"] == 1
        assert (len(messages(server)), len(got)) == (1, 1)


def test_a_message_whose_answer_is_lost_is_not_sent_twice(server: Server, tmp_path: Path) -> None:
    with service_for(server, tmp_path, users=("Bob",), digest_message="Owner") as service:
        prepared(service)
        server.do(lambda site: finished(site, "digest01", "Alice", "Bob", LEGAL))
        server.order(Fault("lost", where="/inbox/"))
        assert "may be lost" in ran(service).problems[0]
        assert ran(service).problems == []
    assert len(messages(server)) == 1


def test_mail_servers_of_all_kinds(tmp_path: Path, mail: MailServer) -> None:
    def signed_in(scheme: str, port: int, **more: Any) -> None:
        given = {"mail_password_file": tmp_path / "password", **more}
        with mail_server(ServiceSettings(mail_server=f"{scheme}://me@localhost:{port}", **given)) as made:
            made.noop()

    with running(MailServer(tmp_path / "localhost.pem", from_the_start=True)) as other:
        signed_in("smtps", other.port)
        assert other.signed_in == [True]
    mail.password = "another"
    with pytest.raises(Undelivered, match="refuses the name or the password") as caught:
        signed_in("smtp", mail.port)
    assert "secret-of-mail" not in str(caught.value)
    mail.offers_tls = False
    with pytest.raises(Undelivered, match="has no STARTTLS, so it gets no password"):
        signed_in("smtp", mail.port)
    signed_in("smtp", mail.port, mail_password_file=None)
    (tmp_path / "password").chmod(0o640)
    with pytest.raises(UsageError, match="chmod 600"):
        signed_in("smtp", mail.port)
    with pytest.raises(Undelivered, match="cannot be reached"):
        signed_in("smtp", 1, mail_password_file=None)


def test_a_certificate_of_nobody_is_refused(tmp_path: Path, mail: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    settings = ServiceSettings(mail_server=f"smtp://localhost:{mail.port}")
    with pytest.raises(Undelivered, match="CERTIFICATE_VERIFY_FAILED"), mail_server(settings):
        pass
