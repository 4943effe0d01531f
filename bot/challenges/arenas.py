"""Arena tournaments that admit bots: joined shortly before they begin, and again while they run."""

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Executor

from lichess.api import Lichess, LichessError, Limited, Refused
from lichess.rate_limits import LIMITED_SECONDS, Kind, Pauses
from trapcore.errors import InputError

log = logging.getLogger(__name__)

EARLY_SECONDS = 300.0
"""An arena is joined so long before it begins."""

AGAIN_SECONDS = 50.0
"""Interval of the looks: lichess pairs a player who is not on the page for a minute after it has joined."""


class Arenas:
    """The arenas of the settings and of the owner. `turn` is called in the bot's own thread."""

    def __init__(self, lichess: Lichess, pauses: Pauses, ids: Sequence[str]) -> None:
        self._lichess, self._pauses = lichess, pauses
        self._left = list(ids)
        self._joined: set[str] = set()
        self._look_at = 0.0
        self._looking = False
        self._lock = threading.Lock()
        """Held while an arena is joined or left."""

    def turn(self, has_place: bool, threads: Executor) -> None:
        """Look at the arenas if it is time; none is joined without a place for a game."""
        now = time.monotonic()
        # The games of a day between bots, which hold `Kind.BOTS` for hours, are no reason to stay away.
        if not self._left or self._looking or now < self._look_at or self._pauses.wait(Kind.ANSWER) > 0:
            return
        self._look_at, self._looking = now + AGAIN_SECONDS, True
        threads.submit(self._look, has_place)

    def listed(self) -> list[dict[str, object]]:
        """The arenas, and whether each is joined, for the owner."""
        return [{"id": ident, "is_joined": ident in self._joined} for ident in list(self._left)]

    def use(self, before: Sequence[str], now: Sequence[str]) -> None:
        """Play those that the settings name ``now``, and leave those that only the settings ``before`` have named.

        Requests are made at once.
        """
        for ident in before:
            if ident not in now and ident in self._left:
                try:
                    self.remove(ident)
                except LichessError as error:
                    log.info("arena %s: %s", ident, error)
        self._left += [ident for ident in now if ident not in self._left]
        self._look_at = 0.0

    def add(self, ident: str) -> None:
        """Play an arena that the owner names. A request is made at once. Raises `LichessError` and `InputError`."""
        arena = self._lichess.arena(ident)
        if arena.is_over or not arena.admits_bots:
            raise InputError(f"the arena {ident} {'is over' if arena.is_over else 'does not admit bots'}")
        if ident not in self._left:
            self._left.append(ident)
        self._look_at = 0.0

    def remove(self, ident: str) -> None:
        """Leave an arena, at once if it is joined. Raises `LichessError`, and `InputError` if it is not played."""
        if ident not in self._left:
            raise InputError(f"the bot plays no arena {ident}")
        with self._lock:
            self._left.remove(ident)
            if ident in self._joined:
                self._joined.discard(ident)
                self._lichess.leave_arena(ident)

    def leave(self) -> None:
        """Leave all arenas, so that no further game begins. Requests are made at once."""
        for ident in list(self._joined):
            try:
                self._lichess.leave_arena(ident)
            except LichessError as error:
                log.info("arena %s: %s", ident, error)
        self._left.clear()
        self._joined.clear()

    def _look(self, has_place: bool) -> None:
        try:
            for ident in list(self._left):
                with self._lock:
                    if ident in self._left:
                        self._look_at_one(ident, has_place)
        except Limited as error:
            self._pauses.limited(Kind.BOTS, error)
            seconds = LIMITED_SECONDS if error.seconds is None else error.seconds
            self._look_at = max(self._look_at, time.monotonic() + seconds)
        except LichessError as error:
            log.info("the arenas could not be looked at: %s", error)
        finally:
            self._looking = False

    def _look_at_one(self, ident: str, has_place: bool) -> None:
        try:
            arena = self._lichess.arena(ident)
            if arena.is_over:
                self._forget(ident, "it is over")
            elif not arena.admits_bots:
                self._forget(ident, "it does not admit bots")
            elif arena.seconds_to_start <= EARLY_SECONDS and has_place:
                self._lichess.join_arena(ident)
                if ident not in self._joined:
                    log.info("arena %s is joined", ident)
                self._joined.add(ident)
            elif ident in self._joined and not has_place:
                self._lichess.leave_arena(ident)
                self._joined.discard(ident)
        except Refused as error:
            self._forget(ident, str(error))

    def _forget(self, ident: str, reason: str) -> None:
        log.warning("arena %s is not played any more: %s", ident, reason)
        if ident in self._left:
            self._left.remove(ident)
        self._joined.discard(ident)
