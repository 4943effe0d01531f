"""Blunders near the end: won positions after whose move the opponent is proved to win."""

from collections.abc import Sequence
from dataclasses import dataclass

from workshop.games.search.local_search import LocalBudget, LocalSearch
from workshop.games.search.monte_carlo import MonteCarloSearch, PlayoutBudget

NODES = 1_000_000
"""Of the proof that a move throws the win away."""


@dataclass(frozen=True, slots=True)
class Blunders:
    """Of one search."""

    game: str
    search: str
    positions: int
    """Won by the player to move, by what local search claims."""
    thrown_away: int
    """After its move the opponent is proved to win."""
    not_known: int
    """After its move the proof did not end."""


def blunders(game: str, positions: Sequence[str], search: str, budget: PlayoutBudget) -> Blunders:
    """What a search does in won positions."""
    thrown_away = not_known = 0
    for number, position in enumerate(positions):
        player = MonteCarloSearch(game, position, search, seed=number)
        player.play(player.search(budget).best.move)
        if player.reward is None:
            won = LocalSearch(game, player.text).proof_number(LocalBudget(nodes=NODES)).won
            thrown_away += won is True
            not_known += won is None
    return Blunders(game, search, len(positions), thrown_away, not_known)
