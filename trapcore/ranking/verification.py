"""Verification of ranked moves by proof and search.

First the prover tries to force mate, with the first ranked moves before the others. Without a mate our own search
finds the best move. If that mates, the prover tries once more; else the search finds the best of the others. The move
that mates, or the best one, takes the first place, and the rest keeps its order. It is claimed to be the best only if
it is better than all others by `CLEAR` of win chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.mate import Proof, prove_mate, replay
from trapcore.proof.search import MATE_BOUND, search
from trapcore.proof.verdict import Verdict
from trapcore.ranking.weights import RankedMove
from trapcore.win_chance import win_chance

NODES = 30_000
"""Usual budget of a position, for mate and search together."""
CLEAR = 0.1
"""Win chance by which a move must be better than all others; a loss of this much is lichess's inaccuracy."""
LONGEST_MATE = 5
"""Mates are searched for up to so many moves; longer ones take more than such a budget."""
FIRST = 5
"""Ranked moves that are tried before the others."""

_PROOF_SHARE = 10
"""Of the budget a tenth is for a mate that nobody has seen yet,"""
_REST_SHARE = 5
"""and of what that leaves a fifth for the proof of a mate that the search has seen, or for the other moves."""


class Finding(StrEnum):
    """What is known about a ranked move."""

    PROVED = "proved"
    """It forces mate."""
    BEST = "best"
    """No mate was proved; the search sees it clearly ahead of all other moves. What a search sees is no proof."""
    UNDECIDED = "undecided"
    """Nothing but its rank."""


@dataclass(frozen=True, slots=True)
class VerifiedMove:
    """Ranked move with the outcome of its verification."""

    uci: str
    rank: int
    """Place in the order of the proposals, from 1."""
    score: float
    confidence: float
    """That of the proposal, see `trapcore.ranking.weights.RankedMove`; 1 if mate is proved."""
    tokens: tuple[int, ...]
    verdict: Finding = Finding.UNDECIDED
    mate_in: int | None = None
    """Moves of the attacker, if mate is proved."""
    win_chance: float | None = None
    """After the move, for the attacker, -1 to 1, as the search sees it; None unless it is the best."""
    lead: float | None = None
    """By how much that is more than after the best other move; None unless it is the best."""
    line: tuple[str, ...] = ()
    """UCI, from the move on: to the mate, or what the search sees; empty if undecided."""


def verify_moves(
    fen: str, ranked: Sequence[RankedMove], nodes: int = NODES, stop: Cancellation | None = None
) -> tuple[list[VerifiedMove], int]:
    """The moves of ``ranked``, best first, with what was found of them, and the nodes that it took.

    ``fen`` is the position after the bait, ``ranked`` must hold all its moves; ``nodes`` is the budget, 0 to search for
    nothing. If another thread cancels ``stop``, the answer is what it would be had the budget run out. Raises
    ``PositionError``.
    """
    moves = [VerifiedMove(p.uci, rank, p.score, p.confidence, p.tokens) for rank, p in enumerate(ranked, start=1)]
    if not moves or not nodes:
        return moves, 0
    first = [move.uci for move in moves[:FIRST]]
    proof = prove_mate(fen, LONGEST_MATE, Budget(nodes=max(1, nodes // _PROOF_SHARE)), stop, first)
    spent = proof.nodes
    if proof.verdict is Verdict.PROVED:
        return _mated(moves, proof, fen), spent
    if len(moves) == 1 or spent >= nodes:
        return moves, spent
    rest = Budget(nodes=max(1, (nodes - spent) // _REST_SHARE))
    best = search(fen, Budget(nodes=max(1, nodes - spent - (nodes - spent) // _REST_SHARE)), stop, first=first)
    spent += best.nodes
    if not best.line:
        return moves, spent
    if best.value > MATE_BOUND:
        proof = prove_mate(fen, LONGEST_MATE, rest, stop, best.line[:1])
        spent += proof.nodes
        if proof.verdict is Verdict.PROVED:
            return _mated(moves, proof, fen), spent
        rest = Budget(nodes=max(1, nodes - spent))
    others = [move.uci for move in moves if move.uci != best.line[0]]
    other = search(fen, rest, stop, only=others)
    spent += other.nodes
    lead = win_chance(best.value) - win_chance(other.value)
    if not other.line or lead < CLEAR:
        return _led(moves, best.line[0], {}), spent
    seen = {"verdict": Finding.BEST, "win_chance": win_chance(best.value), "lead": lead, "line": best.line}
    return _led(moves, best.line[0], seen), spent


def _mated(moves: list[VerifiedMove], proof: Proof, fen: str) -> list[VerifiedMove]:
    """The moves with the one that mates first."""
    replay(proof, fen)
    found = {"verdict": Finding.PROVED, "mate_in": proof.mate_in, "line": proof.line, "confidence": 1.0}
    return _led(moves, proof.line[0], found)


def _led(moves: list[VerifiedMove], uci: str, found: Mapping[str, object]) -> list[VerifiedMove]:
    """The moves with this one first, and with what was found of it."""
    leader = next(move for move in moves if move.uci == uci)
    return [replace(leader, **found), *(move for move in moves if move is not leader)]  # type: ignore[arg-type]
