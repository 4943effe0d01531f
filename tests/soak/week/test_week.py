"""The week: a short one keeps its promises, and a record that is gone is counted."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from db.library.open import open_library
from db.storage.tables import GameRow
from tests.soak.week.__main__ import main
from tests.soak.week.disk import Disk
from tests.soak.week.plan import WEEK, Plan
from tests.soak.week.run import Outcome, play
from tests.soak.week.usage import Sample, growth
from tests.soak.week.verdict import report

ARCHIVE = "games without a file in the archive"
LIBRARY = "games neither in the library nor waiting for it"

WRITER = """
import pathlib, sys
for line in sys.stdin:
    try:
        pathlib.Path(sys.argv[1]).write_bytes(bytes(5000))
        print("written", flush=True)
    except OSError as error:
        print(error.strerror, flush=True)
"""


def broken(outcome: Outcome) -> list[str]:
    """The promises that were not kept, without their numbers."""
    return [row.what.partition(",")[0] for row in report(outcome).rows if row.passed is False]


def samples(memory: float, descriptors: float) -> list[Sample]:
    """A process that grows by so many KiB and descriptors a game."""
    return [
        Sample(games, 7, 150_000 + int(memory * games), 30 + int(descriptors * games), 40, 0)
        for games in range(0, 1000, 10)
    ]


def test_a_process_that_grows_with_its_games_is_not_bounded() -> None:
    judged = [growth(samples(*each)) for each in ((0.0, 0.0), (1.0, 0.0), (40.0, 0.0), (0.0, 0.05))]
    assert [found is not None and found.is_bounded for found in judged] == [True, True, False, False]
    assert judged[2] is not None
    assert judged[2].memory_a_game == pytest.approx(40.0, rel=0.05)
    # A restart gives all memory back: each process is judged by itself.
    restarted = [*samples(0.0, 0.0), Sample(1001, 8, 90_000, 20, 30, 0)]
    assert growth(restarted) == judged[0]


def test_a_short_week_has_some_of_the_mishaps_and_a_whole_one_all() -> None:
    assert [kind for _, kind in Plan().mishaps()] == [kind for _, kind in WEEK]
    short = Plan(games=60, people=20)
    assert [kind for _, kind in short.mishaps()] == ["restart", "kill", "disk", "renew", "rush"]
    assert all(0 < at < short.seconds for at, _ in short.mishaps())
    assert (Plan().bot_games_a_day, short.bot_games_a_day) == (100, 2)


def test_a_bad_option_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["--games", "0"])
    assert refused.value.code == 2
    assert "games, people and boards are 1 or more" in capsys.readouterr().err


def test_a_disk_without_a_file_system_of_its_own_is_full_for_one_process(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    command = [sys.executable, "-c", WRITER, str(tmp_path / "file")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        told = []
        for change in (None, disk.fill, disk.free):
            if change is not None:
                change(writer.pid)
            print("write", file=writer.stdin, flush=True)
            told.append(writer.stdout.readline().strip())
        writer.stdin.close()
    assert told == ["written", "File too large", "written"]
    assert not disk.is_mounted
    assert disk.kind == "RLIMIT_FSIZE of the bot, set to 0"


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    """A short week, with its files."""
    with Disk(tmp_path_factory.mktemp("week") / "disk") as disk:
        yield play(Plan(games=40, people=15, pace=0.6), disk)


@pytest.mark.fault
def test_a_short_week_keeps_its_promises(outcome: Outcome) -> None:
    found = report(outcome)
    assert (broken(outcome), found.details) == ([], [])
    assert any(row.what.startswith("  milliseconds of a move without thinking") for row in found.rows)


@pytest.mark.fault
def test_a_record_that_is_gone_is_counted(outcome: Outcome) -> None:
    bot, folder = outcome.bot, outcome.bot.folder / "bot"
    played = outcome.crowd.to_record()
    path = next(path for path in (folder / "games").glob("*/*.pgn") if path.stem in played)
    text = path.read_bytes()
    path.unlink()
    try:
        assert broken(outcome) == [ARCHIVE]
    finally:
        path.write_bytes(text)
    # Nothing waits any more, and the library has none of the games.
    state = json.loads((folder / "bot.json").read_text("utf-8"))
    (folder / "bot.json").write_text(json.dumps(state | {"unindexed": []}), "utf-8")
    shutil.rmtree(folder / "running", ignore_errors=True)
    with open_library(bot.library) as library, library.database.write() as connection:
        for one in connection.scalars(select(GameRow.id)).all():
            other = f"another game {one}".encode()
            connection.execute(update(GameRow).where(GameRow.id == one).values(digest=other))
    assert broken(outcome) == [LIBRARY]
