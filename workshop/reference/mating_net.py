"""Mating nets: what gives the mate, and what keeps the king from each square beside it."""

from dataclasses import dataclass
from itertools import product

import chess

from workshop.reference.attacker_view import NOTHING, Offset, Orientation, king_of


@dataclass(frozen=True)
class CoveredSquare:
    """Square beside the king, and what keeps the king from it."""

    offset: Offset
    own: int
    """A piece of its own, `NOTHING` if none stands there."""
    covered: frozenset[chess.PieceType]
    """The enemy pieces that cover it; none where a piece of its own stands."""


@dataclass(frozen=True)
class MatingNet:
    """Mating net of a king, on the turned board."""

    checkers: frozenset[tuple[chess.PieceType, Offset]]
    """Each checking piece, and where it stands from the king."""
    edges: tuple[bool, bool, bool]
    """Does the king stand on the far rank, on the outer file, on the near rank?"""
    squares: tuple[CoveredSquare, ...]
    """The squares beside the king that are on the board."""

    @property
    def mating_attackers(self) -> frozenset[chess.PieceType]:
        """All pieces that mate or cover."""
        return frozenset(role for role, _ in self.checkers).union(*(square.covered for square in self.squares))


def mating_net(board: chess.Board) -> MatingNet | None:
    """How the king of the side to move stands mated; None if it is not."""
    if not board.is_checkmate():
        return None
    victim, attacker = board.turn, not board.turn
    king = king_of(board, victim)
    orientation = Orientation.of(board, attacker)
    at = orientation.square(king)
    checkers = frozenset((board.piece_type_at(s) or NOTHING, orientation.offset(king, s)) for s in board.checkers())
    # The king hides nothing behind it from the pieces that attack it.
    behind = board.occupied & ~chess.BB_SQUARES[king]

    def square_beside(files: int, ranks: int) -> CoveredSquare:
        square = orientation.square(at + files + 8 * ranks)
        if board.color_at(square) == victim:
            return CoveredSquare((files, ranks), board.piece_type_at(square) or NOTHING, frozenset())
        covering = chess.SquareSet(board.attackers_mask(attacker, square, behind))
        return CoveredSquare((files, ranks), NOTHING, frozenset(board.piece_type_at(s) or NOTHING for s in covering))

    file, rank = chess.square_file(at), chess.square_rank(at)
    steps = [
        (files, ranks)
        for files, ranks in product((-1, 0, 1), repeat=2)
        if (files, ranks) != (0, 0) and 0 <= file + files <= 7 and 0 <= rank + ranks <= 7
    ]
    return MatingNet(checkers, (rank == 7, file == 7, rank == 0), tuple(square_beside(*step) for step in steps))
