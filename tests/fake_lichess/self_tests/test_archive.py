"""What the site keeps is given away as lichess publishes it."""

import pytest

from tests.fake_lichess.archive.stored import BroadcastRound, Study, Tournament
from tests.fake_lichess.http.client import Client
from tests.fake_lichess.site import Site
from tests.support.server_with_bot import ServerWithBot
from tests.support.service_site import begun, finished

NDJSON = "application/x-ndjson"
PGN = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 1-0'


@pytest.fixture
def filled(checked: ServerWithBot) -> ServerWithBot:
    checked.server.do(_fill)
    return checked


def _fill(site: Site) -> None:
    for number, moves in enumerate(("e2e4 e7e5", "d2d4 d7d5", "c2c4 c7c5")):
        finished(site, f"game000{number}", "Alice", "Bob", moves)
        site.clock.advance(60)
    begun(site, "running0", "Alice", "Bob", "e2e4")
    site.archive.channels["rapid"] = ["game0000", "running0"]
    site.archive.studies["studyOPE"] = Study("studyOPE", "alice", PGN, 1_700_000_000_000)
    site.archive.studies["studyPRI"] = Study("studyPRI", "alice", PGN, 1_700_000_000_000, private=True)
    site.archive.tournaments["arena001"] = Tournament("arena001", "tournament", ["game0000"], over=True)
    site.archive.tournaments["swiss001"] = Tournament("swiss001", "swiss", ["game0001"])
    site.archive.rounds["round001"] = BroadcastRound("round001", "broadc01", {"x": PGN})


def ids(setup: ServerWithBot, query: str) -> list[str]:
    with setup.client.lines(f"/api/games/user/alice?{query}") as lines:
        assert lines.status == 200
        return [line["id"] for line in lines.rest()]


def test_games_of_a_user(filled: ServerWithBot) -> None:
    client = filled.client
    client.headers["Accept"] = NDJSON
    assert ids(filled, "") == ["game0002", "game0001", "game0000"]
    assert ids(filled, "sort=dateAsc&max=2") == ["game0000", "game0001"]
    created = filled.server.do(lambda site: site.games["game0001"].created_at)
    assert ids(filled, f"since={created}&sort=dateAsc&pgnInJson=true&clocks=true") == ["game0001", "game0002"]
    assert ids(filled, f"until={created - 1}") == ["game0000"]
    assert ids(filled, "ongoing=true&finished=false&moves=false") == ["running0"]
    assert client.get("/api/games/user/nobody").status == 404
    client.headers["Accept"] = "application/x-chess-pgn"
    text = client.get("/api/games/user/alice").body
    assert text.count("[Event ") == 3
    assert client.post("/api/games/export/_ids", "game0000,running0,unknown0").body.count("[Event ") == 2


def test_games_on_tv(filled: ServerWithBot) -> None:
    filled.client.headers["Accept"] = NDJSON
    with filled.client.lines("/api/tv/rapid?nb=30&moves=false&tags=false") as lines:
        assert [line["id"] for line in lines.rest()] == ["running0"]
    assert filled.client.get("/api/tv/nosuch").status == 404


def test_studies(filled: ServerWithBot) -> None:
    client = filled.client
    assert client.get("/api/study/studyOPE.pgn").body == PGN
    head = client.ask("HEAD", "/api/study/studyOPE.pgn")
    assert (head.status, head.headers["Last-Modified"]) == (204, "Tue, 14 Nov 2023 22:13:20 GMT")
    assert client.get("/api/study/studyPRI.pgn").status == 403
    assert client.get("/api/study/nosuchst.pgn").status == 404
    with client.lines("/api/study/by/alice") as lines:
        assert [line["id"] for line in lines.rest()] == ["studyOPE"]
    token = filled.server.do(lambda site: site.token(site.account("alice"), scopes=("study:read",)))
    reader = Client(filled.server.port, token.secret, client.check)
    assert reader.get("/api/study/studyPRI.pgn").status == 200
    assert reader.get("/api/study/by/alice/export.pgn").body.count("[White") == 2


def test_tournaments_and_broadcasts(filled: ServerWithBot) -> None:
    client = filled.client
    assert client.get("/api/tournament/arena001").body["stats"]["games"] == 1
    assert client.get("/api/swiss/swiss001").body["status"] == "started"
    assert client.get("/api/tournament/swiss001").status == 404
    with client.lines("/api/swiss/swiss001/games") as lines:
        assert b"[Event" in lines.raw()
    assert "game0000" in client.get("/api/tournament/arena001/games").body
    assert client.get("/api/broadcast/broadc01").body["rounds"][0]["ongoing"] is True
    assert client.get("/api/broadcast/nosuch01").status == 404
    assert "1. e4 1-0" in client.get("/api/broadcast/round/round001.pgn").body


def test_a_round_is_told_as_it_goes_on(filled: ServerWithBot) -> None:
    with filled.client.lines("/api/stream/broadcast/round/round001.pgn") as lines:
        lines_read = [lines.raw() for _ in range(7)]
        assert lines_read[4] == b"1. e4 1-0\n"
        filled.server.do(lambda site: site.archive.rounds["round001"].play("y", PGN.replace("e4", "d4")))
        while (line := lines.raw()) in (b"\n", b'[White "a"]\n', b'[Black "b"]\n', b'[Result "1-0"]\n'):
            pass
        assert line == b"1. d4 1-0\n"
