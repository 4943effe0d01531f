"""Two threads that speak: one works out what is to be said, one says it. No game waits for either.

What is said is remembered on the disk before it is sent.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from annotator.events import TrapEvent
from bot.chat import replies as chat
from bot.game_archive import movetext
from bot.moves.trap_book import TrapLibrary
from bot.saved_state import GameMemory, Memory
from bot.settings import BotSettings
from db.traps.terms import Event
from lichess.api import ChatLine, GameInfo, GameState, Lichess, LichessError, Limited, Refused
from lichess.rate_limits import Kind, Pauses

log = logging.getLogger(__name__)

TRIES = 3
STALE_SECONDS = 90.0
"""What could not be said by then is not said any more."""


@dataclass(slots=True)
class _Talk:
    info: GameInfo
    state: GameState
    events: list[TrapEvent] = field(default_factory=list)
    judged: tuple[str, ...] = ()
    remarked: set[tuple[int, str, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Said:
    game: str
    message: chat.Message
    at: float


class Voice:
    """Watches the games and writes into their chats."""

    def __init__(
        self,
        lichess: Lichess,
        pauses: Pauses,
        memory: Memory,
        traps: TrapLibrary,
        settings: BotSettings,
        *,
        version: str,
        player: str,
        may_coach: bool,
    ) -> None:
        self._lichess, self._pauses, self._memory, self._traps = lichess, pauses, memory, traps
        self._settings, self._version, self._player, self._may_coach = settings, version, player, may_coach
        self._talks: dict[str, _Talk] = {}
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._out: queue.SimpleQueue[_Said | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._watch, name="watcher", daemon=True),
            threading.Thread(target=self._speak, name="speaker", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    # What games tell; each returns at once ----------------------------------------------------------------------------

    def begin(self, info: GameInfo, state: GameState) -> None:
        """A game is there, new or resumed."""
        self._work.put(lambda: self._begin(info, state))

    def changed(self, info: GameInfo, state: GameState) -> None:
        """Its moves have changed."""
        self._work.put(lambda: self._changed(info, state))

    def heard(self, info: GameInfo, line: ChatLine) -> None:
        """Somebody wrote."""
        self._work.put(lambda: self._heard(info, line))

    def left(self, game: str) -> None:
        """It is not read any more."""
        self._work.put(lambda: self._left(game))

    def finished(self, info: GameInfo, state: GameState, then: Callable[[], None]) -> None:
        """It is over; ``then`` is called when nothing more will be said."""
        self._work.put(lambda: self._finished(info, state, then))

    def close(self, seconds: float) -> None:
        """Say what is waiting, for at most so long."""
        until = time.monotonic() + seconds
        self._work.put(None)
        self._threads[0].join(seconds)
        self._out.put(None)
        self._threads[1].join(max(0.0, until - time.monotonic()))

    # The watcher ------------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                work()
            except Exception:
                log.exception("nothing is said, because of an error of ours")

    def _begin(self, info: GameInfo, state: GameState) -> None:
        memory = self._memory.game(info.id)
        self._talks[info.id] = _Talk(info, state)
        if not memory.begun:
            memory.begun = True
            self._memory.save(memory)
            if len(state.moves) < 2 and not state.is_over:
                for message in chat.greeting(self._settings.greeting, info):
                    self._say(memory, message)
        self._changed(info, state)

    def _left(self, game: str) -> None:
        self._talks.pop(game, None)

    def _changed(self, info: GameInfo, state: GameState) -> None:
        talk = self._talks.get(info.id)
        if talk is None:
            return
        talk.state = state
        book = self._traps.book
        if book is None or talk.judged == state.moves:
            return
        talk.events, talk.judged = book.events(movetext(info, state.moves)), state.moves
        memory = self._memory.game(info.id)
        new = [event for event in talk.events if _which(event) not in talk.remarked]
        talk.remarked.update(map(_which, new))
        if not state.is_over:
            for message in chat.remarks(new, info):
                if memory.remarks < self._settings.spectator_messages and self._say(memory, message):
                    memory.remarks += 1
                    self._memory.save(memory)
            self._warn(talk, memory)

    def _warn(self, talk: _Talk, memory: GameMemory) -> None:
        """The pupil of a private server, of a trap that is on the board now."""
        if not (self._may_coach and memory.coaching and not talk.info.rated):
            return
        for event in talk.events:
            here = event.event is Event.SET and event.ply == len(talk.state.moves)
            if here and event.mover == talk.info.color:
                self._say(memory, chat.warning(event))

    def _heard(self, info: GameInfo, line: ChatLine) -> None:
        talk = self._talks.get(info.id)
        if talk is None:
            return
        memory = self._memory.game(info.id)
        may_coach = self._may_coach and not info.rated
        wanted = chat.wants_coach(line, info) if may_coach else None
        if wanted is not None:
            memory.coaching = wanted
            self._memory.save(memory)
        book = self._traps.book
        facts = chat.Facts(
            info=info,
            is_over=talk.state.is_over,
            events=talk.events,
            traps=() if book is None else book.traps,
            stats=dict(self._memory.bot.stats),
            version=self._version,
            player=self._player,
            find=self._traps.find,
            may_coach=may_coach,
        )
        for message in chat.answer(line, facts):
            if memory.answers < chat.ANSWERS and self._say(memory, message):
                memory.answers += 1
                self._memory.save(memory)

    def _finished(self, info: GameInfo, state: GameState, then: Callable[[], None]) -> None:
        try:
            memory = self._memory.game(info.id)
            if info.id not in self._talks:
                self._talks[info.id] = _Talk(info, state)
            self._changed(info, state)
            talk = self._talks.pop(info.id)
            if not memory.summed_up and len(state.moves) >= 4 and self._traps.book is not None:
                memory.summed_up = True
                for message in chat.summary(talk.events, info):
                    self._say(memory, message)
        finally:
            then()

    def _say(self, memory: GameMemory, message: chat.Message) -> bool:
        """Hand a message to the speaker unless it was said before in this game."""
        if not self._memory.say(memory, chat.key(message)):
            return False
        self._out.put(_Said(memory.id, message, time.monotonic()))
        return True

    # The speaker ------------------------------------------------------------------------------------------------------

    def _speak(self) -> None:
        while (said := self._out.get()) is not None:
            try:
                self._send(said)
            except Exception:
                log.exception("a message was lost because of an error of ours")

    def _send(self, said: _Said) -> None:
        for _ in range(TRIES):
            while (wait := self._pauses.wait(Kind.CHAT)) > 0:
                if time.monotonic() - said.at > STALE_SECONDS:
                    return
                time.sleep(min(wait, 1.0))
            try:
                self._lichess.say(said.game, said.message.room, said.message.text)
                self._pauses.worked(Kind.CHAT)
                return
            except Limited as error:
                self._pauses.limited(Kind.CHAT, error.seconds)
            except Refused as error:
                log.info("a message was refused: %s", error)
                return
            except LichessError as error:
                # It may have been said: twice is worse than not at all.
                log.info("a message may be lost: %s", error)
                return


def _which(event: TrapEvent) -> tuple[int, str, str]:
    return event.ply, event.event.value, event.trap.slug
