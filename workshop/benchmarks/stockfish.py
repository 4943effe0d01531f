"""Where Stockfish is, for the tests, benchmarks and experiments that ask it, what it says of a move, and Stockfish at
limited strength."""

from dataclasses import dataclass

import chess
import chess.engine

from db.proof.engine_choice import installed_stockfish
from trapcore.engines.process import EngineProcess
from trapcore.engines.uci_engine import chance_of

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


@dataclass(frozen=True)
class Opinion:
    """What an engine says of a move."""

    best: str
    """Value of the best other move for the player, as the engine says it."""
    bait: str
    loss: float
    """Win chance, -2..2."""


def opinion_of(engine: EngineProcess, fen: str, move: str, nodes: int) -> Opinion:
    """What an engine says of a move (UCI), with so many nodes for it and for the best other move."""
    board = chess.Board(fen)
    bait = chess.Move.from_uci(move)
    others = [other for other in board.legal_moves if other != bait]
    limit, info = chess.engine.Limit(nodes=nodes), chess.engine.INFO_SCORE
    best = engine.play(board, limit, root_moves=others, game=object(), info=info)[1]["score"].relative
    board.push(bait)
    after: chess.engine.Score = chess.engine.Cp(0)
    if not board.is_game_over():
        after = -engine.play(board, limit, game=object(), info=info)[1]["score"].relative
    return Opinion(str(best), str(after), chance_of(best) - chance_of(after))
