"""Queue of challenges, from their arrival to the game or the refusal."""

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
"""Longest wait for a free place: lichess drops a challenge after 20 seconds."""

FORGOTTEN_SECONDS = 25.0
"""Age at which lichess has dropped a challenge with a clock."""

OVERDUE_SECONDS = 1.0

BEGIN_SECONDS = 30.0
"""Time after which a game of an accepted challenge is not expected to begin any more, and its place is free."""


class ChallengeQueue:
    """Waiting and accepted challenges; never more are accepted than games may run."""

    def __init__(
        self,
        lichess: Lichess,
        pauses: Pauses,
        settings: BotSettings,
        threads: Executor,
        post: Callable[[Callable[[], None]], None],
        accepted: Callable[[str], None],
    ) -> None:
        """Requests are made in ``threads``; their results are handed to ``post`` as calls for the bot's own thread.

        ``accepted`` is called with the id of each accepted challenge, which is also the id of its game.
        """
        self._lichess, self._pauses, self._settings = lichess, pauses, settings
        self._threads, self._post, self._on_accepted = threads, post, accepted
        self._waiting: dict[str, tuple[Challenge, float]] = {}
        self._accepted: dict[str, float] = {}
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """Number of waiting challenges."""
        return len(self._waiting)

    @property
    def expected(self) -> int:
        """Number of accepted challenges whose games have not begun."""
        return len(self._accepted)

    def is_overdue(self, now: float) -> bool:
        """Whether a challenge was accepted `OVERDUE_SECONDS` ago and its game has not begun."""
        return any(now - since >= OVERDUE_SECONDS for since in self._accepted.values())

    def challenged(self, challenge: Challenge) -> None:
        """Queue a new challenge, or decline it."""
        if challenge.is_own or challenge.id in self._accepted:
            return
        reason = DeclineReason.LATER if self._is_closed else decline_reason(challenge, self._settings)
        if reason is None:
            self._waiting.setdefault(challenge.id, (challenge, time.monotonic()))
        else:
            self._decline(challenge, reason)

    def gone(self, challenge: str) -> None:
        """Remove a challenge that was taken back."""
        self._waiting.pop(challenge, None)

    def begun(self, game: str) -> None:
        """Remove the challenge of a game that has begun."""
        self._waiting.pop(game, None)
        self._accepted.pop(game, None)

    def close(self) -> None:
        """Decline all waiting challenges and all further ones."""
        self._is_closed = True
        for challenge, _ in self._waiting.values():
            self._decline(challenge, DeclineReason.LATER)
        self._waiting.clear()

    def turn(self, games: Collection[str]) -> None:
        """Accept waiting challenges for free places and decline those that waited too long; ``games`` are running."""
        now = time.monotonic()
        self._accepted = {game: since for game, since in self._accepted.items() if now - since <= BEGIN_SECONDS}
        # After a 429 nothing may be answered for a minute; challenges that lichess has dropped by then are left out.
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
            self._post(lambda: self._on_accepted(challenge.id))
        except Refused as error:
            log.info("challenge %s: %s", challenge.id, error)
            self._post(lambda: self._give_up(challenge))
        except LichessError as error:
            if isinstance(error, Limited):
                self._pauses.limited(Kind.CHALLENGE, error.seconds)
            # If it was accepted after all, the second attempt is refused, and the game begins.
            log.info("challenge %s: %s", challenge.id, error)
            self._post(lambda: self._requeue(challenge))

    def _give_up(self, challenge: Challenge) -> None:
        self._accepted.pop(challenge.id, None)

    def _requeue(self, challenge: Challenge) -> None:
        if self._accepted.pop(challenge.id, None) is not None:
            self._waiting[challenge.id] = (challenge, time.monotonic())

    def _decline(self, challenge: Challenge, reason: DeclineReason) -> None:
        log.info("challenge %s of %s is declined: %s", challenge.id, challenge.challenger.name, reason)
        self._threads.submit(self._send_decline, challenge.id, reason)

    def _send_decline(self, challenge: str, reason: DeclineReason) -> None:
        if self._pauses.wait(Kind.CHALLENGE) > 0:
            # Lichess drops it in a moment anyway.
            return
        try:
            self._lichess.decline(challenge, reason)
        except Limited as error:
            self._pauses.limited(Kind.CHALLENGE, error.seconds)
        except LichessError as error:
            log.info("challenge %s: %s", challenge, error)
