"""Broadcasts: a stream each while rounds of them are running, and every finished round once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_lichess.archive.stored import BroadcastRound
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.support.polling import until
from tests.support.service_site import addresses, finished, service_for
from trapline.service.games.live_rounds import LiveRounds
from trapline.service.jobs import run_job
from trapline.service.service import Service
from trapline.service.state.job_log import Outcome


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(speed=0.0, keep_alive=0.1) as running:
        yield running


def ran(service: Service, job: str) -> Outcome:
    """What a run that came to its end did."""
    done = run_job(service, job)
    assert done is not None
    assert done.error is None
    return done.outcome


def live_pgn(white: str, moves: str, result: str, ident: str = "round001") -> str:
    address = f"https://lichess.org/broadcast/open/round/{ident}/{white}"
    return (
        f'[White "{white}"]\n[Black "Rival"]\n[Result "{result}"]\n[GameURL "{address}"]\n[Site "{address}"]\n\n'
        f"{moves} {result}"
    )


def test_a_running_round_is_followed_and_fetched_when_it_is_over(server: Server, tmp_path: Path) -> None:
    def made(site: Site) -> None:
        games = {"a": live_pgn("Anna", "1. e4", "*"), "b": live_pgn("Berta", "1. d4 d5", "1-0")}
        site.archive.rounds["round001"] = BroadcastRound("round001", "broadc01", games)
        site.archive.rounds["round002"] = BroadcastRound("round002", "broadc01", {}, running=False)

    server.do(made)
    with service_for(server, tmp_path, broadcasts=("broadc01", "nosuch01")) as service:
        service.live = LiveRounds(service.lichess_games, service.game_files, service.clock)
        first = ran(service, "broadcasts")
        assert (first.counts["running"], first.counts["failed"]) == (1, 1)
        file = service.mine.folder / "games" / "broadcasts" / "round001.pgn"
        until(file.exists)
        ran(service, "broadcasts")
        assert addresses(service) == ["Berta"]
        server.order(Fault("cut", where="/stream/broadcast"))
        server.do(lambda site: site.archive.rounds["round001"].play("a", live_pgn("Anna", "1. e4 e5 2. f4", "0-1")))
        until(lambda: "Anna" in file.read_text())

        def over(site: Site) -> None:
            site.archive.rounds["round001"].running = False
            site.archive.rounds["round001"].over = True

        server.do(over)
        last = ran(service, "broadcasts")
        assert (last.counts["fetched"], last.counts["new"], last.counts["duplicates"]) == (1, 1, 1)
        assert addresses(service) == ["Anna", "Berta"]
        assert ran(service, "broadcasts").counts["fetched"] == 0


def test_a_broadcast_has_one_stream_and_one_that_is_refused_holds_nothing_up(server: Server, tmp_path: Path) -> None:
    """Three broadcasts of two running rounds each: without a token lichess has two streams."""
    broadcasts = tuple(f"broadc0{number}" for number in range(3))

    def made(site: Site) -> None:
        finished(site, "game0000", "Alice", "Bob", "e2e4 e7e5")
        for broadcast in broadcasts:
            for half in "ab":
                ident = f"round{half}{broadcast[-2:]}"
                games = {"a": live_pgn(f"Anna{ident}", "1. e4", "1-0", ident)}
                site.archive.rounds[ident] = BroadcastRound(ident, broadcast, games)

    def streams() -> int:
        return server.do(lambda site: site.limits.open_broadcasts)

    server.do(made)
    with service_for(server, tmp_path, broadcasts=broadcasts, users=("alice",)) as service:
        service.live = LiveRounds(service.lichess_games, service.game_files, service.clock)
        assert ran(service, "broadcasts").counts["running"] == 6
        asked = "GET /api/stream/broadcast/tour/{id}.pgn"
        until(lambda: server.do(lambda site: site.record.requests[asked]) == 3)
        until(lambda: service.live is not None and service.live.open_streams == 2)
        until(lambda: len(service.game_files.files("broadcasts")) == 4)
        waited = service.clock.waited  # type: ignore[attr-defined]
        assert ran(service, "users").counts["new"] == 1
        assert max(waited, default=0.0) < 10, "the refusal held up other requests"
        assert (streams(), service.live.wanted_streams) == (2, 3)
