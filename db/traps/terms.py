"""Names of sides, outcomes and events, and the range of ratings; importing them loads nothing else."""

from enum import StrEnum
from typing import Literal

Side = Literal["white", "black"]

SIDES: tuple[Side, ...] = ("white", "black")

EVENTS = ("set", "fell", "avoided", "sprung", "missed")
"""What can happen to a trap in a game."""

HIGHEST_RATING = 4000
"""What is no number from 1 to this is no rating."""


class Outcome(StrEnum):
    """What the attacker gets."""

    MATE = "mate"
    MATERIAL = "material"
    """Anything but mate: material or a won position."""
