"""What the service fetches: everything once, whatever breaks, and a sentence for what cannot be had."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import zstandard

from lichess.api import Unreachable
from lichess.http import Session
from tests.fake_lichess.archive.stored import Study, Tournament
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.support.db_traps import FELL, OTHER
from tests.support.service_site import addresses, begun, finished, play, service_for
from trapline.service.games.lichess_games import Page
from trapline.service.jobs import run_job
from trapline.service.service import Service
from trapline.service.sources import dumps
from trapline.service.state.clock import Clock, StopFlag, Stopped
from trapline.service.state.job_log import Outcome


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(speed=0.0, keep_alive=0.1) as running:
        yield running


def three_games(site: Site) -> None:
    for number, moves in enumerate(("e2e4 e7e5", "d2d4 d7d5", "c2c4 c7c5")):
        finished(site, f"game000{number}", "Alice", "Bob", moves)
        site.clock.advance(3600)


def ran(service: Service, job: str) -> Outcome:
    """What a run that came to its end did."""
    done = run_job(service, job)
    assert done is not None
    assert done.error is None
    return done.outcome


# Users ----------------------------------------------------------------------------------------------------------------


def test_games_come_once_and_then_only_what_is_new(server: Server, tmp_path: Path) -> None:
    server.do(three_games)
    with service_for(server, tmp_path, users=("Alice",)) as service:
        assert ran(service, "users").counts["new"] == 3
        assert addresses(service) == ["game0000", "game0001", "game0002"]
        again = ran(service, "users")
        assert (again.counts["fetched"], again.counts["files"], again.problems) == (0, 0, [])
        server.do(lambda site: finished(site, "game0003", "Bob", "Alice", "g1f3 g8f6"))
        assert ran(service, "users").counts["new"] == 1
        files = sorted(path.name.rpartition("-")[2] for path in service.game_files.files("users"))
        assert files == ["game0000.pgn", "game0003.pgn"]
        assert "[%clk" not in service.game_files.files("users")[0].read_text()  # these games had no clock


def test_a_game_that_began_early_and_ended_late_is_not_missed(server: Server, tmp_path: Path) -> None:
    def first(site: Site) -> Game:
        long = begun(site, "longgame", "Alice", "Bob", "a2a3 a7a6")
        site.clock.advance(3 * 86400)
        three_games(site)
        return long

    long = server.do(first)
    with service_for(server, tmp_path, users=("alice",)) as service:
        assert ran(service, "users").counts["new"] == 3
        server.advance(86400)
        assert ran(service, "users").counts["new"] == 0
        server.do(lambda _: play(long, "b2b3 b7b6"))
        server.do(lambda _: long.resign(long.board.turn))
        assert ran(service, "users").counts["new"] == 1
        assert "longgame" in addresses(service)
        requests = server.do(lambda site: site.record.requests["POST /api/games/export/_ids"])
        ran(service, "users")
        assert server.do(lambda site: site.record.requests["POST /api/games/export/_ids"]) == requests == 1


def test_what_ran_during_a_look_that_failed_halfway_is_not_missed(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first(site: Site) -> Game:
        long = begun(site, "longgame", "Alice", "Bob", "a2a3 a7a6")
        site.clock.advance(3600)
        three_games(site)
        return long

    long = server.do(first)
    with service_for(server, tmp_path, users=("alice",)) as service:
        games = service.lichess_games.games
        pages: list[Page] = []

        def once(*given: Any) -> Page:
            if pages:
                raise Unreachable("gone")
            pages.append(games(*given))
            return pages[0]

        with monkeypatch.context() as patch:
            patch.setattr(service.lichess_games, "games", once)
            outcome = ran(service, "users")
        assert (outcome.counts["new"], outcome.counts["failed"]) == (3, 1)
        server.do(lambda _: long.resign(long.board.turn))
        assert ran(service, "users").counts["new"] == 1
        assert "longgame" in addresses(service)


@pytest.mark.parametrize("kind", ["cut", "end", "half", "429", "429-retry", "500", "502"])
def test_an_answer_that_breaks_loses_nothing(server: Server, tmp_path: Path, kind: str) -> None:
    server.do(three_games)
    where = "/api/games/user/"
    with service_for(server, tmp_path, users=("alice",)) as service:
        # The first question is for running games, so that these break: it, and the games once.
        server.order(Fault(kind, where=where, seconds=7), Fault(kind, where=where, after=1500, seconds=7))
        for _ in range(2):
            ran(service, "users")
        assert addresses(service) == ["game0000", "game0001", "game0002"]
        waited = service.clock.waited  # type: ignore[attr-defined]
        if kind == "429":
            assert waited.count(60.0) == 2
        if kind == "429-retry":
            assert waited.count(7.0) == 2


def test_who_is_not_there_and_who_has_gone(server: Server, tmp_path: Path) -> None:
    server.do(three_games)
    server.do(lambda site: site.archive.closed.add("bob"))
    with service_for(server, tmp_path, users=("nobody", "bob", "alice")) as service:
        outcome = ran(service, "users")
    assert outcome.counts["failed"] == 2
    assert "user nobody: there is no such user" in outcome.problems[0]
    assert "user bob: the account was closed" in outcome.problems[1]
    assert outcome.counts["new"] == 3


def test_no_request_comes_beside_another_whoever_asks(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two services on one library, three threads each, as two processes would."""
    server.do(three_games)
    asking, most = [0], [0]
    request = Session.request

    def watched(self: Session, *given: Any, **named: Any) -> Any:
        asking[0] += 1
        most[0] = max(most[0], asking[0])
        time.sleep(0.05)
        try:
            return request(self, *given, **named)
        finally:
            asking[0] -= 1

    monkeypatch.setattr(Session, "request", watched)
    with service_for(server, tmp_path) as one, service_for(server, tmp_path) as other, ThreadPoolExecutor(6) as pool:

        def ask(number: int) -> None:
            service = (one, other)[number % 2]
            service.lichess_games.running("alice", StopFlag(Clock()))

        list(pool.map(ask, range(6)))
    assert most == [1]
    assert server.do(lambda site: site.record.requests["GET /api/games/user/{user}"]) == 6


