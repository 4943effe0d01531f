"""Strengths and styles of a sparring partner, as settings name them."""

from enum import StrEnum

LEAST_RATING, MOST_RATING = 1200, 2400
"""Ratings of the weakest and of the strongest level."""

TRAP_LOSS = 0.14
"""Win chance, -1..1, that a trap may cost against a player rated 1600, unless it is set otherwise."""

UNKNOWN_RATING = 1500
"""Level against an opponent whose rating is unknown."""


class Style(StrEnum):
    """Whether traps are set on purpose."""

    SOLID = "solid"
    TRICKSTER = "trickster"


class Strength(StrEnum):
    """A strength that is no rating."""

    FULL = "full"
    OPPONENT = "opponent"


def playing_rating(strength: Strength | int, opponent: int | None) -> int | None:
    """The rating to play at against an opponent of this rating; None for full strength."""
    if isinstance(strength, int):
        return strength
    if strength is Strength.FULL:
        return None
    return min(MOST_RATING, max(LEAST_RATING, UNKNOWN_RATING if opponent is None else opponent))
