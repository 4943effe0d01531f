"""The soak: it finds a row that was lost, and none is lost in a short one."""

import re
from pathlib import Path

import chess
import chess.polyglot
import pytest
from sqlalchemy import delete

from db.library.open import open_library
from db.storage.tables import LosingMoveRow
from tests.soak.baits import agreeing, bundled_lines, write_book
from tests.soak.library import lost_rows, rows_of, soak
from tests.soak.readers import ADDRESSES, OF_REPERTOIRES, ONLY_OTHERS, SIGNED_IN
from tests.support.practice_library import copy_practice_library
from tests.support.web_server import all_routes

MANY_SECONDS_ONLY = {
    "  acknowledged: reports",
    "  acknowledged: answers of the practice",
    "  uploads that came back whole",
    "  reading commands: ended, killed",
}
"""Promises that a short run on a slow machine cannot keep: that each kind of work came to an end."""


def test_every_address_is_read() -> None:
    read = {path.partition("?")[0] for paths in ADDRESSES.values() for path in paths}
    read |= {*ONLY_OTHERS, *SIGNED_IN, *OF_REPERTOIRES}
    routes = [route for route in all_routes() if "GET" in (route.methods or ())]
    assert len(routes) > 20
    for route in routes:
        assert any(route.path_regex.match(re.sub(r"\{(\w+)\}", "1", path)) for path in read), route.path


def test_the_book_of_the_bot_follows_bundled_lines(tmp_path: Path) -> None:
    lines = agreeing(bundled_lines(["berlin-trap", "alekhines-defence-7-bxd5", "no-such-trap"]), seed=1)
    assert len(lines) == 2
    write_book(lines, tmp_path / "baits.bin")
    with chess.polyglot.open_reader(tmp_path / "baits.bin") as reader:
        for line in lines:
            board = chess.Board()
            for san in line.moves:
                if board.turn != line.victim:
                    assert reader.find(board).move == board.parse_san(san)
                board.push_san(san)


def test_a_losing_move_that_is_gone_is_counted(tmp_path: Path) -> None:
    path = copy_practice_library(tmp_path / "library.sqlite")
    seen = rows_of(path)
    assert not any(row.passed is False for row in lost_rows(seen, rows_of(path)))
    with open_library(path) as library, library.database.write() as connection:
        connection.execute(delete(LosingMoveRow))
    lost = [row.what.partition(":")[0] for row in lost_rows(seen, rows_of(path)) if row.passed is False]
    assert lost == ["losing moves"]


@pytest.mark.fault
def test_no_row_is_lost_while_all_programs_have_the_library_open(tmp_path: Path) -> None:
    found = soak(10.0, 1, tmp_path)
    assert [row for row in found.rows if row.passed is False and row.what not in MANY_SECONDS_ONLY] == []