# Studies --------------------------------------------------------------------------------------------------------------


def test_studies_come_when_they_change(server: Server, tmp_path: Path) -> None:
    def made(site: Site) -> None:
        site.join("Owner")
        for ident, private in (("studyOPE", False), ("studyPRI", True)):
            site.archive.studies[ident] = Study(ident, "owner", FELL, 1_700_000_000_000, private=private)

    server.do(made)
    studies = ("studyOPE", "studyPRI", "nosuchst")
    with service_for(server, tmp_path, studies=studies, studies_of=("owner",)) as service:
        outcome = ran(service, "studies")
        assert (outcome.counts["fetched"], outcome.counts["new"], outcome.counts["failed"]) == (1, 1, 2)
        assert "study studyPRI: it is private or was deleted" in outcome.problems[0]
        assert "study nosuchst: there is no such study" in outcome.problems[1]
        assert ran(service, "studies").counts["unchanged"] == 1

        def changed(site: Site) -> None:
            one = site.archive.studies["studyOPE"]
            one.pgn, one.changed_ms = FELL + OTHER, one.changed_ms + 5000

        server.do(changed)
        counts = ran(service, "studies").counts
        assert (counts["new"], counts["duplicates"]) == (1, 1)


@pytest.mark.parametrize("kind", ["cut", "end"])
def test_a_study_that_breaks_off_gives_its_whole_games_and_comes_again(
    server: Server, tmp_path: Path, kind: str
) -> None:
    def made(site: Site) -> None:
        site.join("Owner")
        site.archive.studies["studyOPE"] = Study("studyOPE", "owner", FELL + OTHER, 1_700_000_000_000)

    server.do(made)
    with service_for(server, tmp_path, studies=("studyOPE",)) as service:
        server.order(Fault(kind, where="/api/study/", after=len(FELL) + 30))
        first = ran(service, "studies")
        assert (first.counts["new"], first.counts["failed"]) == (1, 1)
        second = ran(service, "studies")
        assert (second.counts["new"], second.counts["duplicates"], second.counts["failed"]) == (1, 1, 0)


