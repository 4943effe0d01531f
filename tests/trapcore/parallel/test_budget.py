"""Budgets are checked when they are made, and every long call ends when it is told to."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from tests.support.polling import PATIENCE_SECONDS, processor_seconds, until
from trapcore.errors import UsageError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.mate import prove_bait, prove_mate
from trapcore.proof.search import search
from trapcore.proof.trap_test import check_bait, find_baits
from trapcore.proof.verdict import Verdict

ROOT = Path(__file__).parents[3]
#: A middlegame without a mate in twelve that anybody could refute.
HARD = "r1bqkb1r/pppn1ppp/5n2/3p2B1/3P4/2N5/PP2PPPP/R2QKBNR w KQkq - 0 6"
ENDLESS = Budget(nodes=10**15)
#: Every question that takes a budget, about the same position.
QUESTIONS: dict[str, Callable[..., Any]] = {
    "prove_mate": lambda **rest: prove_mate(HARD, 12, **rest),
    "prove_bait": lambda **rest: prove_bait(HARD, "e2e3", ["h7h6"], 12, **rest),
    "check_bait": lambda **rest: check_bait(HARD, "e2e3", ["h7h6"], **rest),
    "find_baits": lambda **rest: find_baits(HARD, **rest),
    "search": lambda **rest: search(HARD, **rest),
}


@pytest.mark.parametrize("field", ["nodes", "depth", "milliseconds"])
@pytest.mark.parametrize("value", [0, -1, 2**63, 1.5, "3", True])
def test_a_field_out_of_range_is_named(field: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"^{field} must be"):
        Budget(**{field: value})


def is_undecided(answer: Any) -> bool:
    """Whether nothing was claimed, of a proof or of any number of tests."""
    tests = answer if isinstance(answer, list) else [answer]
    return bool(tests) and all(test.verdict is Verdict.UNDECIDED for test in tests)


@pytest.mark.parametrize("question", QUESTIONS)
def test_another_thread_ends_it(question: str) -> None:
    stop = Cancellation()
    timer = threading.Timer(0.3, stop.cancel)
    timer.start()
    answer = QUESTIONS[question](budget=ENDLESS, stop=stop)
    timer.join()
    assert stop.is_cancelled
    if question == "search":
        assert 0 < answer.nodes < 10**12
        assert answer.depth >= 1
    else:
        assert is_undecided(answer)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_was_cancelled_before_is_hardly_begun(question: str) -> None:
    stop = Cancellation()
    stop.cancel()
    answer = QUESTIONS[question](budget=ENDLESS, stop=stop)
    nodes = sum(test.nodes for test in answer) if isinstance(answer, list) else answer.nodes
    assert nodes < 20_000
    # And it holds for that call only.
    assert prove_mate("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").verdict is Verdict.PROVED


@pytest.mark.parametrize("question", ["prove_mate", "prove_bait", "check_bait", "search"])
def test_time_ends_it(question: str) -> None:
    answer = QUESTIONS[question](budget=Budget(milliseconds=50))
    assert answer.nodes > 0
    if question.startswith("prove"):
        assert answer.verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_signal_ends_it_with_the_error_of_its_handler(question: str) -> None:
    class Enough(Exception):
        pass

    def handler(number: int, frame: Any) -> None:
        # What a handler asks in between must not disturb the question under way, nor the other way round.
        assert prove_mate("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").verdict is Verdict.PROVED
        raise Enough

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Enough):
            QUESTIONS[question](budget=ENDLESS)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert prove_mate("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").verdict is Verdict.PROVED


def test_what_a_search_says() -> None:
    mates = search("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", Budget(nodes=10_000))
    assert (mates.mate_in, mates.line, mates.depth) == (1, ("a1a8",), 1)
    assert mates.value > 29_000
    # Whatever Black plays, the rooks mate on the last rank.
    mated = search("7k/R7/1R6/8/8/8/8/6K1 b - - 0 1", Budget(nodes=50_000))
    assert mated.mate_in == -1
    assert mated.value < -29_000
    over = search("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", Budget(nodes=10))
    assert (over.mate_in, over.depth, over.line) == (0, 0, ())
    quiet = search(chess.STARTING_FEN, Budget(nodes=20_000))
    assert quiet.mate_in is None
    assert abs(quiet.value) < 150
    board = chess.Board()
    for move in quiet.line:
        board.push_uci(move)
    assert quiet == search(chess.STARTING_FEN, Budget(nodes=20_000))


@pytest.mark.fault
@pytest.mark.parametrize("arguments", [[HARD], ["--input", "-"], [HARD, "--bait", "e3"]])
def test_ctrl_c_ends_the_command(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "trapline", "prove", *arguments, "--nodes", "10000000000", "--mate", "12"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    process.stdin.write(f"{HARD}\n")
    process.stdin.close()
    # Until it works: the imports take a fraction of this processor time.
    until(lambda: process.poll() is not None or processor_seconds(process.pid) > 1.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_SECONDS) == 130
    assert process.stdout is not None
    assert process.stdout.read() == ""
    process.stdout.close()
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
