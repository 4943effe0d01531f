"""An answer that was told beside a losing move is not told again beside the next one."""

from dataclasses import replace
from typing import Any

import chess
import pytest

from db.traps.terms import Event
from tests.annotator.comments.test_telling import text_of
from tests.support.told_events import after, gain


def test_an_answer_without_a_reason_is_not_called_the_same() -> None:
    first = gain(Event.FELL, killer_line=("h7h5",), killer_line_san=("h5",))
    text = text_of(first, after(first, "a7a6", "e2e3"))
    assert "Gives Black the advantage: 7...h5." in text
    assert "Still" not in text


@pytest.mark.parametrize(
    ("best", "expected"),
    [
        (("f6d5", "Nxd5"), "Black misses 6...Nxd5, winning the knight (55 % -> 20 %)."),
        (("h7h6", "h6"), "6...h6 attacks the bishop on g5 (55 % -> 20 %)."),
    ],
)
def test_the_answer_that_was_just_told_is_not_told_as_the_better_move(best: tuple[str, str], expected: str) -> None:
    """The move that loses is answered by one that loses as well; the right answer stands beside the first one."""
    first = gain(Event.FELL)
    board = chess.Board(first.fen)
    board.push_uci(first.bait)
    answer = gain(
        Event.FELL, ply=first.ply + 1, trap_ply=first.ply + 1, fen=board.fen(), mover="black", bait="a7a6",
        bait_san="a6", killer_line=("d5f6",), killer_line_san=("Nxf6+",), best=best[0], best_san=best[1],
        best_line_san=(best[1],),
    )  # fmt: skip
    assert expected in text_of(first, answer)


def test_who_stands_worse_with_the_right_answer_misses_no_chance() -> None:
    first = gain(Event.FELL)
    board = chess.Board(first.fen)
    board.push_uci(first.bait)
    slip: dict[str, Any] = {"ply": first.ply + 1, "trap_ply": first.ply + 1, "fen": board.fen(), "mover": "black"}
    answer = gain(
        Event.FELL, **slip, bait="a7a6", bait_san="a6", killer_line=("h2h3",), killer_line_san=("h3",),
        best="f6d5", best_san="Nxd5", best_line_san=("Nxd5",), before=-0.3, after=-0.7,
    )  # fmt: skip
    assert "{ 6...Nxd5 takes the knight on d5 (35 % -> 15 %). }" in text_of(first, answer)
    missed = gain(Event.MISSED, before=0.6, after=0.3, played_loss=0.4)
    assert "{ 6...Nxd5 wins the knight (35 % -> 15 %). }" in text_of(first, missed)


def test_what_loses_to_the_same_fork_is_told_as_the_same() -> None:
    """With the second move material is lost, too; the reason stays the fork."""
    fen = "r1bqk2r/p3ppbp/2p2np1/3p4/4P3/2NBB3/PPP2PPP/R2QK2R w KQkq - 0 9"
    later = "r1bq1rk1/p3ppbp/2p2np1/3p4/4P3/2NBBP2/PPP3PP/R2QK2R w KQ - 1 10"
    fork: dict[str, Any] = {"mover": "white", "best": "e4d5", "best_san": "exd5", "best_line_san": ("exd5",)}
    first = gain(
        Event.FELL, **fork, ply=17, trap_ply=17, number=9, fen=fen, bait="f2f3", bait_san="f3",
        killer_line=("d5d4", "e4e5", "f6h5"), killer_line_san=("d4", "e5", "Nh5"),
    )  # fmt: skip
    second = gain(
        Event.FELL, **fork, ply=19, trap_ply=19, number=10, fen=later, bait="d1e2", bait_san="Qe2",
        killer_line=("d5d4", "e4e5", "f6e8", "e3d2", "d4c3", "d2c3", "d8b6"),
        killer_line_san=("d4", "e5", "Ne8", "Bd2", "dxc3", "Bxc3", "Qb6"), after=-0.58,
    )  # fmt: skip
    text = text_of(first, second)
    assert "9...d4, which forks knight and bishop" in text
    assert "Still allows 10...d4." in text


def test_a_move_that_only_misses_the_answer_that_was_just_told_needs_no_other_reason() -> None:
    first = gain(Event.FELL)
    board = chess.Board(first.fen)
    board.push_uci(first.bait)
    answer = gain(
        Event.FELL, ply=first.ply + 1, trap_ply=first.ply + 1, fen=board.fen(), mover="black", bait="a7a6",
        bait_san="a6", killer_line=("h2h3",), killer_line_san=("h3",), best="f6d5", best_san="Nxd5",
        best_line_san=("Nxd5",),
    )  # fmt: skip
    text = text_of(first, answer)
    assert "Black misses 6...Nxd5, winning the knight (55 % -> 20 %)." in text
    assert "6...a6" not in text
    # What was not told there is told where it is missed.
    missed = replace(
        answer, event=Event.MISSED, ply=answer.ply + 1, mover="white", number=7,
        played="e3", played_loss=0.0,
    )  # fmt: skip
    assert "White misses 7.h3." in text_of(first, answer, missed)


def test_a_check_that_was_a_mate_before_is_not_the_same_now() -> None:
    unexplained: dict[str, Any] = {"killer_line": ("d7b6",), "killer_line_san": ("Nb6",)}
    mated = gain(Event.FELL, **unexplained, proof=replace(gain(Event.FELL).proof, mate_in=1), after=-1.0)
    elsewhere = mated.fen.replace("/PP2PPPP/", "/P3PPPP/", 1)
    text = text_of(mated, gain(Event.FELL, **unexplained, ply=13, trap_ply=13, number=7, fen=elsewhere))
    assert "Allows mate" in text
    assert "till allows" not in text
