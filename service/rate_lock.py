"""One request to lichess at a time, over all processes that work for a library; what lichess asks of everybody."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lichess.api import Limited
from lichess.rate_limits import LIMITED_SECONDS
from service.clock import Halt
from service.locks import Leases

log = logging.getLogger(__name__)

LEASE = "lichess"
MOST_SECONDS = 3600.0
"""Longer than this nobody waits for lichess in one go; a job that is asked to comes again with its next run."""

LOOK_SECONDS = 0.5
"""So often a turn that somebody else has is asked for."""


class Turns:
    """Whose turn it is to ask lichess."""

    def __init__(self, leases: Leases) -> None:
        """The turn is a lease; see `service.locks`."""
        self._leases = leases
        self._mine = threading.Lock()
        """Between the threads of this process no database is needed."""

    @contextmanager
    def turn(self, halt: Halt) -> Iterator[None]:
        """Ask something during the block. Raises `Stopped` while waiting for the turn.

        If the block raises `Limited` (429), nobody gets a turn for as long as lichess said, or for a minute.
        """
        while not self._mine.acquire(timeout=LOOK_SECONDS):
            halt.check()
        try:
            while True:
                with self._leases.hold(LEASE) as mine:
                    if mine:
                        yield from self._ask(halt)
                        return
                halt.wait(LOOK_SECONDS)
        finally:
            self._mine.release()

    @staticmethod
    def _ask(halt: Halt) -> Iterator[None]:
        try:
            yield
        except Limited as error:
            seconds = min(LIMITED_SECONDS if error.seconds is None else error.seconds, MOST_SECONDS)
            log.warning("%s; nothing is asked for %.0f s", error, seconds)
            halt.wait(seconds)
            raise
