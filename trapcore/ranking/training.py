"""Conditional logit (McFadden 1974) that learns the weights of abstracted trees from known traps.

Each move of a position has a score, the sum of the weights of its tokens, and is the killer with a probability
proportional to the exponential of its score. The weights make the killers of the known traps as probable as they can be
beside their sibling moves, with L2 regularization. The problem is convex, so the same traps give the same weights;
nothing is random.

Two tables are learned, for the two steps of ``ranking/ranker.rs`` in the native core: one that orders all moves by
their own features, and one for the shortlist, which also learns what "no killer at all" scores, from background moves.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.sparse import csr_matrix, vstack  # type: ignore[import-untyped]

from trapcore import _native
from trapcore.errors import InputError
from trapcore.ranking.token_fields import FIELD_BITS
from trapcore.ranking.weights import Table, Weights

Array = npt.NDArray[Any]

Example = tuple[str, str, str | None]
"""FEN or EPD before the bait, the bait, and the killer (or None for a background move that loses nothing); moves as
UCI."""

REGULARIZATION = 0.03
"""L2 regularization: weight of half the squared length of the weights against the mean loss of a trap, over the root of
the number of traps, so that few traps count less."""
STEPS = 60
"""Iterations of L-BFGS; more change no order that matters."""
MIN_COUNT = 10
"""A token that fewer moves have gets no weight; of small training sets fewer do, see `_min_count`."""
FIT_SHORTLIST = 16
"""Moves of each trap that the second table is learned from."""
BATCH = 500
BACKGROUND_MOVES = Path(__file__).with_name("background_moves.tsv")
"""Moves of lichess games (CC0) that lost nothing by an engine's judgement: FEN and move, one a line, made by
``python -m workshop.experiments.background_moves``."""


@dataclass(frozen=True)
class _TokenSets:
    """Moves of several positions: how many each has, which of them is the killer (-1 for none), and their tokens.

    Positions in which the game is over are not among them.
    """

    moves: Array
    killers: Array
    sizes: Array
    tokens: Array

    @classmethod
    def of(cls, parts: Iterable[tuple[bytes, bytes, bytes, bytes]]) -> "_TokenSets":
        columns = zip(*parts, strict=True)
        moves, killers, sizes, tokens = (np.concatenate([np.frombuffer(b, np.uint32) for b in c]) for c in columns)
        goes_on = moves > 0
        moves, killers = moves[goes_on], killers[goes_on]
        return cls(moves.astype(np.int64), killers.astype(np.int32).astype(np.int64), sizes.astype(np.int64), tokens)

    def vocabulary(self, min_count: int) -> Array:
        tokens, counts = np.unique(self.tokens, return_counts=True)
        return np.asarray(tokens[counts >= min_count])

    def matrix(self, vocabulary: Array) -> Any:
        """One row a move, one column a token of the vocabulary, 1 where the move has the token."""
        if not len(vocabulary):
            return csr_matrix((len(self.sizes), 0), dtype=np.float32)
        rows = np.repeat(np.arange(len(self.sizes)), self.sizes)
        columns = np.minimum(np.searchsorted(vocabulary, self.tokens), len(vocabulary) - 1)
        known = vocabulary[columns] == self.tokens
        shape = (len(self.sizes), len(vocabulary))
        ones = np.ones(int(known.sum()), np.float32)
        return csr_matrix((ones, (rows[known], columns[known])), shape=shape)


def fit(traps: Sequence[Example], background: Sequence[Example] = (), without: Collection[str] = ()) -> Weights:
    """Learn both tables from traps with their killers, and from background moves after which there is nothing to find.

    Without background moves the confidence says which move is the killer if there is one. Tokens of the kinds
    ``without`` (names of `_native.token_kinds`) get no weight, to see what they are good for. Raises ``InputError`` for
    a position or a move that is not legal, for a trap without a killer, or without traps.
    """
    if not traps:
        raise InputError("there is no trap to learn from")
    for fen, bait, killer in traps:
        if killer is None:
            raise InputError(f"a trap without a killer cannot be learned from: {bait} in {fen!r}")
    min_count = _min_count(len(traps))
    regularization = REGULARIZATION / math.sqrt(len(traps))
    seen = _TokenSets.of(_native.seen_token_sets(part) for part in _batches(traps))
    vocabulary = _of_other_kinds(seen.vocabulary(min_count), without)
    first = _table(vocabulary, _conditional_logit(seen.matrix(vocabulary), seen, regularization, with_null=False)[0])
    ranker = _native.MoveRanker((first.tokens, first.weights), (b"", b""), 0.0)
    killers = _TokenSets.of(ranker.shortlist_token_sets(part, FIT_SHORTLIST) for part in _batches(traps))
    parts = [killers]
    if background:
        parts.append(_TokenSets.of(ranker.shortlist_token_sets(part, FIT_SHORTLIST) for part in _batches(background)))
    vocabulary = _of_other_kinds(killers.vocabulary(min_count), without)
    together = _TokenSets(
        *(np.concatenate([getattr(p, f) for p in parts]) for f in ("moves", "killers", "sizes", "tokens"))
    )
    matrix = vstack([part.matrix(vocabulary) for part in parts], format="csr")
    second, null_score = _conditional_logit(
        matrix, together, regularization, with_null=bool((together.killers < 0).any())
    )
    return Weights(
        seen=first,
        answered=_table(vocabulary, second),
        idf=_table(*_idf(killers)),
        null_score=null_score,
        traps=len(traps),
        background=len(background),
    )


def _of_other_kinds(vocabulary: Array, without: Collection[str]) -> Array:
    kinds = [number for number, (name, _, _) in enumerate(_native.token_kinds()) if name in without]
    return vocabulary[~np.isin(vocabulary >> FIELD_BITS, kinds)]


def _table(tokens: Array, weights: Array) -> Table:
    return Table(tokens.astype("<u4").tobytes(), weights.astype("<f4").tobytes())


def _idf(token_sets: _TokenSets) -> tuple[Array, Array]:
    tokens, counts = np.unique(token_sets.tokens, return_counts=True)
    return tokens, np.log(len(token_sets.sizes) / counts)


def background_examples() -> list[Example]:
    """Background corpus that comes with trapline: moves after which there is no killer."""
    rows = (line.split("\t") for line in BACKGROUND_MOVES.read_text(encoding="ascii").splitlines())
    return [(fen, move, None) for fen, move in rows]


def _batches(examples: Sequence[Example]) -> Iterator[list[Example]]:
    rest = iter(examples)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _min_count(traps: int) -> int:
    return max(2, min(MIN_COUNT, traps // 100))


def _conditional_logit(
    matrix: Any, token_sets: _TokenSets, regularization: float, with_null: bool
) -> tuple[Array, float]:
    """The weights, and the null score, of there being no killer (0 without ``with_null``).

    Traps and background positions count the same in sum, so that the probabilities are those of a position that is as
    likely the one as the other.
    """
    groups = len(token_sets.moves)
    start = np.concatenate([[0], np.cumsum(token_sets.moves)[:-1]])
    group = np.repeat(np.arange(groups), token_sets.moves)
    has_killer = token_sets.killers >= 0
    killer = (start + token_sets.killers)[has_killer]
    share = np.where(has_killer, 1.0 / max(int(has_killer.sum()), 1), 1.0 / max(int((~has_killer).sum()), 1))
    share /= share.sum()
    transposed = matrix.T.tocsr()
    columns = matrix.shape[1]

    def loss(parameters: Array) -> tuple[float, Array]:
        weights, null_score = parameters[:columns], float(parameters[columns])
        score = (matrix @ weights.astype(np.float32)).astype(np.float64)
        top = np.maximum.reduceat(score, start)
        if with_null:
            top = np.maximum(top, null_score)
        odds = np.exp(score - top[group])
        none = np.exp(null_score - top) if with_null else np.zeros(groups)
        total = np.add.reduceat(odds, start) + none
        chosen = np.full(groups, null_score)
        chosen[has_killer] = score[killer]
        value = float(share @ (np.log(total) + top - chosen)) + regularization * float(weights @ weights) / 2
        slope = odds / total[group] * share[group]
        slope[killer] -= share[has_killer]
        gradient = np.empty_like(parameters)
        gradient[:columns] = transposed @ slope.astype(np.float32) + regularization * weights
        gradient[columns] = float(share @ (none / total)) - float(share[~has_killer].sum()) if with_null else 0.0
        return value, gradient

    found = minimize(loss, np.zeros(columns + 1), jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 10})
    return np.asarray(found.x[:columns]), float(found.x[columns])
