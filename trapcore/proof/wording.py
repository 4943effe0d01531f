"""A trap test shown to people: the board, how the bait ranks by depth, and why it loses, in words and SAN."""

from collections.abc import Sequence

import chess

from trapcore.errors import PositionError
from trapcore.proof.trap_test import BaitTest, rank_profile
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position

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
    if test.verdict is Verdict.REFUTED:
        return f"{bait} is no bait: it costs {test.loss:.2f} of win chance, less than .3"
    if test.verdict is Verdict.UNDECIDED:
        return (
            f"{bait} is undecided: it seems to cost {test.loss:.2f} of win chance, which did not stand at every depth"
        )
    line = _line(board, test)
    how = f"mate in {test.mate_in}" if test.mate_in is not None else f"costs {test.loss:.2f} of win chance"
    tempting = "" if test.tempts else "; it loses, but tempts nobody"
    return f"{bait}? loses ({how}): {line}{tempting}"


def explained(fen: str, tests: Sequence[BaitTest]) -> str:
    """The board and, for each test, its sentence, the rank of the move by depth as a plot, and what was better."""
    board = parse_position(fen)
    side = "White" if board.turn else "Black"
    parts = [str(board), "", f"{side} to move."]
    if not tests:
        parts.append("No move that tempts was proved to lose.")
    for test in tests:
        parts += ["", sentence(fen, test)]
        if test.best is not None:
            parts.append(f"{side} had better: {board.san(board.parse_uci(test.best))}.")
        if test.verdict is Verdict.PROVED:
            other = "Black" if board.turn else "White"
            after = board.copy(stack=False)
            after.push_uci(test.bait)
            parts.append(f"{other} has to find {after.san(after.parse_uci(test.killer_line[0]))}.")
        parts += ["", *_plot(fen, test.bait)]
    return "\n".join(parts)


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
