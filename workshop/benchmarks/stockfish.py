"""Where Stockfish is, for the tests, benchmarks and experiments that ask it, and Stockfish at limited strength."""

import chess
import chess.engine

from db.proof.engine_choice import installed_stockfish
from trapcore.engines.process import EngineProcess

STOCKFISH = installed_stockfish()
"""Path; None where it is not installed."""


class LimitedEngine:
    """A UCI engine of limited strength."""

    def __init__(self, engine: EngineProcess, rating: int, milliseconds: int) -> None:
        self._engine, self._limit = engine, chess.engine.Limit(time=milliseconds / 1000)
        engine.configure({"UCI_LimitStrength": True, "UCI_Elo": rating})

    def move(self, board: chess.Board) -> chess.Move:
        """What it plays."""
        return self._engine.play(board, self._limit, game=self)[0]
