"""Challenges from the moment they come to the game they become: waiting, accepted, declined."""

import logging
import time
from collections.abc import Callable, Collection
from concurrent.futures import Executor

from bot.challenges.rules import decline_reason, in_order
from bot.settings import BotSettings
from lichess.api import Challenge, DeclineReason, Lichess, LichessError, Limited, Refused
from lichess.rate_limits import Kind, Pauses

log = logging.getLogger(__name__)

WAIT_SECONDS = 18.0
"""How long a challenge waits for a free place: lichess forgets it after 20 seconds."""

FORGOTTEN_SECONDS = 25.0
"""So old, a challenge with a clock is not there any more."""

OVERDUE_SECONDS = 1.0

BEGIN_SECONDS = 30.0
"""A game that has not begun so long after its challenge was accepted never will: its place is free again."""


class Reception:
    """Keeps the places: never are more challenges accepted than games may run."""

    def __init__(
        self,
        lichess: Lichess,
        pauses: Pauses,
        settings: BotSettings,
        threads: Executor,
        later: Callable[[Callable[[], None]], None],
        agreed: Callable[[str], None],
    ) -> None:
        """Requests are made in ``threads``; what they bring is handed to ``later``, to be called where all else is.

        ``agreed`` is told of each challenge that was accepted; its game has the same id.
        """
        self._lichess, self._pauses, self._settings = lichess, pauses, settings
        self._threads, self._later, self._agreed = threads, later, agreed
        self._waiting: dict[str, tuple[Challenge, float]] = {}
        self._accepted: dict[str, float] = {}
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """Challenges without a place."""
        return len(self._waiting)

    @property
    def expected(self) -> int:
        """Games that were agreed to and have not begun."""
        return len(self._accepted)

    def is_overdue(self, now: float) -> bool:
        """Whether a game was agreed to a while ago of which nobody has told that it began."""
        return any(now - since >= OVERDUE_SECONDS for since in self._accepted.values())

    def challenged(self, challenge: Challenge) -> None:
        """Somebody wants to play."""
        if challenge.is_own or challenge.id in self._accepted:
            return
        reason = DeclineReason.LATER if self._is_closed else decline_reason(challenge, self._settings)
        if reason is None:
            self._waiting.setdefault(challenge.id, (challenge, time.monotonic()))
        else:
            self._decline(challenge, reason)

    def gone(self, challenge: str) -> None:
        """It was taken back."""
        self._waiting.pop(challenge, None)

    def begun(self, game: str) -> None:
        """The game of that challenge runs."""
        self._waiting.pop(game, None)
        self._accepted.pop(game, None)

    def close(self) -> None:
        """Take nobody in any more."""
        self._is_closed = True
        for challenge, _ in self._waiting.values():
            self._decline(challenge, DeclineReason.LATER)
        self._waiting.clear()

    def turn(self, games: Collection[str]) -> None:
        """Give free places to who waits, and send away who waited for too long; ``games`` are those that run."""
        now = time.monotonic()
        self._accepted = {game: since for game, since in self._accepted.items() if now - since <= BEGIN_SECONDS}
        # Nothing may be answered for a minute after a 429; what lichess has forgotten by then is not asked for.
        self._waiting = {
            name: (challenge, since)
            for name, (challenge, since) in self._waiting.items()
            if challenge.limit is None or now - since <= FORGOTTEN_SECONDS
        }
        for challenge in in_order([challenge for challenge, _ in self._waiting.values()]):
            since = self._waiting[challenge.id][1]
            if self._pauses.wait(Kind.CHALLENGE) > 0:
                return
            if len({*games, *self._accepted}) < self._settings.max_games:
                del self._waiting[challenge.id]
                self._accepted[challenge.id] = now
                self._threads.submit(self._accept, challenge)
            elif now - since > WAIT_SECONDS:
                del self._waiting[challenge.id]
                self._decline(challenge, DeclineReason.LATER)

    def _accept(self, challenge: Challenge) -> None:
        try:
            self._lichess.accept(challenge.id)
            log.info("challenge %s of %s is accepted", challenge.id, challenge.challenger.name)
            self._later(lambda: self._agreed(challenge.id))
        except Refused as error:
            log.info("challenge %s: %s", challenge.id, error)
            self._later(lambda: self._freed(challenge))
        except LichessError as error:
            if isinstance(error, Limited):
                self._pauses.limited(Kind.CHALLENGE, error.seconds)
            # If it was accepted after all, the second time is refused, and the game begins.
            log.info("challenge %s: %s", challenge.id, error)
            self._later(lambda: self._again(challenge))

    def _freed(self, challenge: Challenge) -> None:
        self._accepted.pop(challenge.id, None)

    def _again(self, challenge: Challenge) -> None:
        if self._accepted.pop(challenge.id, None) is not None:
            self._waiting[challenge.id] = (challenge, time.monotonic())

    def _decline(self, challenge: Challenge, reason: DeclineReason) -> None:
        log.info("challenge %s of %s is declined: %s", challenge.id, challenge.challenger.name, reason)
        self._threads.submit(self._send_away, challenge.id, reason)

    def _send_away(self, challenge: str, reason: DeclineReason) -> None:
        if self._pauses.wait(Kind.CHALLENGE) > 0:
            # It is forgotten by lichess in a moment anyway.
            return
        try:
            self._lichess.decline(challenge, reason)
        except Limited as error:
            self._pauses.limited(Kind.CHALLENGE, error.seconds)
        except LichessError as error:
            log.info("challenge %s: %s", challenge, error)
