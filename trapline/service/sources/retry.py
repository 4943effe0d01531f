"""Retries, and recording the errors of one source; shared by all sources on lichess."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar, TypeVarTuple

from lichess.api import LichessError, Limited, Refused, Unreachable
from lichess.rate_limits import Backoff
from trapcore.errors import InputError
from trapline.service.games.lichess_games import LichessGames, Page
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

log = logging.getLogger(__name__)

T = TypeVar("T")
Values = TypeVarTuple("Values")

TRIES = 4
"""Attempts at one request in one run; the next run begins where this one gave up."""


class Retries:
    """Count of the attempts that are left, with a back-off between them."""

    def __init__(self, stop_flag: StopFlag) -> None:
        self._stop_flag = stop_flag
        self._backoff = Backoff(2.0, 60.0)
        self._left = TRIES

    def failed(self, error: LichessError) -> None:
        """Wait before the next attempt; raises the error if none is left, or if another attempt is no use."""
        self._left -= 1
        if not isinstance(error, Limited | Unreachable) or not self._left:
            raise error
        # After a 429 the rate lock was held for as long as lichess demanded.
        seconds = 0.0 if isinstance(error, Limited) else self._backoff.failed()
        log.info("%s; again in %.0f s", error, seconds)
        self._stop_flag.wait(seconds)

    def worked(self) -> None:
        """Restore all attempts."""
        self._left = TRIES
        self._backoff.worked()


def with_retries(stop_flag: StopFlag, request: Callable[[*Values, StopFlag], T], *values: *Values) -> T:
    """Result of a request with these values, which is retried. Raises the `LichessError` of the last attempt."""
    retries = Retries(stop_flag)
    while True:
        try:
            return request(*values, stop_flag)
        except LichessError as error:
            retries.failed(error)


def by_ids(lichess: LichessGames, ids: list[str], stop_flag: StopFlag) -> Page:
    """Games by their ids; those that are missing in one answer are requested again, `TRIES` times at most."""
    found = Page()
    retries = Retries(stop_flag)
    for _ in range(TRIES):
        missing = sorted(set(ids) - {game.id for game in found.games} - found.running.keys())
        if not missing:
            break
        page = lichess.by_ids(missing, stop_flag)
        found.games += page.games
        found.running |= page.running
        found.bad += page.bad
        if page.broke is not None:
            retries.failed(page.broke)
    return found


@contextmanager
def record_errors(
    outcome: Outcome, source: str, messages: dict[int, str] | None = None, *, server: str = "lichess"
) -> Iterator[None]:
    """Count one source, and record the error of the block if it fails; ``messages`` are sentences by HTTP status."""
    outcome.counts["sources"] += 1
    try:
        yield
    except Refused as error:
        outcome.counts["failed"] += 1
        message = (messages or {}).get(error.status)
        outcome.problems.append(f"{source}: {message} ({server} answered {error.status})" if message else str(error))
    except (LichessError, InputError) as error:
        outcome.counts["failed"] += 1
        outcome.problems.append(f"{source}: {error}")


def note_bad(outcome: Outcome, source: str, reasons: Sequence[str]) -> None:
    """Count the skipped games of a source, and record why."""
    if reasons:
        outcome.counts["unreadable"] += len(set(reasons))
        outcome.problems.append(passed_over(source, reasons))


def passed_over(source: str, reasons: Sequence[str]) -> str:
    """Sentence that says that games were skipped; the same reason, perhaps of the same game, counts once."""
    different = sorted(set(reasons))
    return f"{source}: {len(different):,} games cannot be read and were left out: {different[0]}"


def until_stopped(names: Iterable[str], stop_flag: StopFlag) -> Iterator[str]:
    """The names, one after the other. Raises `Stopped` once the flag is set."""
    for name in names:
        stop_flag.check()
        yield name
