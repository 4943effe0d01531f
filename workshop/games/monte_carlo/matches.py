"""Games of one search against another, colours and openings balanced."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from trapcore.statistics import wilson
from workshop.games.rules import game_named
from workshop.games.search.monte_carlo import MonteCarloSearch, PlayoutBudget, SearchOptions

LONGEST = 300
"""Plies after which a game is a draw; only chess comes so far."""


@dataclass(frozen=True, slots=True)
class Result:
    """Games that the first search won, drew and lost."""

    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        """How many there were."""
        return self.won + self.drawn + self.lost

    @property
    def score(self) -> float:
        """Points a game, 0 to 1."""
        return (self.won + self.drawn / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Of the score: Wilson's of 95 %. Half points count down for its low end and up for its high one, and draws
        make games more alike than it supposes, so that it is rather too wide.
        """
        points = self.won + self.drawn / 2
        return wilson(math.floor(points), self.games)[0], wilson(math.ceil(points), self.games)[1]

    def elo(self) -> tuple[float, float, float]:
        """Difference in rating, and its interval of 95 %; infinite where all games were won or lost."""
        low, high = self.interval
        return rating(self.score), rating(low), rating(high)


def rating(score: float) -> float:
    """Elo's difference of players who score so many points a game."""
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return -400 * math.log10(1 / score - 1)


def opening(game: str, plies: int, numbers: random.Random) -> list[str]:
    """Labels of random moves that do not end the game."""
    played: Any = game_named(game)
    while True:
        labels: list[str] = []
        position = played.start()
        while len(labels) < plies and played.reward(position) is None:
            move = numbers.choice(list(played.moves(position)))
            labels.append(played.label(position, move))
            position = played.play(position, move)
        if played.reward(position) is None:
            return labels


def play(
    game: str, moves: Sequence[str], sides: Sequence[SearchOptions | str], budget: PlayoutBudget, seed: int
) -> int:
    """1 if the first side, who moves first after the opening, wins; 0 for a draw; -1 if it loses."""
    players = [
        MonteCarloSearch(game, options=side, moves=moves, seed=2 * seed + number) for number, side in enumerate(sides)
    ]
    for ply in range(LONGEST):
        reward = players[0].reward
        if reward is not None:
            # It is for the player who moved last.
            return round(reward if ply % 2 else -reward)
        move = players[ply % 2].search(budget).best.move
        for player in players:
            player.play(move)
    return 0


def match(
    game: str,
    first: SearchOptions | str,
    second: SearchOptions | str,
    budget: PlayoutBudget,
    games: int,
    say: Callable[[str], None] = lambda _: None,
    opening_plies: int = 4,
) -> Result:
    """So many games (rounded up to pairs): each opening of random moves twice, with colours changed."""
    numbers = random.Random(0)
    counts = {1: 0, 0: 0, -1: 0}
    for pair in range(-(-games // 2)):
        say(f"{game}: {first} against {second}: {2 * pair} games")
        moves = opening(game, opening_plies, numbers)
        counts[play(game, moves, (first, second), budget, pair)] += 1
        counts[-play(game, moves, (second, first), budget, pair)] += 1
    return Result(counts[1], counts[0], counts[-1])
