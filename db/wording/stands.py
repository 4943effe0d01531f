"""Pieces that stand after each move of a line, what the sides have lost by then, and what a search finds there."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import chess

from trapcore import _native
from trapcore.parallel.budget import Budget
from trapcore.piece_values import POINTS
from trapcore.proof.search import SearchResult, search

LAST_PLY = 9
"""What the line does after so many plies is not examined: it is not shown, and little of it is forced."""

_THREATENED_MATE = 3  # moves to a mate that threatens
_NODES = 20_000  # of a search, unless it is asked for with others

POINT = 100  # centipawns, as exchanges count them; an exchange that wins less counts for nothing

AS_GOOD = 0.1
"""Win chance by which searches of two moves differ at most that are as good as each other."""

PIECE = 170
"""Centipawns that the capture of a piece wins at least: a rook for a bishop."""

Target = tuple[chess.PieceType, chess.Square]
"""A piece, and where it stands."""

Counts = Counter[chess.PieceType]


@dataclass(frozen=True, slots=True)
class Stand:
    """Material at one ply of a line."""

    ply: int
    lost: Counts
    gained: Counts
    is_quiet: bool

    @property
    def worth(self) -> float:
        """Points that are lost."""
        return points_of(self.lost) - points_of(self.gained)


def is_quiet(board: chess.Board) -> bool:
    """Whether the side to move is not in check and has nothing to take with profit."""
    return not board.is_check() and best_exchange(board)[1] < POINT


def best_exchange(board: chess.Board) -> tuple[str, int]:
    """The capture (UCI) by which the side to move wins most, and that in centipawns; empty and 0 without one."""
    return max(exchanges_of(board).items(), key=lambda exchange: exchange[1], default=("", 0))


def exchanges_of(board: chess.Board) -> Mapping[str, int]:
    """Each move (UCI) with the centipawns that the legal captures on its square win."""
    return _exchanges(board.fen())


@lru_cache(maxsize=4096)
def _exchanges(fen: str) -> Mapping[str, int]:
    return dict(_native.exchanges(fen))


def gains_on(board: chess.Board) -> dict[chess.Square, int]:
    """The most that a capture on each square wins for the side to move, centipawns."""
    found: dict[chess.Square, int] = {}
    for uci, gain in exchanges_of(board).items():
        square = chess.parse_square(uci[2:4])
        found[square] = max(gain, found.get(square, gain))
    return found


def taken_by(board: chess.Board, move: chess.Move) -> Target | None:
    """What a move takes, and where; None also of a pawn that is taken en passant."""
    kind = board.piece_type_at(move.to_square)
    return None if kind is None or not board.is_capture(move) else (kind, move.to_square)


def is_taken_at_once(line: Sequence[str]) -> bool:
    """Whether the second move of a line (UCI) takes the piece that the first one has moved."""
    return len(line) > 1 and line[1][2:4] == line[0][2:4]


def is_repaid(board: chess.Board, line: Sequence[str]) -> bool:
    """Whether the first move of a line (UCI) takes something, and the second takes at least as much elsewhere."""
    taken, answered = taken_by(board, chess.Move.from_uci(line[0])), after_line(board, line[:1])
    reply = taken_by(answered, answered.parse_uci(line[1])) if line[1:] else None
    if taken is None or reply is None or reply[1] == taken[1]:
        return False
    return POINTS[reply[0]] >= POINTS[taken[0]]


def after_line(board: chess.Board, line: Sequence[str]) -> chess.Board:
    """The position after a line (UCI)."""
    board = board.copy(stack=False)
    for uci in line:
        board.push_uci(uci)
    return board


def points_of(counts: Counts) -> float:
    """Points of these pieces."""
    return sum(POINTS[kind] * count for kind, count in counts.items())


def counts_of(board: chess.Board) -> dict[chess.Color, Counts]:
    """The pieces of both sides."""
    return {side: Counter({kind: len(board.pieces(kind, side)) for kind in chess.PIECE_TYPES}) for side in chess.COLORS}


def stands_of(
    start: dict[chess.Color, Counts], board: chess.Board, line: Sequence[str], victim: chess.Color
) -> list[Stand]:
    """The plies of a line, from 1, after which the material counts, `LAST_PLY` at most.

    A promotion ends the counting, unless the new piece is taken at once: its later fate is seldom in the line.
    """
    board = board.copy(stack=False)
    found = []
    for ply, uci in enumerate(line[:LAST_PLY], 1):
        if board.push_uci(uci).promotion is not None:
            if line[ply : ply + 1] and line[ply][2:4] == uci[2:4]:
                continue
            break
        if not any(board.legal_moves):
            continue
        quiet = is_quiet(board)
        if quiet or (board.turn != victim and not board.is_check()):
            found.append(Stand(ply, *change(start, board, victim), quiet))
    return found


def mates_at_once(board: chess.Board) -> bool:
    """Whether the side to move has a mate in one."""
    for move in board.legal_moves:
        if board.gives_check(move):
            board.push(move)
            mates = board.is_checkmate()
            board.pop()
            if mates:
                return True
    return False


def continued(board: chess.Board, line: Sequence[str]) -> Sequence[str]:
    """The line (UCI) as far as it is examined, with what a search finds behind it where it is shorter."""
    if len(line) >= LAST_PLY:
        return line[:LAST_PLY]
    board = after_line(board, line)
    if not any(board.legal_moves):
        return line
    return (*line, *searched(board, _NODES // 2).line)[:LAST_PLY]


def searched(board: chess.Board, nodes: int = _NODES, only: Sequence[str] = ()) -> SearchResult:
    """A search of the position, by ``only`` these moves (UCI; empty for all). Several reasons ask for the same."""
    return _searched(board.fen(), nodes, tuple(only))


def searched_without(board: chess.Board, moves: Collection[str], nodes: int = _NODES) -> SearchResult | None:
    """The same by all moves but these (UCI); None if there is no other."""
    others = [move.uci() for move in board.legal_moves if move.uci() not in moves]
    return searched(board, nodes, others) if others else None


@lru_cache(maxsize=4096)
def _searched(fen: str, nodes: int, only: tuple[str, ...]) -> SearchResult:
    return search(fen, Budget(nodes=nodes), only=only)


def is_natural(board: chess.Board, reply: str) -> bool:
    """Whether the reply takes something for no more, answers a check or a threat of mate, or moves a piece that could
    be taken with profit."""
    move, idle = board.parse_uci(reply), after_pass(board)
    if idle is None or mates_at_once(idle):
        return True
    if board.is_capture(move) and exchanges_of(board)[reply] > -PIECE:
        return True
    return gains_on(idle).get(move.from_square, 0) >= POINT


def after_pass(board: chess.Board) -> chess.Board | None:
    """The position with the other side to move; None if the one that is to move is in check."""
    if board.is_check():
        return None
    board = board.copy(stack=False)
    board.push(chess.Move.null())
    return board


def mate_threatened(board: chess.Board) -> bool:
    """Whether the side that has just moved mates in three at most if the other one passes; not if it gives check."""
    idle = after_pass(board)
    mate_in = None if idle is None else searched(idle).mate_in
    return mate_in is not None and 0 < mate_in <= _THREATENED_MATE


def settled(board: chess.Board, line: Sequence[str]) -> Sequence[str]:
    """The line (UCI) to the first quiet position, at most `LAST_PLY` plies."""
    board = board.copy(stack=False)
    for ply, uci in enumerate(line[:LAST_PLY], 1):
        board.push_uci(uci)
        if is_quiet(board):
            return line[:ply]
    return line[:LAST_PLY]


def until_a_gift(board: chess.Board, line: Sequence[str]) -> int:
    """Plies of a line (UCI) before the first reply that gives something away which nothing attacked."""
    board = board.copy(stack=False)
    for ply, uci in enumerate(line):
        after, idle = after_line(board, (uci,)), after_pass(board)
        if ply % 2 == 1 and idle is not None and is_taken_at_once(line[ply : ply + 2]):
            took = taken_by(board, board.parse_uci(uci))
            paid = gains_on(after).get(chess.parse_square(uci[2:4]), 0) - (POINT * POINTS[took[0]] if took else 0)
            if paid >= POINT > gains_on(idle).get(chess.parse_square(uci[:2]), 0):
                return ply
        board = after
    return len(line)


def lasts(start: dict[chess.Color, Counts], before: chess.Board, line: Sequence[str], nodes: int) -> bool:
    """Whether a search of so many nodes finds nothing by which the other side gets back all that it loses by the line.

    ``start``: the pieces from which is counted.
    """
    end = after_line(before, line)
    stands = stands_of(start, end, searched(end, nodes).line, not before.turn)
    return all(each.worth >= 1 for each in stands if each.is_quiet)


def last_capture(board: chess.Board, line: Sequence[str], ply: int) -> int:
    """Ply of the line, at most ``ply``, with which the last of the material falls."""
    board = board.copy(stack=False)
    found = 1
    for count, uci in enumerate(line[:ply], 1):
        move = board.parse_uci(uci)
        if board.is_capture(move):
            found = count
        board.push(move)
    return found


def exchanged(board: chess.Board, line: Sequence[str], ply: int) -> int:
    """The ply of a capture, from 1, or two more where who takes is worth more, and is taken and taken back."""
    before, move = after_line(board, line[: ply - 1]), chess.Move.from_uci(line[ply - 1])
    taken, piece = taken_by(before, move), before.piece_type_at(move.from_square)
    is_taken_back = len(line) > ply + 1 and {uci[2:4] for uci in line[ply : ply + 2]} == {line[ply - 1][2:4]}
    is_more = taken is not None and piece is not None and POINTS[piece] > POINTS[taken[0]]
    return ply + 2 if is_taken_back and is_more else ply


def change(start: dict[chess.Color, Counts], board: chess.Board, victim: chess.Color) -> tuple[Counts, Counts]:
    """What the victim has lost since ``start``, and what the other side has, without what both have."""
    now = counts_of(board)
    lost, gained = (start[side] - now[side] for side in (victim, not victim))
    lost, gained = lost - gained, gained - lost
    minor = min(lost[chess.KNIGHT] + lost[chess.BISHOP], gained[chess.KNIGHT] + gained[chess.BISHOP])
    return _without_minor(lost, minor), _without_minor(gained, minor)


def _without_minor(counts: Counts, minor: int) -> Counts:
    """The counts without so many knights or bishops, which are worth the same."""
    counts = Counter(counts)
    for kind in (chess.KNIGHT, chess.BISHOP):
        gone = min(minor, counts[kind])
        counts[kind] -= gone
        minor -= gone
    return +counts
