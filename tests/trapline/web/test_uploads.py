"""Games that are uploaded to a real server and come back annotated."""

import bz2
import gzip
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import zstandard

from tests.faults.test_bounded_search import END
from tests.support.polling import PATIENCE_SECONDS, until
from tests.support.web_server import GAMES, ROOT, Served, environment, make_library, served, serving

PGN = {"Content-Type": "application/x-chess-pgn"}
DIRECT = "/api/v1/annotate"
JOBS = "/api/v1/annotations"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("uploads") / "library.sqlite"
    make_library(path)
    return path


@pytest.fixture(scope="module")
def server(library: Path) -> Iterator[Served]:
    with served(
        library, library.parent, web_upload_megabytes=1, web_unpacked_megabytes=16, web_proxies='["127.0.0.1"]'
    ) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.fixture(scope="module")
def annotated(library: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the command makes of the example games."""
    folder = tmp_path_factory.mktemp("command")
    command = [sys.executable, "-m", "trapline", "annotate", str(GAMES), "--db", str(library), "--quiet"]
    return subprocess.run(command, cwd=ROOT, env=environment(folder, {}), capture_output=True, check=True).stdout


def many(size: int) -> bytes:
    """So many bytes of games, about; they take seconds to annotate."""
    games = GAMES.read_bytes()
    return games * (size // len(games) + 1)


def status(client: httpx.Client, answer: httpx.Response) -> dict[str, object]:
    """The status of the annotation that an answer names, once it has ended."""
    at = answer.headers.get("location") or answer.links["status"]["url"]
    until(lambda: client.get(at).json()["state"] != "running")
    return dict(client.get(at).json())


def waits_for_place(client: httpx.Client) -> None:
    """Until nothing is annotated."""
    until(lambda: "trapline_annotations_running 0.0" in client.get("/metrics").text, END)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, zstandard.compress])
def test_games_come_back_as_the_command_annotates_them(client: httpx.Client, annotated: bytes, pack: object) -> None:
    assert callable(pack)
    answer = client.post(DIRECT, content=pack(GAMES.read_bytes()), headers=PGN)
    assert answer.status_code == 200
    assert answer.content == annotated
    assert answer.headers["content-type"] == "application/x-chess-pgn"
    assert "annotated.pgn" in answer.headers["content-disposition"]
    told = status(client, answer)
    assert (told["state"], told["games"], told["skipped"]) == ("done", 66, {})


def test_a_job_tells_how_far_it_is_and_keeps_its_result(client: httpx.Client, annotated: bytes) -> None:
    answer = client.post(JOBS, content=GAMES.read_bytes(), headers=PGN)
    assert answer.status_code == 202
    place = answer.headers["location"]
    assert place == f"{JOBS}/{answer.json()['id']}"
    last = status(client, answer)
    assert (last["state"], last["percent"], last["games"]) == ("done", 100.0, 66)
    assert isinstance(last["events"], dict)
    assert sum(last["events"].values()) == last["findings"]
    assert last["findings"]
    assert client.get(place).json() == last
    result = client.get(f"{place}/result", headers={"Accept-Encoding": "identity"})
    assert (result.content, int(result.headers["content-length"])) == (annotated, last["bytes"])
    assert client.delete(place).status_code == 204
    assert client.get(place).status_code == client.get(f"{place}/result").status_code == 404


def test_what_is_not_read_is_refused_with_the_reason(client: httpx.Client) -> None:
    def refused(answer: httpx.Response) -> tuple[int, str]:
        assert answer.headers["content-type"] == "application/problem+json"
        return answer.status_code, answer.json()["detail"]

    code, said = refused(
        client.post(DIRECT, content=b"a=b", headers={"Content-Type": "application/x-www-form-urlencoded"})
    )
    assert (code, "--data-binary @games.pgn" in said) == (415, True)
    code, said = refused(client.post(JOBS, content=b"x" * 1_100_000, headers=PGN))
    assert (code, said) == (413, "at most 1 MiB are taken here; send larger files in pieces")
    code, said = refused(client.post(f"{JOBS}?nods=1", content=b"", headers=PGN))
    assert (code, "did you mean 'nodes'?" in said) == (400, True)
    code, said = refused(client.post(f"{JOBS}?measure=tree-edit", content=b"", headers=PGN))
    assert (code, "measure" in said) == (400, True)
    damaged = gzip.compress(GAMES.read_bytes())[:100]
    told = status(client, client.post(JOBS, content=damaged, headers=PGN))
    assert (told["state"], "the gzip data end too early" in str(told["problem"])) == ("failed", True)
    code, said = refused(client.get(f"{JOBS}/{told['id']}/result"))
    assert (code, "end too early" in said) == (409, True)
    bomb = zstandard.compress(b"1. e4 *\n\n" * 3_000_000)
    assert len(bomb) < 1_000_000
    told = status(client, client.post(JOBS, content=bomb, headers=PGN))
    assert (told["state"], "more than 16 MiB unpacked" in str(told["problem"])) == ("failed", True)


def test_a_body_in_chunks_is_counted_while_it_streams(server: Served, client: httpx.Client) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 20) as line:
        line.sendall(
            b"POST /api/v1/annotate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        for _ in range(17):  # of 64 KiB; a mebibyte is allowed, and the rest never comes
            line.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        answer = line.recv(65536)
    assert answer.startswith(b"HTTP/1.1 413 ")
    waits_for_place(client)


def test_uploads_at_once_are_limited_and_a_place_is_free_again(client: httpx.Client) -> None:
    games = many(900_000)
    here, there, elsewhere = ({**PGN, "x-forwarded-for": f"192.0.2.{number}"} for number in range(3))
    first = client.post(JOBS, content=games, headers=here)
    # The other place is for others.
    for path in (JOBS, "/annotate", "/report"):
        again = client.post(path, content=games, headers=here)
        assert (again.status_code, again.headers["retry-after"]) == (429, "10"), path
    second = client.post(JOBS, content=games, headers=there)
    third = client.post(JOBS, content=games, headers=elsewhere)
    assert (third.status_code, third.headers["retry-after"]) == (503, "10")
    assert client.get(f"{first.headers['location']}/result").status_code == 409
    for running in (first, second):
        assert client.delete(running.headers["location"]).status_code == 204
    waits_for_place(client)
    assert status(client, client.post(JOBS, content=GAMES.read_bytes(), headers=PGN))["state"] == "done"


def test_whoever_hangs_up_ends_the_annotation(server: Served, client: httpx.Client) -> None:
    games = many(900_000)
    for wait in (0.0, 1.5):  # before and after the answer has start_upload
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            head = f"POST {DIRECT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n"
            head += f"Content-Length: {len(games)}\r\n\r\n"
            line.sendall(head.encode() + games)
            while "trapline_annotations_running 1.0" not in client.get("/metrics").text:
                time.sleep(0.02)
            time.sleep(wait)
        waits_for_place(client)


@pytest.mark.fault
def test_a_server_that_stops_ends_what_it_annotates_and_leaves_nothing(library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    with serving(library, tmp_path, web_folder=folder) as server, server.client() as client:
        client.post(JOBS, content=many(3_000_000), headers=PGN)
        assert list(folder.iterdir()) == [], "the files have no names"
        server.process.terminate()
        assert server.process.wait(PATIENCE_SECONDS) == 0
    assert list(folder.iterdir()) == []


@pytest.mark.fault
def test_a_server_that_is_killed_leaves_nothing_behind(library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    with serving(library, tmp_path, web_folder=folder) as server, server.client() as client:
        client.post(JOBS, files={"file": ("g.pgn", many(3_000_000))})
        server.process.kill()
        server.process.wait(PATIENCE_SECONDS)
    assert list(folder.iterdir()) == []


def test_an_annotation_has_its_time(library: Path, tmp_path: Path) -> None:
    with served(library, tmp_path, web_annotation_minutes=0.02) as server, server.client() as client:
        answer = client.post(JOBS, content=many(3_000_000), headers=PGN)
        told = status(client, answer)
        assert (told["state"], told["problem"]) == ("stopped", "it took longer than 0.02 minutes")
        # What is over is kept as long again.
        until(lambda: client.get(answer.headers["location"]).status_code == 404)


def test_a_client_that_leaves_in_the_middle_of_its_upload_is_no_failure(
    server: Served, client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    for path in (JOBS, DIRECT, "/annotate", "/report"):
        for head in ("Content-Length: 100000", "Transfer-Encoding: chunked"):
            body = "5\r\n1. e4\r\n" if "chunked" in head else "1. e4"
            with socket.create_connection(("127.0.0.1", server.port), 20) as line:
                line.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n\r\n{body}".encode())
                time.sleep(0.1)
    until(lambda: 'method="POST",route="/report",status="4' in client.get("/metrics").text)
    assert not caplog.records
    assert 'status="500"' not in client.get("/metrics").text


@pytest.mark.fault
def test_a_full_disk_is_said_and_the_pages_go_on(library: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    form = {"player": "Boris", "pgn": "1. e4 e5 *\n" * 5000}
    with serving(library, tmp_path, web_folder=tmp_path / "work") as server, server.client() as client:
        _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (4096, hard))
        games = {"file": ("games.pgn", b"1. e4 *\n" * 300_000)}
        refused = [
            client.post(JOBS, content=many(100_000), headers=PGN),
            client.post(DIRECT, content=many(100_000), headers=PGN),
            client.post(JOBS, files=games),
            client.post("/annotate", files=games),
            client.post("/report", data=form),
        ]
        assert [answer.status_code for answer in refused] == [503] * 5
        assert all("cannot store what was sent: File too large" in answer.text for answer in refused)
        assert client.get("/traps").status_code == 200
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        assert client.post(JOBS, content=GAMES.read_bytes(), headers=PGN).status_code == 202
        assert server.stop() == 0
        assert not any("Traceback" in line for line in server.said)
    assert not list((tmp_path / "work").iterdir())


@pytest.mark.fault
def test_what_a_killed_server_left_of_a_report_is_swept_by_the_next(library: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    shutil.copyfile(library, tmp_path / "library.sqlite")
    games = "".join(f'[White "A"]\n[Black "B{n}"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n\n' for n in range(2000))
    with serving(tmp_path / "library.sqlite", tmp_path, web_folder=work) as server, server.client() as client:
        assert client.post("/report", data={"player": "A", "pgn": games}).status_code == 303
        until(lambda: list(work.iterdir()))
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    assert list(work.iterdir())
    with serving(tmp_path / "library.sqlite", tmp_path, web_folder=work):
        assert not list(work.iterdir())
