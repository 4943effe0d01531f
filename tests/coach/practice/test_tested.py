"""What the search says of an exercise is made once, and is in the library for the next program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coach.practice import tested
from coach.practice.collect import material_of
from coach.practice.exercise import Exercise, Task
from coach.practice.judge import check_move
from coach.practice.tested import is_confirmed, keep, recall, right_move, search_all, untested
from db.library.library import Library
from db.library.open import open_library
from db.storage.practice_rows import MoveTest
from tests.support.practice_library import PLAYER, copy_practice_library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(copy_practice_library(tmp_path / "library.sqlite")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def forgotten() -> None:
    """As in a program that has just begun."""
    _forget()


def _forget() -> None:
    tested._cache.clear()


def _safe(library: Library) -> list[Exercise]:
    return [each for each in material_of(library, PLAYER).exercises if each.task is Task.SAFE]


def _no_search(epd: str, move: str) -> None:
    raise AssertionError(f"{move} was searched again")


def test_what_was_searched_is_known_to_the_next_program(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    every = _safe(library)
    assert untested(every) == every
    found = [(right_move(each), is_confirmed(each)) for each in every]
    assert untested(every) == []
    keep(library, every)
    _forget()
    monkeypatch.setattr(tested, "check_move", _no_search)
    with open_library(library.name, read_only=True) as again:
        recall(again, every)
    assert [(right_move(each), is_confirmed(each)) for each in every] == found


@pytest.mark.parametrize(
    "change",
    [
        "by = 'another version'",
        "best = 'a1a8'",
        "best = 'e2'",
        "best = move",
        "best = x'ff'",
        "best = CAST(x'eda080' AS TEXT)",
    ],
)
def test_what_cannot_be_right_is_searched_anew(library: Library, change: str) -> None:
    every = _safe(library)
    wanted = [right_move(each) for each in every]
    keep(library, every)
    _forget()
    with library.database.write() as connection:
        connection.exec_driver_sql(f"UPDATE move_tests SET {change}")
    recall(library, every)
    assert untested(every) == every
    assert [right_move(each) for each in every] == wanted
    keep(library, every)
    _forget()
    recall(library, every)
    assert untested(every) == []


def test_what_is_searched_for_an_export_is_stored_as_it_goes(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    every = _safe(library)
    assert len(every) > 1
    monkeypatch.setattr(tested, "AT_ONCE", 1)
    searched: list[str] = []

    def killed_at_the_second(epd: str, move: str) -> MoveTest:
        searched.append(move)
        if len(searched) == 2:
            raise KeyboardInterrupt
        return check_move(epd, move)

    monkeypatch.setattr(tested, "check_move", killed_at_the_second)
    with pytest.raises(KeyboardInterrupt), open_library(library.name, read_only=True) as reading:
        search_all(reading, every, lambda: open_library(library.name), most=9)
    _forget()
    recall(library, every)
    assert untested(every) == every[1:]
