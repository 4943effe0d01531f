"""The games that chess.com publishes, as a source of the service: each month once, and the present one again."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from db.storage.tables import GameRow
from lichess.api import Refused
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.support.service_site import finished, service_for
from tests.trapline.service.chesscom_archive import chesscom
from trapline.service.jobs import run_job
from trapline.service.service import Service
from trapline.service.sources.accounts import latest_games
from trapline.service.state.job_log import Outcome

MOVES = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 1-0"


def game(number: int, day: str, **tags: str) -> str:
    every = {
        "Event": "Live Chess",
        "Site": "Chess.com",
        "Date": day,
        "Round": str(number),
        "White": "Anna",
        "Black": "Ben",
        "Result": "1-0",
        "UTCTime": "18:05:00",
        "Link": f"https://www.chess.com/game/live/{number}",
        **tags,
    }
    return "\n".join(f'[{name} "{value}"]' for name, value in every.items()) + f"\n\n{MOVES}\n\n"


def ran(service: Service) -> Outcome:
    done = run_job(service, "chesscom")
    assert done is not None
    assert done.error is None
    return done.outcome


def month(service: Service) -> str:
    return f"{datetime.fromtimestamp(service.clock.now(), UTC):%Y/%m}"


@pytest.mark.parametrize("versions", ["ETag", "Last-Modified"])
def test_a_month_that_is_over_is_fetched_once_and_the_present_one_if_it_has_changed(
    tmp_path: Path, versions: str
) -> None:
    games = {"anna": {"2009/11": game(1, "2009.11.01") + game(2, "2009.11.02")}}
    with Server(speed=0.0) as server, chesscom(games) as archive:
        archive.versions = versions
        wanted: dict[str, Any] = {"chesscom_url": archive.url, "chesscom_users": ("Anna",), "history_days": 36500}
        with service_for(server, tmp_path, **wanted) as service:
            now = month(service)
            games["anna"][now] = game(3, f"{now.replace('/', '.')}.01")
            assert ran(service).counts["new"] == 3
            with service.library.database.read() as connection:
                rows = connection.execute(select(GameRow.site, GameRow.utc_time)).all()
            assert ("https://www.chess.com/game/live/1", "18:05:00") in [tuple(row) for row in rows]
            games["anna"][now] += game(4, f"{now.replace('/', '.')}.02")
            asked = len(archive.asked)
            assert ran(service).counts["new"] == 1
            assert [path for path in archive.asked[asked:] if "2009" in path] == []
            assert archive.unchanged == []
            last = ran(service)
            assert (last.problems, last.counts["fetched"]) == ([], 0)
            assert archive.unchanged == [f"/pub/player/anna/games/{now}/pgn"]
        assert all(agent.startswith("trapline/") for agent in archive.agents)


def test_a_player_who_does_not_exist_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    with Server(speed=0.0) as server, chesscom({"anna": {"2009/11": game(1, "2009.11.01")}}) as archive:
        wanted: dict[str, Any] = {
            "chesscom_url": archive.url,
            "chesscom_users": ("nobody", "anna"),
            "history_days": 36500,
        }
        with service_for(server, tmp_path, **wanted) as service:
            outcome = ran(service)
    assert outcome.counts["new"] == 1
    assert outcome.problems == [
        "chess.com nobody: there is no such player at chess.com, or the account was closed (chess.com answered 404)"
    ]


def latest(service: Service, site: str, name: str, most: int) -> list[str]:
    with service.stop_flag() as stop_flag:
        return latest_games(service, site, name, most, stop_flag)


def played(number: int, site: Site) -> None:
    finished(site, f"game000{number}", "Alice", "Bob", "e2e4 e7e5")


def test_the_latest_games_of_an_account_come_newest_first(tmp_path: Path) -> None:
    games = {"anna": {"2009/11": game(1, "2009.11.01"), "2009/12": game(2, "2009.12.01") + game(3, "2009.12.02")}}
    with Server(speed=0.0) as server, chesscom(games) as archive:
        for number in range(3):
            server.do(partial(played, number))
            server.advance(3600)
        with service_for(server, tmp_path, chesscom_url=archive.url) as service:
            found = latest(service, "chess.com", "Anna", 2)
            assert [text.count("/live/3") or -text.count("/live/2") for text in found] == [1, -1]
            assert "/pub/player/anna/games/2009/11/pgn" not in archive.asked
            assert len(latest(service, "chess.com", "anna", 10)) == 3
            assert len(latest(service, "lichess", "alice", 2)) == 2
            with pytest.raises(Refused, match=r"nobody: there is no such player at chess\.com"):
                latest(service, "chess.com", "nobody", 5)
            with pytest.raises(Refused, match="there is no such user"):
                latest(service, "lichess", "nobody", 5)
