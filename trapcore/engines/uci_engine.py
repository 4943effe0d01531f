"""UCI engine that evaluates positions, with a time limit for every answer. If it dies, it is started again once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import chess
import chess.engine

from trapcore.engines.process import EngineDied, EngineProcess
from trapcore.errors import EngineError, UsageError
from trapcore.win_chance import win_chance

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


class UciEngine(EngineProcess):
    """An engine for judging positions with one thread and a memory that is cleared, so that it can be repeated."""

    def __init__(self, command: str, *, search_seconds: float = SEARCH_SECONDS) -> None:
        """Start ``command``, a path or a name in the search path. Raises `EngineError`."""
        super().__init__(command)
        self._search_seconds = search_seconds
        self.start()

    def evaluate(self, board: chess.Board, nodes: int, *, game: object | None = None, line: bool = False) -> Evaluation:
        """Search ``nodes`` (1 or more) and say what the position is worth; a finished game needs no engine.

        The memory is clear at the beginning, except that positions asked about one after the other with equal ``game``
        share it. Only with ``line`` it says what it expects: to read that takes longer than 10,000 nodes.

        Raises `EngineError` if the engine fails, dies twice or takes too long.
        """
        if nodes < 1:
            raise UsageError(f"an engine must search at least 1 node, not {nodes}")
        if board.is_checkmate():
            return Evaluation(-1.0, None, 0, mate_in=0)
        if board.is_stalemate() or board.is_insufficient_material():
            return Evaluation(0.0, None, 0)
        # python-chess waits without end for a search by nodes; with a time it waits little longer than that.
        limit = chess.engine.Limit(nodes=nodes, time=self._search_seconds)
        wanted = chess.engine.INFO_SCORE | chess.engine.INFO_BASIC | (chess.engine.INFO_PV if line else 0)
        try:
            move, info = self.play(board, limit, game=object() if game is None else game, info=wanted)
        except EngineDied:
            return self.evaluate(board, nodes, game=game, line=line)
        score = info.get("score")
        if score is None:
            raise EngineError(f"the engine {self.command} gave no score for {board.fen()}")
        if float(info.get("time", 0.0)) >= self._search_seconds:
            raise self.too_slow(self._search_seconds)
        own = score.pov(board.turn)
        depth, expected = int(info.get("depth", 0)), tuple(takewhile(bool, info.get("pv", ())))
        return Evaluation(chance_of(own), move, depth, expected, own.mate())


def uci_line(board: chess.Board, line: Sequence[chess.Move]) -> tuple[str, ...]:
    """Moves from a position on in UCI, castling as the board's mode has it; the board stays as it is."""
    board = board.copy(stack=False)
    found = []
    for move in line:
        found.append(board.uci(move))
        board.push(move)
    return tuple(found)