def test_a_token_opens_private_studies_and_is_never_logged(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(site: Site) -> str:
        owner = site.join("Owner")
        site.archive.studies["studyPRI"] = Study("studyPRI", "owner", FELL, 1_700_000_000_000, private=True)
        return site.token(owner, scopes=("study:read",)).secret

    monkeypatch.setenv("TRAPLINE_SERVICE_TOKEN", server.do(made))
    with service_for(server, tmp_path, studies=("studyPRI",)) as service:
        assert ran(service, "studies").counts["new"] == 1


# Tournaments and broadcasts -------------------------------------------------------------------------------------------


def test_a_tournament_comes_whole_when_it_is_over(server: Server, tmp_path: Path) -> None:
    def made(site: Site) -> None:
        three_games(site)
        games = ["game0000", "game0001"]
        site.archive.tournaments["arena001"] = Tournament("arena001", "tournament", games)
        site.archive.tournaments["swiss001"] = Tournament("swiss001", "swiss", ["game0002"], over=True)

    server.do(made)
    with service_for(server, tmp_path, tournaments=("arena001", "nosuch01"), swiss=("swiss001",)) as service:
        first = ran(service, "tournaments")
        assert (first.counts["running"], first.counts["new"], first.counts["failed"]) == (1, 1, 1)
        assert "tournament nosuch01: there is no such tournament" in first.problems[0]
        server.do(lambda site: setattr(site.archive.tournaments["arena001"], "over", True))
        # It ends as if all were there: what it is said to have had tells that not all is.
        server.order(Fault("end", where="/tournament/arena001/games", after=1500))
        second = ran(service, "tournaments")
        assert second.counts["new"] == 1
        assert "1 of 2 games came" in second.problems[0]
        assert ran(service, "tournaments").counts["new"] == 1
        assert addresses(service) == ["game0000", "game0001", "game0002"]
        before = server.do(lambda site: site.record.requests["GET /api/tournament/{id}/games"])
        assert ran(service, "tournaments").counts["unchanged"] == 2
        assert server.do(lambda site: site.record.requests["GET /api/tournament/{id}/games"]) == before


# TV -------------------------------------------------------------------------------------------------------------------


def test_games_on_tv_are_read_when_they_are_over(server: Server, tmp_path: Path) -> None:
    def made(site: Site) -> None:
        for number in range(3):
            begun(site, f"onair00{number}", "Alice", "Bob", f"e2e4 {('e7e5', 'c7c5', 'e7e6')[number]}")
        site.archive.channels.update(rapid=["onair000", "onair001"], blitz=["onair002"])

    def over(site: Site) -> None:
        for ident in ("onair000", "onair002"):
            site.games[ident].resign(site.games[ident].board.turn)

    server.do(made)
    with service_for(server, tmp_path, tv=("rapid", "blitz", "bot")) as service:
        first = ran(service, "tv")
        assert (first.counts["running"], first.counts["fetched"], first.counts["failed"]) == (3, 0, 1)
        assert "channel bot: there is no such channel" in first.problems[0]
        assert addresses(service) == []
        requests = server.do(lambda site: site.record.requests["POST /api/games/export/_ids"])
        assert requests == 0
        server.do(over)
        # A game that is not shown any more is not forgotten, and one that is lost in an answer is asked for again.
        server.do(lambda site: site.archive.channels.update(rapid=[], blitz=[], bot=[]))
        server.order(Fault("cut", where="/games/export/_ids", after=700))
        second = ran(service, "tv")
        assert (second.counts["fetched"], second.counts["running"], second.problems) == (2, 1, [])
        assert addresses(service) == ["onair000", "onair002"]
        # What was aborted is not there any more.
        server.do(lambda site: site.games.pop("onair001"))
        assert ran(service, "tv").counts["running"] == 0
        assert ran(service, "tv").counts["fetched"] == 0


# Folders and dumps ----------------------------------------------------------------------------------------------------


def test_a_watched_folder(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.pgn").write_text(FELL)
    packed = zstandard.ZstdCompressor().compress(OTHER.encode())
    (folder / "inner" / "b.pgn.zst").write_bytes(packed)
    (folder / ".hidden.pgn").write_text(FELL.replace('"A"', '"Z"'))
    (folder / "notes.txt").write_text("no games")
    minute_ago = time.time() - 100
    for path in folder.rglob("*.*"):
        os.utime(path, (minute_ago, minute_ago))
    with service_for(server, tmp_path, folders=(folder, tmp_path / "nowhere")) as service:
        first = ran(service, "folders")
        assert (first.counts["files"], first.counts["new"], first.counts["failed"]) == (2, 2, 1)
        assert "there is no such folder" in first.problems[0]
        assert ran(service, "folders").counts["files"] == 0
        # Somebody is writing: it is read when it has been left alone from one look to the next.
        with (folder / "a.pgn").open("a") as file:
            file.write(FELL.replace('"A"', '"New"'))
        assert ran(service, "folders").counts["waiting"] == 1
        with (folder / "a.pgn").open("a") as file:
            file.write(FELL.replace('"A"', '"Newer"'))
        assert ran(service, "folders").counts["waiting"] == 1
        assert ran(service, "folders").counts["new"] == 2
        # A file that breaks off is a problem once, until it changes.
        (folder / "c.pgn.zst").write_bytes(packed[:-10])
        os.utime(folder / "c.pgn.zst", (minute_ago, minute_ago))
        assert "too early" in ran(service, "folders").problems[0]
        assert len(ran(service, "folders").problems) == 1  # the folder that is not there


class _AtTheFirstBatch:
    """Somebody says stop as soon as some games are stored."""

    def __init__(self, service: Service) -> None:
        self.service = service

    def check(self) -> None:
        if self.service.library.counts().games:
            raise Stopped


def test_a_dump_is_gone_on_with_where_it_was_left(server: Server, tmp_path: Path) -> None:
    dump = tmp_path / "month.pgn.zst"
    games = "".join(FELL.replace('"A"', f'"A{number}"') for number in range(9000))
    dump.write_bytes(zstandard.ZstdCompressor().compress(games.encode()))
    with service_for(server, tmp_path, dumps=(str(dump),)) as service:
        with pytest.raises(Stopped):
            dumps.fetch(service, _AtTheFirstBatch(service), Outcome())  # type: ignore[arg-type]
        done = service.library.counts().games
        assert 0 < done < 9000
        counts = ran(service, "dumps").counts
        assert (counts["games"], counts["new"], counts["duplicates"]) == (9000 - done, 9000 - done, 0)
