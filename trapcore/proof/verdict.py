"""Values that proofs and trap tests share; importing them loads no prover."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What is known about a forced mate; never a bool, because not knowing is an answer of its own."""

    PROVED = "proved"
    """Every defence loses: the line is one example of the best play of both sides."""
    REFUTED = "refuted"
    """There is no forced mate within the given number of moves."""
    UNDECIDED = "undecided"
    """The budget ran out before either was shown."""


@dataclass(frozen=True, slots=True)
class DepthValue:
    """The same question at one depth; values in centipawns for the victim."""

    depth: int
    """Plies, the bait included; 1 is the bait with captures and checks settled after it."""
    bait: int
    best: int
    """Of the best other move."""
