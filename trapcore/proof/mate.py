"""Proofs of forced mates: what the prover found, as a value, and a replay that does not trust it.

Source: a trap "leads to checkmate within 2 to 4 plies" (Evans & Turrini, section 4); the prover itself is in Rust.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from trapcore import _native
from trapcore.errors import InputError, UsageError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position

MAX_MATE = 30
"""Longest mate that is searched for, in moves of the mating side."""

USUAL = Budget(nodes=1_000_000)
"""Default budget of a proof."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome of one search for a forced mate."""

    verdict: Verdict
    mate_in: int | None
    """Moves of the mating side up to and including the mate; None unless proved."""
    line: tuple[str, ...]
    """Main line in UCI, from the mating side's first move to the mate; empty unless proved."""
    nodes: int
    """Positions searched."""
    refuted_to: int
    """No mate in this many moves or fewer exists; 0 if none was excluded."""


def prove_mate(
    fen: str, mate: int = 3, budget: Budget = USUAL, stop: Cancellation | None = None, first: Sequence[str] = ()
) -> Proof:
    """Whether the side to move in ``fen`` can force mate in at most ``mate`` moves (1..30), within nodes or time.

    ``first`` (UCI) are the moves to try before the others, in this order; they change what it costs, not what is found.
    If another thread cancels ``stop``, the answer is what it would be had the budget run out. Raises ``UsageError`` for
    a mate out of range or a budget with a depth, and ``PositionError`` for a bad position or moves that are
    not legal in it.
    """
    check_mate(mate)
    return _proof(_native.prove_mate(fen, mate, *budget.for_proof(), stop, first))


def prove_bait(
    fen: str,
    bait: str,
    killers: Sequence[str] = (),
    mate: int = 3,
    budget: Budget = USUAL,
    stop: Cancellation | None = None,
) -> Proof:
    """Whether ``bait`` (UCI), played in ``fen``, lets the other side force mate in at most ``mate`` moves (1..30).

    ``killers`` (UCI) are the refutations to try first, in this order; any other mate within reach counts as well.
    The line of the proof begins after the bait. Raises as `prove_mate` does, and ``PositionError`` also for a bait or
    killer that is no legal move there.
    """
    check_mate(mate)
    return _proof(_native.prove_mate(fen, mate, *budget.for_proof(), stop, killers, bait))


def replay(proof: Proof, fen: str, bait: str | None = None) -> chess.Board:
    """Play the line of ``proof`` from ``fen`` (after ``bait``, if given) and return the mated board with its moves.

    Checks with python-chess, which shares no code with the prover, that each move is legal, that the line has the
    stated length and that it ends in checkmate. Raises ``UsageError`` for a proof that proves nothing, and
    ``InputError`` for a line that does not do what the proof says.
    """
    if proof.verdict is not Verdict.PROVED or proof.mate_in is None:
        raise UsageError(f"a {proof.verdict} mate has no line to replay")
    board = parse_position(fen)
    moves = proof.line if bait is None else (bait, *proof.line)
    for move in moves:
        try:
            # python-chess plays the null move 0000 without a question; a proof must not.
            legal = board.push_uci(move) != chess.Move.null()
        except ValueError:
            legal = False
        if not legal:
            raise InputError(f"{move} in the proof's line {' '.join(moves)} is no legal move in {board.fen()}")
    if not board.is_checkmate():
        raise InputError(f"the proof's line {' '.join(moves)} from {fen} does not end in mate")
    if len(proof.line) != 2 * proof.mate_in - 1:
        raise InputError(f"the proof claims mate in {proof.mate_in}, its line has {len(proof.line)} plies")
    return board


def san_line(proof: Proof, fen: str) -> str:
    """The line of a proof from ``fen`` in SAN with move numbers, replayed first; raises as `replay` does."""
    return parse_position(fen).variation_san(replay(proof, fen).move_stack)


def check_mate(mate: int) -> None:
    """Raise ``UsageError`` unless ``mate`` is 1..30 moves."""
    if not 1 <= mate <= MAX_MATE:
        raise UsageError(f"mate must be 1..{MAX_MATE} moves, not {mate}")


def _proof(found: tuple[str, int | None, list[str], int, int]) -> Proof:
    verdict, mate_in, line, nodes, refuted_to = found
    return Proof(Verdict(verdict), mate_in, tuple(line), nodes, refuted_to)
