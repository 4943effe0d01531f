"""What the prover is measured against: a plain search with python-chess, a replay of strategies, and Stockfish."""

import subprocess
import time
from types import TracebackType
from typing import Self

import chess
import chess.engine

from trapcore.engines.process import EngineProcess
from trapcore.errors import InputError
from trapcore.proof.mate import Proof, prove_mate, replay
from trapcore.proof.verdict import Verdict


def forces_mate(board: chess.Board, moves: int) -> bool:
    """Can the side to move mate in at most ``moves``? Depth-first, every move in the generator's order."""
    for move in board.legal_moves:
        board.push(move)
        forced = cannot_escape(board, moves - 1)
        board.pop()
        if forced:
            return True
    return False


def cannot_escape(board: chess.Board, moves: int) -> bool:
    """Is the side to move mated in at most ``moves`` further moves of the other side, against every defence?"""
    if board.is_checkmate():
        return True
    if moves == 0 or board.is_stalemate():
        return False
    for reply in board.legal_moves:
        board.push(reply)
        answered = forces_mate(board, moves)
        board.pop()
        if not answered:
            return False
    return True


def strategy_fails(board: chess.Board, proof: Proof) -> str | None:
    """Where a proof is false, as a FEN; None if it holds against every defence.

    The first move of the line is played and the prover asked again after each reply, with the moves left; that it is
    mate in the end, that every move is legal and that no reply was left out is python-chess's word alone.
    """
    fen = board.fen()
    try:
        replay(proof, fen)
    except InputError:
        return fen
    assert proof.mate_in is not None
    board = board.copy(stack=False)
    board.push_uci(proof.line[0])
    if board.is_checkmate():
        return None
    if proof.mate_in == 1 or board.is_stalemate():
        return fen
    for reply in board.legal_moves:
        board.push(reply)
        answer = prove_mate(board.fen(), proof.mate_in - 1)
        failed = board.fen() if answer.verdict is not Verdict.PROVED else strategy_fails(board, answer)
        board.pop()
        if failed is not None:
            return failed
    return None


def contradiction(engine: EngineProcess, fen: str, proof: Proof, nodes: int) -> str | None:
    """What Stockfish, thinking for ``nodes``, sees otherwise than ``proof``; None if they can both be right.

    A proved mate that it does not hold for winning (nine pawns), or a mate of its own, shown on the board, where
    there should be none.
    """
    board = chess.Board(fen)
    limit, info = chess.engine.Limit(nodes=nodes), chess.engine.INFO_SCORE | chess.engine.INFO_PV
    _, seen = engine.play(board, limit, game=object(), info=info)
    if "score" not in seen:
        return None
    score = seen["score"].relative
    if proof.verdict is Verdict.PROVED and score.score(mate_score=100_000) < 900:
        return f"{fen}: mate in {proof.mate_in}, Stockfish {score}"
    mate = score.mate()
    if mate is None or not 0 < mate <= proof.refuted_to:
        return None
    for move in seen.get("pv", [])[: 2 * mate - 1]:
        board.push(move)
    return f"{fen}: no mate in {proof.refuted_to}, Stockfish {score}" if board.is_checkmate() else None


class MateSearcher:
    """Stockfish with one thread, looking for mates through a bare pipe, which costs less than an engine module."""

    def __init__(self, path: str, hash_megabytes: int = 16) -> None:
        self.process = subprocess.Popen([path], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send(f"uci\nsetoption name Threads value 1\nsetoption name Hash value {hash_megabytes}\nisready")
        self.wait_for("readyok")

    def __enter__(self) -> Self:
        """The running engine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the engine."""
        self.send("quit")
        self.process.communicate()

    def send(self, text: str) -> None:
        """Send a line to the engine."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def wait_for(self, word: str) -> str:
        """The lines up to the one that begins with ``word``."""
        assert self.process.stdout is not None
        answer = ""
        for line in self.process.stdout:
            answer += line
            if line.startswith(word):
                return answer
        raise ChildProcessError("Stockfish has ended")

    def seconds(self, fen: str, mate: int, nodes: int) -> tuple[float, bool]:
        """Wall time of ``go mate`` in a new game, at most ``nodes``, and whether a mate so short was found."""
        self.send("ucinewgame\nisready")
        self.wait_for("readyok")
        start = time.perf_counter()
        self.send(f"position fen {fen}\ngo mate {mate} nodes {nodes}")
        answer = self.wait_for("bestmove")
        seconds = time.perf_counter() - start
        return seconds, any(f"score mate {n} " in answer for n in range(1, mate + 1))
