"""Queue of challenges, from their arrival to the game or the refusal."""

import logging
import time
from collections.abc import Callable, Container, Mapping
from concurrent.futures import Executor

from cachetools import LRUCache

from bot.challenges.acceptance import decline_reason, has_place, in_order
from bot.settings import BotSettings
from lichess.api import Challenge, DeclineReason, Lichess, LichessError, Limited, Person, Refused, Unauthorized
from lichess.rate_limits import Kind, Pauses

log = logging.getLogger(__name__)

MOST_WAITING = 256
"""Challenges that wait; what comes beyond them takes the place of one that has lapsed, or lapses itself."""

WAIT_SECONDS = 18.0
"""Longest wait of a bot for a free place: lichess drops a challenge after 20 seconds."""

DROPPED_SECONDS = 25.0
"""Age at which lichess has usually dropped a challenge with a clock, so that it may make room for a new one."""

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
        block_lists: Container[str] = (),
    ) -> None:
        """Requests are made in ``threads``; their results are handed to ``post`` as calls for the bot's own thread.

        ``accepted`` is called with the id of each accepted challenge, which is also the id of its game. ``block_lists``
        has names in small letters of accounts that are declined.
        """
        self._lichess, self._pauses, self.settings = lichess, pauses, settings
        self._threads, self._post, self._on_accepted = threads, post, accepted
        self._block_lists = block_lists
        self._waiting: dict[str, tuple[Challenge, float]] = {}
        self._accepted: dict[str, tuple[Challenge, float]] = {}
        self._opponents: LRUCache[str, Person] = LRUCache(1_000)
        """Opponents of the latest accepted challenges by the id of the game, until its stream names them."""
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """Number of waiting challenges."""
        return len(self._waiting)

    def listed(self) -> list[tuple[Challenge, float]]:
        """The waiting challenges in their order, each with the seconds that it has waited; for any thread."""
        now = time.monotonic()
        waiting = dict(self._waiting)
        order = in_order([challenge for challenge, _ in waiting.values()])
        return [(challenge, now - waiting[challenge.id][1]) for challenge in order]

    @property
    def expected(self) -> int:
        """Number of accepted challenges whose games have not begun, but may still."""
        now = time.monotonic()
        return sum(now - since <= BEGIN_SECONDS for _, since in list(self._accepted.values()))

    def is_overdue(self, now: float) -> bool:
        """Whether a challenge was accepted `OVERDUE_SECONDS` ago and its game has not begun."""
        return any(now - since >= OVERDUE_SECONDS for _, since in self._accepted.values())

    def challenged(self, challenge: Challenge) -> None:
        """Queue a new challenge, or decline it."""
        if challenge.is_own or challenge.id in self._accepted:
            return
        reason = DeclineReason.LATER if self._is_closed else decline_reason(challenge, self.settings, self._block_lists)
        if reason is None and challenge.challenger.is_bot and self._pauses.wait(Kind.BOTS) > WAIT_SECONDS:
            # The games against bots that lichess allows in a day are played.
            reason = DeclineReason.LATER
        if reason is not None:
            self._decline(challenge, reason)
        elif len(self._waiting) < MOST_WAITING or self._drop_old():
            self._waiting.setdefault(challenge.id, (challenge, time.monotonic()))

    def _drop_old(self) -> bool:
        """Make room: remove the oldest challenge that lichess has most likely dropped, of a bot if there is one.

        Whether there was one.
        """
        now = time.monotonic()
        for name, (challenge, since) in sorted(
            self._waiting.items(), key=lambda waiting: not waiting[1][0].challenger.is_bot
        ):
            if challenge.limit is not None and now - since > DROPPED_SECONDS:
                del self._waiting[name]
                return True
        return False

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

    def turn(self, games: Mapping[str, Person | None]) -> None:
        """Accept waiting challenges for free places and decline those of bots that waited too long for one.

        A person's challenge waits on until lichess says that it is gone, for a place as well as after a 429, when
        nothing may be answered for a minute.

        ``games`` are the running ones with their opponents, None where the opponent is not known yet.
        """
        now = time.monotonic()
        self._accepted = {game: one for game, one in self._accepted.items() if now - one[1] <= BEGIN_SECONDS}
        taken = {game: person or self._opponents.get(game) for game, person in games.items()}
        taken |= {game: challenge.challenger for game, (challenge, _) in self._accepted.items()}
        for challenge in in_order([challenge for challenge, _ in self._waiting.values()]):
            since = self._waiting[challenge.id][1]
            if self._wait(challenge) > 0:
                continue
            if has_place(challenge.challenger, list(taken.values()), self.settings):
                del self._waiting[challenge.id]
                self._accepted[challenge.id] = challenge, now
                self._opponents[challenge.id] = taken[challenge.id] = challenge.challenger
                self._threads.submit(self._accept, challenge)
            elif challenge.challenger.is_bot and now - since > WAIT_SECONDS:
                del self._waiting[challenge.id]
                self._decline(challenge, DeclineReason.LATER)

    def _wait(self, challenge: Challenge) -> float:
        wait = self._pauses.wait(Kind.ANSWER)
        return max(wait, self._pauses.wait(Kind.BOTS)) if challenge.challenger.is_bot else wait

    def _accept(self, challenge: Challenge) -> None:
        try:
            self._lichess.accept(challenge.id)
            log.info("challenge %s of %s is accepted", challenge.id, challenge.challenger.name)
            self._post(lambda: self._on_accepted(challenge.id))
        except LichessError as error:
            log.info("challenge %s: %s", challenge.id, error)
            if isinstance(error, Limited):
                self._pauses.limited(Kind.ANSWER, error)
            elif isinstance(error, Unauthorized):
                self._pauses.unauthorized(error)
            elif isinstance(error, Refused):
                self._post(lambda: self._give_up(challenge))
                return
            # If it was accepted after all, the second attempt is refused, and the game begins.
            self._post(lambda: self._requeue(challenge))

    def _give_up(self, challenge: Challenge) -> None:
        self._accepted.pop(challenge.id, None)

    def _requeue(self, challenge: Challenge) -> None:
        accepted = self._accepted.pop(challenge.id, None)
        if accepted is None:
            return
        if challenge.challenger.is_bot and self._pauses.wait(Kind.BOTS) > WAIT_SECONDS:
            # The games against bots that lichess allows in a day are played; to decline may be allowed.
            self._decline(challenge, DeclineReason.LATER)
        else:
            self._waiting[challenge.id] = (challenge, time.monotonic())

    def _decline(self, challenge: Challenge, reason: DeclineReason) -> None:
        self._threads.submit(self._send_decline, challenge, reason)

    def _send_decline(self, challenge: Challenge, reason: DeclineReason) -> None:
        name = challenge.challenger.name
        if self._pauses.wait(Kind.ANSWER) > 0:
            log.info("challenge %s of %s is left until lichess drops it", challenge.id, name)
            return
        try:
            self._lichess.decline(challenge.id, reason)
            log.info("challenge %s of %s is declined: %s", challenge.id, name, reason)
        except Limited as error:
            self._pauses.limited(Kind.ANSWER, error)
        except LichessError as error:
            log.info("challenge %s: %s", challenge.id, error)
