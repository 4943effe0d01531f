"""Files that are whole or not there."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trapcore.io.atomic_write import replacing


def test_the_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "traps.pgn"
    path.write_text("before")
    with replacing(path) as building:
        building.write_text("after")
        assert path.read_text() == "before"
        assert building.parent == tmp_path
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_if_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "traps.pgn"
    path.write_text("before")

    def half() -> None:
        with replacing(path) as building:
            building.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_at_once_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "traps.pgn"
    both = threading.Barrier(2)

    def write(text: str) -> None:
        with replacing(path) as building, building.open("w") as file:
            file.write(text[:4])
            file.flush()
            both.wait(10)
            file.write(text[4:])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, ("one whole", "two whole")))
    assert path.read_text() in ("one whole", "two whole")
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "nowhere" / "traps.pgn") as building:
        building.write_text("x")
