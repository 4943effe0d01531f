"""The index of token sets at a million sets, against a plain exhaustive scorer.

The sets are made up, after what was measured on the token sets of killer moves in 20,000 puzzles: 54 tokens a set, of
51,000 kinds; the sets that have a token of a set, counted for each token, are 3.4 times as many as there are sets (.12
if only tokens in at most 2 % of the sets count, .02 for .5 %); a third of new sets have a neighbour of similarity .9 or
more. Tokens of killers are combinations of few features (piece, check, replies, ...), and so they are here: a set has
18 features of 2 to 10 values, the first of them the likeliest, and each of 60 kinds of token names the values of 1 to 6
of these, a third of the kinds only for some values and not always. The features are those of one of 10,000 motifs, of
very different frequency, with some features drawn anew. At 20,000 sets this gives 46 tokens of 34,000 kinds; 3.1, .16
and .025; nine sets in ten that no other equals; .9 for a third of new sets, and less than .3 for three in ten, which
are the slowest to answer.

All times are of the processor, so that other work on the machine does not count.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse  # type: ignore[import-untyped]

from trapcore._native import WEIGHT_UNIT, TokenIndex, build_token_index
from workshop.benchmarks.table import Row

SETS = 1_000_000
QUESTIONS = 1000
COMPARED = 60
"""Questions for the exhaustive scorer, which needs a tenth of a second each."""
TOP = 10

VALUES = np.array([6, 6, 4, 3, 9, 9, 9, 10, 10, 6, 6, 5, 5, 4, 3, 3, 2, 2])
"""How many values each feature has."""
ALWAYS = {1: 6, 2: 9, 3: 11, 4: 9, 6: 5}
"""Kinds of token in every set: how many of so many features."""
SOMETIMES = 20
"""Kinds of token of three features that only some sets have."""
MOTIFS = 10_000
KIND = 1 << 26
"""Tokens of one kind are this far from those of the next."""

Tokens = npt.NDArray[np.int64]


class MadeUp:
    """A source of sets, as rows of tokens, -1 where a kind is missing."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        kinds = [size for size, count in ALWAYS.items() for _ in range(count)] + [3] * SOMETIMES
        self.kinds = [np.sort(self.random.choice(len(VALUES), size, replace=False)) for size in kinds]
        self.motifs = self.features(MOTIFS)
        self.popularity = np.cumsum(1 / np.arange(5, MOTIFS + 5))

    def features(self, n: int) -> npt.NDArray[np.int64]:
        """Row numbers of ``n`` random features."""
        columns = []
        for values in VALUES:
            likely = np.cumsum(1 / np.arange(1, values + 1))
            columns.append(np.searchsorted(likely, self.random.random(n) * likely[-1]))
        return np.stack(columns, axis=1)

    def token_sets(self, n: int) -> Tokens:
        """``n`` random token sets."""
        which = np.searchsorted(self.popularity, self.random.random(n) * self.popularity[-1])
        anew = self.random.random((n, len(VALUES))) < self.random.beta(0.45, 3.5, n)[:, None]
        features = np.where(anew, self.features(n), self.motifs[which])
        rows = np.empty((n, len(self.kinds)), dtype=np.int64)
        for number, kind in enumerate(self.kinds):
            combined = np.zeros(n, dtype=np.int64)
            for feature in kind:
                combined = combined * VALUES[feature] + features[:, feature]
            rows[:, number] = number * KIND + combined
            if number >= len(self.kinds) - SOMETIMES:
                rows[(combined % 2 == 0) | (self.random.random(n) < 0.3), number] = -1
        return rows


def lists(rows: Tokens) -> Iterator[list[int]]:
    """The rows as the index takes them."""
    for start in range(0, len(rows), 10_000):
        for row in rows[start : start + 10_000].tolist():
            yield [token for token in row if token >= 0]


class Exhaustive:
    """All sets as a sparse matrix by column, and numpy: what a careful programmer would write."""

    def __init__(self, rows: Tokens, vocabulary: Tokens, weights: npt.NDArray[np.float64]) -> None:
        self.vocabulary, self.weights = vocabulary, weights
        present = rows >= 0
        columns = np.searchsorted(vocabulary, rows[present]).astype(np.int32)
        starts = np.concatenate(([0], np.cumsum(present.sum(axis=1))))
        ones = np.ones(len(columns), dtype=np.float32)
        self.matrix = sparse.csr_array((ones, columns, starts), shape=(len(rows), len(vocabulary))).tocsc()
        self.sums = np.add.reduceat(weights[columns], starts[:-1])

    def top(self, token_set: list[int], default: float) -> list[tuple[int, float]]:
        """Nearest rows with their similarity, by a plain inverted index."""
        places = np.searchsorted(self.vocabulary, token_set)
        known = places[self.vocabulary[np.minimum(places, len(self.vocabulary) - 1)] == token_set]
        own = self.weights[known]
        shared = self.matrix[:, known] @ own
        values = shared / (self.sums + own.sum() + default * (len(token_set) - len(known)) - shared)
        least = np.partition(values, -TOP)[-TOP]
        best = np.flatnonzero(values >= least)
        order = np.lexsort((best, -values[best]))[:TOP]
        return [(int(best[i]), float(values[best[i]])) for i in order]


def document_frequencies(rows: Tokens) -> tuple[Tokens, Tokens]:
    """The tokens, ascending, and in how many sets each is."""
    found = [np.unique(column[column >= 0], return_counts=True) for column in rows.T]
    return np.concatenate([tokens for tokens, _ in found]), np.concatenate([counts for _, counts in found])


def rows() -> list[Row]:
    """The time for a question, and whether the answers are those of the exhaustive scorer."""
    source = MadeUp(1)
    sets = np.concatenate([source.token_sets(50_000) for _ in range(SETS // 50_000)])
    vocabulary, counts = document_frequencies(sets)
    # Whole units, so that sums in floating point are exact for the reference too.
    weights = np.round(np.log(SETS / counts) / WEIGHT_UNIT) * WEIGHT_UNIT
    default = round(float(np.log(SETS)) / WEIGHT_UNIT) * WEIGHT_UNIT
    questions = list(lists(source.token_sets(QUESTIONS)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sets"
        build_token_index(
            path,
            enumerate(lists(sets)),
            weights=dict(zip(vocabulary.tolist(), weights.tolist(), strict=True)),
            default_weight=default,
            vocabulary=1,
        )
        index = TokenIndex(path, vocabulary=1)
        index.top(questions[:20], TOP)
        start = time.process_time()
        answers = [answer for question in questions for answer in index.top([question], TOP)]
        mean = (time.process_time() - start) / QUESTIONS
        together = index.top(questions, TOP, jobs=2)
    reference = Exhaustive(sets, vocabulary, weights)
    start = time.process_time()
    expected = [reference.top(question, default) for question in questions[:COMPARED]]
    slow = (time.process_time() - start) / COMPARED
    same = sum(ours == theirs for ours, theirs in zip(answers, expected, strict=False))
    return [
        Row(f"top {TOP} of {SETS:,}, mean", f"{mean * 1e3:.2f} ms", f"scipy.sparse and numpy {slow * 1e3:.0f} ms",
            slow / mean, 20),
        Row(f"{COMPARED} whole answers as by comparing all, to the last bit", str(same), "all",
            float(same == COMPARED and answers == together), 1),
    ]  # fmt: skip
