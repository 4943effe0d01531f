"""Claims of a report are held against an engine's answers, and each fault is named."""

from dataclasses import replace
from pathlib import Path

import pytest

from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.claims import Claim, check
from workshop.coverage.games import Game
from workshop.coverage.killers import Answers
from workshop.coverage.told import Told

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


def claim(
    *,
    before: float = 0.0,
    after: float = -0.6,
    killed: float = -0.6,
    end: float = -0.6,
    better: float = 0.0,
    answered: float | None = None,
    mate_in: int | None = None,
) -> Claim:
    told = replace(Told.of(LINE), mate_in=mate_in)
    return Claim(GAME, told, before, after, killed, end, better, answered)


def test_a_right_claim_has_no_fault() -> None:
    assert not list(claim().faults())


def test_each_fault_of_a_claim_is_named() -> None:
    assert list(claim(after=-0.1, killed=-0.1, end=-0.1, better=0.2).faults()) == ["costs little"]
    assert list(claim(killed=-0.4).faults()) == ["killer"]
    assert list(claim(better=-0.5).faults()) == ["better move"]
    assert list(claim(end=-0.2).faults()) == ["end of line"]
    assert list(claim(answered=-0.5).faults()) == ["misses little"]
    assert not list(claim(answered=0.0).faults())


def test_a_mate_is_a_mate_in_a_lost_position() -> None:
    lost = claim(before=-0.95, after=-1.0, killed=-1.0, end=-1.0, better=-0.95)
    assert "costs little" in list(lost.faults())
    assert "costs little" not in list(replace(lost, told=replace(lost.told, mate_in=2)).faults())


def test_a_claim_is_held_against_an_engine_once(tmp_path: Path) -> None:
    if STOCKFISH is None:
        pytest.skip("Stockfish is not installed")
    game = Game("a.pgn", 1, {}, None, ("f2f3", "e7e5", "g2g4", "d8h4"))
    told = replace(Told.of(LINE), ply=3, bait="g2g4", killers=("d8h4",), mate_in=1, best="e2e4")
    answers = Answers(tmp_path / "answers.jsonl", STOCKFISH, 5_000)
    try:
        found = check(game, told, answers)
    finally:
        answers.close()
    assert (found.after, found.killed, found.end) == (-1.0, -1.0, -1.0)
    assert not list(found.faults())
    assert found.lines[1] == "2...Qh4#"
    kept = Answers(tmp_path / "answers.jsonl", "no-such-engine", 5_000)
    assert check(game, told, kept) == found
