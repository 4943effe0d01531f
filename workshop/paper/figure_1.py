"""Figure 1: every measure on two small trees, worked out in sections 2.1 to 2.3 and 3.1 of the paper."""

from workshop.paper.benchmark import Run
from workshop.paper.paper import FIGURE_1, FIGURE_1_CHILDREN, FIGURE_1_VALUES
from workshop.reference.measures import continuations, sequences, structural, tree_edit
from workshop.report import Panel, Plot, Report, Series, Style, Table, number


def values() -> dict[str, float]:
    """Ours: the four printed values, under the paper's names, and the tree-edit similarity of ordered trees."""
    t1, t2 = FIGURE_1
    return {
        "P_cont, depth 2": continuations.of_trees(t1, t2, 2),
        "P_seq, depth 2": sequences.of_trees(t1, t2, 2),
        "P_tree, depth 2": tree_edit.of_trees(t1, t2, 2, ordered=False),
        "P_tree, depth 2, ordered": tree_edit.of_trees(t1, t2, 2),
        "S on P_cont": structural.of_trees(t1, t2),
    }


def report(run: Run) -> Report:
    """The values beside the printed ones."""
    ours = values()
    rows = []
    for name, value in ours.items():
        printed = FIGURE_1_VALUES.get(name)
        equal = "" if printed is None else "yes" if round(value, 3) == printed else "no"
        rows.append((name, number(value), "" if printed is None else number(printed), equal))
    children = [
        (f"T{tree}.{child}", number(value), number(printed), "yes" if abs(value - printed) < 1e-12 else "no")
        for tree, (t, known) in enumerate(zip(FIGURE_1, FIGURE_1_CHILDREN, strict=True), 1)
        for child, (value, printed) in enumerate(zip(structural.child_similarities(t), known, strict=True), 1)
    ]
    t1, t2 = (tree_edit.sorted_forest(tree, 2) for tree in FIGURE_1)
    ordered, unordered = tree_edit.ordered_distance(t1, t2), tree_edit.unordered_distance(t1, t2)
    bars = [name for name in ours if name in FIGURE_1_VALUES]
    return Report(
        "Figure 1: two small trees",
        (
            Table(("measure", "ours", "printed", "equal"), tuple(rows)),
            "Similarity of each child to its parent, by continuations at depth 1:",
            Table(("child", "ours", "printed", "equal"), tuple(children)),
            "The paper orders the children of each node alphabetically, because the distance of unordered trees is "
            f"hard to find. But it prints the value of the unordered distance, {unordered}. The distance of the "
            f"ordered trees is {ordered}. The size of a tree is its number of moves, {FIGURE_1[0].edges} and "
            f"{FIGURE_1[1].edges} here.",
        ),
        (
            Plot(
                "figure-1",
                "Figure 1",
                (
                    Panel(
                        "Measures of T1 and T2",
                        "",
                        "similarity",
                        (
                            _bars("ours", [ours[name] for name in bars]),
                            _bars("printed", [FIGURE_1_VALUES[name] for name in bars]),
                        ),
                        tuple(bars),
                    ),
                ),
            ),
        ),
    )


def _bars(name: str, heights: list[float]) -> Series:
    return Series(name, tuple(range(len(heights))), tuple(heights), Style.BARS)
