"""The soak of one library: it finds a row that was lost, and none is lost in a short one."""

from pathlib import Path

import pytest
from sqlalchemy import delete

from db.library.open import open_library
from db.storage.models import LosingMoveRow
from tests.soak.library import lost_rows, main, rows_of, soak
from tests.support.practice_library import copy_practice_library

MANY_SECONDS_ONLY = {
    "  acknowledged: reports",
    "  acknowledged: answers of the practice",
    "  uploads that came back whole",
    "  reading commands: ended, killed",
}
"""Promises that a short run on a slow machine cannot keep: that each kind of work came to an end."""


def test_a_losing_move_that_is_gone_is_counted(tmp_path: Path) -> None:
    path = copy_practice_library(tmp_path / "library.sqlite")
    seen = rows_of(path)
    assert not any(row.passed is False for row in lost_rows(seen, rows_of(path)))
    with open_library(path) as library, library.database.write() as connection:
        connection.execute(delete(LosingMoveRow))
    lost = [row.what.partition(":")[0] for row in lost_rows(seen, rows_of(path)) if row.passed is False]
    assert lost == ["losing moves"]


def test_options_that_make_no_sense_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--seconds", "0"])
    assert "--seconds is 1 or more" in capsys.readouterr().err


@pytest.mark.fault
def test_no_row_is_lost_while_all_programs_have_the_library_open(tmp_path: Path) -> None:
    found = soak(10.0, 1, tmp_path)
    assert [row for row in found.rows if row.passed is False and row.what not in MANY_SECONDS_ONLY] == []
