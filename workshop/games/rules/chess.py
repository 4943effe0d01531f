"""Chess as a bundled game."""

from dataclasses import dataclass

import chess

from trapcore.trees.chess_game import ChessGame, Labels, parse_position


@dataclass(frozen=True, slots=True)
class Chess(ChessGame):
    """Chess with its first position and its notation."""

    @property
    def name(self) -> str:
        """``chess``."""
        return "chess"

    @property
    def labelling(self) -> str:
        """``from-to, 8x8`` for UCI, which Breakthrough on this board shares, or ``SAN``."""
        return "from-to, 8x8" if self.labels is Labels.UCI else "SAN"

    def start(self) -> chess.Board:
        """The first position of a game."""
        return chess.Board()

    def parse(self, text: str) -> chess.Board:
        """`parse_position`: the position of a FEN or EPD; raises ``PositionError``."""
        return parse_position(text)

    def text(self, position: chess.Board) -> str:
        """The FEN of the position."""
        return position.fen()
