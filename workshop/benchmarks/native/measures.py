"""Measures on pairs of middlegame positions, from FEN to number.

The structural similarity is compared with what a careful programmer writes with python-chess and scipy, the tree-edit
similarity with the package zss. ``trapline research paper cost`` compares every measure with its plain definition.
"""

import itertools
from collections.abc import Callable

import chess
import numpy as np
import zss  # type: ignore[import-untyped]
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from trapcore.trees.chess_game import chess_tree
from workshop.benchmarks.material import middlegame_fens
from workshop.benchmarks.table import Row, cpu_seconds
from workshop.reference.measures import structural, tree_edit
from workshop.reference.measures.tree_edit import Forest, sorted_forest

Pair = tuple[str, str]


def pairs(count: int) -> list[Pair]:
    """Every position of master games with the next one that was drawn."""
    return list(itertools.pairwise(middlegame_fens(count + 1)))


def each(work: Callable[[str, str], object], over: list[Pair], repetitions: int = 3) -> float:
    """Processor seconds of one pair."""
    return cpu_seconds(lambda: [work(*pair) for pair in over], repetitions) / len(over)


def format_seconds(seconds: float) -> str:
    """A duration in the unit that suits it."""
    return f"{seconds * 1e6:,.0f} us" if seconds < 0.01 else f"{seconds * 1e3:,.0f} ms"


def assignment() -> Row:
    """The structural similarity with the Hungarian method, as the paper has it, on sets of moves."""

    def similarities(fen: str) -> list[float]:
        board = chess.Board(fen)
        moves = list(board.legal_moves)
        parent = {move.uci() for move in moves}
        found = []
        for move in moves:
            board.push(move)
            child = {reply.uci() for reply in board.legal_moves}
            board.pop()
            found.append(len(parent & child) / len(parent | child))
        return found

    def hungarian(one: str, two: str) -> float:
        p, q = similarities(one), similarities(two)
        distances = np.abs(np.subtract.outer(p, q))
        paired = distances[linear_sum_assignment(distances)].sum()
        return 1 - float(abs(len(p) - len(q)) + paired) / max(len(p), len(q))

    fast, slow = each(structural.of_positions, pairs(200)), each(hungarian, pairs(20), 1)
    return Row(
        "structural", format_seconds(fast), f"python-chess + scipy's Hungarian {format_seconds(slow)}", slow / fast, 100
    )


def edits() -> Row:
    """The tree-edit distance at depth 2."""

    def node(label: str, forest: Forest) -> zss.Node:
        return zss.Node(label, [node(*child) for child in forest])

    def by_zss(one: str, two: str) -> float:
        forests = [sorted_forest(chess_tree(fen, 2), 2) for fen in (one, two)]
        nodes = [node("", forest) for forest in forests]
        found: float = zss.simple_distance(*nodes, label_dist=lambda x, y: int(x != y))
        return found

    fast, slow = each(tree_edit.of_positions, pairs(20)), each(by_zss, pairs(1), 1)
    return Row("tree-edit, depth 2", format_seconds(fast), f"zss {format_seconds(slow)}", slow / fast, 5)


def rows() -> list[Row]:
    """Both of them."""
    return [assignment(), edits()]
