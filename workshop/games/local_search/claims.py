"""What local search claims, with how many nodes, and what searches say that look at everything."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workshop.games.search.local_search import Finding, LocalBudget, LocalSearch, Rival

CHECK_NODES = 3_000_000
"""Of the complete search that a claim is held against."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Of one position."""

    game: str
    position: str
    finding: Finding
    moves: int
    """Of the winner."""
    depth: int
    """Moves to which both searches were complete."""
    nodes: int
    seconds: float
    alpha_beta: Rival | None
    """Plain alpha-beta search for the same win of the player to move; None of other findings."""
    proof_number: Rival | None
    """Proof-number search for the same claim; None where nothing was found."""

    @property
    def is_false(self) -> bool | None:
        """Whether the complete search says otherwise; None where it did not end, or nothing is claimed."""
        if self.proof_number is None or self.proof_number.won is None:
            return None
        return self.proof_number.won != (self.finding is Finding.WIN)


def claim(game: str, position: str, budget: LocalBudget, rivals: LocalBudget) -> Claim:
    """What is found, and what the rivals need for the same; the plain search has ``rivals`` for its budget."""
    search = LocalSearch(game, position)
    began = time.perf_counter()
    found = search.search(budget)
    spent = time.perf_counter() - began
    plain = complete = None
    if found.finding is Finding.WIN:
        plain = search.alpha_beta(LocalBudget(moves=found.moves, nodes=rivals.nodes, seconds=rivals.seconds))
    if found.finding is not Finding.NONE:
        complete = search.proof_number(LocalBudget(nodes=CHECK_NODES))
    return Claim(game, position, found.finding, found.moves, found.depth, found.nodes, spent, plain, complete)


def claims(
    game: str,
    positions: Sequence[str],
    budget: LocalBudget,
    rivals: LocalBudget,
    show: Callable[[str], None] = lambda _: None,
) -> list[Claim]:
    """Of all positions."""
    found = []
    for number, position in enumerate(positions):
        show(f"{game}: claims of {number} of {len(positions)} positions")
        found.append(claim(game, position, budget, rivals))
    return found
