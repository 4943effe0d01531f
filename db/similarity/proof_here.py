"""Proof that the killer of a similar trap works in the asked position: only then is the trap shown as similar."""

from collections.abc import Iterable
from dataclasses import dataclass

from trapcore.errors import PositionError
from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import check_bait
from trapcore.proof.verdict import Verdict

NODES = 5_000
"""Nodes for each question of a proof: some milliseconds in all."""

MORE_CANDIDATES = 20
"""This many candidates are tried beyond the number of similar traps that is asked for."""


@dataclass(frozen=True, slots=True)
class ProofHere:
    """A bait of the asked position that loses to a killer of a similar trap."""

    bait: str
    """UCI."""
    killer_line: tuple[str, ...]
    """UCI, from the killer on."""
    mate_in: int | None
    """Moves of the attacker, if mate is proved."""
    loss: float
    """Win chance that the bait costs against the best other move, 0 to 2."""


class KillerProver:
    """Proves killers in one position; the same bait and killer are tried once."""

    def __init__(self, epd: str) -> None:
        """Take the position before the bait, as `_native.epd` writes it."""
        self._epd = epd
        self._known: dict[tuple[str, str], ProofHere | None] = {}

    def prove(self, bait: str, killer: str) -> ProofHere | None:
        """The proof that ``bait`` (UCI) loses to ``killer`` here; None if one is not legal, or nothing is proved."""
        if (bait, killer) not in self._known:
            self._known[bait, killer] = self._test(bait, killer)
        return self._known[bait, killer]

    def first(self, lines: Iterable[tuple[str, ...]]) -> ProofHere | None:
        """The proof of the first line, bait and killer in UCI, that has one."""
        return next((found for bait, killer, *_ in lines if (found := self.prove(bait, killer))), None)

    def _test(self, bait: str, killer: str) -> ProofHere | None:
        try:
            test = check_bait(self._epd, bait, [killer], Budget(nodes=NODES))
        except PositionError:  # what was legal in the position of the trap may not be legal here
            return None
        if test.verdict is not Verdict.PROVED or test.forced or test.killer_line[:1] != (killer,):
            return None
        return ProofHere(bait, test.killer_line, test.mate_in, test.loss)
