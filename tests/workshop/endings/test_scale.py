"""How much of an advantage counts in endings that are often drawn."""

import chess
import pytest

from tests.workshop.endings.test_endings import ROOKS, game
from trapcore import _native
from trapcore.proof.search import win_chance
from workshop.coverage.endings.scale import UNSCALED, fitted, quiet_positions, report


def test_fit_finds_the_share_that_the_chances_were_made_with() -> None:
    seen = [(float(value), win_chance(value // 4)) for value in range(-400, 401, 20)]
    assert fitted(seen, now=16) == 16
    assert fitted(seen * 5, now=UNSCALED) in range(15, 19)


def test_fit_of_few_positions_stays_near_the_share_of_the_core() -> None:
    assert fitted([(200.0, 0.0)], now=48) in range(30, 48)
    assert fitted([(200.0, 0.0)] * 200, now=48) < 8


def test_quiet_positions_leave_out_checks_and_captures() -> None:
    found = [board.fen() for _, board in quiet_positions([game(ROOKS, "b3b4", "c5b4", "b1b4", "a2a5")], 1)]
    assert found[0] == chess.Board(ROOKS).fen()
    assert len(found) == 2


def test_report_has_a_row_for_each_kind_and_the_errors_of_each_share() -> None:
    shares = dict(_native.ending_shares())
    assert shares["CannotMate"] == 0
    [table] = report({"Rooks": [(300.0, 0.0)] * 50}, shares).blocks
    assert not isinstance(table, str)
    [row] = table.rows
    assert row[:3] == ("Rooks", "50", str(shares["Rooks"]))
    assert float(row[-1]) < float(row[-3])


@pytest.mark.parametrize(
    ("fen", "kind"),
    [
        ("7k/8/8/7P/4B3/4K3/7P/8 w - - 0 1", "RookFile"),
        ("8/8/8/4k3/8/4K3/8/4R2r w - - 0 1", None),  # the tables know its outcome
        (chess.STARTING_FEN, None),
    ],
)
def test_ending_kind_names_the_kind_of_an_ending_of_few_men(fen: str, kind: str | None) -> None:
    found = _native.ending_kind(fen)
    assert (found and found[0]) == kind
