"""One game while it is played: a reader, which hands each event to the `Session`, and decisions in a pool of threads.

What an event asks for is only handed on. Whatever may take long (a search, a request, the disk) happens in other
threads and comes back as an event, so that an event never waits for more than another event. A thread of the game's own
looks at the time and opens the stream anew.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import chess

from bot import game_state as rules
from bot.chat.worker import Voice
from bot.game_state import Session
from bot.latency_stats import Measures
from bot.moves.board import GameBoard
from bot.moves.draws_and_resigning import Temper
from bot.moves.engines import Searcher, searcher
from bot.moves.move_choice import Choice, Knowledge, any_move, choose, known
from bot.moves.search_pool import Processors
from bot.moves.time_management import Lag, clock_of, thinking_time
from bot.moves.trap_book import Armed, TrapLibrary, TrapSet
from bot.saved_state import Memory
from bot.settings import BotSettings
from lichess.api import (
    ChatLine,
    GameEvent,
    GameFull,
    GameInfo,
    GameState,
    Lichess,
    LichessError,
    Limited,
    Refused,
    Unreachable,
)
from lichess.rate_limits import Backoff, Kind, Pauses
from lichess.streams import StreamReader
from trapcore.errors import TraplineError
from trapcore.parallel.budget import Cancellation

log = logging.getLogger(__name__)

TICK_SECONDS = 0.5
REOPEN_SECONDS = 0.5
"""A stream is not opened again on our own account more often than so."""

DEED_TRIES = 4


@dataclass(frozen=True, slots=True)
class House:
    """What all games share."""

    lichess: Lichess
    me: str
    """Id of the account."""
    settings: BotSettings
    pauses: Pauses
    memory: Memory
    traps: TrapLibrary
    knowledge: Knowledge
    lag: Lag
    voice: Voice
    deciders: Executor
    """Threads that choose and send moves."""
    processors: Processors
    deeds: Executor
    measures: Measures
    ended: Callable[[str, GameInfo | None, GameState | None], None]
    """Is called once when a game is over, or is none of ours."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """A position in which a move is ours to choose."""

    info: GameInfo
    state: GameState
    moves: tuple[str, ...]
    """Of the whole game so far, UCI."""
    again: str | None
    """The move that was chosen before, if it is not known whether it was played."""
    received: float
    """When the position became known, by `time.monotonic`."""
    stop: Cancellation
    """Ends the search."""


@dataclass(frozen=True, slots=True)
class _Decision:
    choice: Choice
    thought: float = 0.0
    """Seconds that thinking took,"""
    late: float | None = None
    """and by how many milliseconds that was too long; None if nothing was thought about."""
    offers_draw: bool = False


class Game:
    """A running game."""

    def __init__(self, game: str, house: House) -> None:
        self.id = game
        self._house = house
        self._lock = threading.RLock()
        """Of the session, and of what follows from it."""
        self._wake = threading.Event()
        remembered = house.memory.game(game)
        left = max(0, house.settings.takebacks - remembered.takebacks)
        self._session = Session(takebacks_allowed=left)
        self._board: GameBoard | None = None
        self._armed = Armed.remembered(remembered.armed)
        self._temper = Temper(house.settings)
        self._searcher: Searcher = searcher(house.settings.engine, house.processors)
        self._deciding = threading.Lock()
        self._stop_search = Cancellation()
        self._backoff = Backoff(0.2, 5.0)
        # Lichess asks for a minute, which may be all that is left on the clock: soon at first, then ever less often.
        self._limits = Backoff(2.0, 60.0)
        self._generation = 0
        self._reader: StreamReader[GameEvent] | None = None
        self._opened = float("-inf")
        self._reopen = False
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"game-{game}", daemon=True)

    def start(self) -> None:
        """Begin to read and play."""
        self._listen()
        self._thread.start()

    def stop(self) -> None:
        """Hand the game over as it stands: no further move."""
        self._closed.set()
        self._wake.set()

    def join(self, seconds: float) -> None:
        """Wait for the thread."""
        self._thread.join(seconds)

    # The stream -------------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Open the stream, in the place of the one before."""
        if self._reader is not None:
            self._reader.stop()
        self._generation += 1
        generation = self._generation
        self._opened = time.monotonic()
        self._reopen = False

        def deliver(event: GameEvent, opened: float) -> None:
            self._handle(event, opened, generation)
            state = event.state if isinstance(event, GameFull) else event
            if isinstance(state, GameState) and state.is_over:
                reader.stop()

        reader: StreamReader[GameEvent] = StreamReader(
            f"game {self.id}",
            lambda: self._house.lichess.game(self.id, self._house.me),
            deliver,
            lambda error: self._no_stream(error, generation),
            backoff=self._backoff,
            limits=self._limits,
        )
        self._reader = reader
        reader.start()

    def _no_stream(self, error: Refused, generation: int) -> None:
        if generation == self._generation and not self._closed.is_set():
            log.info("game %s is left: %s", self.id, error)
            self.stop()

    # The thread of the game -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closed.is_set() and not self._session.is_over:
                self._wake.wait(TICK_SECONDS)
                self._wake.clear()
                self._handle(rules.Tick())
                with self._lock:
                    if self._reopen and time.monotonic() - self._opened >= REOPEN_SECONDS and not self._closed.is_set():
                        self._listen()
        finally:
            self._end()

    def _handle(self, event: rules.Event, opened: float = 0.0, generation: int = 0) -> None:
        """Take an event in; ``opened`` is when the stream was asked for that brought it, ``generation`` the how
        many-th that was, 0 for what no stream brought.
        """
        at = time.monotonic()
        try:
            with self._lock:
                if generation not in (0, self._generation):
                    return
                self._session, actions = rules.step(self._session, event, at, opened)
                # What the clock runs for goes first.
                for action in sorted(actions, key=lambda action: not isinstance(action, rules.Changed | rules.Decide)):
                    self._do(action, at)
                info, state = self._session.info, self._session.state
                changed = any(isinstance(action, rules.Changed) for action in actions)
                if changed and info is not None and state is not None:
                    self._house.voice.changed(info, state)
        except Exception:
            log.exception("game %s: an event could not be handled", self.id)
            self._reopen = True
        if self._session.is_over or self._reopen:
            self._wake.set()

    def _do(self, action: rules.Action, now: float) -> None:
        session, voice = self._session, self._house.voice
        info, state = session.info, session.state
        assert info is not None or isinstance(action, rules.Hear | rules.Resync)
        match action:
            case rules.Hear(line):
                self._hear(line)
            case rules.Resync(reason):
                log.info("game %s is read anew: %s", self.id, reason)
                self._reopen = True
            case rules.Begin():
                assert info is not None
                assert state is not None
                log.info("game %s against %s, %s %s", self.id, info.opponent.name, info.speed, info.variant)
                voice.begin(info, state)
            case rules.Changed():
                self._stop_search.cancel()
            case rules.Decide(moves, again):
                assert info is not None
                assert state is not None
                self._stop_search = Cancellation()
                turn = _Turn(info, state, moves, again, now, self._stop_search)
                self._house.deciders.submit(self._decide, turn)
            case rules.AnswerTakeback(accept=False):
                self._deed(lambda: self._house.lichess.answer_takeback(self.id, accept=False))
            case rules.AnswerTakeback():
                self._stop_search.cancel()
                self._house.deeds.submit(self._settle, True)
            case rules.WithdrawTakeback():
                self._stop_search.cancel()
                self._house.deeds.submit(self._settle, False)
            case rules.ConsiderDraw():
                accept = self._temper.accepts_draw(len(session.moves))
                self._deed(lambda: self._house.lichess.answer_draw(self.id, accept=accept))
            case rules.Claim():
                self._deed(self._claim)
            case rules.Abort():
                self._deed(lambda: self._house.lichess.abort(self.id))
            case rules.Rest():
                self.stop()
            case rules.Finish():
                log.info("game %s is over: %s", self.id, state.status if state is not None else "")

    def _settle(self, granted: bool) -> None:
        """Grant the opponent's takeback, or withdraw one of our own; once, for a second yes would be a proposal."""
        house = self._house
        try:
            self._await_turn()
            if self._closed.is_set():
                return
            if granted:
                # Counted first: after a restart rather one too few is granted than one too many.
                memory = house.memory.game(self.id)
                memory.takebacks += 1
                house.memory.save(memory)
            house.lichess.answer_takeback(self.id, accept=granted)
        except LichessError as error:
            if isinstance(error, Limited):
                house.pauses.limited(Kind.MOVE, error.seconds)
            log.info("game %s: %s", self.id, error)
        except Exception:
            log.exception("game %s: a takeback could not be answered", self.id)
        finally:
            self._handle(rules.Answered())

    def _hear(self, line: ChatLine) -> None:
        if self._session.info is not None:
            self._house.voice.heard(self._session.info, line)

    def _end(self) -> None:
        self._stop_search.cancel()
        over = self._session.is_over
        self._closed.set()
        if self._reader is not None:
            self._reader.stop()
        self._house.ended(self.id, self._session.info, self._session.state if over else None)
        # A decision that still runs has the engine.
        with self._deciding:
            self._searcher.close()

    # Decisions, in a thread of the pool -------------------------------------------------------------------------------

    def _is_current(self, moves: tuple[str, ...]) -> bool:
        return not self._closed.is_set() and rules.may_send(self._session, moves)

    def _decide(self, turn: _Turn) -> None:
        # Only choosing needs the lock: the answer to the move before may be on its way still.
        with self._deciding:
            decision = self._decision(turn)
        if decision is not None:
            self._send(turn.moves, decision, turn.received)

    def _decision(self, turn: _Turn) -> _Decision | None:
        """What to send; None if nothing is to be sent any more."""
        if not self._is_current(turn.moves):
            return None
        if turn.again is not None:
            return _Decision(Choice(turn.again, "again"))
        try:
            if self._board is None:
                self._board = GameBoard(turn.info)
            board = self._board.after(turn.moves)
        except TraplineError as error:
            log.error("game %s cannot be played: %s", self.id, error)
            return None
        if board.is_game_over() or turn.stop.is_cancelled:
            return None
        found = known(board, self._house.knowledge, self._house.traps.book, self._armed, turn.info.opponent.rating)
        decision = self._thought(board, turn) if found is None else _Decision(found)
        if self._temper.resigns(decision.choice):
            self._deed(lambda: self._house.lichess.resign(self.id))
            return None
        if decision.choice.trap is not None:
            self._arm(decision.choice.trap)
        return replace(decision, offers_draw=self._temper.offers_draw(decision.choice, board))

    def _arm(self, trap: TrapSet) -> None:
        """Remember the killer of a trap, over a restart as well."""
        self._armed.add(trap)
        memory = self._house.memory.game(self.id)
        memory.armed = self._armed.written()
        self._house.memory.save(memory)

    def _thought(self, board: chess.Board, turn: _Turn) -> _Decision:
        milliseconds = self._thinking_time(turn)
        began = time.monotonic()
        choice = self._think(board, turn.info, milliseconds, turn.stop)
        thought = time.monotonic() - began
        return _Decision(choice, thought, 1000 * thought - milliseconds)

    def _thinking_time(self, turn: _Turn) -> int:
        elapsed = time.monotonic() - turn.received
        clock = clock_of(turn.state, turn.info.color, elapsed, has_clock=turn.info.initial is not None)
        most = int(1000 * self._house.settings.move_seconds)
        return thinking_time(clock, self._house.lag.milliseconds, most)

    def _think(self, board: chess.Board, info: GameInfo, milliseconds: int, stop: Cancellation) -> Choice:
        house, rating = self._house, info.opponent.rating
        try:
            return choose(board, milliseconds, house.knowledge, house.traps.book, self._searcher, stop, rating)
        except Exception:
            # The clock runs: a poor move is better than none.
            log.exception("game %s: no move could be chosen at %s", self.id, board.fen())
            return Choice(any_move(board), "emergency")

    def _send(self, moves: tuple[str, ...], decision: _Decision, received: float) -> None:
        house, choice = self._house, decision.choice
        if choice.why != "again":
            overhead = 1000 * (time.monotonic() - received - decision.thought)
            house.measures.add(overhead, decision.late, killer=choice.why == "killer")
        while self._is_current(moves):
            wait = house.pauses.wait(Kind.MOVE)
            if wait > 0:
                self._closed.wait(min(wait, 0.25))
                continue
            began = time.monotonic()
            with self._lock:
                if not self._is_current(moves):
                    return
                self._session = replace(self._session, sending=moves)
            log.debug("game %s plays %s (%s)", self.id, choice.uci, choice.why)
            try:
                house.lichess.move(self.id, choice.uci, offer_draw=decision.offers_draw)
            except Limited as error:
                wait = house.pauses.limited(Kind.MOVE, error.seconds)
                log.warning("game %s waits %.1f s with its move: %s", self.id, wait, error)
                with self._lock:
                    self._session = replace(self._session, sending=None)
                continue
            except Refused as error:
                log.warning("game %s: the move %s was refused: %s", self.id, choice.uci, error)
                self._handle(rules.Failed(moves, choice.uci, refused=True))
            except LichessError as error:
                log.warning("game %s: it is not known whether %s was played: %s", self.id, choice.uci, error)
                self._handle(rules.Failed(moves, choice.uci, refused=False))
            except Exception:
                log.exception("game %s: sending %s failed", self.id, choice.uci)
                self._handle(rules.Failed(moves, choice.uci, refused=False))
            else:
                house.lag.measured(1000 * (time.monotonic() - began))
                house.pauses.worked(Kind.MOVE)
                self._handle(rules.Played(moves, choice.uci))
            return

    # Deeds, in threads of another pool --------------------------------------------------------------------------------

    def _deed(self, deed: Callable[[], None]) -> None:
        """Do something that may be done twice: it is tried again while it is not known whether it was done."""
        self._house.deeds.submit(self._try, deed)

    def _try(self, deed: Callable[[], None]) -> None:
        tries = DEED_TRIES
        while tries > 0:
            self._await_turn()
            if self._closed.is_set():
                return
            try:
                deed()
                return
            except Limited as error:
                self._house.pauses.limited(Kind.MOVE, error.seconds)
            except Refused as error:
                log.info("game %s: %s", self.id, error)
                return
            except Unreachable as error:
                log.info("game %s: %s", self.id, error)
                tries -= 1
                self._closed.wait(0.5)
            except Exception:
                log.exception("game %s: a deed failed", self.id)
                return

    def _await_turn(self) -> None:
        """Until a request may be made that a game hangs on."""
        while (wait := self._house.pauses.wait(Kind.MOVE)) > 0 and not self._closed.is_set():
            self._closed.wait(min(wait, 0.25))

    def _claim(self) -> None:
        try:
            self._house.lichess.claim_victory(self.id)
        except Refused:
            self._house.lichess.claim_draw(self.id)
