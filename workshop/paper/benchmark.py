"""The paper's benchmark: all positions two plies after each of its traps, which of them are traps, and how similar.

Source: Evans & Turrini, section 4, which does not say when a position counts as one where "the trap was maintained".
Four readings are offered as `Kind`.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TypeVar

import chess

from trapcore.proof.mate import prove_bait
from trapcore.proof.verdict import Verdict
from workshop.paper.paper import BenchmarkTrap
from workshop.reference.measures import baselines, continuations, sequences, structural, tanimoto, tree_edit

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Kind(StrEnum):
    """When a position counts as a trap."""

    STRICT = "strict"
    """The whole line of the trap is legal and still mates."""
    LINE = "line"
    """The whole line of the trap is legal, whether it still mates or not."""
    BAIT = "bait"
    """The bait is legal."""
    EXISTS = "exists"
    """Some move of the victim lets the attacker force mate in no more moves than in the trap."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A position two plies after a trap's."""

    fen: str
    kinds: frozenset[Kind]
    """In which senses it is a trap."""
    over: bool
    """It has no legal move."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to compare two chess positions."""

    name: str
    value: Callable[[str, str], float]
    """Of two FENs, 0.0..1.0."""
    printed: str | None = None
    """The measure of Table 2 that it can be, if any."""


CANDIDATES = (
    Candidate("continuations 1, UCI", partial(continuations.of_positions, depth=1), "continuations"),
    Candidate("continuations 1, SAN", partial(continuations.of_positions, depth=1, labels="san"), "continuations"),
    Candidate("continuations 2, UCI", continuations.of_positions),
    Candidate("sequences 2, UCI", sequences.of_positions, "sequences"),
    Candidate("sequences 2, UCI + captures", partial(sequences.of_positions, captures=True), "sequences"),
    Candidate("sequences 2, SAN", partial(sequences.of_positions, labels="san"), "sequences"),
    Candidate("sequences 2, SAN + captures", partial(sequences.of_positions, labels="san", captures=True), "sequences"),
    Candidate("Tanimoto 2, UCI", tanimoto.of_positions),
    Candidate("tree-edit 2, UCI", tree_edit.of_positions),
    Candidate("S on continuations 1, SAN", partial(structural.of_positions, labels="san")),
    Candidate("S on continuations 1, SAN, padded", partial(structural.of_positions, labels="san", unpaired="pad")),
    Candidate("S on sequences 2, SAN", partial(structural.of_positions, base="sequences", depth=2, labels="san")),
    Candidate(
        "S on sequences 2, SAN, padded",
        partial(structural.of_positions, base="sequences", depth=2, labels="san", unpaired="pad"),
    ),
    Candidate("move-count ratio", baselines.move_count_ratio_of_positions),
    Candidate("board", baselines.board_similarity_of_positions, "correlation"),
)
"""The measures by the conventions that were tried: the digit is the depth in plies."""


def candidate(name: str) -> Candidate:
    """The member of `CANDIDATES` of that name; raises ``StopIteration`` if there is none."""
    return next(c for c in CANDIDATES if c.name == name)


def neighbours(trap: BenchmarkTrap) -> list[Neighbour]:
    """All positions two plies after the trap's, one for each line, in the order of move generation."""
    board = chess.Board(trap.fen)
    found = []
    for move in list(board.legal_moves):
        board.push(move)
        for reply in list(board.legal_moves):
            board.push(reply)
            found.append(Neighbour(board.fen(), kinds(board, trap), not any(board.legal_moves)))
            board.pop()
        board.pop()
    return found


def kinds(board: chess.Board, trap: BenchmarkTrap) -> frozenset[Kind]:
    """In which senses ``board``, with the trap's victim to move, is a trap like ``trap``."""
    found = set()
    after = board.copy(stack=False)
    played = 0
    for text in trap.line:
        move = chess.Move.from_uci(text)
        if not after.is_legal(move):
            break
        after.push(move)
        played += 1
    if played >= 1:
        found.add(Kind.BAIT)
    if played == len(trap.line):
        found.add(Kind.LINE)
        if after.is_checkmate():
            found.add(Kind.STRICT)
    fen = board.fen()
    if any(prove_bait(fen, move.uci(), mate=trap.mate_in).verdict is Verdict.PROVED for move in board.legal_moves):
        found.add(Kind.EXISTS)
    return frozenset(found)


class Run:
    """One run of experiments: what they share is computed once."""

    def __init__(self, jobs: int = 1, seed: int = 0) -> None:
        """``jobs`` (>= 1) threads; ``seed`` of all draws."""
        self.jobs = jobs
        self.seed = seed
        self._neighbours: dict[str, list[Neighbour]] = {}
        self._similarities: dict[tuple[str, str], list[float]] = {}

    def each(self, function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
        """``function`` of each item, in their order, on all threads: a gain as far as the core does the work."""
        pool = ThreadPoolExecutor(max_workers=self.jobs)
        try:
            return list(pool.map(function, items))
        finally:
            # After Ctrl-C nobody wants what has not been started.
            pool.shutdown(cancel_futures=True)

    def neighbours(self, trap: BenchmarkTrap) -> list[Neighbour]:
        """`neighbours` of the trap."""
        if trap.name not in self._neighbours:
            self._neighbours[trap.name] = neighbours(trap)
        return self._neighbours[trap.name]

    def similarities(self, candidate: Candidate, trap: BenchmarkTrap) -> Sequence[float]:
        """How similar each of the trap's neighbours is to it."""
        key = candidate.name, trap.name
        if key not in self._similarities:
            fens = [neighbour.fen for neighbour in self.neighbours(trap)]
            self._similarities[key] = self.each(partial(candidate.value, trap.fen), fens)
        return self._similarities[key]

    def wanted(self, trap: BenchmarkTrap, kind: Kind) -> list[bool]:
        """Which of the trap's neighbours are traps of that kind."""
        return [kind in neighbour.kinds for neighbour in self.neighbours(trap)]
