"""Local trees as text, one line a move."""

from collections.abc import Iterator

from trapcore.trees.tree import Tree


def draw(tree: Tree, shown: int = 8) -> Iterator[str]:
    """Lines of text for a tree; each node shows its first ``shown`` children and counts the rest.

    An end is won, drawn or lost for the player who made the last move.
    """
    for index, (label, child) in enumerate(tree.children[:shown]):
        last = index + 1 == len(tree.children)
        yield f"{'└' if last else '├'}── {label}{node_note(child)}"
        for line in draw(child, shown):
            yield f"{' ' if last else '│'}   {line}"
    if rest := tree.children[shown:]:
        yield f"└── … {len(rest)} more"


def node_note(tree: Tree) -> str:
    """Note beside a node, after two spaces: the number of its moves, or how the game ends there; empty for neither."""
    if tree.children:
        return f"  ({len(tree.children)})"
    if tree.reward is not None:
        return f"  (the game ends: {'won' if tree.reward > 0 else 'lost' if tree.reward < 0 else 'drawn'})"
    return "  (the game ends)" if tree.ended else ""
