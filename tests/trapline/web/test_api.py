"""What a served library answers: pages, caching, errors, health and figures; by a real server over a real library."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
import typer

from db.library.backup import back_up, restore
from db.library.open import open_library
from db.patterns.bundled import add_patterns
from db.query.condition import conditions_of
from db.query.query import AheadQuery, MistakeQuery, Query
from tests.db.patterns.samples import game, mistake, store
from tests.faults.test_bounded_search import END
from tests.support.polling import until
from tests.support.web_server import LEGAL, ROOT, Served, environment, make_library, served, serving
from trapcore.errors import LibraryError
from trapline.program import app
from trapline.web.pages.rendering import STATIC


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "library.sqlite"
    make_library(path)
    return path


@pytest.fixture(scope="module")
def server(library: Path) -> Iterator[Served]:
    with served(library, library.parent, nodes=50_000_000, web_seconds=30) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


def problem(answer: httpx.Response, status: int) -> str:
    """The sentence of an error, which must be a problem as RFC 9457 has it."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    told = answer.json()
    assert (told["status"], told["type"]) == (status, "about:blank")
    assert told["title"]
    return str(told["detail"])


# Answers ------------------------------------------------------------------------------------------------------------


def test_the_pages_of_a_list_follow_each_other_by_their_links(client: httpx.Client) -> None:
    slugs: list[str] = []
    at = "/api/v1/traps?limit=7"
    while at:
        answer = client.get(at)
        assert answer.status_code == 200
        page = answer.json()
        slugs += [hit["slug"] for hit in page["hits"]]
        assert page["total"] == 30
        at = answer.links["next"]["url"] if "next" in answer.links else ""
        assert (page["next"] is None) == (at == "")
    assert len(slugs) == 30
    assert slugs == sorted(set(slugs))


def test_a_position_is_found_by_fen_and_by_moves_with_what_is_known_of_it(client: httpx.Client) -> None:
    page = client.get("/api/v1/traps", params={"fen": LEGAL}).json()
    (hit,) = [hit for hit in page["hits"] if hit["match"] == "exact"]
    assert (hit["slug"], hit["bait_san"], hit["killer_here"]["san"][0]) == ("legal-mate", "Bxd1", "Bxf7+")
    moves = "e4 e5 Nf3 d6 Bc4 Nc6 Nc3 Bg4 Nxe5"
    found = client.get("/api/v1/traps", params={"moves": moves}).json()["hits"]
    assert [hit["match"] for hit in found] == ["transposed"]


def test_a_trap_has_its_proof_and_its_frequency(client: httpx.Client) -> None:
    trap = client.get("/api/v1/traps/legal-mate").json()
    assert (trap["verdict"], trap["mate_in"], trap["killer_line_san"]) == ("proved", 2, ["Bxf7+", "Ke7", "Nd5#"])
    assert trap["opinions"][0]["verdict"] == "proved"
    hits = client.get("/api/v1/traps?limit=30").json()["hits"]
    played = next(hit for hit in hits if hit["frequency"]["played"])
    trap = client.get(f"/api/v1/traps/{played['slug']}").json()
    assert trap["events"]["fell"] == trap["frequency"]["played"] == played["frequency"]["played"]
    assert trap.items() <= played.items()


def test_killers_are_proposed_with_a_proof(client: httpx.Client) -> None:
    told = client.get("/api/v1/propose", params={"fen": LEGAL, "bait": "Bxd1", "top": 2, "explain": True}).json()
    first = told["wins"][0]
    assert (first["san"], first["verdict"], first["mate_in"], first["trap"]) == ("Bxf7+", "proved", 2, "legal-mate")
    assert first["explanation"]["shared"]
    before = client.get("/api/v1/propose", params={"fen": LEGAL}).json()
    assert [move["san"] for move in before["wins"]] == ["Nxe5"]
    assert (before["loses"][0]["san"], before["loses"][0]["mate_in"]) == ("Bxd1", 2)


def test_the_sightings_of_a_trap_come_in_pages_with_their_games(client: httpx.Client) -> None:
    hits = client.get("/api/v1/traps?limit=30").json()["hits"]
    hit = max(hits, key=lambda hit: sum(hit["events"].values()))
    at, seen = f"/api/v1/traps/{hit['slug']}/sightings?limit=1", []
    while at:
        answer = client.get(at)
        assert answer.status_code == 200
        seen += answer.json()["sightings"]
        at = answer.links["next"]["url"] if "next" in answer.links else ""
    assert len(seen) == sum(hit["events"].values()) > 1
    assert {one["file"] for one in seen} == {"games.pgn"}, "not where it lies"
    assert all(one["game"]["white"] for one in seen)
    fell = client.get(f"/api/v1/traps/{hit['slug']}/sightings?event=fell").json()["sightings"]
    assert len(fell) == hit["events"].get("fell", 0)
    assert client.get("/api/v1/traps/nothing-at-all/sightings").status_code == 404
    assert client.get(f"/api/v1/traps/{hit['slug']}/sightings?event=fallen").status_code == 400
    assert client.get(f"/api/v1/traps/{hit['slug']}/sightings?after=x").status_code == 400


