"""What sharing values gains, beside how dynamic the game is: a claim of Evans & Turrini, section 3.

They expect that heuristics which share values among positions (RAVE, and by their section 5.1 similarity RAVE) help
more in less dynamic games. `workshop.games.monte_carlo.tree_dynamics` says what the variability is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from workshop.games.monte_carlo.matches import Result
from workshop.games.monte_carlo.tree_dynamics import dynamics, playouts
from workshop.games.rules import game_named

PLAIN = "uct"
"""What the gain is measured against."""
SHARING = ("rave", "similarity-rave")
RANDOM_GAMES = 20
"""Of which the variability is measured, as ``trapline research dynamics GAME --games 20`` does."""
PLIES = 100
LEAST = 4
"""Games that a rank correlation needs to say anything."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Of one way to share, in one game."""

    game: str
    search: str
    variability: float
    """0 to 1, from ply to ply."""
    score: float
    """Against `PLAIN` at equal playouts, 0 to 1."""


@cache
def variability(game: str) -> float:
    """Of random games, 0 to 1. Raises ``UsageError`` for a game that there is none of."""
    played: Any = game_named(game)
    return dynamics(played, playouts(played, RANDOM_GAMES, seed=1, plies=PLIES)).variability


def gains(found: Sequence[tuple[str, str, Result]]) -> list[Gain]:
    """Of results of a game and a search against `PLAIN` at equal playouts; others than `SHARING` are skipped."""
    measured: dict[str, float] = {}
    made = []
    for game, search, result in found:
        if search in SHARING:
            if game not in measured:
                measured[game] = variability(game)
            made.append(Gain(game, search, measured[game], result.score))
    return made


def rank_correlation(found: Sequence[Gain], search: str) -> float | None:
    """Spearman's, of variability and score over the games of one search, -1 to 1; None for fewer than `LEAST` games,
    and where all are alike."""
    pairs = [(one.variability, one.score) for one in found if one.search == search]
    if len(pairs) < LEAST or min(len(set(values)) for values in zip(*pairs, strict=True)) < 2:
        return None
    from scipy.stats import spearmanr  # type: ignore[import-untyped]  # it takes a second

    return float(spearmanr(*zip(*pairs, strict=True)).statistic)
