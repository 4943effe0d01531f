"""Win chance of a value in centipawns, and what a move costs to be an inaccuracy, a mistake or a blunder."""

import math

from trapcore import _native

WIN_CHANCE_SCALE = _native.WIN_CHANCE_SCALE
"""How fast lichess's win chance grows with centipawns: https://github.com/lichess-org/lila/pull/11148."""

INACCURACY, MISTAKE, BLUNDER = _native.INACCURACY, _native.MISTAKE, _native.BLUNDER
"""Win chance that a move costs at least to be ``?!``, ``?`` or ``??``: lichess's judgements, on the scale of -1..1."""


def win_chance(value: int) -> float:
    """lichess's win chance, -1..1, of the side that the value in centipawns is for: 2 / (1 + exp(-scale * value)) - 1.

    A mate is a value beyond `trapcore.proof.search.MATE_BOUND` and so as good as certain.
    """
    # The same function, which any number goes into.
    return math.tanh(WIN_CHANCE_SCALE * value / 2)
