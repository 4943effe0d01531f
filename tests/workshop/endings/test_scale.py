"""How much of an advantage counts in endings that are often drawn."""

import chess
import pytest

from trapcore import _native
from trapcore.win_chance import win_chance
from workshop.coverage.endings.scale import UNSCALED, fitted


def test_fit_finds_the_share_that_the_chances_were_made_with() -> None:
    seen = [(float(value), win_chance(value // 4)) for value in range(-400, 401, 20)]
    assert fitted(seen, now=16) == 16
    assert fitted(seen * 5, now=UNSCALED) in range(15, 19)


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
