"""What all sources on lichess share: trying again, and what a refusal means."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from lichess.api import LichessError, Limited, Refused, Unreachable
from lichess.rate_limits import Backoff
from service.clock import Halt
from service.job_log import Outcome
from service.lichess_games import Archive, Page
from trapcore.errors import InputError

log = logging.getLogger(__name__)

T = TypeVar("T")

TRIES = 4
"""So often something is asked for in one run; the next run begins where this one gave up."""


class Tries:
    """How often something may still be tried, and the waiting in between."""

    def __init__(self, halt: Halt) -> None:
        """All of them are left."""
        self._halt = halt
        self._backoff = Backoff(2.0, 60.0)
        self._left = TRIES

    def failed(self, error: LichessError) -> None:
        """Wait before the next try; raises the error if there is none left, or if trying again is no use."""
        self._left -= 1
        if not isinstance(error, Limited | Unreachable) or not self._left:
            raise error
        # After a 429 nobody was let through for as long as lichess wanted already.
        seconds = 0.0 if isinstance(error, Limited) else self._backoff.failed()
        log.info("%s; again in %.0f s", error, seconds)
        self._halt.wait(seconds)

    def worked(self) -> None:
        """All tries are left again."""
        self._left = TRIES
        self._backoff.worked()


def patiently(ask: Callable[[], T], halt: Halt) -> T:
    """What is asked for. Raises the `LichessError` of the last try."""
    tries = Tries(halt)
    while True:
        try:
            return ask()
        except LichessError as error:
            tries.failed(error)


def by_ids(archive: Archive, ids: list[str], halt: Halt) -> Page:
    """What lichess has of these games; what is missing in one answer is asked for again before it is given up."""
    found = Page()
    tries = Tries(halt)
    for _ in range(TRIES):
        missing = sorted(set(ids) - {game.id for game in found.games} - found.running.keys())
        if not missing:
            break
        page = archive.by_ids(missing, halt)
        found.games += page.games
        found.running |= page.running
        if page.broke is not None:
            tries.failed(page.broke)
    return found


@contextmanager
def told(outcome: Outcome, what: str, meanings: dict[int, str] | None = None) -> Iterator[None]:
    """Note what goes wrong with one source, and that it was asked; ``meanings`` are sentences by status."""
    outcome.counts["sources"] += 1
    try:
        yield
    except Refused as error:
        outcome.counts["failed"] += 1
        meaning = (meanings or {}).get(error.status)
        outcome.problems.append(f"{what}: {meaning} (lichess answered {error.status})" if meaning else str(error))
    except (LichessError, InputError) as error:
        outcome.counts["failed"] += 1
        outcome.problems.append(f"{what}: {error}")


def each(names: Iterable[str], halt: Halt) -> Iterator[str]:
    """The names, as long as nobody says stop."""
    for name in names:
        halt.check()
        yield name
