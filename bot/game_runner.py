"""One running game: a stream reader, which passes each event to the `Session`, and decisions in a thread pool.

Everything that may take long (a search, a request, the disk) runs in other threads and comes back as an event, so that
an event never waits for more than another event. A thread of the game sends ticks and reopens the stream.
"""

import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import chess

from bot import game_state as rules
from bot.chat.memory import FellBefore
from bot.game_context import GameContext
from bot.game_requests import GameRequests
from bot.game_state import Session
from bot.moves.board import GameBoard
from bot.moves.draws_and_resigning import DrawResignPolicy
from bot.moves.engines import Searcher, searcher
from bot.moves.move_choice import Choice, any_move, choose, move_without_search
from bot.moves.set_traps import SetTraps
from bot.moves.sparring import Sparring
from bot.moves.time_management import clock_of, seconds_left, thinking_time
from bot.saved_state import TRAPS_CHOSEN, TRAPS_KNOWN, TRAPS_ON_PURPOSE, TRAPS_TAKEN
from coach.repertoire.live_traps import LiveTrap
from lichess.api import (
    ChatLine,
    GameEvent,
    GameFull,
    GameInfo,
    GameState,
    LichessError,
    Limited,
    Person,
    Refused,
    Unauthorized,
    Unreachable,
)
from lichess.rate_limits import Backoff, Kind
from lichess.streams import StreamCallbacks, StreamReader
from trapcore.errors import TraplineError
from trapcore.parallel.budget import Cancellation

log = logging.getLogger(__name__)

TICK_SECONDS = 0.5
REOPEN_SECONDS = 0.5
"""Least time between two openings of the stream."""


@dataclass(frozen=True, slots=True)
class _Turn:
    info: GameInfo
    state: GameState
    moves: tuple[str, ...]
    """All moves of the game so far, UCI."""
    again: str | None
    """The move that was chosen before, if it is unknown whether it was played."""
    received: float
    """When the position arrived, by `time.monotonic`."""
    stop: Cancellation
    """Ends the search."""


@dataclass(frozen=True, slots=True)
class _Decision:
    choice: Choice
    thought: float = 0.0
    """Duration of the search in seconds."""
    late: float | None = None
    """Milliseconds by which the search was too long; None without a search."""
    offers_draw: bool = False


