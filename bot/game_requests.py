"""Requests of one game besides its moves, made in a pool of threads: offers, claims, resigning, aborting."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor

import chess

from bot.moves.board import GameBoard
from bot.saved_state import SavedState
from lichess.api import GameInfo, Lichess, LichessError, Limited, Refused, Unauthorized, Unreachable
from lichess.rate_limits import Kind, Pauses

log = logging.getLogger(__name__)

TRIES = 4
"""Most attempts of a request that may or may not have arrived."""

RETRY_SECONDS = 0.5


class GameRequests:
    """Requests of one game; each method returns at once. What is refused is logged."""

    def __init__(
        self,
        game: str,
        lichess: Lichess,
        pauses: Pauses,
        saved_state: SavedState,
        threads: Executor,
        closed: threading.Event,
        takeback_answered: Callable[[], None],
    ) -> None:
        """``closed`` is set when the game is left; ``takeback_answered`` is called after `settle_takeback`."""
        self._game, self._lichess, self._pauses, self._saved_state = game, lichess, pauses, saved_state
        self._threads, self._closed, self._takeback_answered = threads, closed, takeback_answered

    def answer_draw(self, accept: bool) -> None:
        """Accept or decline a draw offer."""
        self._submit("draw", lambda: self._lichess.answer_draw(self._game, accept=accept))

    def decline_takeback(self) -> None:
        """Decline the opponent's takeback."""
        self._submit("takeback", lambda: self._lichess.answer_takeback(self._game, accept=False))

    def settle_takeback(self, granted: bool) -> None:
        """Grant the opponent's takeback, or withdraw our own; only once, because a second yes would be a proposal."""
        self._threads.submit(self._settle_takeback, granted)

    def abort(self) -> None:
        """Abort before the first moves."""
        self._submit("abort", lambda: self._lichess.abort(self._game))

    def resign(self) -> None:
        """Resign."""
        self._submit("resign", lambda: self._lichess.resign(self._game))

    def claim(self, info: GameInfo, moves: tuple[str, ...]) -> None:
        """Claim a win against an absent opponent; a draw only if our pieces could never mate."""
        color = chess.WHITE if info.color == "white" else chess.BLACK

        def claim() -> None:
            if GameBoard(info).after(moves).has_insufficient_material(color):
                self._lichess.claim_draw(self._game)
            else:
                self._lichess.claim_victory(self._game)

        self._submit("claim", claim)

    def give_up(self, moves: tuple[str, ...]) -> None:
        """Abort or resign a game that cannot be played: to leave it keeps the opponent waiting until our flag falls."""

        def give_up() -> None:
            if len(moves) < 2:
                try:
                    self._lichess.abort(self._game)
                    return
                except Refused as error:
                    log.info("game %s: %s", self._game, error)
            self._lichess.resign(self._game)

        self._submit("resign", give_up)

    def _submit(self, what: str, request: Callable[[], None]) -> None:
        """Send a request that may be repeated: it is retried while it is unknown whether it arrived.

        Requests with the same ``what`` in this game share a back-off.
        """
        self._threads.submit(self._try, self._name(what), request)

    def _name(self, what: str) -> str:
        return f"{what} in game {self._game}"

    def _try(self, name: str, request: Callable[[], None]) -> None:
        tries = TRIES
        while tries > 0:
            self._await_pause(name)
            if self._closed.is_set():
                return
            try:
                request()
                self._pauses.worked(Kind.MOVE, name)
                return
            except Limited as error:
                self._pauses.limited(Kind.MOVE, error, name)
            except Unauthorized as error:
                self._pauses.unauthorized(error)
                tries -= 1
            except Refused as error:
                log.info("game %s: %s", self._game, error)
                return
            except Unreachable as error:
                log.info("game %s: %s", self._game, error)
                tries -= 1
                self._closed.wait(RETRY_SECONDS)
            except Exception:
                log.exception("game %s: a request failed", self._game)
                return

    def _settle_takeback(self, granted: bool) -> None:
        name = self._name("takeback")
        try:
            self._await_pause(name)
            if self._closed.is_set():
                return
            if granted:
                # Counted first, so that after a restart one too few is granted rather than one too many.
                saved = self._saved_state.game(self._game)
                saved.takebacks += 1
                self._saved_state.save(saved)
            self._lichess.answer_takeback(self._game, accept=granted)
        except LichessError as error:
            if isinstance(error, Limited):
                self._pauses.limited(Kind.MOVE, error, name)
            log.info("game %s: %s", self._game, error)
        except Exception:
            log.exception("game %s: a takeback could not be answered", self._game)
        finally:
            self._takeback_answered()

    def _await_pause(self, name: str) -> None:
        while (wait := self._pauses.wait(Kind.MOVE, name)) > 0 and not self._closed.is_set():
            self._closed.wait(min(wait, 0.25))
