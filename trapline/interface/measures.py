"""``similarity`` and ``tree``: local game trees of positions."""

from trapcore.measures.comparison import Comparison
from trapcore.measures.options import comparing
from trapcore.trees.chess_game import Labels, chess_tree
from trapcore.trees.tree import Tree
from trapline.interface.arguments import Position, board_of


def similarity(first: Position, second: Position, measure: str = "sequences", *, depth: int | None = None) -> float:
    """Compares two positions by their local game trees.

    Args:
        first: A board, a node of a game, or a FEN or EPD.
        second: The same.
        measure: ``sequences``, ``continuations``, ``structural``, ``tree-edit``, ``tanimoto``, ``sampled`` or
            ``terminal``, see the page on measures.
        depth: Plies of the trees, 1 to 3; by default 2, and 1 for ``structural`` and ``sampled``.

    Returns:
        0 (nothing in common) to 1 (equal).

    Raises:
        PositionError: A position cannot be read, or the measure cannot compare the two.
        UsageError: There is no such measure, or the depth is out of range.

    Examples:
        >>> import chess, trapline
        >>> trapline.similarity(chess.Board(), chess.STARTING_FEN)
        1.0
    """
    return Comparison(comparing(measure), depth).of(board_of(first).fen(), board_of(second).fen()).value


def tree(position: Position, depth: int = 2) -> Tree:
    """Returns the local tree of a position: all its lines to a depth, with moves in SAN without ``x``, ``+`` and ``#``.

    Args:
        position: A board, a node of a game, or a FEN or EPD.
        depth: Plies, 0 or more. Three plies of a middlegame are about 30,000 moves.

    Raises:
        PositionError: The position cannot be read.
        UsageError: The tree has more than a million moves.

    Examples:
        >>> import chess, trapline
        >>> grown = trapline.tree(chess.Board())
        >>> len(grown.children), grown.edges, sorted(grown.labels(1))[:3]
        (20, 420, ['Na3', 'Nc3', 'Nf3'])
    """
    return chess_tree(board_of(position).fen(), depth, Labels.SAN)
