"""Learns the weights of abstracted trees from known traps.

A conditional logit (McFadden 1974): each move of a position has a score, the sum of the weights of its tokens, and is
the killer with a probability proportional to the exponential of its score. The weights make the killers of the known
traps as probable as they can be beside their sibling moves, with a pull to zero. The problem is convex, so the same
traps give the same weights; nothing is random.

Two tables are learned, for the two steps of ``proposer.rs`` in the native core: one that orders all moves by what is
seen of them alone, and one for the shortlist, which also learns what "no killer at all" scores, from ordinary moves.
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
from trapcore.ranking.reference.tokens import FIELD_BITS
from trapcore.ranking.weights import Table, Weights

Array = npt.NDArray[Any]

Example = tuple[str, str, str | None]
"""FEN or EPD before the bait, the bait, and the killer (or None for an ordinary move that loses nothing); moves as
UCI."""

PULL = 0.03
"""Weight of half the squared length of the weights against the mean loss of a trap, over the root of their number: the
fewer traps there are, the less they are believed."""
STEPS = 60
"""Iterations of L-BFGS; more change no order that matters."""
LEAST = 10
"""A token that fewer moves have gets no weight; of small training sets fewer do, see `_least`."""
FIT_SHORTLIST = 16
"""Moves of each trap that the second table is learned from."""
BATCH = 500
ORDINARY = Path(__file__).with_name("background_moves.tsv")
"""Moves of lichess games (CC0) that lost nothing by an engine's judgement: FEN and move, one a line, made by
``python -m research.experiments.background_moves``."""


@dataclass(frozen=True)
class _Bags:
    """Moves of several positions: how many each has, which of them is the killer (-1 for none), and their tokens.

    Positions in which the game is over are not among them.
    """

    moves: Array
    killers: Array
    sizes: Array
    tokens: Array

    @classmethod
    def of(cls, parts: Iterable[tuple[bytes, bytes, bytes, bytes]]) -> "_Bags":
        columns = zip(*parts, strict=True)
        moves, killers, sizes, tokens = (np.concatenate([np.frombuffer(b, np.uint32) for b in c]) for c in columns)
        goes_on = moves > 0
        moves, killers = moves[goes_on], killers[goes_on]
        return cls(moves.astype(np.int64), killers.astype(np.int32).astype(np.int64), sizes.astype(np.int64), tokens)

    def vocabulary(self, least: int) -> Array:
        tokens, counts = np.unique(self.tokens, return_counts=True)
        return np.asarray(tokens[counts >= least])

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


def fit(traps: Sequence[Example], ordinary: Sequence[Example] = (), without: Collection[str] = ()) -> Weights:
    """Learn both tables from traps with their killers, and from ordinary moves after which there is nothing to find.

    Without ordinary moves a proposal's confidence says which move is the killer if there is one. Tokens of the kinds
    ``without`` (names of `_native.token_kinds`) get no weight, to see what they are good for. Raises ``InputError`` for
    a position or a move that is not legal, for a trap without a killer, or without traps.
    """
    if not traps:
        raise InputError("there is no trap to learn from")
    for fen, bait, killer in traps:
        if killer is None:
            raise InputError(f"a trap without a killer cannot be learned from: {bait} in {fen!r}")
    least = _least(len(traps))
    pull = PULL / math.sqrt(len(traps))
    seen = _Bags.of(_native.seen_bags(part) for part in _batches(traps))
    vocabulary = _of_other_kinds(seen.vocabulary(least), without)
    first = _table(vocabulary, _conditional_logit(seen.matrix(vocabulary), seen, pull, with_nothing=False)[0])
    proposer = _native.Proposer((first.tokens, first.weights), (b"", b""), 0.0)
    killers = _Bags.of(proposer.shortlist_bags(part, FIT_SHORTLIST) for part in _batches(traps))
    parts = [killers]
    if ordinary:
        parts.append(_Bags.of(proposer.shortlist_bags(part, FIT_SHORTLIST) for part in _batches(ordinary)))
    vocabulary = _of_other_kinds(killers.vocabulary(least), without)
    together = _Bags(*(np.concatenate([getattr(p, f) for p in parts]) for f in ("moves", "killers", "sizes", "tokens")))
    matrix = vstack([part.matrix(vocabulary) for part in parts], format="csr")
    second, nothing = _conditional_logit(matrix, together, pull, with_nothing=bool((together.killers < 0).any()))
    return Weights(
        seen=first,
        answered=_table(vocabulary, second),
        rarity=_table(*_rarity(killers)),
        nothing=nothing,
        traps=len(traps),
        ordinary=len(ordinary),
    )


def _of_other_kinds(vocabulary: Array, without: Collection[str]) -> Array:
    kinds = [number for number, (name, _, _) in enumerate(_native.token_kinds()) if name in without]
    return vocabulary[~np.isin(vocabulary >> FIELD_BITS, kinds)]


def _table(tokens: Array, weights: Array) -> Table:
    return Table(tokens.astype("<u4").tobytes(), weights.astype("<f4").tobytes())


def _rarity(bags: _Bags) -> tuple[Array, Array]:
    tokens, counts = np.unique(bags.tokens, return_counts=True)
    return tokens, np.log(len(bags.sizes) / counts)


def ordinary_examples() -> list[Example]:
    """The ordinary moves that come with trapline."""
    rows = (line.split("\t") for line in ORDINARY.read_text(encoding="ascii").splitlines())
    return [(fen, move, None) for fen, move in rows]


def _batches(examples: Sequence[Example]) -> Iterator[list[Example]]:
    rest = iter(examples)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _least(traps: int) -> int:
    return max(2, min(LEAST, traps // 100))


def _conditional_logit(matrix: Any, bags: _Bags, pull: float, with_nothing: bool) -> tuple[Array, float]:
    """The weights, and the score of there being no killer (0 unless asked for).

    Traps and ordinary positions count the same in sum, so that the probabilities are those of a position that is as
    likely the one as the other.
    """
    groups = len(bags.moves)
    start = np.concatenate([[0], np.cumsum(bags.moves)[:-1]])
    group = np.repeat(np.arange(groups), bags.moves)
    has_killer = bags.killers >= 0
    killer = (start + bags.killers)[has_killer]
    share = np.where(has_killer, 1.0 / max(int(has_killer.sum()), 1), 1.0 / max(int((~has_killer).sum()), 1))
    share /= share.sum()
    transposed = matrix.T.tocsr()
    columns = matrix.shape[1]

    def loss(parameters: Array) -> tuple[float, Array]:
        weights, nothing = parameters[:columns], float(parameters[columns])
        score = (matrix @ weights.astype(np.float32)).astype(np.float64)
        top = np.maximum.reduceat(score, start)
        if with_nothing:
            top = np.maximum(top, nothing)
        odds = np.exp(score - top[group])
        none = np.exp(nothing - top) if with_nothing else np.zeros(groups)
        total = np.add.reduceat(odds, start) + none
        chosen = np.full(groups, nothing)
        chosen[has_killer] = score[killer]
        value = float(share @ (np.log(total) + top - chosen)) + pull * float(weights @ weights) / 2
        slope = odds / total[group] * share[group]
        slope[killer] -= share[has_killer]
        gradient = np.empty_like(parameters)
        gradient[:columns] = transposed @ slope.astype(np.float32) + pull * weights
        gradient[columns] = float(share @ (none / total)) - float(share[~has_killer].sum()) if with_nothing else 0.0
        return value, gradient

    found = minimize(loss, np.zeros(columns + 1), jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 10})
    return np.asarray(found.x[:columns]), float(found.x[columns])
