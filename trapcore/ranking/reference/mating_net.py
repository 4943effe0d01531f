"""How a king stands mated: what gives the mate, and what keeps the king from each square beside it."""

from dataclasses import dataclass
from itertools import product

import chess

from trapcore.ranking.reference.scene import NOTHING, Offset, View, king_of


@dataclass(frozen=True)
class Kept:
    """What keeps the king from a square beside it."""

    offset: Offset
    own: int
    """A piece of its own, `NOTHING` if none stands there."""
    covered: frozenset[chess.PieceType]
    """The enemy pieces that cover it; none where a piece of its own stands."""


@dataclass(frozen=True)
class MatingNet:
    """A mate at a glance, on the turned board."""

    checkers: frozenset[tuple[chess.PieceType, Offset]]
    """Each checking piece, and where it stands from the king."""
    edges: tuple[bool, bool, bool]
    """Does the king stand on the far rank, on the outer file, on the near rank?"""
    squares: tuple[Kept, ...]
    """The squares beside the king that are on the board."""

    @property
    def hunters(self) -> frozenset[chess.PieceType]:
        """All pieces that mate or cover."""
        return frozenset(role for role, _ in self.checkers).union(*(kept.covered for kept in self.squares))


def mating_net(board: chess.Board) -> MatingNet | None:
    """How the king of the side to move stands mated; None if it is not."""
    if not board.is_checkmate():
        return None
    victim, attacker = board.turn, not board.turn
    king = king_of(board, victim)
    view = View.of(board, attacker)
    at = view.square(king)
    checkers = frozenset((board.piece_type_at(s) or NOTHING, view.offset(king, s)) for s in board.checkers())
    # The king hides nothing behind it from the pieces that attack it.
    behind = board.occupied & ~chess.BB_SQUARES[king]

    def kept(files: int, ranks: int) -> Kept:
        square = view.square(at + files + 8 * ranks)
        if board.color_at(square) == victim:
            return Kept((files, ranks), board.piece_type_at(square) or NOTHING, frozenset())
        covering = chess.SquareSet(board.attackers_mask(attacker, square, behind))
        return Kept((files, ranks), NOTHING, frozenset(board.piece_type_at(s) or NOTHING for s in covering))

    file, rank = chess.square_file(at), chess.square_rank(at)
    steps = [
        (files, ranks)
        for files, ranks in product((-1, 0, 1), repeat=2)
        if (files, ranks) != (0, 0) and 0 <= file + files <= 7 and 0 <= rank + ranks <= 7
    ]
    return MatingNet(checkers, (rank == 7, file == 7, rank == 0), tuple(kept(*step) for step in steps))
