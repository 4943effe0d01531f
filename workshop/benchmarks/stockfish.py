"""Where Stockfish is, for the tests, benchmarks and experiments that ask it, and Stockfish at limited strength."""

import chess
import chess.engine

from db.proof.engine_choice import installed_stockfish
from trapcore.engines.process import EngineProcess

STOCKFISH = installed_stockfish()
"""Path; None where it is not installed."""


class LimitedEngine:
    """A UCI engine of limited strength."""

    def __init__(self, engine: EngineProcess, rating: int, limit: chess.engine.Limit) -> None:
        """``limit`` is that of a move."""
        self._engine, self._limit = engine, limit
        engine.configure({"UCI_LimitStrength": True, "UCI_Elo": rating})

    def move(self, board: chess.Board) -> chess.Move:
        """What it plays."""
        return self._engine.play(board, self._limit, game=self)[0]
