"""UCI engine that evaluates positions: started once, restarted once, with a time limit for every answer."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import takewhile

import chess
import chess.engine

from db.proof.engine_process import start_engine
from trapcore.errors import EngineError, UsageError
from trapcore.proof.search import win_chance

SEARCH_SECONDS = 120.0
"""How long it may take for one position; more means that the nodes asked for are too many for it."""


def chance_of(score: chess.engine.Score) -> float:
    """Lichess's win chance of the side that the score is of, -1..1; a forced mate is 1 or -1."""
    if score.is_mate():
        return 1.0 if score > chess.engine.Cp(0) else -1.0
    centipawns = score.score()
    assert centipawns is not None
    return win_chance(centipawns)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an engine says of a position."""

    chance: float
    """Win chance of the side to move, -1..1."""
    best: chess.Move | None
    """Its move; None if the game is over."""
    depth: int
    """Plies."""
    line: tuple[chess.Move, ...] = ()
    """What it expects, its move first, if that was asked for; empty if the game is over."""
    mate_in: int | None = None
    """Moves to the mate that it sees: positive if the side to move mates, negative if it is mated, 0 if it is mated
    already; None without a mate."""


class UciEngine(AbstractContextManager["UciEngine"]):
    """An engine for judging positions with one thread and a memory that is cleared, so that it can be repeated."""

    def __init__(self, command: str, *, search_seconds: float = SEARCH_SECONDS) -> None:
        """Start ``command``, a path or a name in the search path. Raises `EngineError`."""
        self.command = command
        self._search_seconds = search_seconds
        self._restarted = False
        self._engine: chess.engine.SimpleEngine = self._start()

    @property
    def name(self) -> str:
        """As the engine gives it, with its version."""
        return self._engine.id.get("name", self.command)

    def _start(self) -> chess.engine.SimpleEngine:
        engine = start_engine(self.command)
        try:
            wanted = {"Threads": 1, "Hash": 64}
            engine.configure({name: value for name, value in wanted.items() if name in engine.options})
        except (chess.engine.EngineError, TimeoutError) as error:
            engine.close()
            raise EngineError(f"the engine {self.command} cannot be set up: {error}") from error
        return engine

    def evaluate(self, board: chess.Board, nodes: int, *, game: object | None = None, line: bool = False) -> Evaluation:
        """Search ``nodes`` (1 or more) and say what the position is worth; a finished game needs no engine.

        The memory is clear at the beginning, except that positions asked about one after the other with equal ``game``
        share it. Only with ``line`` it says what it expects: to read that takes longer than 10,000 nodes.

        An engine that dies is started again once. Raises `EngineError` if it dies again or takes too long.
        """
        if nodes < 1:
            raise UsageError(f"an engine must search at least 1 node, not {nodes}")
        if board.is_checkmate():
            return Evaluation(-1.0, None, 0, mate_in=0)
        if board.is_stalemate() or board.is_insufficient_material():
            return Evaluation(0.0, None, 0)
        try:
            return self._search(board, nodes, object() if game is None else game, line)
        except chess.engine.EngineTerminatedError as error:
            if self._restarted:
                raise EngineError(f"the engine {self.command} died twice, last at {board.fen()}") from error
            self._restarted = True
            self._engine.close()
            self._engine = self._start()
            return self.evaluate(board, nodes, game=game, line=line)

    def _search(self, board: chess.Board, nodes: int, game: object, line: bool) -> Evaluation:
        # python-chess waits without end for a search by nodes; with a time it waits little longer than that.
        limit = chess.engine.Limit(nodes=nodes, time=self._search_seconds)
        info = chess.engine.INFO_SCORE | chess.engine.INFO_BASIC | (chess.engine.INFO_PV if line else 0)
        try:
            result = self._engine.play(board, limit, game=game, info=info)
        except TimeoutError as error:
            self._engine.close()  # or it would be waited for once more at the end
            raise self._too_slow(nodes) from error
        except chess.engine.EngineTerminatedError:
            raise
        except chess.engine.EngineError as error:
            raise EngineError(f"the engine {self.command} answered wrongly at {board.fen()}: {error}") from error
        score = result.info.get("score")
        # python-chess takes the move 0000 for one that passes.
        if not result.move:
            raise EngineError(f"the engine {self.command} gave no move for {board.fen()}")
        if score is None:
            raise EngineError(f"the engine {self.command} gave no score for {board.fen()}")
        if float(result.info.get("time", 0.0)) >= self._search_seconds:
            raise self._too_slow(nodes)
        own = score.pov(board.turn)
        depth, expected = int(result.info.get("depth", 0)), tuple(takewhile(bool, result.info.get("pv", ())))
        return Evaluation(chance_of(own), result.move, depth, expected, own.mate())

    def _too_slow(self, nodes: int) -> EngineError:
        seconds = f"{self._search_seconds:.0f} s"
        return EngineError(f"the engine {self.command} took more than {seconds} for {nodes} nodes; ask for fewer")

    def close(self) -> None:
        """End the engine; by force if it does not go by itself."""
        try:
            self._engine.quit()
        except (chess.engine.EngineError, TimeoutError):
            self._engine.close()

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def uci_line(board: chess.Board, line: Sequence[chess.Move]) -> tuple[str, ...]:
    """Moves from a position on in UCI, castling as the board's mode has it; the board stays as it is."""
    board = board.copy(stack=False)
    found = []
    for move in line:
        found.append(board.uci(move))
        board.push(move)
    return tuple(found)