@pytest.mark.parametrize(
    ("kind", "path"),
    [(Query, "/api/v1/traps"), (MistakeQuery, "/api/v1/mistakes"), (AheadQuery, "/api/v1/ahead")],
)
def test_each_condition_is_an_option_a_parameter_and_a_field_of_the_form(
    client: httpx.Client, kind: type, path: str
) -> None:
    command = typer.main.get_command(app).get_command(None, "query")  # type: ignore[attr-defined]
    options = {option for parameter in command.params for option in parameter.opts}
    told = client.get("/openapi.json").json()["paths"][path]["get"]["parameters"]
    assert {each["name"]: each["schema"] for each in told} == {
        name: each.schema() for name, each in conditions_of(kind).items()
    }
    needed = {name: "e4" for name, each in conditions_of(kind).items() if each.required}
    for name, each in conditions_of(kind).items():
        assert each.option in options
        refused = problem(client.get(path, params=needed | {name: "\0"}), 400)
        assert name in refused
    if kind is Query:
        elsewhere = {"fen", "moves", "name", "similar", "unproved", "measure", "min_similarity", "limit", "after"}
        form = set(re.findall(r'name="(\w+)"', client.get("/").text))
        assert conditions_of(kind).keys() - form == elsewhere


def test_traps_are_found_by_words(client: httpx.Client) -> None:
    answer = client.get("/api/v1/search", params={"q": "legal for white xyzzy", "limit": 1}).json()
    assert answer["understood"] == {"victim": "black", "name": "legal"}
    assert answer["not_understood"] == ["xyzzy"]
    more = {"q": "legal for white", "limit": 1, "after": answer["next"]}
    later = client.get("/api/v1/search", params=more).json()
    assert [hit["slug"] for hit in answer["hits"]] == ["legal-mate"] != [hit["slug"] for hit in later["hits"]]
    nothing = client.get("/api/v1/search", params={"q": "xyzzy"}).json()
    assert (nothing["hits"], nothing["not_understood"]) == ([], ["xyzzy"])


def test_traps_ahead_of_an_opening(client: httpx.Client) -> None:
    found = client.get("/api/v1/ahead", params={"start": "Italian Game", "victim": "black"}).json()
    assert found["names"] == ["Italian Game"]
    (legal,) = [each for each in found["traps"] if each["trap"]["slug"] == "legal-mate"]
    assert legal["moves"] == ["d6", "Nc3", "Bg4", "Nxe5"]
    assert legal["fell"] <= legal["games"]
    assert "start" in problem(client.get("/api/v1/ahead"), 400)


# Caching ------------------------------------------------------------------------------------------------------------


def test_an_answer_that_the_client_has_is_not_sent_again(client: httpx.Client) -> None:
    first = client.get("/api/v1/traps?limit=2")
    assert first.headers["cache-control"] == "private, no-cache"
    tag = first.headers["etag"]
    again = client.get("/api/v1/traps?limit=2", headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get("/api/v1/traps?limit=3", headers={"If-None-Match": tag}).status_code == 200
    assert client.get("/api/v1/traps?limit=2").headers["etag"] == tag


# Errors -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("/api/v1/traps?famly=legal", 400, "unknown parameter 'famly': did you mean 'family'?"),
        ("/api/v1/traps?limit=0", 400, "limit must be 1 to 200, not 0"),
        ("/api/v1/traps?limit=many", 400, "limit must be a number, not 'many'"),
        ("/api/v1/traps?min_similarity=nan", 400, "min_similarity must be 0 to 1, not nan"),
        ("/api/v1/traps?family=legl", 400, "did you mean 'legal'?"),
        ("/api/v1/traps?similar=3", 400, "similar needs a position (fen or moves)"),
        ("/api/v1/traps?after=nonsense", 400, "this is no place to go on from"),
        ("/api/v1/traps?fen=8/8/8/8/8/8/8/8%20w%20-%20-", 422, ""),
        ("/api/v1/traps?moves=e4%20e4", 422, "no legal move"),
        ("/api/v1/traps/legal-mat", 404, "did you mean 'legal-mate'?"),
        ("/api/v1/traps/legal-mate?x=1", 400, "unknown parameter 'x'"),
        ("/api/v1/propose", 400, "fen: field required"),
        ("/api/v1/annotations/nothing", 404, "no such annotation"),
        ("/api/v2/traps", 404, "/openapi.json"),
        ("/api/v1/traps/", 404, "/openapi.json"),
    ],
)
def test_errors_say_what_to_do(client: httpx.Client, path: str, status: int, told: str) -> None:
    assert told in problem(client.get(path), status)


