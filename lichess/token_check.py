"""Whether the token is really refused: one 401 may be lichess's mistake, and only a test over minutes ends the bot."""

import logging
import threading
from collections.abc import Callable

from lichess.api import LichessError, Unauthorized

log = logging.getLogger(__name__)

TESTS = 9
"""Tests in a row that have to say that the token is no longer good: about four minutes of them."""

FIRST_SECONDS = 2.0
"""Time from the first test to the second, which doubles with each further one: clocks run meanwhile."""

TEST_SECONDS = 60.0
"""Longest time between two of them."""


class TokenCheck:
    """Tests of the token after a refusal; may be called in any thread."""

    def __init__(self, is_good: Callable[[], bool], gone: Callable[[Unauthorized], None]) -> None:
        """``is_good`` asks lichess whether the token is known and has the scope that is needed; it may raise
        `LichessError`. ``gone`` gets the refusal that turned out to be true.
        """
        self._is_good, self._gone = is_good, gone
        self._lock = threading.Lock()
        self._doubted = False
        self._stopped = threading.Event()

    @property
    def is_doubted(self) -> bool:
        """Whether the token is being tested, so that nothing else need be asked with it."""
        return self._doubted

    def doubt(self, error: Unauthorized) -> None:
        """Lichess has refused the token: test it, unless that goes on already."""
        with self._lock:
            if self._doubted or self._stopped.is_set():
                return
            self._doubted = True
        log.warning("%s; the token is tested before the bot believes that", error)
        threading.Thread(target=self._test, args=(error,), name="token", daemon=True).start()

    def close(self) -> None:
        """End the tests."""
        self._stopped.set()

    def _test(self, error: Unauthorized) -> None:
        refusals, wait = 0, FIRST_SECONDS
        while not self._stopped.is_set():
            pause = min(wait, TEST_SECONDS)
            try:
                if self._is_good():
                    log.info("lichess knows the token; the bot goes on")
                    break
                refusals += 1
                if refusals >= TESTS:
                    self._gone(error)
                    break
            except LichessError as failed:
                # Neither a network error nor a 429 says anything of the token.
                log.info("the token could not be tested: %s", failed)
                pause = max(pause, getattr(failed, "seconds", None) or 0.0)
            self._stopped.wait(pause)
            wait = 2 * pause
        self._doubted = False
