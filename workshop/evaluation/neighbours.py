"""What the nearest known positions propose, by measures that compare whole positions: the paper's, and the board.

All positions are turned so that the attacker is White, which the paper does not do; it can only help. A neighbour
proposes the move of the same name as its killer (SAN without ``x``, ``+`` and ``#``), if there is one, with its
similarity as its vote.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import chess
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from trapcore import _native
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror_move
from workshop.evaluation.orders import Scores
from workshop.evaluation.sample import Puzzle
from workshop.reference.measures import move_matching as matching
from workshop.reference.measures import structural

Array = npt.NDArray[Any]

VOTES = 20
"""Neighbours that propose."""
CANDIDATES = 200
"""Positions that are compared by structural similarity: those with the closest number of moves."""
_AT_A_TIME = 250
MATCHED = 5
"""Neighbours whose killer is mapped by move matching, which is slow."""


@dataclass(frozen=True)
class Turned:
    """A puzzle with the attacker as White."""

    before: str
    """FEN."""
    after: str
    bait: str
    """SAN without ``x``, ``+`` and ``#``."""
    killer: str
    names: dict[str, str]
    """Name of each move after the bait: its UCI in the puzzle itself."""

    @classmethod
    def of(cls, puzzle: Puzzle) -> "Turned":
        """Turn a puzzle."""
        before, after = parse_position(puzzle.before), puzzle.board
        bait = name(before, before.parse_uci(puzzle.trap.bait))
        names = {name(after, move): after.uci(move) for move in after.legal_moves}
        killer = name(after, after.parse_uci(puzzle.killer))
        boards = (before, after) if after.turn else (before.mirror(), after.mirror())
        return cls(
            boards[0].fen(),
            boards[1].fen(),
            _mirrored(bait, after.turn),
            _mirrored(killer, after.turn),
            {_mirrored(text, after.turn): uci for text, uci in names.items()},
        )


def name(board: chess.Board, move: chess.Move) -> str:
    """SAN without ``x``, ``+`` and ``#``."""
    return board.san(move).replace("x", "").rstrip("+#")


def _mirrored(san: str, white: bool) -> str:
    return san if white else mirror_move(san)


Neighbours = list[list[tuple[int, float]]]
"""For each query the places of its neighbours in the library, the nearest first, and their similarities."""


def by_board(library: Sequence[Turned], queries: Sequence[Turned]) -> Neighbours:
    """By the share of the squares that hold the same."""
    known, queried = _squares(library), _squares(queries)
    return _nearest(len(queried), lambda rows: queried[rows] @ known.T / 64)


def _squares(positions: Sequence[Turned]) -> Array:
    rows = np.zeros((len(positions), 64 * 13), np.float32)
    for row, position in zip(rows, positions, strict=True):
        pieces = chess.Board(position.after).piece_map()
        for square in chess.SQUARES:
            piece = pieces.get(square)
            row[square * 13 + (piece.piece_type + 6 * piece.color if piece else 0)] = 1
    return rows


def by_continuations(library: Sequence[Turned], queries: Sequence[Turned]) -> Neighbours:
    """By the paper's P_cont at depth 1, moves named by SAN."""
    known, queried, sizes = _lines(library, queries, 1, captures=False)

    def similarities(rows: slice) -> Array:
        both = _dense(queried[rows] @ known.T)
        return np.asarray(both / (sizes[1][rows, None] + sizes[0][None, :] - both))

    return _nearest(len(queries), similarities)


def by_sequences(library: Sequence[Turned], queries: Sequence[Turned]) -> Neighbours:
    """By the paper's P_seq at depth 2, moves named by SAN and by what is lost for good with them."""
    known, queried, sizes = _lines(library, queries, 2, captures=True)

    def similarities(rows: slice) -> Array:
        shared = _dense(queried[rows] @ known.sign().T) + _dense(queried[rows].sign() @ known.T)
        return np.asarray(shared / np.maximum(1, sizes[1][rows, None] + sizes[0][None, :]))

    return _nearest(len(queries), similarities)


