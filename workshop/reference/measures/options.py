"""The options of the measures for chess that only experiments choose, as types."""

from enum import StrEnum


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


class Reference(StrEnum):
    """What the structural similarity and move matching compare a child with."""

    PARENT = "parent"
    """Its own parent, as in Figure 1 of the paper."""
    ROOT = "root"
    """The position that the parent itself came from, as Table 1 of the paper needs it."""
