"""Length of a line that is shown: to where nothing is left to be taken, or to what it is about."""

from collections.abc import Sequence

import chess

from db.wording.evidence import BETTER, Evidence
from db.wording.facts import Facts, facts_of
from db.wording.stands import is_quiet
from trapcore.trees.chess_game import parse_position

LINE_PLIES = 5
"""Plies shown of a line that a search found, and of a long mate, if it is quiet then."""

MOST_PLIES = 9
"""Most plies shown if the line is not quiet before."""

MATE_PLIES = 7
"""A mate is shown to its end if its line is no longer."""


def shown_line(evidence: Evidence, facts: Facts | None = None) -> tuple[str, ...]:
    """The killer line in SAN, as far as it says something: what a search found for material is partly guesswork."""
    facts = facts or facts_of(evidence)
    if evidence.mate_in is not None:
        return facts.line if len(facts.line) <= MATE_PLIES else facts.line[:LINE_PLIES]
    if facts.perpetual is not None:
        return facts.line[: min(facts.perpetual, MOST_PLIES)]
    board = parse_position(evidence.fen)
    board.push_uci(evidence.bait)
    # Where nobody has the advantage a line may show that moves are repeated.
    is_level = evidence.after is not None and abs(evidence.after) < BETTER
    return rounded(board, facts.line if is_level else _without_repetition(board, facts.line))


def rounded(board: chess.Board, line: Sequence[str]) -> tuple[str, ...]:
    """A line (SAN, from the position of ``board``) to where a reader can judge it: after `LINE_PLIES`, or the first
    quiet position behind, at most `MOST_PLIES` away; without one to the first that is no check. A line that is no
    longer than `LINE_PLIES` ends where its search had seen enough."""
    board, end = board.copy(stack=False), None
    for count, san in enumerate(line[:MOST_PLIES], 1):
        board.push_san(san)
        if count < LINE_PLIES or board.is_check():
            continue
        if is_quiet(board) and not _promotes_next(board):
            return tuple(line[:count])
        end = end or count
    return tuple(line[: end or LINE_PLIES])


def _promotes_next(board: chess.Board) -> bool:
    """Whether a pawn of the side that is not to move stands one free step before its last rank."""
    step, rank = (8, chess.BB_RANK_7) if not board.turn else (-8, chess.BB_RANK_2)
    pawns = chess.SquareSet(board.pieces_mask(chess.PAWN, not board.turn) & rank)
    return any(board.piece_type_at(pawn + step) is None for pawn in pawns)


def _without_repetition(board: chess.Board, line: tuple[str, ...]) -> tuple[str, ...]:
    """The line until a position comes back."""
    board = board.copy(stack=False)
    seen = {board.epd()}
    for count, san in enumerate(line):
        board.push_san(san)
        if board.epd() in seen:
            return line[:count]
        seen.add(board.epd())
    return line
