"""Verdict of a UCI engine on a bait: the one rule that the library's proofs and the annotator go by.

The engine's win chance (lichess's formula, -1..1) is measured before the bait, right after it, and after the line that
punishes it, each with a node limit and again with `DEEPER` times as many. A measurement holds if the engine prefers
another move than the bait, the bait costs at least `BLUNDER` against that move, and the attacker stands at `BLUNDER` or
better both right after the bait and at the end of the line. Proved: both measurements hold. Refuted: neither does.
Undecided: one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from trapcore.engines.uci_engine import UciEngine
from trapcore.proof.verdict import Verdict
from trapcore.win_chance import BLUNDER

DEEPER = 4
"""The second measurement takes so many times the nodes."""


@dataclass(frozen=True, slots=True)
class EngineVerdict:
    """Outcome of the two measurements."""

    verdict: Verdict
    loss: float
    """Win chance that the bait costs against the best move by the deeper measurement, 0..2."""
    depth: int
    """Plies that the deeper measurement reached, the smaller of the depths before and after the bait."""


def judge_bait(engine: UciEngine, before: chess.Board, bait: str, line: Sequence[str], nodes: int) -> EngineVerdict:
    """Verdict on ``bait`` (UCI), which ``line`` (UCI, the attacker's move first) is to punish; ``nodes`` is 1 or more.

    Raises ``EngineError`` if the engine fails.
    """
    baited = _after(before, [bait])
    ended = _after(baited, line)
    holds, loss, depth = [], 0.0, 0
    for limit in (nodes, DEEPER * nodes):
        best = engine.evaluate(before, limit)
        fallen = engine.evaluate(baited, limit)
        final = _chance_of(baited.turn, ended, engine, limit)
        # The best move is at least as good as the bait, even if two searches of unequal depth say otherwise.
        loss = max(0.0, best.chance + fallen.chance)
        depth = min(best.depth, fallen.depth)
        prefers_another = best.best is not None and before.uci(best.best) != bait
        holds.append(prefers_another and loss >= BLUNDER and fallen.chance >= BLUNDER and final >= BLUNDER)
    verdict = Verdict.PROVED if all(holds) else Verdict.UNDECIDED if any(holds) else Verdict.REFUTED
    return EngineVerdict(verdict, loss, depth)


def _after(board: chess.Board, moves: Sequence[str]) -> chess.Board:
    after = board.copy()
    for move in moves:
        after.push_uci(move)
    return after


def _chance_of(side: chess.Color, board: chess.Board, engine: UciEngine, nodes: int) -> float:
    chance = engine.evaluate(board, nodes).chance
    return chance if board.turn == side else -chance
