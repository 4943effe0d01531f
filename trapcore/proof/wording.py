"""A trap test shown to people: the board, how the bait ranks by depth, and why it loses, in words and SAN."""

from collections.abc import Sequence

import chess

from trapcore.errors import PositionError
from trapcore.proof.trap_test import BaitTest, rank_profile
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER

_BAR = 30  # columns for the worst rank of a plot


def read_move(fen: str, text: str) -> str:
    """A move written in SAN or UCI, as UCI. Raises `PositionError` for a move that is not legal."""
    board = parse_position(fen)
    for read in (board.parse_san, board.parse_uci):
        try:
            return board.uci(read(text))
        except ValueError:
            continue
    raise PositionError(f"{text} is not a legal move in {fen}", fen)


def sentence(fen: str, test: BaitTest) -> str:
    """One line: what the move is, what it costs, and how; nothing that was not proved."""
    board = parse_position(fen)
    bait = board.san(board.parse_uci(test.bait))
    if test.forced:
        return _forced(board, bait, test)
    if test.verdict is Verdict.REFUTED:
        costs = f"{_percent(test.loss)} of win chance, less than {_percent(BLUNDER)}" if test.loss > 0 else "nothing"
        return f"{bait} is no bait: it costs {costs}"
    if test.verdict is Verdict.UNDECIDED:
        costs = f"{_percent(test.loss)} of win chance"
        return f"{bait} is undecided: it seems to cost {costs}, which did not stand at every depth"
    line = _line(board, test)
    how = f"mate in {test.mate_in}" if test.mate_in is not None else f"costs {_percent(test.loss)} of win chance"
    tempting = "" if test.tempts else "; it loses, but tempts nobody"
    return f"{bait}? loses ({how}): {line}{tempting}"


def _percent(loss: float) -> str:
    """A loss of win chance, 0..2, as people read it: of 0 to 100 %."""
    return f"{50 * loss:.0f} %"


def explained(fen: str, tests: Sequence[BaitTest], best: str | None = None) -> str:
    """The board and, for each test, its sentence, the best move, and the rank of the move by depth as a plot.

    ``best`` (UCI) is the best move of the position, which is named where there is no test to name it.
    """
    board = parse_position(fen)
    side = "White" if board.turn else "Black"
    parts = [str(board), "", f"{side} to move."]
    if not tests:
        parts.append("No move that tempts was proved to lose.")
        if best is not None:
            parts.append(f"The best move is {board.san(board.parse_uci(best))}.")
    for test in tests:
        parts += ["", sentence(fen, test)]
        parts += _best(board, side, test)
        if test.verdict is Verdict.PROVED:
            other = "Black" if board.turn else "White"
            after = board.copy(stack=False)
            after.push_uci(test.bait)
            parts.append(f"{other} has to find {after.san(after.parse_uci(test.killer_line[0]))}.")
        parts += ["", *_plot(fen, test.bait)]
    return "\n".join(parts)


def _forced(board: chess.Board, move: str, test: BaitTest) -> str:
    """The sentence about the only legal move."""
    if test.verdict is not Verdict.PROVED:
        known = "loses nothing that was seen" if test.verdict is Verdict.REFUTED else "what follows is undecided"
        return f"{move} is the only legal move, so no bait: {known}"
    how = f"mate in {test.mate_in}" if test.mate_in is not None else "lost"
    return f"{move} is the only legal move, so no bait: {how} without a choice: {_line(board, test)}"


def _best(board: chess.Board, side: str, test: BaitTest) -> list[str]:
    """Which move is the best, the one that was asked about included; nothing where no depth compares them."""
    if test.best is None or (not test.depths and test.mate_in is None):
        return []
    bait, other = (board.san(board.parse_uci(move)) for move in (test.bait, test.best))
    if test.verdict is Verdict.PROVED:
        return [f"{side} had better: {other}."]
    if test.loss > 0:
        return [f"The best move is {other}."]
    return [f"{bait} is the best move; the next is {other}." if test.loss < 0 else f"{bait} is as good as {other}."]


def _line(board: chess.Board, test: BaitTest) -> str:
    after = board.copy(stack=False)
    after.push_uci(test.bait)
    return after.variation_san([chess.Move.from_uci(move) for move in test.killer_line])


def _plot(fen: str, bait: str) -> list[str]:
    """Rank by depth: a long bar is a bad rank, so a bait begins short and ends long."""
    rows = rank_profile(fen, bait)
    worst = max(row.rank for row in rows)
    lines = ["depth  rank by a search of so many plies (0: at first sight)"]
    for row in rows:
        bar = "█" * max(1, round(row.rank * _BAR / max(worst, 2)))
        lines.append(f"{row.depth:>5}  {row.rank:>4} {bar}")
    return lines
