"""Example 1: how the measures stand to each other as the number of moves grows (section 2.5 of the paper).

The paper estimates them for trees of b moves and b replies each that differ by "the placement of two pieces", and for a
tree cut short by mate beside one that goes on. It does not say which moves differ; two readings are built here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from trapcore.trees.tree import Tree
from workshop.paper.benchmark import Run
from workshop.reference.measures import continuations, sequences, tree_edit
from workshop.report import Panel, Plot, Report, Series, Style, Table, number

BRANCHING = (3, 5, 10, 20)
"""Numbers of moves b. The plain tree-edit distance is too slow for more."""


def whole(b: int) -> Tree:
    """b moves with b replies each, the same replies to every move."""
    return _tree([f"m{i}" for i in range(b)], {f"r{i}": {} for i in range(b)})


def other_reply(b: int) -> Tree:
    """`whole` with another reply to one move."""
    first, *rest = whole(b).children
    changed = (("r0 new", Tree()), *first[1].children[1:])
    return Tree(((first[0], Tree(changed)), *rest))


def other_moves(b: int, before: str = "") -> Tree:
    """`whole` with other names for two of the first moves. Their places in the alphabet stay the same.

    With something that they have ``before`` their names they go elsewhere.
    """
    return _tree(
        [f"{before}m0 new", f"{before}m1 new", *(f"m{i}" for i in range(2, b))], {f"r{i}": {} for i in range(b)}
    )


def cut_short(b: int) -> Tree:
    """The first moves of `whole` only."""
    return _tree([f"m{i}" for i in range(b)], {})


def _tree(moves: list[str], replies: dict[str, dict[str, object]]) -> Tree:
    below = Tree(tuple((reply, Tree()) for reply in replies))
    return Tree(tuple((move, below) for move in moves))


@dataclass(frozen=True, slots=True)
class Case:
    """A pair of trees, and what the paper prints of it."""

    name: str
    tree: Callable[[int], Tree]
    """What is compared with `whole`, for b."""
    printed: tuple[Callable[[int], float], Callable[[int], float], Callable[[int], float]]
    """P_cont, P_seq, P_tree for b."""
    prefixes: bool
    """Whether shorter lines count in P_seq; without them a tree that is cut short shares nothing."""


_CLOSE = (
    lambda b: (b - 2) / b,
    lambda b: (b * b - 2) / (b * b),
    lambda b: (2 * b * b - 1) / (2 * b * b + 1),
)
_CUT = (lambda b: (b - 2) / b, lambda b: (b - 1) / (b * b), lambda b: 1 / (2 * b + 1))

CASES = (
    Case("T1 and T2 differ in one reply", other_reply, _CLOSE, False),
    Case("T1 and T2 differ in two first moves", other_moves, _CLOSE, False),
    Case("T3 is cut short, T4 goes on", cut_short, _CUT, True),
)

CLAIMS = {
    CASES[0].name: ("P_cont < P_seq", "P_seq < P_tree"),
    CASES[1].name: ("P_cont < P_seq", "P_seq < P_tree"),
    CASES[2].name: ("P_seq < P_cont", "P_tree < P_seq"),
}
"""What the paper concludes from its estimates."""


def values(case: Case, b: int) -> dict[str, float]:
    """Ours, to depth 2, for ``b`` (>= 3) moves."""
    t1, t2 = case.tree(b), whole(b)
    return {
        "P_cont": continuations.of_trees(t1, t2, 2),
        "P_seq": sequences.of_trees(t1, t2, 2, prefixes=case.prefixes),
        "P_tree": tree_edit.of_trees(t1, t2, 2),
    }


def holds(claim: str, found: dict[str, float]) -> bool:
    """Whether one of the paper's inequalities holds."""
    less, more = claim.split(" < ")
    return found[less] < found[more]


def report(run: Run) -> Report:
    """The three measures beside the printed estimates, and which of the printed inequalities hold."""
    blocks: list[str | Table] = [
        "Ours for b moves and b replies to each, at depth 2, with the printed estimate in brackets. Replies have other "
        "labels than first moves, as in chess."
    ]
    panels = []
    for case in CASES:
        found = {b: values(case, b) for b in BRANCHING}
        rows = []
        for b, ours in found.items():
            cells = (f"{number(v)} ({number(p(b))})" for v, p in zip(ours.values(), case.printed, strict=True))
            rows.append((str(b), *cells))
        blocks.append(f"{case.name}{' (shorter lines count in P_seq)' if case.prefixes else ''}:")
        blocks.append(Table(("b", *found[BRANCHING[0]]), tuple(rows)))
        parts = []
        for claim in CLAIMS[case.name]:
            where = [b for b in BRANCHING if holds(claim, found[b])]
            for_which = "for all b" if len(where) == len(BRANCHING) else f"for b = {', '.join(map(str, where))} only"
            parts.append(f"{claim}: {for_which if where else 'for no b'}")
        last = BRANCHING[-1]
        ratios = (
            f"{name} {found[last][name] / printed(last):.2f}"
            for name, printed in zip(found[last], case.printed, strict=True)
        )
        blocks.append(
            f"The paper's inequalities hold here as follows: {'; '.join(parts)}. Ours over the printed estimate at b = "
            f"{last}: {', '.join(ratios)}."
        )
        x, series = tuple(map(float, BRANCHING)), []
        for name, printed in zip(found[last], case.printed, strict=True):
            series.append(Series(name, x, tuple(found[b][name] for b in BRANCHING)))
            series.append(Series(f"{name}, printed", x, tuple(map(printed, BRANCHING)), Style.DASHED))
        panels.append(Panel(case.name, "b", "similarity", tuple(series)))
    b = BRANCHING[-1]
    there, elsewhere = (tree_edit.of_trees(other_moves(b, before), whole(b), 2) for before in ("", "z"))
    blocks.append(
        "In ordered trees the place of a move in the alphabet matters. If the names of the two other moves come last, "
        f"P_tree(T1, T2) at b = {b} is {number(elsewhere)} instead of {number(there)}."
    )
    exact = sequences.of_trees(cut_short(BRANCHING[-1]), whole(BRANCHING[-1]), 2)
    blocks.append(
        f"By the convention of Figure 1, lines of exactly two moves, P_seq(T3, T4) is {number(exact)}. The printed "
        "1/(2b+1) takes b² for the size of T4, which has b² + b moves. The sizes printed with Figure 1 count all moves."
    )
    return Report("Example 1: many moves", tuple(blocks), (Plot("example-1", "Example 1", tuple(panels)),))