def test_another_method_is_refused_with_the_right_ones(client: httpx.Client) -> None:
    answer = client.put("/api/v1/families")
    assert "PUT" in problem(answer, 405)
    assert answer.headers["allow"] == "GET"


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/api/v1/traps/..%2f..%2fetc%2fpasswd",
        "/static/..%2f..%2fpyproject.toml",
        "/static/%2e%2e/app.py",
        "/api/v1/traps/%00",
        "/api/v1/annotations/..%2Ffamilies/result",
        "/%c0%ae%c0%ae/x",
    ],
)
def test_tricks_with_paths_lead_nowhere(server: Served, path: str) -> None:
    # By hand: a client would tidy the path up.
    with socket.create_connection(("127.0.0.1", server.port), 10) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert int(answer.split()[1]) in (400, 404)
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE traps; --", "%' OR 1=1 --", "<script>alert(1)</script>", "\u202e", "_%"]
)
@pytest.mark.parametrize("field", ["text", "family", "opening", "player", "source", "eco", "after", "bait"])
def test_what_people_write_is_never_a_statement(client: httpx.Client, field: str, text: str) -> None:
    answer = client.get(f"/api/v1/traps?{field}={quote(text)}")
    assert answer.status_code in (200, 400), answer.text
    if answer.status_code == 200 and field != "text":
        assert answer.json()["hits"] == []
    assert client.get("/health").json()["library"]["traps"] == 30


# The server itself --------------------------------------------------------------------------------------------------


