"""Claims of a report are held against an engine's answers, and each fault is named."""

from research.coverage.claims import Claim, report
from research.coverage.games import Game
from research.coverage.told import Told

LINE = {
    "ply": 2,
    "event": "fell",
    "bait": "g7g5",
    "bait_san": "g5",
    "killer_line": ["d1h5"],
    "killer_line_san": ["Qh5#"],
    "best": "e7e5",
    "proof": {"verdict": "proved", "mate_in": None},
}
GAME = Game("a.pgn", 1, {}, None, ("e2e4", "g7g5"))


def claim(**chances: float) -> Claim:
    right = {"before": 0.0, "after": -0.6, "killed": -0.6, "end": -0.6, "better": 0.0}
    return Claim(GAME, Told.of(LINE), **(right | chances))


def test_a_right_claim_has_no_fault() -> None:
    assert not list(claim().faults())


def test_each_fault_of_a_claim_is_named() -> None:
    assert list(claim(after=-0.1, killed=-0.1, end=-0.1, better=0.2).faults()) == ["costs little"]
    assert list(claim(killed=-0.4).faults()) == ["killer"]
    assert list(claim(better=-0.5).faults()) == ["better move"]
    assert list(claim(end=-0.2).faults()) == ["end of line"]


def test_a_report_counts_false_claims_and_shows_the_comment() -> None:
    summary, table = report([claim(), claim(after=-0.1), claim(end=0.0)], {(1, 2): "Loses."}).blocks
    assert summary == "3 claims: 1 false, 1 that mislead."
    assert "Loses." in str(table)
