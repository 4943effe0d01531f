"""One evaluation: the weights, the proposals and the neighbours that its parts share."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from db.similarity.killer_index import build_index
from trapcore import _native
from trapcore.parallel.budget import Budget
from trapcore.proof.mate import Proof, prove_bait
from trapcore.proof.verdict import Verdict
from trapcore.ranking.training import Example, background_examples, fit
from trapcore.ranking.weights import LAZY_SHORTLIST, SHORTLIST, VOCABULARY_VERSION, Weights
from workshop.evaluation.sample import Puzzle, Sample
from workshop.report import Report

Item = TypeVar("Item")
Answer = TypeVar("Answer")

GROWTH = (100, 1_000)
"""Sizes of smaller libraries that are examined, too."""
LONGEST_MATE = 5
"""Moves of the longest mate that is searched for."""
PROVED_MATE, PROVED_WITHIN = 4, Budget(nodes=50_000)
"""Of the mate that is searched for after a proposal."""
HELD_OUT_FROM = 820
"""Of the ordinary moves that come with trapline, those from here on are held out of the fit, except the next few: the
moves of one game stand together."""
_OF_ONE_GAME = 5


@dataclass(frozen=True)
class Finding:
    """A part of an evaluation."""

    report: Report
    brief: Sequence[tuple[str, str]] = ()
    """Figure and value, for the short table on the terminal."""


@dataclass(frozen=True)
class Proposed:
    """What the weights say of a position."""

    moves: tuple[str, ...]
    """UCI, best first."""
    score: float
    """Of the first move."""
    confidence: float
    """Of the first move, 0 to 1."""
    makes: int
    """Moves made on a board to find it."""


def propose(weights: Weights, fen: str, bait: str, shortlist: int) -> Proposed:
    """All moves after the bait, the best ``shortlist`` of them looked at in full."""
    moves, makes = weights.ranker.propose(fen, bait, shortlist, 1000)
    return Proposed(tuple(m[0] for m in moves), moves[0][1], moves[0][2], makes)


def _proved_bag(query: Puzzle, move: str, proof: Proof | None) -> list[int]:
    line = [move]
    if proof is not None and proof.verdict is Verdict.PROVED and proof.line[0] == move:
        line = list(proof.line)
    return _native.killer_tokens(query.before, query.trap.bait, line)


class Run:
    """What the parts of an evaluation share; each thing is computed when it is first used."""

    def __init__(self, sample: Sample, jobs: int, say: Callable[[str], None]) -> None:
        """``jobs`` (1 or more) threads."""
        self.sample = sample
        self.jobs = jobs
        self.say = say
        self._folder = tempfile.TemporaryDirectory(prefix="trapline-evaluate-")
        everything = background_examples()
        self.background: list[Example] = everything[HELD_OUT_FROM + _OF_ONE_GAME :]
        """Ordinary moves that no weights were learned from."""
        self.learned_background: list[Example] = everything[:HELD_OUT_FROM]

    def close(self) -> None:
        """Delete what was built."""
        self._folder.cleanup()

    def each(self, function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
        """``function`` of each item, in their order, on all threads."""
        pool = ThreadPoolExecutor(max_workers=self.jobs)
        try:
            return list(pool.map(function, items))
        finally:
            pool.shutdown(cancel_futures=True)  # after Ctrl-C nobody wants what has not been started

    @property
    def queries(self) -> Sequence[Puzzle]:
        """The puzzles that are queried."""
        return self.sample.queries

    def learn(self, traps: Sequence[Puzzle], without: Sequence[str] = ()) -> Weights:
        """Weights of the traps and of the ordinary moves that are not held out."""
        return fit([trap.example for trap in traps], self.learned_background, without)

    @cached_property
    def weights(self) -> Weights:
        """Those of the whole library."""
        self.say(f"learning from {len(self.sample.library):,} traps")
        return self.learn(self.sample.library)

    def proposed(self, weights: Weights, shortlist: int) -> list[Proposed]:
        """For each query."""
        return self.each(lambda q: propose(weights, q.before, q.trap.bait, shortlist), self.queries)

    @cached_property
    def full(self) -> list[Proposed]:
        """The proposals, with the shortlist as it is by default."""
        return self.proposed(self.weights, SHORTLIST)

    @cached_property
    def lazy(self) -> list[Proposed]:
        """The proposals with the short shortlist."""
        return self.proposed(self.weights, LAZY_SHORTLIST)

    @cached_property
    def proofs(self) -> list[Proof | None]:
        """Of each query that is a mate: the outcome of the prover, which is given the killer."""

        def proof(query: Puzzle) -> Proof | None:
            if not query.mates:
                return None
            return prove_bait(query.before, query.trap.bait, [query.killer], LONGEST_MATE)

        return self.each(proof, self.queries)

    @cached_property
    def killer_bags(self) -> list[list[int]]:
        """The bag of each query's killer; with the mating net at the end of our own proof, if it begins with it."""
        pairs = zip(self.queries, self.proofs, strict=True)
        return [_proved_bag(query, query.killer, proof) for query, proof in pairs]

    @cached_property
    def proposed_bags(self) -> list[list[int]]:
        """The bag of the move that is proposed first for each query, with the mating net if the prover finds a mate
        that begins with it."""

        def bag(query: Puzzle, proposed: Proposed) -> list[int]:
            move = proposed.moves[0]
            # Nobody knows here whether there is a mate: the prover is asked as the annotator would ask it.
            proof = prove_bait(query.before, query.trap.bait, [move], PROVED_MATE, PROVED_WITHIN)
            return _proved_bag(query, move, proof)

        return self.each(lambda pair: bag(*pair), zip(self.queries, self.full, strict=True))

    @cached_property
    def index(self) -> _native.TokenIndex:
        """The killers of the library; payloads are their places in it."""
        self.say(f"indexing {len(self.sample.library):,} killers")
        bags = self.each(
            lambda p: _native.killer_tokens(p.before, p.trap.bait, list(p.trap.killer_line)), self.sample.library
        )
        path = Path(self._folder.name) / "killers"
        build_index(path, list(enumerate(bags)), self.weights.idf)
        return _native.TokenIndex(path, vocabulary=VOCABULARY_VERSION)
