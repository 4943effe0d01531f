"""Temptation of a bait: how it looks to a shallow search and to a deeper one, and how many players took it.

A bait tempts for one of three reasons:

=============  ========================================================================================
``rank``       it is among the `TEMPTING_RANK` best moves, at first sight or after one ply
``gain``       it seems to win `TEMPTING_GAIN` centipawns or more there
``frequency``  of `LEAST_DECISIONS` or more players who stood before it, `TEMPTING_SHARE` or more took it
=============  ========================================================================================

The first two are those of the trap test (`trapcore.proof.trap_test`); the third needs an indexed library. A trap need
not tempt for any of them: some famous baits look bad to every shallow view, and people take them all the same.
"""

from dataclasses import dataclass

from db.traps.json_form import JSON_FORM
from trapcore.proof.trap_test import TEMPTING_GAIN, TEMPTING_RANK, BaitTest
from trapcore.proof.verdict import DepthValue

TEMPTING_SHARE = 0.1
"""Least share of the players who took the bait, 0..1, that shows it to be tempting."""

LEAST_DECISIONS = 10
"""Of fewer players a share says nothing."""


@dataclass(frozen=True, slots=True)
class RatingBand:
    """The ratings of those who had the choice."""

    least: int | None
    """None if nobody is too weak."""
    most: int | None
    """None if nobody is too strong; if both are, the band of those whose rating is unknown."""

    def __str__(self) -> str:
        """``<1200``, ``1200-1599``, ``2400+`` or ``unknown``."""
        if self.least is None:
            return "unknown" if self.most is None else f"<{self.most + 1}"
        return f"{self.least}+" if self.most is None else f"{self.least}-{self.most}"


UNKNOWN_RATING = RatingBand(None, None)

RATING_BANDS = (
    RatingBand(None, 1199),
    RatingBand(1200, 1599),
    RatingBand(1600, 1999),
    RatingBand(2000, 2399),
    RatingBand(2400, None),
    UNKNOWN_RATING,
)
"""Every player is in one of them."""


def rating_band(rating: int | None) -> RatingBand:
    """The band of `RATING_BANDS` that a rating is in."""
    if rating is None:
        return UNKNOWN_RATING
    return next(band for band in RATING_BANDS if band.most is None or rating <= band.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The bait by depth, all values for the victim."""

    __pydantic_config__ = JSON_FORM

    rank: int
    """Among all moves, from 1; the better of first sight and one ply."""
    gain: int
    """What it seems to win there, in centipawns."""
    depths: tuple[DepthValue, ...] = ()
    """The bait and the best other move at each depth of the trap test, ascending; empty if none was finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """How often the players of the indexed games had the choice, in either colour, and how they chose."""

    __pydantic_config__ = JSON_FORM

    decisions: int
    """Times that a move was played in the position."""
    played: int
    """Times that this move was the bait."""

    @property
    def share(self) -> float:
        """0..1; 0 if the position did not occur."""
        return self.played / self.decisions if self.decisions else 0.0

    def __add__(self, other: "Frequency") -> "Frequency":
        """Both together."""
        return Frequency(decisions=self.decisions + other.decisions, played=self.played + other.played)


def profile_of(test: BaitTest) -> Profile:
    """The profile that a trap test gives."""
    return Profile(rank=test.rank, gain=test.gain, depths=test.depths)


def reasons(profile: Profile | None, frequency: Frequency | None) -> list[str]:
    """Why the bait tempts, of ``rank``, ``gain`` and ``frequency``; empty if for none or if nothing is known."""
    found = []
    if profile is not None and profile.rank <= TEMPTING_RANK:
        found.append("rank")
    if profile is not None and profile.gain >= TEMPTING_GAIN:
        found.append("gain")
    if frequency is not None and frequency.decisions >= LEAST_DECISIONS and frequency.share >= TEMPTING_SHARE:
        found.append("frequency")
    return found
