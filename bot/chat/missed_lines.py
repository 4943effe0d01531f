"""Lines of chat that no stream brings: those after a game, and those written while its stream was not read.

Lichess closes the stream of a game at its end and repeats no line in a new stream, but it gives out the whole chat of
the players. That of the spectators it does not.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from lichess.api import ChatLine, GameInfo, Lichess, LichessError, Limited, Refused, Unauthorized
from lichess.rate_limits import Kind, Pauses

log = logging.getLogger(__name__)

OPENED_SECONDS = 1.0
"""From the opening of a stream to the request: lines that are on their way have arrived by then."""

ANSWER_SECONDS = 120.0
"""Time after the end of a game in which questions are answered."""

WAITS = (2.0, 3.0, 5.0)
"""Seconds from one request for a chat to the next; the last one holds for all further ones."""

LOOK_SECONDS = 0.5


@dataclass(slots=True)
class _Requested:
    info: GameInfo
    due: float
    until: float | None
    """When the last request is due; None for a running game, whose chat is requested until that has worked once."""
    requests: int = 0


class MissedLines:
    """Chats that are requested, by a thread of its own."""

    def __init__(
        self,
        lichess: Lichess,
        pauses: Pauses,
        found: Callable[[GameInfo, list[ChatLine]], None],
        left: Callable[[str], None],
    ) -> None:
        """``found`` takes all lines of a chat, ``left`` the id of a game that is not followed any more."""
        self._lichess, self._pauses, self._found, self._left = lichess, pauses, found, left
        self._games: dict[str, _Requested] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chat-requests", daemon=True)
        self._thread.start()

    def opened(self, info: GameInfo) -> None:
        """Request the chat of a running game, because its stream was opened."""
        self._add(_Requested(info, time.monotonic() + OPENED_SECONDS, None))

    def follow(self, info: GameInfo) -> None:
        """Request the chat of a game that is over, again and again."""
        now = time.monotonic()
        self._add(_Requested(info, now + WAITS[0], now + ANSWER_SECONDS))

    def forget(self, game: str) -> None:
        """Follow a game that is over no longer."""
        with self._lock:
            is_followed = game in self._games and self._games[game].until is not None
            if is_followed:
                del self._games[game]
        if is_followed:
            self._left(game)

    def close(self) -> None:
        """Request nothing any longer."""
        self._stopped.set()
        self._thread.join()

    def _add(self, game: _Requested) -> None:
        with self._lock:
            self._games[game.info.id] = game

    def _run(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            with self._lock:
                games = list(self._games.values())
            for game in games:
                now = time.monotonic()
                if now < game.due or self._pauses.wait(Kind.CHAT) > 0 or self._stopped.is_set():
                    continue
                has_worked = self._request(game)
                if game.until is not None and now >= game.until:
                    self.forget(game.info.id)
                elif game.until is None and has_worked:
                    self._done(game)
                else:
                    game.requests += 1
                    game.due = now + WAITS[min(game.requests, len(WAITS) - 1)]
                    game.due = game.due if game.until is None else min(game.due, game.until)

    def _done(self, game: _Requested) -> None:
        """Forget a request, unless its game has ended meanwhile and is followed."""
        with self._lock:
            if self._games.get(game.info.id) is game:
                del self._games[game.info.id]

    def _request(self, game: _Requested) -> bool:
        """Request the chat of a game; whether there is nothing more to expect from another try."""
        try:
            self._found(game.info, self._lichess.chat(game.info.id))
        except Limited as error:
            self._pauses.limited(Kind.CHAT, error)
            return False
        except Unauthorized as error:
            self._pauses.unauthorized(error)
            return False
        except Refused as error:
            log.info("the chat of game %s cannot be read: %s", game.info.id, error)
            self.forget(game.info.id)
        except LichessError as error:
            log.info("the chat of game %s: %s", game.info.id, error)
            return False
        except Exception:
            log.exception("the chat of game %s could not be read", game.info.id)
        return True