def _nearest(queries: int, similarities: Callable[[slice], Array]) -> Neighbours:
    """The best of each query, equal ones by place; so many queries at a time that memory suffices."""
    found: Neighbours = []
    for start in range(0, queries, _AT_A_TIME):
        values = similarities(slice(start, min(start + _AT_A_TIME, queries)))
        order = np.argsort(-values, axis=1, kind="stable")[:, :VOTES]
        found += [[(int(i), float(row[i])) for i in best] for row, best in zip(values, order, strict=True)]
    return found


def _dense(matrix: Any) -> Array:
    return np.asarray(matrix.todense())


def _lines(
    library: Sequence[Turned], queries: Sequence[Turned], depth: int, *, captures: bool
) -> tuple[Any, Any, tuple[Array, Array]]:
    """How often each line of a query occurs in each position (rows) of the library and of the queries, and how many
    lines, those of no query included, each of both has."""

    def ids(positions: Sequence[Turned]) -> list[Array]:
        return [np.frombuffer(_native.sequence_ids(p.after, depth, "san", captures), np.uint64) for p in positions]

    queried = ids(queries)
    columns = np.unique(np.concatenate(queried))

    def counts(rows: list[Array]) -> tuple[Any, Array]:
        sizes = np.array([len(row) for row in rows])
        lines = np.concatenate(rows)
        places = np.minimum(np.searchsorted(columns, lines), len(columns) - 1)
        there = columns[places] == lines
        number = np.repeat(np.arange(len(rows)), sizes)[there]
        ones = np.ones(len(number), np.float32)
        return csr_matrix((ones, (number, places[there])), shape=(len(rows), len(columns))), sizes

    (known, known_sizes), (own, own_sizes) = counts(ids(library)), counts(queried)
    return known, own, (known_sizes, own_sizes)


def by_structure(library: Sequence[Turned], queries: Sequence[Turned]) -> Neighbours:
    """The paper's S on continuations at depth 1, of the `CANDIDATES` that have about as many moves."""
    moves = np.array([len(position.names) for position in library])
    found = []
    for query in queries:
        own = len(query.names)
        ratio = np.minimum(moves, own) / np.maximum(moves, own)
        candidates = np.argsort(-ratio, kind="stable")[:CANDIDATES]
        values = [(int(i), structural.of_positions(query.after, library[i].after, labels="san")) for i in candidates]
        found.append(sorted(values, key=lambda pair: (-pair[1], pair[0]))[:VOTES])
    return found


def by_chance(library: Sequence[Turned], queries: Sequence[Turned], seed: int) -> Neighbours:
    """Any of the library."""
    draw = random.Random(seed)
    size = min(VOTES, len(library))
    return [[(i, 1.0) for i in draw.sample(range(len(library)), size)] for _ in queries]


def voted(query: Turned, neighbours: Iterable[tuple[int, float]], library: Sequence[Turned]) -> Scores:
    """Each move with the similarity of the neighbours that propose it."""
    scores = dict.fromkeys(query.names.values(), 0.0)
    for place, similarity in neighbours:
        move = query.names.get(library[place].killer)
        if move is not None:
            scores[move] += similarity
    return scores


def matched(query: Turned, neighbours: Sequence[tuple[int, float]], library: Sequence[Turned]) -> Scores:
    """Each move with how often it is paired, after both baits, with the killer of one of the first neighbours."""
    scores = dict.fromkeys(query.names.values(), 0.0)
    for place, similarity in neighbours[:MATCHED]:
        known = library[place]
        pairs = matching.of_positions(known.before, query.before, top=1000, move=known.killer)
        after = [pair for pair in pairs if any(second == query.bait for _, second in pair.after)]
        for pair in after:
            move = query.names.get(pair.second)
            if move is not None:
                scores[move] += similarity * pair.count / pair.chances
    return scores