def test_every_answer_keeps_browsers_on_a_short_leash(client: httpx.Client) -> None:
    for path in ("/health", "/api/v1/traps", "/nowhere", "/openapi.json"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


@pytest.mark.skipif(not (STATIC / "engine").is_dir(), reason="needs the engine: npm, and python deploy/fetch_board.py")
def test_the_engine_is_kept_by_browsers_and_only_its_worker_may_compile(client: httpx.Client) -> None:
    page = client.get("/position")
    found = re.search(r'data-stockfish="(/static/engine/stockfish-[\d.]+)"', page.text)
    assert found is not None
    for name, kind in (("js", "text/javascript"), ("wasm", "application/wasm")):
        answer = client.get(f"{found[1]}/stockfish.{name}")
        assert answer.headers["content-type"].partition(";")[0] == kind
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert ("'wasm-unsafe-eval'" in answer.headers["content-security-policy"]) is (name == "js")
    assert "unsafe" not in page.headers["content-security-policy"]
    for name, text in (("LICENSE", "GNU GENERAL PUBLIC LICENSE"), ("SOURCE", "github.com/nmrugg/stockfish.js")):
        assert f"{found[1]}/{name}.txt" in page.text
        assert text in client.get(f"{found[1]}/{name}.txt").text
    lock = json.loads((ROOT / "trapline" / "web" / "package-lock.json").read_text("utf-8"))
    assert found[1].endswith(f"-{lock['packages']['node_modules/stockfish']['version']}")
    missing = client.get("/static/engine/nothing.wasm")
    assert (missing.status_code, missing.headers["cache-control"]) == (404, "no-store")


def test_health_and_figures(client: httpx.Client) -> None:
    health = client.get("/health").json()
    assert health["ok"] is True
    assert health["library"]["traps"] == 30
    assert health["library"]["games"] == 66
    assert health["library"]["writable"] is False
    client.get("/api/v1/traps/nothing-of-that-name")
    text = client.get("/metrics").text
    assert 'trapline_requests_total{method="GET",route="/api/v1/traps/{slug}",status="404"}' in text
    assert 'trapline_library_rows{what="traps"} 30.0' in text
    assert "nothing-of-that-name" not in text


def figure(client: httpx.Client, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith(f"{name} "))


#: A quiet middle game, in which no mate is found and the search uses its whole budget.
QUIET = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9"


def test_a_question_ends_when_the_client_goes(server: Served, client: httpx.Client) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 10) as line:
        line.sendall(
            f"GET /api/v1/propose?nodes=10000000&fen={quote(QUIET)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        )
        until(lambda: figure(client, "trapline_questions_waiting") == 1)
    until(lambda: figure(client, "trapline_questions_waiting") == 0, END)
    assert 'route="/api/v1/propose",status="499"' in client.get("/metrics").text


def test_a_question_that_takes_too_long_is_ended(library: Path, tmp_path: Path) -> None:
    with served(library, tmp_path, nodes=50_000_000, web_seconds=0.5) as server, server.client() as client:
        answer = client.get("/api/v1/propose", params={"fen": QUIET, "nodes": 10_000_000})
        assert "takes longer than 0.5 seconds" in problem(answer, 503)
        until(lambda: figure(client, "trapline_questions_waiting") == 0, END)


@pytest.mark.fault
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_in_peace(library: Path, tmp_path: Path, number: int) -> None:
    with serving(library, tmp_path) as server:
        assert server.stop(number) == 0
    assert server.said[-1] == "stopped\n"
    assert not any("Traceback" in line for line in server.said)


def failing(folder: Path, *arguments: str, **variables: object) -> tuple[int, str]:
    """Exit code and words of a server that does not start."""
    done = subprocess.run(
        [sys.executable, "-m", "trapline", "serve", *arguments],
        cwd=ROOT,
        env=environment(folder, variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


@pytest.mark.slow
def test_what_keeps_it_from_starting_is_said_in_one_line(server: Served, library: Path, tmp_path: Path) -> None:
    db = ("--db", str(library))
    code, said = failing(tmp_path, *db, "--port", str(server.port))
    assert (code, said.count("\n")) == (4, 1)
    assert "Address already in use; choose another with --port" in said
    code, said = failing(tmp_path, *db, "--port", "0", web_health_port=server.port)
    assert (code, "the health endpoint cannot be opened" in said, said.count("\n")) == (4, True, 1)
    code, said = failing(tmp_path, *db, "--host", "0.0.0.0")
    assert (code, "say --public or set web.public" in said) == (2, True)
    code, said = failing(tmp_path, "--db", str(tmp_path / "none.sqlite"), "--port", "0")
    assert (code, "there is no trap library" in said) == (5, True)
    code, said = failing(tmp_path, *db, "--port", "0", web_folder=tmp_path / "none")
    assert (code, "is no folder that can be written to" in said) == (4, True)
    code, said = failing(tmp_path, *db, "--port", "0", web_token="short")
    assert (code, "TRAPLINE_WEB_TOKEN holds no token" in said, "short" in said) == (3, True, False)


def test_mistakes_are_found_as_by_the_command(tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    with open_library(library, create=True) as opened:
        store(opened, tmp_path / "g.pgn", [game("legal", "Ann", "Bob"), game("noah", "Cec", "Dan")])
        add_patterns(opened)
    with served(library, tmp_path) as server, server.client() as client:
        (hit,) = client.get("/api/v1/mistakes", params={"place": mistake("legal").place}).json()["mistakes"]
        assert (hit["white"], hit["played"], hit["ply"], hit["similarity"]) == ("Ann", "Bxd1", 10, None)
        assert hit["killer_line"] == ["Bxf7+", "Ke7", "Nd5#"]
        assert (hit["bundled"], hit["game"]) == (False, 1)
        (like, *_) = client.get("/api/v1/mistakes", params={"like": "2#15"}).json()["mistakes"]
        assert (like["white"], like["similarity"]) == ("Cec", 1)
        (_, first) = client.get("/api/v1/mistakes", params={"cause": "fork", "limit": 2}).json()["mistakes"][:2]
        assert (first["bundled"], first["game"], first["ply"], first["white"]) == (True, None, None, "")
        wrong = client.get("/api/v1/mistakes", params={"cause": "thret"})
        assert (wrong.status_code, "did you mean 'threat'?" in wrong.json()["detail"]) == (400, True)
        assert client.get("/api/v1/mistakes", params={"liek": "2#15"}).status_code == 400


def test_a_library_is_not_replaced_while_a_server_reads_it(client: httpx.Client, library: Path, tmp_path: Path) -> None:
    assert client.get("/api/v1/traps").status_code == 200
    with open_library(library, read_only=True) as opened:
        back_up(opened, tmp_path / "copy.sqlite")
    with pytest.raises(LibraryError, match="is in use"):
        restore(tmp_path / "copy.sqlite", library, replace=True)
    assert client.get("/api/v1/traps").status_code == 200
