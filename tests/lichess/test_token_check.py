"""Whether a refusal of the token is believed: only after tests of it that all say the same."""

import threading

import pytest

from lichess.api import LichessError, Limited, Unauthorized, Unreachable
from lichess.rate_limits import DOUBT_SECONDS, Kind, Pauses
from lichess.token_check import TESTS, TokenCheck

REFUSED = Unauthorized("lichess answered 401", 401)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lichess.token_check.TEST_SECONDS", 0.0)


def outcome(answers: list[bool | LichessError]) -> tuple[list[Unauthorized], int]:
    """What the check believes after these answers, the last of them again and again; and how many it took."""
    gone: list[Unauthorized] = []
    asked, done = [0], threading.Event()

    def is_good() -> bool:
        answer = answers[min(asked[0], len(answers) - 1)]
        asked[0] += 1
        if isinstance(answer, LichessError):
            raise answer
        if answer:
            done.set()
        return answer

    def end(error: Unauthorized) -> None:
        gone.append(error)
        done.set()

    check = TokenCheck(is_good, end)
    check.doubt(REFUSED)
    assert done.wait(5)
    check.close()
    return gone, asked[0]


def test_refusals_all_over_are_believed() -> None:
    assert outcome([False]) == ([REFUSED], TESTS)


@pytest.mark.parametrize("failure", [Unreachable("gone"), Limited("too many", 0.0)])
def test_a_network_error_and_a_429_say_nothing_of_the_token(failure: LichessError) -> None:
    assert outcome([*[failure] * 3 * TESTS, True]) == ([], 3 * TESTS + 1)
    assert outcome([False, *[failure] * 3 * TESTS, False]) == ([REFUSED], 4 * TESTS)


def test_the_first_tests_follow_soon_and_all_take_four_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lichess.token_check.TEST_SECONDS", 60.0)
    pauses, done = list[float](), threading.Event()
    check = TokenCheck(lambda: False, lambda _: done.set())
    monkeypatch.setattr(check._stopped, "wait", pauses.append)
    check.doubt(REFUSED)
    assert done.wait(5)
    # Clocks run while lichess refuses a token by mistake.
    assert pauses[:3] == [2.0, 4.0, 8.0]
    assert max(pauses) == 60.0
    assert 230.0 <= sum(pauses) <= 250.0


def test_requests_wait_while_the_token_is_tested() -> None:
    may_answer = threading.Event()
    check = TokenCheck(lambda: may_answer.wait(5), lambda error: None)
    pauses = Pauses(token_check=check)
    assert pauses.wait(Kind.MOVE) == 0
    pauses.unauthorized(REFUSED)
    pauses.unauthorized(REFUSED)
    assert pauses.wait(Kind.MOVE) == pauses.wait(Kind.CHAT) == DOUBT_SECONDS
    may_answer.set()
    for _ in range(500):
        if not check.is_doubted:
            break
        threading.Event().wait(0.01)
    assert pauses.wait(Kind.MOVE) == 0
