"""A player of about a given rating: the model of people's moves, with a search that sees as far as such a player.

The move model says which moves people of the rating play (`coach.repertoire.replies`). A search of `Level.nodes` nodes
says what each of these gives away. The probability of a move is

    foreseen(move) * exp(-care * gift)

before all add up to 1. ``foreseen`` is the model's probability, as `ReplyModel.foreseen` corrects it. ``gift`` is the
win chance that the move gives away by that search, and `Level.care` says how much it counts. So each error is one that
the model expects of such a person, and no error is drawn at random. A move less likely than
`coach.repertoire.expectation.LEAST_PROBABILITY` is played only if the search finds it best.

A mate is seen as often as players of the rating solve puzzles of that length, see `sees_mate`.

`python -m workshop.benchmarks levels` measures the levels. `LEVELS` was set by it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log, log1p

import chess

from coach.repertoire.expectation import likely_replies
from coach.repertoire.replies import ReplyModel
from coach.sparring.strength import LEAST_RATING, MOST_RATING
from db.traps.temptation import RatingBand
from trapcore import _native
from trapcore.parallel.budget import Cancellation

COARSE = 8
"""The shorter search has this part of the nodes,"""
LEAST_COARSE = 500
"""but no fewer than so many."""
COARSE_ERROR, COARSE_MARGIN = 0.04, 0.2
"""Win chance that a move gives away by the shorter search, up to which it is searched again: the error of that search,
and a margin that is smaller the more a gift counts."""

MATE_PUZZLES = (1051, 1201, 1250, 1431, 1496)
"""Median lichess rating of puzzles that mate in 1, 2, 3, 4, and in 5 or more moves; ``levels mates`` prints it."""


@dataclass(frozen=True, slots=True)
class Level:
    """How a player of a rating chooses."""

    rating: float
    """Rating of the people whom the move model is asked about."""
    nodes: int
    """Nodes of the search of a position; each likely move has half as many."""
    care: float
    """How much each unit of win chance that a move gives away counts, beside what the model knows of it: 1 divided by a
    temperature, 0 or more."""


LEVELS: dict[int, Level] = {
    1200: Level(1000, 300, 0.0),
    1400: Level(1300, 700, 0.0),
    1600: Level(1580, 1_700, 1.1),
    1800: Level(1770, 2_500, 4.2),
    2000: Level(1950, 3_500, 10.0),
    2200: Level(2150, 9_500, 42.0),
    2400: Level(2350, 14_000, 65.0),
}
"""By the rating that each plays at about, by games against each other and against Stockfish limited by ``UCI_Elo``."""


def level_of(rating: float) -> Level:
    """The level of a rating, interpolated between two of `LEVELS`. A rating out of range counts as the nearest."""
    known = sorted(LEVELS)
    wanted = min(float(MOST_RATING), max(float(LEAST_RATING), rating))
    at = min(len(known) - 1, max(1, bisect_right(known, wanted)))
    low, high = LEVELS[known[at - 1]], LEVELS[known[at]]
    part = (wanted - known[at - 1]) / (known[at] - known[at - 1])

    def between(first: float, second: float) -> float:
        return first + part * (second - first)

    nodes = exp(between(log(low.nodes), log(high.nodes)))
    return Level(between(low.rating, high.rating), round(nodes), expm1(between(log1p(low.care), log1p(high.care))))


def sees_mate(rating: float, moves: int) -> float:
    """Probability, 0..1, that a player of this rating sees a mate in so many own moves.

    It is the share of such players who solve a lichess puzzle of that length, if the puzzle has the usual rating of its
    kind (`MATE_PUZZLES`). Elo's formula gives the share.
    """
    puzzle = MATE_PUZZLES[min(moves, len(MATE_PUZZLES)) - 1]
    return float(1 / (1 + 10 ** ((puzzle - rating) / 400)))


@dataclass(frozen=True, slots=True)
class LevelMove:
    """A move that a player of the level may play."""

    uci: str
    probability: float
    gift: float
    """Win chance that it gives away, 0..2, by the level's search."""


class LevelPlayer:
    """Moves of a level; any number of threads may ask."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self._model = ReplyModel(None, RatingBand(round(level.rating), round(level.rating)))

    def moves(
        self, board: chess.Board, most_nodes: int | None = None, stop: Cancellation | None = None
    ) -> tuple[float, list[LevelMove]]:
        """The win chance of a position that is not over for the side to move, -1..1, and the moves that the player may
        play, the likeliest first.

        ``board`` has the move that led to it. ``most_nodes`` limits the level's search. If ``stop`` was cancelled, the
        model alone answers.
        """
        every = self._model.replies(board)
        likely = [one.uci for one in likely_replies(every)]
        nodes = self.level.nodes if most_nodes is None else max(2, min(most_nodes, self.level.nodes))
        value = self._values(board.fen(), likely, nodes, stop)
        if not value:
            return 0.0, [LevelMove(one.uci, one.probability, 0.0) for one in every]
        best = max(value.values())
        gifts = {uci: best - theirs for uci, theirs in value.items()}
        foreseen = self._model.foreseen(every, gifts, _native.tempting_moves(board.fen()))
        weights = [
            (one.uci, one.probability * exp(-self.level.care * gifts[one.uci])) for one in foreseen if one.uci in gifts
        ]
        total = sum(weight for _, weight in weights)
        moves = [LevelMove(uci, weight / total, gifts[uci]) for uci, weight in weights]
        return best, sorted(moves, key=lambda move: (-move.probability, move.uci))

    def _values(self, fen: str, moves: Sequence[str], nodes: int, stop: Cancellation | None) -> dict[str, float]:
        """Win chance after each of the moves and after the best one; empty if ``stop`` was cancelled.

        With many nodes a shorter search says first which moves are close to the best one. The others keep its values.
        """
        value: dict[str, float] = {}
        margin = COARSE_ERROR + COARSE_MARGIN / (1 + self.level.care * COARSE_ERROR)
        for nodes_now in [nodes // COARSE, nodes] if nodes >= COARSE * LEAST_COARSE else [nodes]:
            most = max(value.values(), default=0.0)
            close = [uci for uci in moves if value.get(uci, most) >= most - margin]
            found = _native.move_values([(fen, close)], nodes_now, stop)
            if not found:
                break
            best, best_move, values = found[0]
            value |= {uci: theirs for uci, (theirs, _) in zip(close, values, strict=True)}
            if best_move is not None and best_move not in close:
                value[best_move] = best
        return value


def without(moves: Sequence[LevelMove], uci: str) -> list[LevelMove]:
    """The moves but this one; all if there is no other."""
    return [move for move in moves if move.uci != uci] or list(moves)