class Game:
    """Running game."""

    def __init__(self, game: str, context: GameContext) -> None:
        self.id = game
        self._context = context
        self._lock = threading.RLock()
        """Guards the session and the actions that follow from it."""
        self._wake = threading.Event()
        saved = context.saved_state.game(game)
        left = max(0, context.settings.takebacks - saved.takebacks)
        self._session = Session(takebacks_allowed=left)
        self._saved = saved
        self._clocks, self._evals = dict(saved.clocks), dict(saved.evals)
        """For the PGN, see `SavedGame`; written by one thread each."""
        self._board: GameBoard | None = None
        self._set_traps = SetTraps.from_json(saved.set_traps)
        self._draw_resign = DrawResignPolicy(context.settings)
        self._searcher: Searcher | None = None
        self._sources = context.sources
        """Books and tables, those for this game once it is known."""
        self._sparring: Sparring | None = None
        """Plays instead of the search, below full strength."""
        self._deciding = threading.Lock()
        self._stop_search = Cancellation()
        self._backoff = Backoff(0.2, 5.0)
        # Lichess demands a minute, which may be all that is left on the clock: retry soon at first, then less often.
        self._limits = Backoff(2.0, 60.0)
        self._unauthorized = 0  # openings of the stream in a row that were refused because of the token
        self._generation = 0
        self._reader: StreamReader[GameEvent] | None = None
        self._opened = float("-inf")
        self._reopen = False
        self._unsent_since: float | None = None
        self.heard = time.monotonic()
        """When the stream gave its last sign."""
        self._closed = threading.Event()
        self._requests = GameRequests(
            game,
            context.lichess,
            context.pauses,
            context.saved_state,
            context.requests,
            self._closed,
            lambda: self._handle(rules.Answered()),
        )
        self._thread = threading.Thread(target=self._run, name=f"game-{game}", daemon=True)

    @property
    def opponent(self) -> Person | None:
        """The opponent, once the stream has named it."""
        return None if self._session.info is None else self._session.info.opponent

    @property
    def session(self) -> Session:
        """The state of the game as far as it is known."""
        return self._session

    @property
    def unsent_since(self) -> float | None:
        """Since when (monotonic seconds) a move of ours is ready and could not be sent; None if none waits."""
        return self._unsent_since

    def start(self) -> None:
        """Start reading and playing."""
        self._listen()
        self._thread.start()

    def stop(self) -> None:
        """Leave the game as it stands, without a further move."""
        self._closed.set()
        self._wake.set()

    def join(self, seconds: float) -> None:
        """Wait for the thread."""
        self._thread.join(seconds)

    # The stream -------------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Open the stream, replacing the one before."""
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
            self._open_stream,
            StreamCallbacks(deliver, lambda error: self._no_stream(error, generation), alive=self._alive),
            backoff=self._backoff,
            limits=self._limits,
        )
        self._reader = reader
        reader.start()

    def _alive(self) -> None:
        self.heard = time.monotonic()

    def _open_stream(self) -> Iterator[GameEvent | None]:
        try:
            for event in self._context.lichess.game(self.id, self._context.me):
                self._unauthorized = 0
                yield event
        except Unauthorized as error:
            self._context.pauses.unauthorized(error)
            self._unauthorized += 1
            if self._unauthorized > rules.REFUSALS:
                raise
            raise Unreachable(str(error)) from None

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
        """Handle an event; ``opened`` is when its stream was requested, ``generation`` the number of that stream.

        The generation is 0 for an event of our own.
        """
        at = time.monotonic()
        try:
            with self._lock:
                if generation not in (0, self._generation):
                    return
                self._session, actions = rules.step(self._session, event, at, opened)
                # Our own move goes first, because our clock is running; it is chosen with what `Begin` makes ready.
                for action in sorted(actions, key=rules.comes_later):
                    self._do(action, at)
                info, state = self._session.info, self._session.state
                if isinstance(event, ChatLine) and info is not None:
                    self._context.chat.heard(info, event)
                elif isinstance(event, GameFull) and info is not None:
                    self._context.chat.opened(info)
                if rules.Do.MOVES_CHANGED in actions and info is not None and state is not None:
                    self._context.chat.changed(info, state)
        except Exception:
            log.exception("game %s: an event could not be handled", self.id)
            self._reopen = True
        if self._session.is_over or self._reopen:
            self._wake.set()

    def _do(self, action: rules.Action, now: float) -> None:
        session, context = self._session, self._context
        info, state = session.info, session.state
        if isinstance(action, rules.Resync):
            log.info("game %s is read anew: %s", self.id, action.reason)
            self._reopen = True
            return
        assert info is not None
        assert state is not None
        match action:
            case rules.Do.BEGIN:
                self._sources = context.sources.for_game(info)
                fell_before = FellBefore(context.traps.again, info, context.settings.url)
                self._sparring = Sparring.of(self._sources, info.opponent, context.search_pool, fell_before)
                self._draw_resign = DrawResignPolicy(context.settings.against(is_bot=info.opponent.is_bot))
                self._searcher = searcher(context.settings.engine_for(info), context.search_pool, info.variant)
                log.info("game %s against %s, %s %s", self.id, info.opponent.name, info.speed, info.variant)
                context.chat.begin(info, state)
            case rules.Do.MOVES_CHANGED:
                self._unsent_since = None
                self._stop_search.cancel()
                if state.moves:
                    is_blacks = rules.to_move(info, len(state.moves)) == "white"
                    self._clocks[str(len(state.moves))] = state.btime if is_blacks else state.wtime
            case rules.Decide(moves, again):
                self._stop_search = Cancellation()
                turn = _Turn(info, state, moves, again, now, self._stop_search)
                context.deciders.submit(self._decide, turn)
            case rules.AnswerTakeback(accept=False):
                self._requests.decline_takeback()
            case rules.AnswerTakeback():
                self._stop_search.cancel()
                self._requests.settle_takeback(True)
            case rules.Do.WITHDRAW_TAKEBACK:
                self._stop_search.cancel()
                self._requests.settle_takeback(False)
            case rules.Do.CONSIDER_DRAW:
                self._requests.answer_draw(self._draw_resign.accepts_draw(len(session.moves)))
            case rules.Do.CLAIM:
                self._requests.claim(info, session.moves)
            case rules.Do.ABORT:
                self._requests.abort()
            case rules.Do.GIVE_UP:
                log.error("game %s: %d moves were refused, so it is given up", self.id, rules.REFUSALS)
                self._requests.give_up(session.moves)
            case rules.Do.LEAVE_STREAM:
                self.stop()
            case rules.Do.FINISH:
                log.info("game %s is over: %s", self.id, state.status)

    def _save_notes(self) -> None:
        """Save clocks and evaluations, as new tables, because another thread may be writing the old ones to disk."""
        self._saved.clocks, self._saved.evals = self._clocks.copy(), self._evals.copy()
        self._context.saved_state.save(self._saved)

    def _end(self) -> None:
        self._stop_search.cancel()
        over = self._session.is_over
        self._closed.set()
        self._save_notes()
        if self._reader is not None:
            self._reader.stop()
        self._context.ended(self.id, self._session.info, self._session.state if over else None)
        # A decision that is still running uses the engine.
        with self._deciding:
            if self._searcher is not None:
                self._searcher.close()

    # Decisions, in a thread of the pool -------------------------------------------------------------------------------

    def _is_current(self, moves: tuple[str, ...]) -> bool:
        return not self._closed.is_set() and rules.may_send(self._session, moves)

    def _decide(self, turn: _Turn) -> None:
        # Only choosing needs the lock: the answer to the move before may still be pending.
        with self._deciding:
            try:
                decision = self._decision(turn)
            except Exception:
                # The clock runs: a poor move is better than none.
                log.exception("game %s: no move could be chosen after %s", self.id, " ".join(turn.moves))
                decision = _Decision(Choice(any_move(GameBoard(turn.info).after(turn.moves)), "emergency"))
        if decision is not None:
            self._send(turn.moves, decision, turn.received)

    def _decision(self, turn: _Turn) -> _Decision | None:
        """The move to send; None if none is wanted any more."""
        if not self._is_current(turn.moves):
            return None
        if turn.again is not None:
            return _Decision(Choice(turn.again, "again"))
        try:
            if self._board is None:
                self._board = self._context.board_for(turn.info)
            board = self._board.after(turn.moves)
        except TraplineError as error:
            log.error("game %s cannot be played, so it is given up: %s", self.id, error)
            self._requests.give_up(turn.moves)
            return None
        if board.is_game_over() or turn.stop.is_cancelled:
            return None
        if self._set_traps.was_taken(board):
            self._context.saved_state.count([TRAPS_TAKEN])
        found = move_without_search(
            board,
            self._sources,
            self._context.book_for(turn.info),
            self._set_traps,
            turn.info.opponent.rating,
            seconds_left(turn.state, turn.info, turn.received),
            self._context.repertoires.find(turn.info) if self._sources.trap_loss > 0 else None,
        )
        decision = self._thought(board, turn) if found is None else _Decision(found)
        resigns = self._draw_resign.resigns(decision.choice)
        if rules.is_draw_offered(self._session) and self._draw_resign.accepts_draw(len(turn.moves)):
            # With this move an offer of ours is a yes, and lichess drops the move.
            return replace(decision, offers_draw=True)
        if resigns:
            self._requests.resign()
            return None
        if decision.choice.trap is not None:
            self._remember_trap(decision.choice, decision.choice.trap)
        return replace(decision, offers_draw=self._draw_resign.offers_draw(decision.choice, board))

    def _remember_trap(self, choice: Choice, trap: LiveTrap) -> None:
        """Save a trap that is about to be set, so that chat, archive and replies know it, also after a restart."""
        self._set_traps.add(trap)
        book = self._context.traps.book
        kinds = [TRAPS_ON_PURPOSE] if choice.why == "trap" else []
        kinds += [TRAPS_KNOWN] if book is not None and book.knows(trap) else []
        self._context.saved_state.count([TRAPS_CHOSEN, *kinds])
        saved = self._context.saved_state.game(self.id)
        saved.set_traps = self._set_traps.to_json()
        self._context.saved_state.save(saved)

    def _thought(self, board: chess.Board, turn: _Turn) -> _Decision:
        milliseconds = self._thinking_time(turn)
        began = time.monotonic()
        choice = self._think(board, turn.info, milliseconds, turn.stop)
        thought = time.monotonic() - began
        return _Decision(choice, thought, 1000 * thought - milliseconds)

    def _thinking_time(self, turn: _Turn) -> int:
        elapsed = time.monotonic() - turn.received
        clock = clock_of(turn.state, turn.info.color, elapsed, has_clock=turn.info.initial is not None)
        most = int(1000 * self._context.settings.move_seconds)
        return thinking_time(clock, self._context.lag.milliseconds, most)

    def _think(self, board: chess.Board, info: GameInfo, milliseconds: int, stop: Cancellation) -> Choice:
        context = self._context
        if self._sparring is not None:
            return self._sparring.choose(board, milliseconds, context.traps.book, self._set_traps, stop)
        assert self._searcher is not None
        return choose(board, milliseconds, self._sources, context.book_for(info), self._searcher, stop, info.opponent)

    def _send(self, moves: tuple[str, ...], decision: _Decision, received: float) -> None:
        context, choice = self._context, decision.choice
        if choice.why != "again":
            overhead = 1000 * (time.monotonic() - received - decision.thought)
            context.latency_stats.add(overhead, decision.late, killer=choice.why == "killer")
        if self._unsent_since is None and self._is_current(moves):
            self._unsent_since = time.monotonic()
        if choice.value is not None and (info := self._session.info) is not None:
            self._evals[str(len(moves) + 1)] = choice.value if info.color == "white" else -choice.value
        request, tries = f"the move in game {self.id}", rules.REFUSALS
        while self._is_current(moves):
            wait = context.pauses.wait(Kind.MOVE, request)
            if wait > 0:
                self._closed.wait(min(wait, 0.25))
                continue
            began = time.monotonic()
            with self._lock:
                if not self._is_current(moves):
                    return
                self._session = replace(self._session, sending=moves)
            try:
                context.lichess.move(self.id, choice.uci, offer_draw=decision.offers_draw)
            except Limited as error:
                context.pauses.limited(Kind.MOVE, error, request)
                with self._lock:
                    self._session = replace(self._session, sending=None)
                continue
            except Refused as error:
                if isinstance(error, Unauthorized) and (tries := tries - 1):
                    context.pauses.unauthorized(error)
                    with self._lock:
                        self._session = replace(self._session, sending=None)
                    continue
                log.warning("game %s: the move %s was refused: %s", self.id, choice.uci, error)
                self._handle(rules.Failed(moves, choice.uci, refused=True))
            except LichessError as error:
                log.warning("game %s: it is not known whether %s was played: %s", self.id, choice.uci, error)
                self._handle(rules.Failed(moves, choice.uci, refused=False))
            except Exception:
                log.exception("game %s: sending %s failed", self.id, choice.uci)
                self._handle(rules.Failed(moves, choice.uci, refused=False))
            else:
                context.lag.measured(1000 * (time.monotonic() - began))
                context.pauses.worked(Kind.MOVE, request)
                self._unsent_since = None
                self._handle(rules.Played(moves, choice.uci))
                self._save_notes()
            return
