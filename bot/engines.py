"""Who searches: trapline's own search, or a UCI engine, for which the own search steps in while it is dead."""

import logging
import math
from dataclasses import dataclass
from typing import Protocol

import chess
import chess.engine

from db.engine import CENTIPAWN_SCALE, START_SECONDS
from trapcore.budget import Budget, Cancellation
from trapcore.errors import EngineError
from trapcore.search import MATE, search

log = logging.getLogger(__name__)

STARTS = 5
"""An engine that had to be started so many times in one game is left alone for the rest of it."""

GRACE_SECONDS = 2.0
"""An engine that answers so much later than it was told to is dead."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The best move, and what it is worth to whoever makes it."""

    uci: str
    value: int
    """Centipawns; beyond `trapcore.search.MATE_BOUND` a mate."""


class Searcher(Protocol):
    """Finds the best move of a position that is not over."""

    def search(self, board: chess.Board, milliseconds: int, stop: Cancellation) -> Searched:
        """The best move; sooner if ``stop`` is cancelled. Raises `EngineError`."""

    def close(self) -> None:
        """End whatever runs."""


def win_chance(value: int) -> float:
    """Lichess's win chance of a value in centipawns, -1..1."""
    return 2 / (1 + math.exp(-CENTIPAWN_SCALE * max(-10_000, min(10_000, value)))) - 1


class OwnSearch:
    """The search of `trapcore.search`; it knows the game and thus repetitions."""

    def search(self, board: chess.Board, milliseconds: int, stop: Cancellation) -> Searched:
        """The best move; any legal one if there was no time for a single ply."""
        root = board.root()
        moves = [board.uci(move) for move in board.move_stack]
        # Only what the fifty-move rule can reach back to matters.
        if len(moves) > board.halfmove_clock + 2:
            earlier = board.copy()
            for _ in range(board.halfmove_clock):
                earlier.pop()
            root, moves = earlier, moves[len(moves) - board.halfmove_clock :]
        found = search(root.fen(), Budget(milliseconds=max(1, milliseconds)), stop, moves=moves)
        if not found.line:
            found = search(board.fen(), Budget(depth=1))
        uci = found.line[0] if found.line else board.uci(next(iter(board.legal_moves)))
        # The core writes castling as its FEN reader understood it; the board's way is lichess's.
        return Searched(board.uci(board.parse_uci(uci)), found.value)

    def close(self) -> None:
        """Nothing runs."""


class Engine:
    """A UCI engine for one game."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._engine: chess.engine.SimpleEngine | None = None
        self._starts = 0
        self._game = object()

    def search(self, board: chess.Board, milliseconds: int, stop: Cancellation) -> Searched:
        """The engine's move; raises `EngineError` if it is dead, and starts it again with the next question."""
        if self._engine is None:
            self._engine = self._start()
        limit = chess.engine.Limit(time=max(0.001, milliseconds / 1000))
        self._engine.timeout = GRACE_SECONDS
        try:
            result = self._engine.play(board, limit, game=self._game, info=chess.engine.INFO_SCORE)
        except (chess.engine.EngineError, TimeoutError) as error:
            self.close()
            raise EngineError(f"the engine {self._command} failed: {str(error) or type(error).__name__}") from error
        if result.move is None or result.move not in board.legal_moves:
            self.close()
            raise EngineError(f"the engine {self._command} gave no legal move for {board.fen()}")
        score = result.info.get("score")
        value = 0 if score is None else score.pov(board.turn).score(mate_score=MATE)
        return Searched(board.uci(result.move), value)

    def _start(self) -> chess.engine.SimpleEngine:
        if self._starts >= STARTS:
            raise EngineError(f"the engine {self._command} died {STARTS} times and is not started again in this game")
        self._starts += 1
        try:
            engine = chess.engine.SimpleEngine.popen_uci(self._command, timeout=START_SECONDS)
            wanted = {"Threads": 1, "Hash": 64}
            engine.configure({name: value for name, value in wanted.items() if name in engine.options})
        except (OSError, chess.engine.EngineError, TimeoutError) as error:
            raise EngineError(f"the engine {self._command} cannot be started: {error}") from error
        return engine

    def close(self) -> None:
        """End the process."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()


class WithSubstitute:
    """A UCI engine, and the own search for every move that it fails to give."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._own = OwnSearch()

    def search(self, board: chess.Board, milliseconds: int, stop: Cancellation) -> Searched:
        """The engine's move or our own."""
        try:
            return self._engine.search(board, milliseconds, stop)
        except EngineError as error:
            log.warning("%s; this move is ours", error)
            return self._own.search(board, milliseconds, stop)

    def close(self) -> None:
        """End the engine."""
        self._engine.close()


def searcher(command: str | None) -> Searcher:
    """Who searches in one game: the UCI engine of that command, or the own search (None)."""
    return OwnSearch() if command is None else WithSubstitute(Engine(command))
