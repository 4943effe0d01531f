"""What is left to do for games that are over: last messages, archive, statistics, forgetting their state."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor

from annotator.events import TrapEvent
from bot.chat.worker import ChatWorker
from bot.game_archive import Finished, Recorder
from bot.moves.board import GameBoard
from bot.saved_state import SavedState
from db.traps.terms import Event
from lichess.api import Account, GameInfo, GameState, Lichess, LichessError, Refused, Unauthorized
from trapcore.errors import TraplineError

log = logging.getLogger(__name__)

LOST_SECONDS = 7 * 86_400.0
"""Age of the oldest games that are requested because an earlier run may have lost them."""

CLOCK_SECONDS = 3600.0
"""By which the clock of this machine may be ahead of lichess's."""

AGAIN_SECONDS = 60.0
"""Wait before they are requested again, if that failed."""


class FinishedGames:
    """Games that are over and not yet dealt with. Methods are called in the bot's own thread."""

    def __init__(
        self,
        lichess: Lichess,
        account: Account,
        saved_state: SavedState,
        chat: ChatWorker,
        threads: Executor,
        post: Callable[[Callable[[], None]], None],
    ) -> None:
        """Requests are made in ``threads``; their results are handed to ``post`` as calls for the bot's own thread."""
        self._lichess, self._account, self._saved_state, self._chat = lichess, account, saved_state, chat
        self._threads, self._post = threads, post
        self._recorder: Recorder | None = None
        self._ending: dict[str, list[str]] = {}
        self._lost_since: float | None = None
        self._request_at = 0.0

    def begin(self) -> None:
        """Note that the bot is at work, and request what an earlier run may have lost."""
        since, now = self._saved_state.begin(), time.time()
        if since is not None:
            # A time that is still to come was written by a clock that has been put back, and says nothing.
            self._lost_since = max(since - CLOCK_SECONDS if since <= now else 0.0, now - LOST_SECONDS)

    def turn(self) -> None:
        """Request these games if it is time."""
        if self._lost_since is not None and time.monotonic() >= self._request_at:
            self._request_at = float("inf")
            self._threads.submit(self._request_lost, self._lost_since)

    def end(self) -> None:
        """Note that the bot has ended, unless a game may be lost."""
        assert self._recorder is not None
        if self._lost_since is None and self._recorder.is_done:
            self._saved_state.end()

    def record_with(self, recorder: Recorder) -> None:
        """Set the recorder, whose results go to `recorded`."""
        self._recorder = recorder

    def __contains__(self, game: str) -> bool:
        """Whether something is left to do for this game."""
        return game in self._ending

    def finish(self, info: GameInfo, state: GameState) -> None:
        """Begin with a game that has just ended."""
        game = info.id
        try:
            GameBoard(info).after(state.moves)
        except TraplineError:
            # A game that could not be played: lichess has its moves.
            self._chat.left(game)
            self.record_late(game)
            return
        self._ending[game] = ["chat", "recorded"]
        self._chat.finished(info, state, lambda: self._post(lambda: self._one_less(game, "chat")))
        self._record(Finished(game, info, state))

    def record_late(self, game: str) -> None:
        """Record a game that ended while the bot was away."""
        self._threads.submit(self._request_game, game)

    def recorded(self, game: Finished, events: list[TrapEvent] | None) -> None:
        """Count a game that is recorded, with its events. In the recorder's thread."""
        if events is not None:
            if game.info is not None:
                color: str = game.info.color
            else:
                color = "white" if f'[White "{self._account.name}"]' in game.pgn else "black"
            ours = [
                event.event.value
                for event in events
                if event.trap is not None
                and (
                    (event.event is Event.SET and event.mover == color)
                    or (event.event is Event.FELL and event.mover != color)
                )
            ]
            self._saved_state.count(["games", *ours])
            if game.info is not None:
                self._chat.remember(game.info, events)
        self._post(lambda: self._one_less(game.id, "recorded"))

    def _record(self, game: Finished) -> None:
        assert self._recorder is not None
        self._recorder.record(game)

    def _one_less(self, game: str, what: str) -> None:
        left = self._ending.get(game, [what])
        if what in left:
            left.remove(what)
        if not left:
            self._ending.pop(game, None)
            self._saved_state.forget(game)

    def _request_lost(self, since: float) -> None:
        """Record the games since then that have neither a saved state nor a file, because the disk was full."""
        assert self._recorder is not None
        try:
            for game, pgn in self._lichess.finished(self._account.id, since):
                # In this order: the state of a game is deleted after its file is written.
                if game not in self._saved_state.unfinished() and not self._recorder.has(game):
                    log.info("game %s was not recorded by an earlier run", game)
                    self._record_export(game, pgn)
        except LichessError as error:
            log.info("games that an earlier run may have lost are requested later: %s", error)
            self._request_at = time.monotonic() + AGAIN_SECONDS
        else:
            self._lost_since = None

    def _record_export(self, game: str, pgn: str) -> None:
        self._post(lambda: self._ending.update({game: ["recorded"]}))
        self._record(Finished(game, None, None, pgn.rstrip() + "\n\n"))

    def _request_game(self, game: str) -> None:
        try:
            pgn = self._lichess.export(game)
        except Unauthorized as error:
            log.info("game %s is recorded later: %s", game, error)
        except Refused as error:
            log.warning("game %s cannot be recorded: %s", game, error)
            self._saved_state.forget(game)
        except LichessError as error:
            log.info("game %s is recorded later: %s", game, error)
        else:
            if '[Termination "Unterminated"]' in pgn:
                return
            self._record_export(game, pgn)
