"""Positions near the end of games that the Monte Carlo search plays against itself."""

import random
from collections.abc import Callable

from workshop.games.monte_carlo.matches import opening
from workshop.games.search.monte_carlo import MonteCarloSearch, PlayoutBudget

PLAYOUTS = 2_000
"""For a move of the games."""
NEAR = 24
"""Plies before the end from which positions are drawn, so that a complete search can look through them."""
LONG = 48
"""The same where long wins are searched for: one of 18 moves is 35 plies from its end."""
EACH = 4
"""Positions of a game."""


def near_the_end(
    game: str, count: int, show: Callable[[str], None] = lambda _: None, *, plies: int = NEAR
) -> list[str]:
    """So many positions in which the game goes on, at most so many ``plies`` before its end; always the same.

    The games begin with four random moves.
    """
    found: list[str] = []
    seed = 0
    while len(found) < count:
        show(f"{game}: {len(found)} positions")
        numbers = random.Random(seed)
        players = [
            MonteCarloSearch(game, moves=opening(game, 4, random.Random(seed)), seed=2 * seed + number)
            for number in (0, 1)
        ]
        texts: list[str] = []
        while players[0].reward is None:
            texts.append(players[0].text)
            move = players[len(texts) % 2].search(PlayoutBudget(playouts=PLAYOUTS)).best.move
            for player in players:
                player.play(move)
        late = texts[-plies:]
        found += numbers.sample(late, min(EACH, len(late)))
        seed += 1
    return found[:count]
