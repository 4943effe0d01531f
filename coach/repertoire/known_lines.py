"""The ways to the proved traps of the library."""

from collections import defaultdict
from collections.abc import Iterable

import chess

from db.traps.trap import Trap
from trapcore import _native
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position


class KnownLines:
    """Moves from the usual beginning to the baits of traps, by position; also where moves were transposed."""

    def __init__(self, traps: Iterable[Trap], color: str) -> None:
        """The proved ones of these that ``color`` sets and that were reached from the beginning."""
        self._moves: defaultdict[bytes, list[str]] = defaultdict(list)
        for trap in traps:
            if trap.verdict is Verdict.PROVED and trap.moves is not None and trap.victim != color:
                self._add(trap)

    def _add(self, trap: Trap) -> None:
        assert trap.moves is not None
        board = chess.Board()
        for word in trap.moves.split():
            if not word.rstrip(".").isdecimal():
                self._push(board, board.parse_san(word))
        self._push(board, parse_position(trap.epd).parse_uci(trap.bait))

    def _push(self, board: chess.Board, move: chess.Move) -> None:
        here = self._moves[_native.position_key(board.fen())]
        if move.uci() not in here:
            here.append(move.uci())
        board.push(move)

    def moves(self, board: chess.Board) -> list[str]:
        """UCI of the moves of these lines in a position; none of most."""
        return self.moves_at(_native.position_key(board.fen()))

    def moves_at(self, key: bytes) -> list[str]:
        """The same in the position with this key."""
        return self._moves.get(key, [])
