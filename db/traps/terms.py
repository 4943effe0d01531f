"""Names of sides, outcomes and events, the range of ratings, how a theme is asked for; importing them loads little."""

import re
from enum import StrEnum
from typing import Literal

Side = Literal["white", "black"]

SIDES: tuple[Side, ...] = ("white", "black")

OTHER_SIDE: dict[str, Side] = {"white": "black", "black": "white"}


def side_named(text: str) -> Side | None:
    """The side with this name; None for any other text."""
    return next((side for side in SIDES if side == text), None)


HIGHEST_RATING = 4000
"""What is no number from 1 to this is no rating."""


class Outcome(StrEnum):
    """What the attacker gets."""

    MATE = "mate"
    MATERIAL = "material"
    """Anything but mate: material or a won position."""


KINDS = {
    "mate": "to a mate",
    "capture": "to a capture or a promotion",
    "check": "to a check",
    "quiet": "to a quiet move",
}
"""What a killer is, and how a move is said to lose to it."""


class Event(StrEnum):
    """Events of a trap in a game, in the order of the moves."""

    SET = "set"
    """The attacker's move brought about the trap position."""
    FELL = "fell"
    """The victim took the bait."""
    AVOIDED = "avoided"
    """The victim played something else."""
    SPRUNG = "sprung"
    """The attacker played the killer after the bait."""
    MISSED = "missed"
    """The attacker played something else after the bait."""


EVENTS = tuple(Event)
"""The five events, in the order of the moves."""

THEME = re.compile(
    "(?P<theme>[A-Za-z][A-Za-z0-9]*)(:(?P<by>[PNBRQK]))?(@(?P<on>[a-h][1-8]))?(>(?P<target>[PNBRQK])(@(?P<at>[a-h][1-8]))?)?"
)
"""A theme that is asked for: ``fork``, ``fork:N@c7``, ``trappedPiece>Q``, ``captured>Q@d1``."""
