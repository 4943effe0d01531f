"""Playouts a second, on one core."""

import time
from dataclasses import dataclass

from workshop.games.rules import game_named
from workshop.games.search.monte_carlo import SEARCHES, MonteCarloSearch, PlayoutBudget, can_play
from workshop.native import _core

SECONDS = 0.5
"""Processor time of a measurement, about."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Of one variant in one game, from its first position."""

    game: str
    search: str
    playouts: float
    """A second of processor time."""


def plain_search(game: str, text: str, *, exploration: float = 0.0, bias: float = 0.0) -> _core.MonteCarlo:
    """The core's search of a game from the position ``text``, without any of its variants; seed 1, a table of 2**20."""
    return _core.MonteCarlo(
        game,
        text,
        1,
        1 << 20,
        exploration=exploration,
        solver=False,
        decisive=False,
        mast=None,
        history=0.0,
        all_moves=False,
        grave=None,
        only_decisive=False,
        bias=bias,
        minimax=0.0,
        sharing=None,
        local=False,
    )


def of_random_playouts(game: str) -> float:
    """Random games without a tree, a second of processor time."""
    played = game_named(game)
    bare = plain_search(played.name, played.text(played.start()))
    count = 1000
    while True:
        began = time.process_time()
        bare.random_playouts(count)
        spent = time.process_time() - began
        if spent > SECONDS:
            return count / spent
        count *= 2


def of_search(game: str, name: str, playouts: int) -> Speed:
    """So many playouts of a variant, and the time that they took."""
    search = MonteCarloSearch(game, options=name, seed=1)
    search.search(PlayoutBudget(playouts=10))  # memory is taken for the first time
    began = time.process_time()
    done = search.search(PlayoutBudget(playouts=playouts)).playouts
    return Speed(game, name, done / (time.process_time() - began))


def speeds(game: str, playouts: int) -> list[Speed]:
    """Of all variants that can play the game."""
    return [of_search(game, name, playouts) for name in SEARCHES if can_play(name, game)]
