"""Move matching: which moves of two positions play the same part, found without looking at what they are called.

Source: Evans & Turrini, section 3, "Move Matching". Where a position is known to have a killer two plies ahead, the
move that is most often paired with it in another position may be one there. It is a proposal, not a proof, and a weak
one: the most frequent check of each position does nearly as well in the paper's own examples.

The convention under which most of the paper's Table 3 comes out: for every first move of one position and every first
move of the other, the replies to both are paired so that the distance of their similarities is least; then it is
counted how often each two replies were paired. The similarity of a reply is the share of moves that the position after
it has in common with the position before it (continuations at depth 1), or with the root (`Reference.ROOT`).

Many similarities are equal, so what is equally good has to be settled. Replies stand in the order of their similarity,
equal ones alphabetically, and pairs do not cross. Among the cheapest such pairings the one with the most pairs of one
name counts, and among those the one that leaves out the last of the longer list. Pairs are listed by how often they
were paired; equally frequent ones alphabetically.

A first move has no counterpart of this kind, because pairs are of replies. When the annotator searches for the bait and
the killer of a similar trap, it takes the first move whose replies can be paired with theirs at the least cost: the
same pairing, read as the structural similarity of the positions after both moves
(``native/src/measures/move_matching.rs``).

With ``uci`` labels the reference ``parent`` says nothing: no reply starts where a piece of the other side stood.
"""

from trapcore import _native
from trapcore.errors import UsageError
from trapcore.measures.move_matching import MovePair, Reply, pairing, reply_name
from trapcore.measures.options import chosen
from trapcore.trees.chess_game import Labels
from trapcore.trees.tree import Tree
from workshop.reference.measures import continuations
from workshop.reference.measures.options import Reference


def replies(tree: Tree, reference: Reference = Reference.PARENT) -> list[tuple[str, list[Reply]]]:
    """The first moves of a tree (to depth 3), alphabetically, and the replies to each in the order of their pairing."""

    def compared(child: Tree) -> list[Reply]:
        with_what = tree if reference is Reference.ROOT else child
        return sorted((continuations.of_trees(grandchild, with_what, 1), label) for label, grandchild in child.children)

    return sorted((label, compared(child)) for label, child in tree.children)


def of_trees(t1: Tree, t2: Tree, reference: Reference = Reference.PARENT) -> list[MovePair]:
    """All pairs of replies of two trees, which must reach depth 3, the most frequent first."""
    sides = [replies(tree, reference) for tree in (t1, t2)]
    found: dict[tuple[str, str], tuple[list[float], list[tuple[str, str]]]] = {}
    for move, p in sides[0]:
        for its_move, q in sides[1]:
            for (similarity, label), (other, its_label) in pairing(p, q):
                distances, after = found.setdefault((label, its_label), ([], []))
                distances.append(abs(similarity - other))
                after.append((move, its_move))
    chances = [[label for _, those in side for _, label in those] for side in sides]
    pairs = [
        MovePair(
            *labels,
            count=len(after),
            chances=chances[0].count(labels[0]) * chances[1].count(labels[1]),
            distance=sum(distances) / len(distances),
            after=tuple(after),
        )
        for labels, (distances, after) in found.items()
    ]
    return sorted(pairs, key=lambda pair: (-pair.count, pair.first, pair.second))


def of_positions(
    fen1: str,
    fen2: str,
    *,
    top: int = 5,
    move: str | None = None,
    labels: str = Labels.SAN,
    captures: bool = False,
    reference: str = Reference.PARENT,
) -> list[MovePair]:
    """The ``top`` (>= 1) most frequent pairs of replies of two chess positions; `[]` if one has no reply.

    With ``move``, a reply in the first position (a label, or SAN with its ``x``, ``+`` and ``#``), only the pairs it is
    in: the first of them is its counterpart. Raises ``PositionError`` for a bad FEN, and ``UsageError`` for an option
    that does not exist or is out of range and for a ``move`` that is no reply in the first position.
    """
    if top < 1:
        raise UsageError(f"top must be at least 1, not {top}")
    naming, to_root = chosen(Labels, labels), chosen(Reference, reference) is Reference.ROOT
    only = None if move is None else reply_name(fen1, move, naming, captures=captures)
    # There are fewer pairs than this; the core counts in machine words.
    found = _native.match_moves(fen1, fen2, naming, captures, to_root, only, min(top, 1 << 30))
    return [
        MovePair(first, second, count, chances, distance, tuple(after))
        for first, second, count, chances, distance, after in found
    ]
