"""Games in which traps are counted: both sides play by the rules, and the figures are those of the games."""

import random

import chess
import pytest

from coach.repertoire.live_traps import LiveBait, LiveTrap
from coach.repertoire.replies import ReplyModel
from db.traps.temptation import RatingBand
from trapcore.engines.process import EngineProcess
from workshop.benchmarks import set_traps, trapping
from workshop.benchmarks.set_traps import SetTrap, quality
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.benchmarks.trap_funnel import Funnel, Step
from workshop.benchmarks.trapping import People
from workshop.report import Table

MODEL = ReplyModel(None, RatingBand(1400, 1400))
ELEPHANT = ("d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6", "c1g5", "b8d7", "c4d5", "e6d5")
BAIT, KILLER = "c3d5", "f6d5"


def test_people_choose_as_likely_as_the_model_says_and_the_same_again() -> None:
    board = chess.Board()
    first = [People(MODEL, random.Random(5)).move(board) for _ in range(2)]
    assert first[0] == first[1]
    assert first[0] in board.legal_moves


def after_elephant() -> chess.Board:
    board = chess.Board()
    for uci in ELEPHANT:
        board.push_uci(uci)
    return board


def elephant(trap: LiveTrap | None, *, is_searched: bool = True) -> Funnel:
    """A funnel that was told of the bait of the Elephant Trap, which was played."""
    funnel = Funnel(400)
    funnel.watch(MODEL, MODEL)(after_elephant(), is_searched, trap, BAIT)
    return funnel


def test_a_fall_is_counted_under_the_step_that_it_did_not_pass() -> None:
    bait = LiveBait(BAIT, (KILLER,), None, 0.5, 0.1)
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


def set_by(*baits: str, is_on_purpose: bool = True) -> SetTrap:
    """A trap with these baits (UCI) that Black's last move of the Elephant Trap has set."""
    board = after_elephant()
    trap = LiveTrap("e6d5", board.fen(), tuple(LiveBait(bait, (KILLER,), None, 0.5, 0.1) for bait in baits), 0.0)
    return SetTrap.of(trap, is_on_purpose, board, MODEL)


def rows_of(traps: list[SetTrap], engine: EngineProcess | None = None) -> list[tuple[str, str]]:
    (table,) = quality(traps, engine).blocks
    assert isinstance(table, Table)
    return [(hits, tries) for _, hits, tries, *_ in table.rows]


def test_the_place_of_a_trap_is_that_of_its_likeliest_bait() -> None:
    replies = [reply.uci for reply in MODEL.replies(after_elephant())]
    assert set_by(replies[3]).place == 4
    assert set_by(replies[5], replies[2]).place == 3
    likely, unlikely = set_by(replies[2]), set_by(replies[3], is_on_purpose=False)
    assert rows_of([likely, unlikely]) == [("1", "2"), ("1", "1"), ("0", "1")]
    assert rows_of([]) == [("0", "0")] * 3


@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_stockfish_says_of_each_bait_whether_it_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert STOCKFISH is not None
    monkeypatch.setattr(set_traps, "ENGINE_NODES", 20_000)
    with EngineProcess(STOCKFISH) as engine:
        *_, traps, baits = rows_of([set_by(BAIT, "e2e3"), set_by("e2e3")], engine)
    assert (traps, baits) == (("1", "2"), ("1", "3"))


def test_games_print_how_good_their_traps_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trapping, "LONGEST", 10)
    assert trapping.main(["games", "--people", "1500", "--games", "2", "--milliseconds", "60"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("Counted(points=0.5, moves=5, ") == 2
    assert "traps set with a bait among the 3 likeliest replies" in printed
