"""The running games that lichess lists, so that a lost event loses no game.

While the account's stream is broken, challenges are listed as well.

Lichess may list a game and refuse its stream (a *ghost*). The bot asks for such a game less and less often.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial

from cachetools import LRUCache

from lichess.api import Challenge, GameStart, Lichess, LichessError, Limited, Refused, Unauthorized
from lichess.rate_limits import Backoff, Kind, Pauses

log = logging.getLogger(__name__)

LIST_SECONDS = 8.0
"""Interval at which running games and challenges are listed while the account's stream is broken,"""

LIST_OVERDUE_SECONDS = 1.5
"""while a game of an accepted challenge is overdue,"""

LIST_CALM_SECONDS = 300.0
"""and while the stream works: a lost event must not lose a game."""

LIST_RETRY_SECONDS = 5.0
MOST_GHOST_SECONDS = 300.0
"""Longest wait until a game whose stream was refused is tried again."""


class GameList:
    """Lists the running games when it is time. Methods are called in the bot's own thread."""

    def __init__(
        self,
        lichess: Lichess,
        pauses: Pauses,
        threads: Executor,
        post: Callable[[Callable[[], None]], None],
        challenged: Callable[[Challenge], None],
        found: Callable[[list[GameStart]], None],
    ) -> None:
        """Requests are made in ``threads``; their results are handed to ``post`` as calls for the bot's own thread.

        ``challenged`` takes each challenge and ``found`` the list of running games.
        """
        self._lichess, self._pauses, self._threads, self._post = lichess, pauses, threads, post
        self._challenged, self._found = challenged, found
        self._looked = self._look_at = float("-inf")
        self._looking = False
        self._may_list = True
        self._ghosts: LRUCache[str, tuple[Backoff, float]] = LRUCache(1_000)

    def turn(self, *, is_broken: bool, is_overdue: bool) -> None:
        """List the games if it is time. ``is_broken``: the account's stream; ``is_overdue``: an accepted game."""
        now = time.monotonic()
        if is_broken:
            self._look_at = min(self._look_at, self._looked + LIST_SECONDS)
        if is_overdue:
            self._look_at = min(self._look_at, self._looked + LIST_OVERDUE_SECONDS)
        if self._looking or now < self._look_at or self._pauses.wait(Kind.LISTEN) > 0:
            return
        self._looked, self._look_at, self._looking = now, now + LIST_CALM_SECONDS, True
        self._threads.submit(self._request, is_broken)

    def again_in(self, seconds: float) -> None:
        """List the games in ``seconds`` at the latest."""
        self._look_at = min(self._look_at, time.monotonic() + seconds)

    def refused(self, game: str) -> None:
        """Lichess has refused the stream of a game: check soon whether it is over, and later less and less often."""
        backoff = self._ghosts[game][0] if game in self._ghosts else Backoff(2 * LIST_RETRY_SECONDS, MOST_GHOST_SECONDS)
        wait = backoff.failed()
        self._ghosts[game] = backoff, time.monotonic() + wait
        self.again_in(wait)

    def is_held(self, game: str) -> bool:
        """Whether the stream of a game was refused just now."""
        return game in self._ghosts and time.monotonic() < self._ghosts[game][1]

    def worked(self, game: str) -> None:
        """The stream of a game was read."""
        self._ghosts.pop(game, None)

    def _request(self, is_broken: bool) -> None:
        found: list[GameStart] | None = None
        try:
            found = self._lichess.ongoing()
            self._pauses.worked(Kind.LISTEN)
        except Limited as error:
            self._pauses.limited(Kind.LISTEN, error)
        except Unauthorized as error:
            # The stream stays open when the token is revoked, but nothing can be sent any more.
            self._pauses.unauthorized(error)
        except LichessError as error:
            log.info("the running games could not be listed: %s", error)
        if found is not None and is_broken and self._may_list:
            self._request_challenges()
        self._post(lambda: self._answered(found))

    def _request_challenges(self) -> None:
        """List the challenges, which the broken stream cannot announce."""
        try:
            for challenge in self._lichess.challenges():
                self._post(partial(self._challenged, challenge))
        except Limited as error:
            self._pauses.limited(Kind.LISTEN, error)
        except Refused as error:
            self._may_list = error.status == 401  # otherwise the token lacks the scope for it
        except LichessError as error:
            log.info("the challenges could not be listed: %s", error)

    def _answered(self, found: list[GameStart] | None) -> None:
        self._looking = False
        if found is None:
            self._look_at = time.monotonic() + LIST_RETRY_SECONDS
        else:
            self._found(found)
