"""Questions after the game: the stream has ended by then, so the chat is requested for two minutes."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from lichess.api import ChatLine, GameInfo, Lichess, LichessError, Limited, Refused
from lichess.rate_limits import Kind, Pauses

log = logging.getLogger(__name__)

ANSWER_SECONDS = 120.0
"""Time after the end of a game in which questions are answered."""

WAITS = (2.0, 3.0, 5.0)
"""Seconds from one request for a chat to the next; the last one holds for all further ones."""

LOOK_SECONDS = 0.5


@dataclass(slots=True)
class _Followed:
    info: GameInfo
    known: Counter[tuple[str, str]] | None
    """Lines that need no answer any more, by author and text; None for all of the first answer."""
    until: float
    due: float
    requests: int = 0


class AfterGames:
    """Chats of finished games, requested by a thread of its own."""

    def __init__(
        self,
        lichess: Lichess,
        pauses: Pauses,
        heard: Callable[[GameInfo, ChatLine], None],
        left: Callable[[str], None],
    ) -> None:
        """``heard`` is called with each new line, ``left`` with the id of a game that is not followed any more."""
        self._lichess, self._pauses, self._heard, self._left = lichess, pauses, heard, left
        self._games: dict[str, _Followed] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chat-afterwards", daemon=True)
        self._thread.start()

    def follow(self, info: GameInfo, known: Counter[tuple[str, str]] | None) -> None:
        """Request the chat of a game that is over.

        ``known`` are the lines that were heard while it ran; None if not all of it was heard, because the bot was
        restarted: then the lines that are there now count as known.
        """
        now = time.monotonic()
        due = now if known is None else now + WAITS[0]
        with self._lock:
            self._games[info.id] = _Followed(info, known, now + ANSWER_SECONDS, due)

    def forget(self, game: str) -> None:
        """Follow a game no longer."""
        with self._lock:
            found = self._games.pop(game, None)
        if found is not None:
            self._left(game)

    def close(self) -> None:
        """Follow no game any longer."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            with self._lock:
                games = list(self._games.values())
            now = time.monotonic()
            for game in games:
                if now >= game.until:
                    self.forget(game.info.id)
                elif now >= game.due and self._pauses.wait(Kind.CHAT) <= 0 and not self._stopped.is_set():
                    self._request(game)

    def _request(self, game: _Followed) -> None:
        game.requests += 1
        game.due = time.monotonic() + WAITS[min(game.requests, len(WAITS) - 1)]
        try:
            lines = self._lichess.chat(game.info.id)
        except Limited as error:
            self._pauses.limited(Kind.CHAT, error)
            return
        except Refused as error:
            log.info("the chat of game %s cannot be read after its end: %s", game.info.id, error)
            self.forget(game.info.id)
            return
        except LichessError as error:
            log.info("the chat of game %s: %s", game.info.id, error)
            return
        except Exception:
            log.exception("the chat of game %s could not be read", game.info.id)
            return
        there = Counter((line.username, line.text) for line in lines)
        new = Counter[tuple[str, str]]() if game.known is None else there - game.known
        game.known = there if game.known is None else game.known | there
        for line in lines:
            if new[line.username, line.text] > 0:
                new[line.username, line.text] -= 1
                self._heard(game.info, line)
