"""Games in which traps are counted: both sides play by the rules, and the figures are those of the games."""

import random

import chess

from coach.repertoire.live_traps import LiveBait, LiveTrap
from coach.repertoire.replies import ReplyModel
from db.traps.temptation import RatingBand
from workshop.benchmarks.trap_funnel import Funnel, Step
from workshop.benchmarks.trapping import People

MODEL = ReplyModel(None, RatingBand(1400, 1400))


def test_people_choose_as_likely_as_the_model_says_and_the_same_again() -> None:
    board = chess.Board()
    first = [People(MODEL, random.Random(5)).move(board) for _ in range(2)]
    assert first[0] == first[1]
    assert first[0] in board.legal_moves


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
