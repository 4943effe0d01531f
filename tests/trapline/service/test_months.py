"""Fetched games joined by month: what becomes of the files, also when a run is killed in between."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotator.counts import Counts
from annotator.pipeline import Run
from db.games.index_games import index_files
from db.library.open import open_library
from tests.fake_lichess.http.server import Server
from tests.support.service_site import service_for
from trapcore.io.streams import open_bytes
from trapcore.io.work_folder import WorkFolder
from trapline.service.games import months
from trapline.service.games.game_files import file_feed, state_of
from trapline.service.jobs import run_job
from trapline.service.maintenance_jobs import annotate
from trapline.service.service import Service
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

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
            patch.setattr(service.game_files, "index", die)
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


def test_what_cannot_be_read_again_replaces_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched(service, *OCTOBER)
    indexed(service)
    files = {path: text(path) for path in service.game_files.files()}
    whole = months._chunks
    monkeypatch.setattr(
        months, "_chunks", lambda path: whole(path) if path in files else iter([b"this is something else"])
    )
    outcome = joined(service)
    assert ["cannot be read again" in problem for problem in outcome.problems] == [True]
    assert outcome.counts["joined"] == 0
    assert {path: text(path) for path in service.game_files.files()} == files


def inode_of(path: Path) -> tuple[int, int, int]:
    status = path.lstat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def instead(put: Callable[[Path], object]) -> Callable[[Path], object]:
    """Something else in the place of a file."""

    def damage(month: Path) -> None:
        month.unlink()
        put(month)

    return damage


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut off": lambda month: os.truncate(month, month.stat().st_size - 5),
    "of zeros": lambda month: month.write_bytes(month.read_bytes()[:-20] + bytes(20)),
    "a folder": instead(Path.mkdir),
    "a pipe": instead(os.mkfifo),
    "a link to nowhere": instead(lambda month: month.symlink_to("/nowhere/at/all")),
    "a link to itself": instead(lambda month: month.symlink_to(month.name)),
    "a link to a part": instead(lambda month: month.symlink_to(f"{OCTOBER[1]}.pgn")),
    "held by another": lambda month: WorkFolder.make(month.parent, [month.name]),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_month_that_cannot_be_written_loses_nothing_and_stops_no_other(service: Service, kind: str) -> None:
    fetched(service, OCTOBER[0])
    indexed(service)
    joined(service)
    fetched(service, OCTOBER[1])
    fetched(service, OCTOBER[0], folder="bert/")
    indexed(service)
    folder = service.game_files.folder / "games" / "users" / "anna"
    month, part = folder / "2026-10.pgn.zst", folder / f"{OCTOBER[1]}.pgn"
    held = DAMAGE[kind](month)
    before = inode_of(month)
    outcome = joined(service)
    assert outcome.counts["joined"] == 1
    assert [problem.partition(" waits: ")[0] for problem in outcome.problems] == [str(month)]
    assert outcome.counts["failed"] == 1
    assert text(part).count("[Event ") == 2
    assert inode_of(month) == before
    assert "users/bert/2026-10.pgn.zst" in names(service)
    assert run_job(service, "vacuum").error is None  # type: ignore[union-attr]
    if isinstance(held, WorkFolder):
        held.remove()


def test_what_is_written_again_while_it_is_joined_stays(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is fetched again has the same name, and perhaps more games."""
    fetched(service, *OCTOBER)
    indexed(service)
    split = months._split
    again = [game(OCTOBER[1]), game(f"second of {OCTOBER[1]}"), game("one more")]

    def put_again(path: Path) -> Iterator[bytes]:
        yield from split(path)
        if path.stem == OCTOBER[1]:
            service.game_files.put("users", f"anna/{OCTOBER[1]}", again)

    with monkeypatch.context() as patch:
        patch.setattr(months, "_split", put_again)
        assert "was replaced while it was joined" in joined(service).problems[0]
    assert len(names(service)) == 3


def test_a_game_that_comes_twice_is_in_a_month_once(service: Service) -> None:
    fetched(service, *OCTOBER[:2])
    indexed(service)
    joined(service)
    fetched(service, OCTOBER[1], OCTOBER[2])
    odd = "1. d4 {\n\n\nnot a game} d5 *"
    service.game_files.put("users", "anna/20261020T000000-abcd0007", [odd, odd, game(OCTOBER[0])])
    indexed(service)
    assert joined(service).counts["joined"] == 3
    (month,) = service.game_files.files("users")
    read = text(month)
    assert {name: read.count(f'[Event "{name}"]') for name in OCTOBER} == dict.fromkeys(OCTOBER, 1)
    # What is no whole game is not compared.
    assert read.count(odd) == 2


def test_a_file_without_an_end_does_not_run_into_the_next(service: Service) -> None:
    fetched(service, *OCTOBER)
    folder = service.game_files.folder / "games" / "users" / "anna"
    long = f'[Event "long"]\n\n1. d4 {{{"long " * 100_000}}} *'
    (folder / f"{OCTOBER[1]}.pgn").write_text(f"{long}\n\n{game('b')}")
    indexed(service)
    assert joined(service).counts["joined"] == 3
    (month,) = service.game_files.files("users")
    assert long in text(month)
    with open_library(service.game_files.folder / "again.sqlite", create=True) as library:
        read = index_files(library, [month])
    assert (read.games, read.skipped.total()) == (6, 0)


def test_links_in_the_folder_are_followed_once_and_never_joined(service: Service, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = service.game_files.folder / "games"
    (root / "users").mkdir(parents=True)
    (root / "users" / "anna").symlink_to(elsewhere)
    (root / "users" / "loop").symlink_to(root)
    fetched(service, *OCTOBER[:2])
    (elsewhere / f"{OCTOBER[1]}.pgn").rename(tmp_path / "real.pgn")
    (elsewhere / f"{OCTOBER[1]}.pgn").symlink_to(tmp_path / "real.pgn")
    (elsewhere / f"{OCTOBER[2]}.pgn").symlink_to("nowhere")
    os.mkfifo(root / "users" / "pipe.pgn")
    (root / "users" / "folder.pgn").mkdir()
    assert (indexed(service).counts["files"], indexed(service).counts["files"]) == (2, 0)
    assert joined(service).counts["joined"] == 1
    assert names(service) == ["users/anna/2026-10.pgn.zst", f"users/anna/{OCTOBER[1]}.pgn"]
    assert (elsewhere / "2026-10.pgn.zst").is_file()
    # A month that is a link stays as it is, and what belongs into it waits.
    (elsewhere / "2026-10.pgn.zst").rename(tmp_path / "far.zst")
    (elsewhere / "2026-10.pgn.zst").symlink_to(tmp_path / "far.zst")
    fetched(service, OCTOBER[0].replace("T10", "T11"))
    indexed(service)
    assert "is a link" in joined(service).problems[0]
    assert len(names(service)) == 3


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


def test_a_file_that_is_joined_while_it_is_annotated_leaves_no_copy(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched(service, *OCTOBER)
    indexed(service)
    execute = Run.execute

    def join_first(run: Run) -> Counts:
        counts = execute(run)
        monkeypatch.undo()
        joined(service)
        return counts

    monkeypatch.setattr(Run, "execute", join_first)
    for _ in range(2):
        annotate(service, StopFlag(service.clock), Outcome())
    copies = service.mine.folder / "annotated" / "users" / "anna"
    assert [path.name for path in copies.iterdir()] == ["2026-10.pgn.zst"]
    assert len(service.source_state.all("annotated ")) == 1
