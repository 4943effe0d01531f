"""Captures: what the better move does not leave, what is taken although it is guarded, and what simply can be taken."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import chess

from db.wording.effects.played import Effect
from db.wording.evidence import Evidence
from db.wording.material import board_at, keeps_what_it_takes, takes_with_profit
from db.wording.stands import (
    AS_GOOD,
    PIECE,
    POINT,
    Target,
    after_line,
    exchanges_of,
    gains_on,
    is_repaid,
    searched,
    taken_by,
)
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import win_chance


class Guarded(NamedTuple):
    """A capture of what is guarded, because to take back would be worse."""

    taken: Target
    taker: str
    """The move that takes back, SAN."""
    reply: str
    """What follows, SAN: a check or a capture."""


def left_behind(evidence: Evidence, before: chess.Board, best: chess.Move | None) -> Target | None:
    """The piece that the best move takes for nothing and that the killer line saves, or gives for one of as much worth;
    None without one. ``before`` is the position of both moves."""
    taken = None if best is None else taken_by(before, best)
    if best is None or taken is None or exchanges_of(before).get(best.uci(), 0) < PIECE:
        return None
    if not keeps_what_it_takes(evidence, before):
        return None
    board = board_at(evidence, 1)
    kind, square = taken
    victim = taken_by(board, chess.Move.from_uci(evidence.killer_line[0]))
    move = board.push_uci(evidence.killer_line[0])
    if victim is not None and victim[0] != chess.PAWN:
        # What it takes is the reason, unless the piece that was left gives itself for it.
        return taken if move.from_square == square and POINTS[victim[0]] >= POINTS[kind] else None
    # A piece that goes away is followed to where it goes.
    square = move.to_square if move.from_square == square else square
    if board.color_at(square) != (not before.turn) or board.piece_type_at(square) != kind:
        return None
    return None if gains_on(board).get(square, 0) >= PIECE else taken


def guarded_capture(board: chess.Board, uci: str, chance: float | None) -> Guarded | None:
    """That a move takes something that is guarded by less, because what follows on taking back makes up for that.

    ``chance`` is the win chance of who makes it, -1..1, with this move.
    """
    taken, piece = taken_by(board, chess.Move.from_uci(uci)), board.piece_type_at(chess.parse_square(uci[:2]))
    if taken is None or piece is None or chance is None or exchanges_of(board)[uci] > -POINT:
        return None
    after = after_line(board, (uci,))
    takers = [move.uci() for move in after.legal_moves if move.to_square == taken[1]]
    found = searched(after, only=takers) if takers else None
    if found is None or len(found.line) <= 1 or -win_chance(found.value) < chance - AS_GOOD:
        return None
    back = after.san(after.parse_uci(found.line[0]))
    after.push_uci(found.line[0])
    reply = after.parse_uci(found.line[1])
    won = taken_by(after, reply)
    worth = POINTS[taken[0]] - POINTS[piece] + (0 if won is None else POINTS[won[0]])
    san = after.san(reply)
    return Guarded(taken, back, san) if worth >= 0 or san.endswith("#") else None


@lru_cache(maxsize=4096)
def simplest(evidence: Evidence) -> Evidence:
    """The same with the capture of the piece that has moved as the killer, if it wins that piece, and is as good as a
    killer that does something else first."""
    if evidence.mate_in is not None or evidence.after is None or not evidence.killer_line:
        return evidence
    square, board = evidence.bait[2:4], board_at(evidence, 1)
    if taken_by(parse_position(evidence.fen), chess.Move.from_uci(evidence.bait)) is not None:
        return evidence  # it may have been taken back
    gains = {uci: gain for uci, gain in exchanges_of(board).items() if uci[2:4] == square}
    capture = max(gains, key=lambda uci: gains[uci], default="")
    if not capture or gains[capture] < PIECE or evidence.killer_line[0][2:4] == square:
        return evidence
    found = searched(board, only=(capture,))
    is_as_good = win_chance(found.value) >= -evidence.after - AS_GOOD / 2 and not is_repaid(board, found.line)
    return replace(evidence, killer_line=found.line) if is_as_good else evidence


def takes_back(evidence: Evidence) -> bool:
    """Whether the losing move takes a piece, and the answer takes back."""
    board = parse_position(evidence.fen)
    takes = board.is_capture(board.parse_uci(evidence.bait))
    return takes and evidence.killer_line[0][2:4] == evidence.bait[2:4]


def takes_wrong(evidence: Evidence) -> bool:
    """Whether the best move takes on the same square with another piece."""
    board = parse_position(evidence.fen)
    if evidence.best is None or evidence.best[2:4] != evidence.bait[2:4] or evidence.best[:2] == evidence.bait[:2]:
        return False
    return board.is_capture(board.parse_uci(evidence.best)) and board.is_capture(board.parse_uci(evidence.bait))


def told_first(evidence: Evidence, ply: int, effect: Effect) -> tuple[int, Effect]:
    """An effect of the killer line and its ply, from 1; in place of an attack that comes later what the answer takes
    with profit, unless it takes back."""
    board, killer = board_at(evidence, 1), evidence.killer_line[0]
    taken = taken_by(board, chess.Move.from_uci(killer))
    is_first = ply > 1 and effect.is_single and not takes_back(evidence) and takes_with_profit(board, killer)
    if taken is None or not is_first or is_repaid(board, evidence.killer_line):
        return ply, effect
    return 1, Effect("take", (taken,))


def wins_piece(evidence: Evidence) -> bool:
    """Whether exchanges on the square of the answer win a piece."""
    return exchanges_of(board_at(evidence, 1)).get(evidence.killer_line[0], 0) >= PIECE
