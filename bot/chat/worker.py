"""Chat in two threads: one works out the messages, the other sends them. No game waits for either.

Each message of the bot's own is recorded on disk before it is sent, so that none is repeated after a restart. An answer
is given as often as somebody asks; which questions have theirs is recorded, too.
"""

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from annotator.events import TrapEvent
from bot.chat import memory
from bot.chat import replies as chat
from bot.chat.missed_lines import MissedLines
from bot.chat.training import MOST, Training
from bot.game_archive import movetext
from bot.moves.set_traps import SetTraps
from bot.moves.trap_book import TrapLibrary
from bot.saved_state import SavedGame, SavedState
from bot.settings import BotSettings, has_other_rules
from db.traps.terms import Event
from lichess.api import (
    ChatLine,
    GameInfo,
    GameState,
    Lichess,
    LichessError,
    Limited,
    Refused,
    Unauthorized,
    Unreachable,
)
from lichess.rate_limits import Kind, Pauses
from trapcore.errors import TraplineError

log = logging.getLogger(__name__)

ANSWERS = 20
"""Most answers to questions in one room of one game: spectators cannot use up those of the opponent."""

REPEAT_SECONDS = 10.0
"""The same answer is not given again so soon: it stands just above the question that is repeated."""

TRIES = 3
RETRY_SECONDS = 1.0
STALE_SECONDS = 90.0
"""A message that could not be sent by then is dropped."""


@dataclass(slots=True)
class _Conversation:
    info: GameInfo
    state: GameState
    saved: SavedGame
    events: list[TrapEvent] = field(default_factory=list)
    analysed: tuple[str, ...] = ()
    remarked: set[tuple[int, str, str]] = field(default_factory=set)
    replied: dict[str, float] = field(default_factory=dict)
    """When each answer was last given, by `bot.chat.replies.key`."""


@dataclass(frozen=True, slots=True)
class _Outgoing:
    game: str
    message: chat.Message
    at: float


