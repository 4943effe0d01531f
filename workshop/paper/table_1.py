"""Table 1: structural similarity of the branches of a tic-tac-toe position (Figure 2 of the paper)."""

from trapcore.trees.tree import local_tree
from workshop.games.rules.tic_tac_toe import TicTacToe
from workshop.paper.benchmark import Run
from workshop.paper.paper import TABLE_1, TIC_TAC_TOE
from workshop.reference.measures import structural
from workshop.reference.measures.options import Reference
from workshop.report import Panel, Plot, Report, Series, Style, Table, number


def values(reference: Reference) -> dict[tuple[str, str], float]:
    """The six values of the table, with what ``reference`` says children are compared with."""
    game = TicTacToe()
    root = local_tree(game, game.parse(TIC_TAC_TOE), 3)
    branches = dict(root.children)
    compared_with = root if reference is Reference.ROOT else None
    return {(one, two): structural.of_trees(branches[one], branches[two], root=compared_with) for one, two in TABLE_1}


def report(run: Run) -> Report:
    """The table by both references, beside the printed one."""
    ours = {reference: values(reference) for reference in Reference}
    rows = [
        (f"{one}, {two}", number(printed), *(number(found[one, two]) for found in ours.values()))
        for (one, two), printed in TABLE_1.items()
    ]
    equal = {
        reference: sum(abs(found[pair] - TABLE_1[pair]) < 1e-12 for pair in TABLE_1)
        for reference, found in ours.items()
    }
    bars = [Series("printed", tuple(range(len(TABLE_1))), tuple(TABLE_1.values()), Style.BARS)]
    bars += [
        Series(f"ours, {reference}", tuple(range(len(found))), tuple(found.values()), Style.BARS)
        for reference, found in ours.items()
    ]
    return Report(
        "Table 1: tic-tac-toe",
        (
            f"Root: `{TIC_TAC_TOE}` (rows 3 to 1, then who moves). The paper does not write it down.",
            Table(("branches", "printed", *(f"ours, {reference}" for reference in ours)), tuple(rows)),
            "Equal to the printed values: "
            + ", ".join(f"{count} of {len(TABLE_1)} with the reference {name}" for name, count in equal.items())
            + ". The paper says that it compares a child with its parent, and Figure 1 is computed so. Table 1 comes "
            "out only if the children of a branch are compared with the root of the branches.",
        ),
        (Plot("table-1", "Table 1", (Panel("", "", "S", tuple(bars), tuple(f"{a}, {b}" for a, b in TABLE_1)),)),),
    )
