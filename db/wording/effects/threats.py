"""What a move threatens to do next, by a search of the position after a pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import chess

from db.wording.evidence import Evidence
from db.wording.material import best_moves, board_at, lost_points, passed, takes_with_profit
from db.wording.stands import POINT, Target, after_line, after_pass, mate_threatened, searched, settled, taken_by
from trapcore.trees.chess_game import parse_position

_NODES = 8_000  # of a search of a threat that is carried out at once
_LATER, _LATEST = 3, 5  # plies of a line, from 1, in which a later move threatens
_THREATENED = 2  # points that a threat wins at least


@dataclass(frozen=True, slots=True)
class Threat:
    """What a move threatens."""

    san: str
    """The next move of its side, if the other one passed."""
    uci: str
    """The same."""
    attacked: Target | None
    """The piece that it takes, no pawn, if that is done by the piece that has moved."""
    mates: bool
    """It is the first move of a mate in three at most."""


@lru_cache(maxsize=4096)
def threat_of(fen: str) -> tuple[str, int] | None:
    """What the side that has just moved threatens in this position (UCI), and what that is worth, centipawns: mate in
    three, or a capture or a check that wins two points more than the position is worth; None without one, or in check.
    """
    board = parse_position(fen)
    idle = after_pass(board)
    found = None if idle is None else searched(idle)
    if idle is None or found is None or not found.line:
        return None
    move = idle.parse_uci(found.line[0])
    if not (idle.is_capture(move) or idle.gives_check(move) or move.promotion):
        return None
    if mate_threatened(board):
        return found.line[0], found.value
    now = -searched(board).value
    wins = -lost_points(idle, settled(idle, found.line))
    is_threat = wins >= _THREATENED and found.value - now >= POINT * _THREATENED
    return (found.line[0], found.value) if is_threat else None


def answer_threatens(evidence: Evidence, *, besides: bool = False) -> Threat | None:
    """What the answer to a losing move threatens; with ``besides`` also while it takes something else."""
    return None if evidence.mate_in is not None else _new_threat(evidence, 1, besides=besides)


def later_threat(evidence: Evidence) -> tuple[int, Threat] | None:
    """The first move of the killer line, not the answer, that threatens something, by its ply from 1; else None."""
    if evidence.mate_in is not None:
        return None
    for ply in range(_LATER, min(_LATEST, len(evidence.killer_line) - 1) + 1, 2):
        if (found := _new_threat(evidence, ply)) is not None:
            return ply, found
    return None


def _new_threat(evidence: Evidence, ply: int, *, besides: bool = False) -> Threat | None:
    """What the move of the killer line at this ply, from 1, threatens; nothing that could be taken before the bait."""
    found, idle = _threat(board_at(evidence, ply), evidence.killer_line[ply - 1 :], besides=besides), passed(evidence)
    return None if found is not None and idle is not None and _takes(idle, found.uci) else found


def best_threatens(evidence: Evidence) -> Threat | None:
    """What the best move threatens that the losing move does not threaten; not that move itself."""
    line, before = best_moves(evidence), parse_position(evidence.fen)
    if not line or evidence.mate_in is not None:
        return None
    best, played = _threat(before, line), _threat(before, (evidence.bait,))
    if best is None or best.uci == evidence.bait or _takes_after_pass(board_at(evidence, 1), best.uci):
        return None
    return None if played is not None and best.uci == played.uci else best


def _takes_after_pass(board: chess.Board, uci: str) -> bool:
    """Whether the side that has just moved takes something with profit by this move if the other one passes."""
    idle = after_pass(board)
    return idle is not None and _takes(idle, uci)


def _takes(board: chess.Board, uci: str) -> bool:
    return board.is_legal(chess.Move.from_uci(uci)) and takes_with_profit(board, uci)


def _threat(board: chess.Board, line: Sequence[str], *, besides: bool = False) -> Threat | None:
    """What the first move of the line threatens that would have won less at once. Of a move that takes something, only
    what its own piece attacks, unless ``besides`` is true. Trades are left out."""
    move, after = board.parse_uci(line[0]), after_line(board, line[:1])
    if not _stays(after, move, line[1:]):
        return None
    found = threat_of(after.fen())
    if found is None:
        return None
    threat, value = found
    if board.is_legal(chess.Move.from_uci(threat)):
        at_once = searched(board, _NODES, (threat,)).value
        if at_once > value - POINT * _THREATENED:
            return None
    taker, target = chess.parse_square(threat[:2]), chess.parse_square(threat[2:4])
    if after.piece_type_at(taker) == after.piece_type_at(target):
        return None  # the other side may take first
    mates = mate_threatened(after)
    after.push(chess.Move.null())
    taken = taken_by(after, after.parse_uci(threat))
    by_itself = taken is not None and taken[0] != chess.PAWN and taker == move.to_square
    if board.is_capture(move) and not (by_itself or besides):
        return None
    return Threat(after.san(after.parse_uci(threat)), threat, taken if by_itself else None, mates)


def _stays(after: chess.Board, move: chess.Move, line: Sequence[str]) -> bool:
    """Whether the piece that has moved is not taken, or is a pawn that is taken back."""
    if not line or line[0][2:4] != chess.square_name(move.to_square):
        return True
    is_pawn = after.piece_type_at(move.to_square) == chess.PAWN
    return is_pawn and len(line) > 1 and line[1][2:4] == line[0][2:4]
