"""The options of the measures for chess, as types, and the one place where their names are read."""

from enum import StrEnum
from typing import TypeVar

from trapcore.errors import UsageError
from trapcore.spelling import unknown_name


class Measure(StrEnum):
    """The similarity measures of the paper that trapline computes; each has a file of its name."""

    SEQUENCES = "sequences"
    CONTINUATIONS = "continuations"
    STRUCTURAL = "structural"


class Base(StrEnum):
    """The measure that the structural similarity compares children and parents with."""

    CONTINUATIONS = "continuations"
    SEQUENCES = "sequences"


class Unpaired(StrEnum):
    """What the structural similarity charges for a child without a partner."""

    FORMULA = "formula"
    """1, as the formula of section 3.1 has it."""
    PAD = "pad"
    """1 minus the child's own similarity, as Algorithm 1 has it, which pads the shorter list with ones."""


MAX_DEPTH = 3
"""Deepest local tree that a measure compares, in plies."""
MAX_BASE_DEPTH = 2
"""Deepest base of the structural similarity, in plies; its tree is one ply deeper."""

Option = TypeVar("Option", bound=StrEnum)


def chosen(kind: type[Option], name: str) -> Option:
    """The member of ``kind`` called ``name``; raises ``UsageError`` naming the nearest valid name."""
    try:
        return kind(name)
    except ValueError:
        raise unknown_name(kind.__name__.lower(), name, [str(member) for member in kind]) from None


def checked_depth(depth: int, most: int = MAX_DEPTH) -> int:
    """``depth``, if it is 1 to ``most``; raises ``UsageError`` otherwise."""
    if not 1 <= depth <= most:
        raise UsageError(f"depth must be 1..{most} plies, not {depth}")
    return depth
