"""Fetched games joined by month: what becomes of the files, also when a run is killed in between."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.games import months
from service.games.game_files import file_feed, state_of
from service.jobs import run_job
from service.maintenance_jobs import annotate
from service.service import Service
from service.state.clock import StopFlag
from service.state.job_log import Outcome
from tests.fake_lichess.http.server import Server
from tests.support.service_site import service_for
from trapcore.errors import OutputError
from trapcore.io.streams import open_bytes

NOW = datetime(2026, 11, 10, tzinfo=UTC).timestamp()
OCTOBER = ("20261003T101500-abcd0001", "20261017T090000-abcd0002", "20261031T235900-abcd0003")
NOVEMBER = "20261102T120000-abcd0004"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Server(speed=0.0) as server, service_for(server, tmp_path) as made:
        yield made


def game(name: str) -> str:
    return f'[Event "{name}"]\n[White "Anna"]\n[Black "Bert"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0'


def fetched(service: Service, *names: str, kind: str = "users", folder: str = "anna/") -> None:
    for name in names:
        service.game_files.put(kind, folder + name, [game(name), game(f"second of {name}")])


def indexed(service: Service) -> Outcome:
    outcome = Outcome()
    service.game_files.index(service.game_files.files(), StopFlag(service.clock), outcome)
    return outcome


def joined(service: Service, now: float = NOW) -> Outcome:
    outcome = Outcome()
    copies = service.mine.folder / "annotated"
    months.join_months(service.game_files, service.source_state, copies, now, StopFlag(service.clock), outcome)
    return outcome


def text(path: Path) -> str:
    with open_bytes(path) as reader:
        return b"".join(reader).decode()


def names(service: Service) -> list[str]:
    root = service.game_files.folder / "games"
    return [str(path.relative_to(root)) for path in service.game_files.files()]


def test_a_month_that_is_over_becomes_one_file(service: Service) -> None:
    fetched(service, *OCTOBER, NOVEMBER)
    fetched(service, OCTOBER[0], kind="tv", folder="")
    fetched(service, "abcdefgh", kind="studies", folder="")
    indexed(service)
    before = "".join(text(path) for path in service.game_files.files("users") if "202610" in path.name)
    assert joined(service).counts["joined"] == 4
    assert names(service) == [
        "studies/abcdefgh.pgn",
        "tv/2026-10.pgn.zst",
        "users/anna/2026-10.pgn.zst",
        f"users/anna/{NOVEMBER}.pgn",
    ]
    month = service.game_files.files("users")[0]
    assert text(month) == before
    # It is known already, and nothing is left of the others.
    assert indexed(service).counts["files"] == 0
    assert not any("202610" in name for name in service.source_state.all("file "))
    assert service.source_state.all("month ") == {}
    assert joined(service).counts["joined"] == 0
    # A month is not over before its late games had two days.
    first = datetime(2026, 12, 2, 23, tzinfo=UTC).timestamp()
    assert joined(service, first).counts["joined"] == 0
    assert joined(service, first + 7200).counts["joined"] == 1


def test_late_games_come_into_the_month_and_what_is_not_indexed_waits(service: Service) -> None:
    fetched(service, OCTOBER[0])
    indexed(service)
    joined(service)
    fetched(service, OCTOBER[1])
    indexed(service)
    fetched(service, OCTOBER[2])
    assert joined(service).counts["joined"] == 1
    month, waiting = service.game_files.files("users")
    assert waiting.stem == OCTOBER[2]
    assert [line for line in text(month).splitlines() if "second" in line] == [
        f'[Event "second of {name}"]' for name in OCTOBER[:2]
    ]


@pytest.mark.parametrize("at", ["before the file is in its place", "before the others are deleted", "half way"])
def test_a_run_that_is_killed_is_brought_to_its_end(service: Service, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    fetched(service, *OCTOBER)
    indexed(service)
    before = "".join(text(path) for path in service.game_files.files())
    with monkeypatch.context() as patch:
        deleted = 0

        def die(*_: object, **__: object) -> None:
            nonlocal deleted
            deleted += 1
            if at != "half way" or deleted == 2:
                raise KeyboardInterrupt
            unlink(*_, **__)  # type: ignore[arg-type]

        unlink = Path.unlink
        if at == "before the file is in its place":
            patch.setattr("trapcore.io.atomic_write.put_in_place", die)
        elif at == "before the others are deleted":
            patch.setattr(months._Month, "_finish_last", lambda self: set() if not self._target.exists() else die())
        else:
            patch.setattr(Path, "unlink", die)
        with pytest.raises(KeyboardInterrupt):
            joined(service)
    # Games that come meanwhile are not lost with the others.
    late = "20261018T000000-abcd0009"
    fetched(service, late)
    indexed(service)
    joined(service)
    (month,) = service.game_files.files()
    assert month.name == "2026-10.pgn.zst"
    assert sorted(text(month).split("\n\n\n")) == sorted(
        (before + f"{game(late)}\n\n\n{game(f'second of {late}')}\n\n\n").split("\n\n\n")
    )
    assert service.source_state.all("month ") == {}


def test_what_cannot_be_read_again_replaces_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched(service, *OCTOBER)
    indexed(service)
    files = {path: text(path) for path in service.game_files.files()}
    whole = months._chunks
    monkeypatch.setattr(
        months, "_chunks", lambda paths: whole(paths) if paths[0] in files else iter([b"this is something else"])
    )
    with pytest.raises(OutputError, match="cannot be read again"):
        joined(service)
    assert {path: text(path) for path in service.game_files.files()} == files


def test_the_copies_of_joined_files_go_and_the_month_gets_its_own(service: Service) -> None:
    fetched(service, *OCTOBER)
    indexed(service)
    annotate(service, StopFlag(service.clock), Outcome())
    copies = service.mine.folder / "annotated" / "users" / "anna"
    assert len(list(copies.iterdir())) == 3
    joined(service)
    assert list(copies.iterdir()) == []
    assert service.source_state.all("annotated ") == {}
    annotate(service, StopFlag(service.clock), Outcome())
    (copy,) = copies.iterdir()
    assert copy.name == "2026-10.pgn.zst"
    assert text(copy).count("[Event ") == 6


def test_the_job_joins_and_tidies(service: Service) -> None:
    fetched(service, "20200103T101500-abcd0001")
    indexed(service)
    done = run_job(service, "vacuum")
    assert done is not None
    assert done.error is None
    assert done.outcome.counts["joined"] == 1
    (month,) = service.game_files.files()
    assert service.source_state.get(file_feed(month)) == {"done": state_of(month)}
