"""A move of a line with what it does, and what is read off the positions around it."""

from dataclasses import dataclass, replace
from typing import Self

import chess

from db.wording.stands import POINT, Target, exchanges_of, gains_on


@dataclass(frozen=True, slots=True)
class Effect:
    """What a move does."""

    does: str
    """One of `EFFECTS`."""
    targets: tuple[Target, ...] = ()
    """Pieces that it acts on, and where they stand, the most valuable first."""
    square: chess.Square | None = None
    """The square, or a square of the file, that it is about; of a knight that goes away the only safe one."""
    drives: bool = False
    """The piece that it attacks goes away at once."""
    pinned: bool = False
    """The single piece that it attacks may not go away, or another one behind it falls."""

    @property
    def is_single(self) -> bool:
        """Whether it is an attack on a single piece, which may go away."""
        return self.does == "attack" and len(self.targets) == 1

    @property
    def on_pieces(self) -> Self:
        """The same without the pawns that it acts on beside pieces."""
        pieces = tuple(each for each in self.targets if each[0] != chess.PAWN)
        return replace(self, targets=pieces or self.targets)


@dataclass(frozen=True, slots=True)
class Played:
    """A move of a line, with the positions around it."""

    before: chess.Board
    after: chess.Board
    move: chess.Move
    line: tuple[str, ...]
    """UCI: what follows."""
    half_move: int
    """As `db.wording.moves.line` takes it."""

    @property
    def own(self) -> chess.Color:
        """The side that moves."""
        return self.before.turn

    @property
    def piece(self) -> chess.PieceType:
        """The piece that moves."""
        kind = self.before.piece_type_at(self.move.from_square)
        assert kind is not None
        return kind

    @property
    def reply(self) -> chess.Move | None:
        """The next move of the line."""
        return chess.Move.from_uci(self.line[0]) if self.line else None


def gain(played: Played) -> int:
    """What the move wins by exchanges on its square, centipawns."""
    return exchanges_of(played.before).get(played.move.uci(), 0)


def can_be_taken(board: chess.Board, square: chess.Square) -> bool:
    """Whether the side to move can take what stands there with profit."""
    return gains_on(board).get(square, 0) >= POINT
