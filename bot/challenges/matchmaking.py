"""Matchmaking: challenges to other bots when no game is running, sparingly, because bots should be free for humans."""

import logging
import random
import re
import time
from collections.abc import Container
from concurrent.futures import Executor

from cachetools import TTLCache

from bot.saved_state import SavedState
from bot.settings import BotSettings, Mode, parse_clock
from lichess.api import Account, Lichess, LichessError, Limited, Person, Refused, speed_of
from lichess.rate_limits import Kind, Pauses

log = logging.getLogger(__name__)

DAY_SECONDS = 86_400.0
UNANSWERED_SECONDS = 20.0
AVOID_SECONDS = 7_200.0
"""A bot that was challenged is not challenged again for this long."""


class Matchmaker:
    """Challenges other bots, one at a time."""

    def __init__(
        self,
        lichess: Lichess,
        pauses: Pauses,
        saved_state: SavedState,
        settings: BotSettings,
        account: Account,
        block_lists: Container[str] = (),
    ) -> None:
        """``block_lists`` has names in small letters of bots that are not challenged."""
        self._block_lists = block_lists
        self._lichess, self._pauses, self._saved_state = lichess, pauses, saved_state
        self.settings, self._account = settings, account
        self._idle_since = time.monotonic()
        self._open: str | None = None
        self._open_since = 0.0
        self._busy = False
        self._avoid: TTLCache[str, None] = TTLCache(10_000, AVOID_SECONDS)

    def rest(self) -> None:
        """Restart the waiting time, because a game has ended."""
        self._idle_since = time.monotonic()

    def gone(self, challenge: str) -> None:
        """Note that a challenge of ours was declined or has expired."""
        if challenge == self._open:
            self._open = None

    def turn(self, games: int, threads: Executor) -> None:
        """Challenge a bot if it is time; requests are made in ``threads``."""
        now = time.monotonic()
        if games:
            self._idle_since, self._open = now, None
        if self.settings.seek_minutes <= 0 or self._busy or self._pauses.wait(Kind.BOTS) > 0:
            return
        if self._open is not None:
            if now - self._open_since >= UNANSWERED_SECONDS:
                challenge, self._open, self._busy = self._open, None, True
                self._idle_since = now
                threads.submit(self._withdraw, challenge)
            return
        if not games and now - self._idle_since >= 60 * self.settings.seek_minutes and self._may_challenge():
            self._busy, self._idle_since = True, now
            threads.submit(self._challenge)

    def _may_challenge(self) -> bool:
        seeks = self._saved_state.bot.seeks
        seeks[:] = [at for at in seeks if time.time() - DAY_SECONDS < at <= time.time()]
        return len(seeks) < self.settings.seek_games

    def _withdraw(self, challenge: str) -> None:
        try:
            self._lichess.withdraw(challenge)
        except LichessError as error:
            log.info("challenge %s: %s", challenge, error)
        finally:
            self._busy = False

    def _challenge(self) -> None:
        person: Person | None = None
        try:
            limit, increment = parse_clock(random.choice(self.settings.seek_clocks))
            person = self._pick_opponent(speed_of(limit, increment))
            if person is None:
                return
            self._saved_state.bot.seeks.append(time.time())
            self._saved_state.save_bot()
            self._avoid[person.id] = None
            self._open = self._lichess.challenge(
                person.name,
                rated=Mode.RATED in self.settings.against(is_bot=True).modes,
                limit=limit,
                increment=increment,
            )
            self._open_since = time.monotonic()
            log.info("%s is challenged", person.name)
        except Limited as error:
            self._pauses.limited(Kind.BOTS, error)
        except Refused as error:
            log.info("%s cannot be challenged: %s", person.name if person is not None else "nobody", error)
        except LichessError as error:
            log.info("no bot was challenged: %s", error)
        finally:
            self._busy = False

    def _pick_opponent(self, speed: str) -> Person | None:
        rules = self.settings.against(is_bot=True)
        blocked = {name.lower() for name in self.settings.block}
        allowed = {name.lower() for name in self.settings.allow}
        fitting = [
            bot
            for bot in self._lichess.online_bots(100, speed)
            if bot.id not in self._avoid
            and bot.id != self._account.id
            and bot.id not in blocked
            and bot.id not in self._block_lists
            and (not allowed or bot.id in allowed)
            and (bot.rating is None or rules.min_rating <= bot.rating <= rules.max_rating)
            and re.fullmatch(r"[\w-]+", bot.name)
        ]
        return random.choice(fitting) if fitting else None
