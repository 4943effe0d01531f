"""Mates that a played move allows, where a search sees one and nobody has proved it yet."""

from db.wording.facts import LONGEST_MATE
from trapcore.parallel.budget import Budget
from trapcore.proof.mate import Proof, prove_mate

_MATED = -0.9  # win chance of who may be mated by force
_NODES = 50_000


def allowed_mate(fen: str, answer: str, after: float | None) -> Proof | None:
    """The proof that ``answer`` (UCI) mates in `LONGEST_MATE` moves at most in the position ``fen``; None without one.

    ``after`` is the win chance, -1..1, of who is mated: unless it is low, nobody looks.
    """
    if after is None or after > _MATED:
        return None
    proof = prove_mate(fen, LONGEST_MATE, Budget(nodes=_NODES), first=(answer,))
    return proof if proof.line[:1] == (answer,) else None
