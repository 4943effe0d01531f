"""Games in which traps are counted: both sides play by the rules, and the figures are those of the games."""

import random

import chess
import pytest

from coach.repertoire.live_traps import LiveBait, LiveTrap
from coach.repertoire.replies import ReplyModel
from coach.repertoire.trap_choice import Opponent
from db.traps.temptation import RatingBand
from trapcore.errors import UsageError
from workshop.benchmarks import trapping
from workshop.benchmarks.__main__ import main
from workshop.benchmarks.trap_funnel import Funnel, Step
from workshop.benchmarks.trapping import Counted, People, difference, play, report

MODEL = ReplyModel(None, RatingBand(1400, 1400))


def test_people_choose_as_likely_as_the_model_says_and_the_same_again() -> None:
    board = chess.Board()
    first = [People(MODEL, random.Random(5)).move(board) for _ in range(2)]
    assert first[0] == first[1]
    assert first[0] in board.legal_moves


def test_a_short_game_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trapping, "LONGEST", 7)
    people = People(MODEL, random.Random(1))
    counted = play(chess.WHITE, Opponent(MODEL, 0.05), people, 60)
    assert (counted.points, counted.moves) == (0.5, 4)
    assert counted.taken <= counted.chosen <= counted.moves
    quiet = play(chess.BLACK, Opponent(MODEL, 0.0), people, 20)
    assert (quiet.moves, quiet.chosen, quiet.steered, quiet.hoped) == (3, 0, 0, 0.0)


def elephant(trap: LiveTrap | None, *, is_searched: bool = True) -> Funnel:
    """A funnel that was told of the bait of the Elephant Trap, which was played."""
    board = chess.Board()
    for uci in ("d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6", "c1g5", "b8d7", "c4d5", "e6d5"):
        board.push_uci(uci)
    funnel = Funnel(400)
    funnel.watch(MODEL, MODEL)(board, is_searched, trap, "c3d5")
    return funnel


def test_a_fall_is_counted_under_the_step_that_it_did_not_pass() -> None:
    bait = LiveBait("c3d5", ("f6d5",), None, 0.5, 0.1)
    trap = LiveTrap("e6d5", "", (bait,), 0.0)
    for told, step in (
        (elephant(trap), Step.COUNTED),
        (elephant(None), Step.UNPROVED),
        (elephant(None, is_searched=False), Step.NOT_SEARCHED),
    ):
        assert (told.decisions, told.played) == (1, {step: 1})
        assert 0 < told.expected[step] < 1
        (table,) = told.report(1).blocks
        assert (step.value, f"{told.expected[step]:.3f}"[1:], "1") in table.rows  # type: ignore[union-attr]


def test_means_by_hand() -> None:
    games = [Counted(points=1.0, moves=30, chosen=2, taken=1, hoped=0.5), Counted(points=0.5, moves=20, chosen=0)]
    text = str(report(games, "people").blocks[0])
    assert "('score', '1.5', '.75', '.49')" in text
    assert "('traps set', '2.0', '1', '1.96')" in text
    assert "('fallen for', '1', '.50', '.98')" in text


def test_difference_of_scores_by_hand() -> None:
    assert difference([1.0, 1.0], [1.0, 0.0]) == "score with traps less score without: +0.500 ± 0.980 a game"


def test_recall_needs_a_library() -> None:
    with pytest.raises(UsageError, match="recall needs --db"):
        trapping.main(["recall"])
    assert main(["trapping", "recall"]) == UsageError.exit_code
