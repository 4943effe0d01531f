"""The options of the measures for chess, as types, and the one place where their names are read."""

from enum import StrEnum
from typing import TypeVar

from trapcore.errors import UsageError, unknown_name


class Measure(StrEnum):
    """The similarity measures of the paper that trapline computes; each has a file of its name."""

    SEQUENCES = "sequences"
    CONTINUATIONS = "continuations"
    STRUCTURAL = "structural"
    TREE_EDIT = "tree-edit"
    TERMINAL = "terminal"
    SAMPLED = "sampled"
    TANIMOTO = "tanimoto"


class IndexedMeasure(StrEnum):
    """The measures by which a game is compared with a whole library of traps at once."""

    ABSTRACTED = "abstracted"
    """Abstracted local trees of single moves, see `workshop.reference`; the others are each a `Measure`, too."""
    SEQUENCES = "sequences"
    CONTINUATIONS = "continuations"
    STRUCTURAL = "structural"


MAX_DEPTH = 3
"""Deepest local tree that a measure compares, in plies."""
MAX_BASE_DEPTH = 2
"""Deepest base of the structural similarity, in plies; its tree is one ply deeper."""
MAX_EDIT_DEPTH = 2
"""Deepest tree of the tree-edit similarity, in plies."""

Option = TypeVar("Option", bound=StrEnum)


def chosen(kind: type[Option], name: str) -> Option:
    """The member of ``kind`` called ``name``; raises ``UsageError`` naming the nearest valid name."""
    try:
        return kind(name)
    except ValueError:
        raise unknown_name(kind.__name__.lower(), name, [str(member) for member in kind]) from None


def indexed(name: str) -> IndexedMeasure:
    """The measure called ``name``, if whole libraries can be searched by it.

    Raises ``UsageError``, also for a measure that only compares two positions.
    """
    known = [str(member) for member in IndexedMeasure]
    if name in known:
        return IndexedMeasure(name)
    if name in set(Measure):
        raise UsageError(f"{name} only compares two positions; a library is searched by {', '.join(known)}")
    raise unknown_name("measure", name, known)


def comparing(name: str) -> Measure:
    """The measure of that name, if it compares two positions; raises `UsageError`, naming the nearest or saying why."""
    if name == IndexedMeasure.ABSTRACTED:
        raise UsageError(
            "abstracted compares a move and its answer with those of a library, not two positions: "
            "`trapline query --fen FEN --similar 5 --measure abstracted`; two positions are compared by "
            + ", ".join(Measure)
        )
    return chosen(Measure, name)


LEAST_SIMILARITY = {
    IndexedMeasure.ABSTRACTED: 0.5,
    IndexedMeasure.SEQUENCES: 0.8,
    IndexedMeasure.CONTINUATIONS: 0.8,
    IndexedMeasure.STRUCTURAL: 0.8,
}
"""Similarity from which a position is a candidate, by default."""


def checked_depth(depth: int, most: int = MAX_DEPTH) -> int:
    """``depth``, if it is 1 to ``most``; raises ``UsageError`` otherwise."""
    if not 1 <= depth <= most:
        raise UsageError(f"depth must be 1..{most} plies, not {depth}")
    return depth


def checked_edit_depth(depth: int) -> int:
    """``depth``, if it is 1 or 2; raises ``UsageError`` otherwise, and says why 3 is too deep."""
    if depth > MAX_EDIT_DEPTH:
        raise UsageError(
            f"depth must be 1..{MAX_EDIT_DEPTH} plies for tree-edit, not {depth}: a chess tree of depth 3 has some "
            "40,000 moves, and the distances of all its parts would take gigabytes and minutes"
        )
    if depth < 1:
        raise UsageError(f"depth must be 1..{MAX_EDIT_DEPTH} plies for tree-edit, not {depth}")
    return depth