class ChatWorker:
    """Follows the games and writes into their chats."""

    def __init__(
        self,
        lichess: Lichess,
        pauses: Pauses,
        saved_state: SavedState,
        traps: TrapLibrary,
        settings: BotSettings,
        version: str,
        has_place: Callable[[], bool],
    ) -> None:
        """``version`` is trapline's, for the answer to ``!name``; ``has_place`` says whether another game may begin."""
        self._lichess, self._pauses, self._saved_state, self._traps = lichess, pauses, saved_state, traps
        self.settings, self._version = settings, version
        self._conversations: dict[str, _Conversation] = {}
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._latest: dict[str, tuple[GameInfo, GameState]] = {}
        """Games whose moves have changed since they were looked at."""
        self._lock = threading.Lock()
        self._out: queue.SimpleQueue[_Outgoing | None] = queue.SimpleQueue()
        self._training = Training(lichess, pauses, traps, has_place)
        self._missed = MissedLines(lichess, pauses, self.listed, self.left)
        self._is_closed = False
        self.threads = [
            threading.Thread(target=self._compose_all, name="chat-composer", daemon=True),
            threading.Thread(target=self._send_all, name="chat-sender", daemon=True),
        ]
        """Those that end after `close`."""
        for thread in self.threads:
            thread.start()

    # Events of games; each method returns at once ---------------------------------------------------------------------

    def begin(self, info: GameInfo, state: GameState) -> None:
        """A game has begun or was resumed."""
        self._work.put(lambda: self._begin(info, state))

    def changed(self, info: GameInfo, state: GameState) -> None:
        """The moves of a game have changed. Of several changes that wait, only the last one is looked at."""
        with self._lock:
            waits = info.id in self._latest
            self._latest[info.id] = info, state
        if not waits:
            self._work.put(lambda: self._look(info.id))

    def heard(self, info: GameInfo, line: ChatLine) -> None:
        """A line of chat has arrived."""
        self._work.put(lambda: self._heard(info, line))

    def opened(self, info: GameInfo) -> None:
        """The stream of a game was opened; it does not bring the lines that were written before."""
        self._work.put(lambda: self._opened(info))

    def listed(self, info: GameInfo, lines: list[ChatLine]) -> None:
        """The lines of the players' room have arrived, known ones too."""
        self._work.put(lambda: self._listed(info, lines))

    def left(self, game: str) -> None:
        """The stream of a game is not read any more."""
        self._work.put(lambda: self._left(game))

    def finished(self, info: GameInfo, state: GameState, then: Callable[[], None]) -> None:
        """A game is over; ``then`` is called when its last message is queued."""
        self._work.put(lambda: self._finished(info, state, then))

    def remember(self, info: GameInfo, events: list[TrapEvent]) -> None:
        """A game that is over was recorded, with all of its events."""
        self._work.put(lambda: self._remember(info, events))

    def close(self, seconds: float) -> None:
        """Send what is queued, for at most ``seconds``."""
        until = time.monotonic() + seconds
        self._missed.close()
        self._work.put(None)
        self.threads[0].join(seconds)
        # What is left is not composed any more: the searches that it needs end with the bot.
        self._is_closed = True
        self._out.put(None)
        self.threads[1].join(max(0.0, until - time.monotonic()))

    # Composing messages -----------------------------------------------------------------------------------------------

    def _compose_all(self) -> None:
        while (work := self._work.get()) is not None and not self._is_closed:
            try:
                work()
            except TraplineError as error:
                log.warning("no message is sent: %s", error)
            except Exception:
                if not self._is_closed:
                    log.exception("no message is sent, because of an internal error")

    def _begin(self, info: GameInfo, state: GameState) -> None:
        saved = self._saved_state.game(info.id)
        self._conversations[info.id] = _Conversation(info, state, saved)
        if not saved.begun:
            saved.begun = True
            self._saved_state.save(saved)
            if len(state.moves) < 2 and not state.is_over:
                self._greet(info, saved, self.settings.greeting, self.settings.greeting_spectators)
        self._changed(info, state)

    def _opened(self, info: GameInfo) -> None:
        if info.id in self._conversations and not info.opponent.is_bot:
            self._missed.opened(info)

    def _listed(self, info: GameInfo, lines: list[ChatLine]) -> None:
        """Answer what was not answered. A line that needs no answer is no question the next time, either."""
        conversation = self._conversations.get(info.id)
        if conversation is None:
            return
        answered = Counter(conversation.saved.answered)
        for line in lines:
            question = _question_key(line)
            if answered[question] > 0:
                answered[question] -= 1
            else:
                self._heard(info, line)

    def _left(self, game: str) -> None:
        self._conversations.pop(game, None)

    def _look(self, game: str) -> None:
        with self._lock:
            info, state = self._latest.pop(game)
        self._changed(info, state)

    def _changed(self, info: GameInfo, state: GameState) -> None:
        conversation = self._conversations.get(info.id)
        if conversation is None:
            return
        conversation.state = state
        book = None if has_other_rules(info.variant) else self._traps.book
        if book is None or conversation.analysed == state.moves:
            return
        own = SetTraps.from_json(conversation.saved.set_traps)
        conversation.events, conversation.analysed = book.events(movetext(info, state.moves), own), state.moves
        saved = conversation.saved
        # Spectators hear of a trap when its bait is answered: nobody is to be helped by them.
        answered = [event for event in conversation.events if chat.is_answered(event, len(state.moves))]
        new = [event for event in answered if _event_key(event) not in conversation.remarked]
        told = [event for event in answered if _event_key(event) in conversation.remarked]
        conversation.remarked.update(map(_event_key, new))
        # Those of the last moves come after the end: a game may be quicker than what is said of it.
        for message in chat.remarks(new, info, told):
            if saved.remarks < self.settings.spectator_messages and self._say(saved, message):
                saved.remarks += 1
                self._saved_state.save(saved)
        if not state.is_over:
            self._warn(conversation, saved)

    def _warn(self, conversation: _Conversation, saved: SavedGame) -> None:
        """Warn an opponent on a private server of a trap that is on the board now."""
        if not (self.settings.coach and saved.coaching and not conversation.info.rated):
            return
        for event in conversation.events:
            here = event.event is Event.SET and event.ply == len(conversation.state.moves)
            if here and event.mover == conversation.info.color:
                self._say(saved, chat.warning(event))

    def _heard(self, info: GameInfo, line: ChatLine) -> None:
        conversation = self._conversations.get(info.id)
        if conversation is None:
            return
        saved = conversation.saved
        may_coach = self.settings.coach and not info.rated
        wanted = chat.wants_coach(line, info) if may_coach else None
        if wanted is not None:
            saved.coaching = wanted
            self._saved_state.save(saved)
        if saved.answers.get(line.room, 0) >= ANSWERS:
            return
        book, engine = self._traps.book, self.settings.engine_for(info)
        facts = chat.Facts(
            info=info,
            is_over=conversation.state.is_over,
            events=conversation.events,
            traps=() if book is None else book.traps,
            stats=dict(self._saved_state.bot.stats),
            version=self._version,
            player="a search of its own" if engine is None else Path(engine.command).name,
            find=self._traps.find,
            search=self._traps.search,
            train=lambda who, name: self._train(info, saved, who, name),
            may_coach=may_coach,
        )
        for message in chat.answer(line, facts):
            self._reply(conversation, line, message)

    def _reply(self, conversation: _Conversation, line: ChatLine, message: chat.Message) -> None:
        """Queue the answer to a line, unless it was given a moment ago.

        The tables are new ones, because another thread may be writing the old ones to disk.
        """
        saved, now, key = conversation.saved, time.monotonic(), chat.key(message)
        if line.room == "player":
            question = _question_key(line)
            saved.answered = {**saved.answered, question: saved.answered.get(question, 0) + 1}
        if now - conversation.replied.get(key, float("-inf")) < REPEAT_SECONDS:
            return
        conversation.replied[key] = now
        saved.answers = {**saved.answers, line.room: saved.answers.get(line.room, 0) + 1}
        self._saved_state.save(saved)
        self._out.put(_Outgoing(saved.id, message, now))

    def _train(self, info: GameInfo, saved: SavedGame, who: str, name: str) -> str:
        """Challenge a person who asked for it; bots are never challenged."""
        if info.opponent.is_bot and who.lower() in (info.opponent.id, info.opponent.name.lower()):
            return ""
        if saved.trainings >= MOST:
            return "That is enough for this game; ask me after another one."
        saved.trainings += 1
        return self._training.challenge(who, name)

    def _finished(self, info: GameInfo, state: GameState, then: Callable[[], None]) -> None:
        try:
            conversation = self._conversations.get(info.id)
            if conversation is None:
                saved = self._saved_state.game(info.id)
                conversation = self._conversations[info.id] = _Conversation(info, state, saved)
            self._changed(info, state)
            saved = conversation.saved
            if not saved.summed_up and len(state.moves) >= 4 and self._traps.book is not None:
                saved.summed_up = True
                for message in chat.summary(conversation.events, info):
                    self._say(saved, message)
            if len(state.moves) >= 2:
                self._greet(info, saved, self.settings.goodbye, self.settings.goodbye_spectators)
            if info.opponent.is_bot or len(state.moves) < 2:
                del self._conversations[info.id]
            else:
                self._missed.follow(info)
        finally:
            then()

    def _remember(self, info: GameInfo, events: list[TrapEvent]) -> None:
        """Say in which earlier games the opponent fell into the same pattern. A game is recorded once, so that this is
        said once, too."""
        if info.opponent.is_bot:
            return
        found = self._traps.again(memory.occasions(events, info, self.settings.url))
        if found is not None:
            message = chat.Message("player", chat.fitting(memory.words(found)))
            self._out.put(_Outgoing(info.id, message, time.monotonic()))

    def _greet(self, info: GameInfo, saved: SavedGame, players: str, spectators: str) -> None:
        for message in [*chat.greeting(players, info), *chat.greeting(spectators, info, "spectator")]:
            self._say(saved, message)

    def _say(self, saved: SavedGame, message: chat.Message) -> bool:
        """Queue a message unless it was sent before in this game."""
        if not self._saved_state.record_message(saved, chat.key(message)):
            return False
        self._out.put(_Outgoing(saved.id, message, time.monotonic()))
        return True

    # Sending messages -------------------------------------------------------------------------------------------------

    def _send_all(self) -> None:
        while (outgoing := self._out.get()) is not None:
            try:
                self._send(outgoing)
            except Exception:
                log.exception("a message was lost because of an internal error")

    def _send(self, outgoing: _Outgoing) -> None:
        """Send a message as soon as lichess takes it; a message that may have arrived is not sent again."""
        tries = TRIES
        while tries and time.monotonic() - outgoing.at <= STALE_SECONDS:
            if (wait := self._pauses.wait(Kind.CHAT)) > 0:
                time.sleep(min(wait, RETRY_SECONDS))
                continue
            try:
                self._lichess.say(outgoing.game, outgoing.message.room, outgoing.message.text)
                self._pauses.worked(Kind.CHAT)
                return
            except Limited as error:
                tries -= 1
                self._pauses.limited(Kind.CHAT, error)
            except Unauthorized as error:
                tries -= 1
                self._pauses.unauthorized(error)
            except Refused as error:
                log.info("a message was refused: %s", error)
                # Should lichess take none after the end of a game, there is no need to read the questions.
                self._missed.forget(outgoing.game)
                return
            except LichessError as error:
                if not isinstance(error, Unreachable) or error.arrived or self._is_closed:
                    # It may have arrived: twice is worse than not at all.
                    log.info("a message may be lost: %s", error)
                    return
                time.sleep(RETRY_SECONDS)
        log.info("a message for game %s was not taken in time and is dropped", outgoing.game)


def _question_key(line: ChatLine) -> str:
    return f"{line.username}: {line.text}"


def _event_key(event: TrapEvent) -> tuple[int, str, str]:
    return event.ply, event.event.value, event.slug or event.bait
