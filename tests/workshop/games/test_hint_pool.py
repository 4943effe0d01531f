"""Local searches by a pool as hints for a Monte Carlo search: threads, a cluster, and pools that fail."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack

import pytest
from distributed import LocalCluster

from trapcore.errors import ClusterError, UsageError
from trapcore.parallel import dask_cluster
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Pool, Threads, threads
from workshop.games.search.hint_pool import LocalParts, LocalQuestion, answered, is_solved
from workshop.games.search.local_search import Finding
from workshop.games.search.monte_carlo import MonteCarloSearch, PlayoutBudget, SearchOptions

WON = "B...BB/....BB/....../.W..../W....W/W....W w"
"""White's man on b3 cannot be stopped; it is no win of one move, which a search without hints would see as well."""
PLAIN = SearchOptions(local=True)
BUDGET = PlayoutBudget(seconds=60, playouts=400_000)


@pytest.fixture
def pool() -> Iterator[Threads]:
    with threads(2, "hints") as made:
        yield made


def test_a_question_is_answered_around_the_last_move() -> None:
    finding, moves, best, line, *_ = answered(LocalQuestion("breakthrough-6x6", WON, (), 20_000), Cancellation())
    assert (finding, best) == ("win", line[0])
    after, count, *_ = answered(LocalQuestion("breakthrough-6x6", WON, (line[0],), 20_000), Cancellation())
    assert (after, count) == ("loss", moves - 1)


def test_threads_give_the_hints_that_one_beside_gives(pool: Pool) -> None:
    search = MonteCarloSearch("breakthrough-6x6", WON, PLAIN, seed=1, pool=pool)
    opinion = search.search(BUDGET)
    assert opinion.best.hint is Finding.WIN
    assert opinion.local[0].after is None
    assert opinion.playouts <= 400_000
    assert sum(move.playouts for move in opinion.moves) == opinion.playouts
    # The search goes on after a move, and its next questions are about the new position.
    search.play(opinion.best.move)
    lost = search.search(BUDGET)
    assert {move.hint for move in lost.moves} == {Finding.LOSS}
    assert all(move.playouts > 0 for move in lost.moves)


def test_a_solved_position_and_a_cancelled_search_end_soon(pool: Pool) -> None:
    solver = SearchOptions(local=True, solver=True, decisive=True)
    opinion = MonteCarloSearch("breakthrough-6x6", WON, solver, pool=pool).search(PlayoutBudget(seconds=600))
    assert opinion.best.proved is not None
    stop = Cancellation()
    search = MonteCarloSearch("breakthrough", options=PLAIN, pool=pool)
    timer = threading.Timer(0.2, stop.cancel)
    timer.start()
    try:
        opinion = search.search(PlayoutBudget(seconds=600), stop)
    finally:
        timer.cancel()
    assert opinion.cancelled
    assert opinion.best.move in search.labels
    # What was under way then does not keep the next search from asking.
    assert search.search(PlayoutBudget(playouts=2_000)).playouts == 2_000


def test_what_a_pool_cannot_do_is_an_error() -> None:
    class Broken:
        width = 1

        def submit(self, *_: object) -> Future[object]:
            failed: Future[object] = Future()
            failed.set_exception(ClusterError("the cluster is gone"))
            return failed

    search = MonteCarloSearch("breakthrough-6x6", WON, PLAIN, pool=Broken())  # type: ignore[arg-type]
    with pytest.raises(ClusterError, match="is gone"):
        search.search(BUDGET)
    with pytest.raises(UsageError, match="take mcts-local"):
        MonteCarloSearch("breakthrough", options="mcts", pool=Broken())  # type: ignore[arg-type]


def test_answers_that_were_not_asked_for_are_refused() -> None:
    core = MonteCarloSearch("breakthrough-6x6", WON, PLAIN)._search
    nothing: LocalParts = ("none", 0, None, [], [], None, 0, 0, False)
    with pytest.raises(ValueError, match="not asked"):
        core.hint(None, 2_000, nothing)
    core.run(100, None, None)
    asked = core.question(1)
    assert asked is not None
    with pytest.raises(ValueError, match="not legal"):
        core.hint(*asked, ("win", 3, "a1a8", ["a1a8"], [], None, 3, 10, False))
    with pytest.raises(ValueError, match="no such finding"):
        core.hint(*asked, ("perhaps", 0, None, [], [], None, 0, 0, False))
    # Other questions are asked while one is open, and never one twice.
    others = [core.question(1) for _ in range(8)]
    known = [one[0] for one in others if one is not None]
    assert known
    assert len(known) == len(set(known))
    core.forget_questions()
    assert core.question(1) is not None


def test_a_position_is_solved_by_a_win_or_when_all_is_proved() -> None:
    assert is_solved([1, None])
    assert is_solved([0, -1])
    assert not is_solved([0, None, -1])
    assert not is_solved([None, -1])


@pytest.mark.slow
def test_the_workers_of_a_cluster_give_hints_and_a_stopped_one_holds_up_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    local = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )
    with ExitStack() as stack:
        stack.enter_context(local)
        pid = next(iter(local.workers.values())).pid
        stack.callback(os.kill, pid, signal.SIGCONT)
        with dask_cluster.cluster(local.scheduler_address) as workers:
            opinion = MonteCarloSearch("breakthrough-6x6", WON, PLAIN, seed=1, pool=workers).search(
                PlayoutBudget(seconds=60, playouts=2_000_000)
            )
            assert opinion.best.hint is Finding.WIN
            monkeypatch.setattr(dask_cluster, "HALT_SECONDS", 2.0)
            os.kill(pid, signal.SIGSTOP)
            search = MonteCarloSearch("breakthrough", options=PLAIN, pool=workers)
            assert not search.search(PlayoutBudget(seconds=3)).cancelled
