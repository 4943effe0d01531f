"""Local searches for a Monte Carlo search by a pool: threads of this process, or the workers of a cluster."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Pending, Pool
from workshop.games.search.local_search import LocalBudget, LocalSearch
from workshop.native import _core

MEGABYTES: Final = 16
"""Memory of a local search, which begins anew with each question."""
SLICE_SECONDS: Final = 0.02

SeenParts = tuple[str | None, str, int, list[str], list[str], int | None]
AnswerParts = tuple[
    list[tuple[str, int, float, int | None, int]], list[str], int, int, int, list[SeenParts], bool, bool
]
"""What the core answers, see `_core.MonteCarlo.run`."""
LocalParts = tuple[str, int, str | None, list[str], list[tuple[str, int]], int | None, int, int, bool]
"""What a local search answers, as the core gives and takes it."""


@dataclass(frozen=True, slots=True)
class LocalQuestion:
    """A position that a local search is to examine."""

    game: str
    position: str
    moves: tuple[str, ...]
    """Played from there; the search keeps to the surroundings of the last."""
    nodes: int


def answered(question: LocalQuestion, stop: Cancellation) -> LocalParts:
    """What a local search finds; `trapcore.parallel.pools.Work`."""
    search = LocalSearch(question.game, question.position, megabytes=MEGABYTES)
    for label in question.moves:
        search.play(label)
    found = search.search(LocalBudget(nodes=question.nodes), stop)
    losing = [(one.move, one.moves) for one in found.losing]
    return (
        str(found.finding),
        found.moves,
        found.best,
        list(found.line),
        losing,
        found.tenuki,
        found.depth,
        found.nodes,
        found.cancelled,
    )


def _awaited(pending: Pending[LocalParts]) -> "Future[LocalParts]":
    """The answer, which a thread waits for. A worker that has gone silent holds up nothing but this thread."""
    answer: Future[LocalParts] = Future()

    def wait() -> None:
        try:
            answer.set_result(pending.result())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=wait, name="hint", daemon=True).start()
    return answer


class HintPool:
    """A pool that looks at positions for one search while it runs; an answer counts when the search looks up.

    The search runs in slices of `SLICE_SECONDS`, between which it takes the answers that are there and asks anew.
    """

    def __init__(self, pool: Pool, search: _core.MonteCarlo) -> None:
        self._pool = pool
        self._search = search
        self._waiting: list[tuple[str | None, int, Pending[LocalParts], Future[LocalParts]]] = []

    def run(
        self,
        question: Callable[[str | None, int], LocalQuestion],
        playouts: int,
        seconds: float | None,
        stop: Cancellation | None,
    ) -> AnswerParts:
        """As `_core.MonteCarlo.run`; ``question`` makes one of a move to a position and nodes.

        Raises what the pool raises, `ClusterError` among them.
        """
        ended = Cancellation()
        deadline = None if seconds is None else time.monotonic() + seconds
        done = 0
        try:
            while True:
                self._look(question, ended)
                left = SLICE_SECONDS if deadline is None else min(SLICE_SECONDS, deadline - time.monotonic())
                found = self._search.run(playouts - done, max(1, round(1000 * left)), stop)
                moves, line, played, nodes, fingerprints, seen, cancelled, full = found
                done += played
                is_late = deadline is not None and time.monotonic() >= deadline
                if cancelled or is_late or done >= playouts or is_solved([proof for *_, proof, _ in moves]):
                    return moves, line, done, nodes, fingerprints, seen, cancelled, full
        finally:
            # What is under way ends by itself, and nobody waits for it.
            ended.cancel()
            for _, _, pending, _ in self._waiting:
                pending.cancel()
            self._waiting = []
            self._search.forget_questions()

    def _look(self, question: Callable[[str | None, int], LocalQuestion], ended: Cancellation) -> None:
        """Take the answers that are there, and ask as much as the pool can do."""
        under_way = []
        for after, nodes, pending, answer in self._waiting:
            if answer.done():
                self._search.hint(after, nodes, answer.result())
            else:
                under_way.append((after, nodes, pending, answer))
        self._waiting = under_way
        while len(self._waiting) < self._pool.width and (asked := self._search.question(self._pool.width)) is not None:
            after, nodes = asked
            pending = self._pool.submit(answered, question(after, nodes), ended)
            self._waiting.append((after, nodes, pending, _awaited(pending)))


def is_solved(proofs: Sequence[int | None]) -> bool:
    """Whether a position is solved, by what is proved of its moves, the best first: 1 a win, 0 a draw, -1 a loss."""
    return proofs[0] == 1 or None not in proofs
