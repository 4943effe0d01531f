"""Searchers: trapline's own search, or an engine with the own search as its substitute while it is dead."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import chess
import chess.engine

from bot.moves.search_pool import SearchPool
from bot.settings import EngineSettings, Variant, has_other_rules
from trapcore.engines.process import EngineProcess
from trapcore.errors import EngineError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import MATE, search

log = logging.getLogger(__name__)

STARTS = 5
"""Most starts of an engine in one game; after that it is not started again."""

LONGEST_START_SECONDS = 5.0
"""Wait for the start of an engine that has no substitute."""

GRACE_SECONDS = 2.0
"""An engine whose answer is this late counts as dead."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Result of a search: the best move and its value for the side to move."""

    uci: str
    value: int
    """Centipawns; beyond `trapcore.proof.search.MATE_BOUND` a mate."""


class Searcher(Protocol):
    """Search for the best move of a position that is not over."""

    def search(self, board: chess.Board, milliseconds: int, stop: Cancellation) -> Searched:
        """Search for so many milliseconds, or until ``stop`` is cancelled. Raises `EngineError`."""

    def close(self) -> None:
        """End what is running."""


class OwnSearch:
    """Search of `trapcore.proof.search`, which gets the moves of the game and so knows repetitions."""

    def __init__(self, search_pool: SearchPool) -> None:
        self._search_pool = search_pool

    def search(self, board: chess.Board, milliseconds: int, stop: Cancellation) -> Searched:
        """The best move; any legal one if there was no time for a single ply."""
        root = board.root()
        moves = [board.uci(move) for move in board.move_stack]
        # Only positions since the last capture or pawn move can repeat.
        if len(moves) > board.halfmove_clock + 2:
            earlier = board.copy()
            for _ in range(board.halfmove_clock):
                earlier.pop()
            root, moves = earlier, moves[len(moves) - board.halfmove_clock :]
        fen = root.fen()
        found = self._search_pool.run(
            milliseconds, lambda left: search(fen, Budget(milliseconds=left), stop, moves=moves)
        )
        if not found.line:
            found = search(board.fen(), Budget(depth=1))
        uci = found.line[0] if found.line else board.uci(next(iter(board.legal_moves)))
        # The core writes castling as its FEN reader understood it; the board's way is lichess's.
        return Searched(board.uci(board.parse_uci(uci)), found.value)

    def close(self) -> None:
        """Nothing runs."""


class Engine:
    """UCI engine for one game, started by a thread of its own, so that a start takes no longer than a move."""

    def __init__(self, settings: EngineSettings, substitute: OwnSearch | None = None) -> None:
        """``substitute`` gives every move that the engine fails to give."""
        self._settings, self._substitute = settings, substitute
        mine = settings
        self._process = EngineProcess(
            mine.command,
            mine.uci_options,
            mine.arguments,
            mine.working_dir,
            protocol=mine.protocol,
            starts=STARTS,
            grace_seconds=GRACE_SECONDS,
        )
        self._game = object()
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="engine")
        self._started = self._starter.submit(self._process.start)

    def search(self, board: chess.Board, milliseconds: int, stop: Cancellation) -> Searched:
        """Search by the engine, which is started again for the next move if it is dead, or by its substitute.

        Raises `EngineError` without one.
        """
        try:
            return self._search(board, milliseconds)
        except EngineError as error:
            if self._substitute is None:
                raise
            log.info("%s; this move is ours", error)
            return self._substitute.search(board, milliseconds, stop)

    def _search(self, board: chess.Board, milliseconds: int) -> Searched:
        mine = self._settings
        limit = chess.engine.Limit(time=max(0.001, milliseconds / 1000), nodes=mine.nodes, depth=mine.depth)
        try:
            # Where nothing else can move, the engine gets the time that it needs to start.
            self._started.result(
                max(milliseconds / 1000, 0.0 if self._substitute is not None else LONGEST_START_SECONDS)
            )
            how = {"game": self._game, "info": chess.engine.INFO_SCORE, "ponder": mine.ponder}
            move, info = self._process.play(board, limit, **how)
        except TimeoutError:
            raise EngineError(f"the engine {mine.command} is not ready yet") from None
        except EngineError:
            self._started = self._starter.submit(self._process.start)
            raise
        score = info.get("score")
        return Searched(board.uci(move), 0 if score is None else _value(score.pov(board.turn)))

    @property
    def variants(self) -> frozenset[str]:
        """Names of the variants in the option UCI_Variant. Raises `EngineError` if it cannot be started."""
        option = self._process.start().options.get("UCI_Variant")
        return frozenset(option.var or () if option is not None else ())

    def close(self) -> None:
        """End the process."""
        self._starter.submit(self._process.close)
        self._starter.shutdown(wait=False)


def _value(score: chess.engine.Score) -> int:
    """The value of an engine's score; engines count a mate in moves, the core in plies."""
    mate = score.mate()
    if mate is None:
        return score.score(mate_score=MATE)
    return MATE - 2 * mate + 1 if mate > 0 else -(MATE + 2 * mate)


def searcher(engine: EngineSettings | None, search_pool: SearchPool, variant: str = Variant.STANDARD) -> Searcher:
    """Searcher for one game: that engine, or the own search without one, which knows no other rules."""
    own = OwnSearch(search_pool)
    if engine is None:
        return own
    return Engine(engine, None if has_other_rules(variant) else own)
