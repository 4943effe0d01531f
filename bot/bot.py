"""The bot: the account's stream, the games it brings, challenges, and what is left when it stops."""

import gc
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from annotator.events import TrapEvent
from bot.challenges.matchmaking import Seeker
from bot.challenges.queue import Reception
from bot.chat.worker import Voice
from bot.game_archive import Finished, Recorder
from bot.game_runner import Game, House
from bot.latency_stats import Measures, spread
from bot.moves.move_choice import Knowledge
from bot.moves.search_pool import Processors
from bot.moves.time_management import Lag
from bot.moves.trap_book import TrapLibrary
from bot.saved_state import Memory
from bot.settings import BotOptions, Speed
from db.traps.terms import Event
from lichess.api import (
    MOST_LISTED,
    Account,
    AccountEvent,
    Challenge,
    ChallengeGone,
    GameFinish,
    GameInfo,
    GameStart,
    GameState,
    Lichess,
    LichessError,
    Limited,
    Refused,
    Unauthorized,
    Unreachable,
)
from lichess.rate_limits import LIMITED_SECONDS, Backoff, Kind, Openings, Pauses
from lichess.streams import StreamReader
from trapcore.errors import UsageError
from trapcore.version import installed_version

log = logging.getLogger(__name__)

DEAF_SECONDS = 10.0
"""An account's stream that said nothing for so long is broken: lichess sends an empty line every 7 seconds."""

LOOK_SECONDS = 8.0
"""So often running games and challenges are asked for while the account's stream is broken,"""

LOOK_EXPECTING_SECONDS = 1.5
"""so often while a game should have begun that was agreed to,"""

LOOK_CALM_SECONDS = 300.0
"""and so often while it is whole: an event that was lost must not lose a game."""

LOOK_AGAIN_SECONDS = 5.0
LIBRARY_SECONDS = 3.0
FAREWELL_SECONDS = 10.0


class Bot:
    """One account at work. `run` returns when `stop` was called and everything has ended."""

    def __init__(
        self, lichess: Lichess, account: Account, settings: BotOptions, memory: Memory, knowledge: Knowledge
    ) -> None:
        self.account = account
        self.settings = settings.bot
        self.latency_stats = Measures()
        self._processors = Processors()
        self.traps = TrapLibrary(settings, self._processors)
        self._lichess, self._memory = lichess, memory
        self._pauses = Pauses()
        self._openings = Openings(memory.bot.openings)
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._games: dict[str, Game] = {}
        self._ending: dict[str, list[str]] = {}
        self._done: set[str] = set()
        self._resting: set[str] = set()
        self._stopping = threading.Event()
        self._heard = time.monotonic()
        self._looked = self._look_at = float("-inf")
        self._looking = False
        self._may_list = True
        self._fatal: LichessError | None = None
        most = self.settings.max_games
        # Twice as many as games: a move may wait for its answer still when the next one is due.
        self._deciders = ThreadPoolExecutor(2 * most, thread_name_prefix="decide")
        self._deeds = ThreadPoolExecutor(8, thread_name_prefix="deed")
        self._voice = Voice(
            lichess,
            self._pauses,
            memory,
            self.traps,
            self.settings,
            version=installed_version() or "source",
            player=self.settings.engine or "a search of its own",
            may_coach=self.settings.coach,
        )
        self._recorder = Recorder(
            self.settings.folder, self.settings.url, self.traps, settings.db, memory, self._recorded
        )
        self._reception = Reception(lichess, self._pauses, self.settings, self._deeds, self._inbox.put, self._agreed)
        self._seeker = Seeker(lichess, self._pauses, memory, self.settings, account)
        self._house = House(
            lichess=lichess,
            me=account.id,
            settings=self.settings,
            pauses=self._pauses,
            memory=memory,
            traps=self.traps,
            knowledge=knowledge,
            lag=Lag(),
            voice=self._voice,
            deciders=self._deciders,
            processors=self._processors,
            deeds=self._deeds,
            measures=self.latency_stats,
            ended=lambda game, info, state: self._inbox.put(lambda: self._ended(game, info, state)),
        )

    # Life -------------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until `stop`. Raises `Unauthorized` if lichess does not know the token any more."""
        loading = threading.Thread(target=self.traps.load, name="library", daemon=True)
        loading.start()
        # Games are not kept waiting for a library that has to be made, but mostly it is there in a moment.
        loading.join(LIBRARY_SECONDS)
        # What is there by now stays: the collector of garbage need not look at it again and again while clocks run.
        gc.collect()
        gc.freeze()
        self._processors.warm_up()
        reader: StreamReader[AccountEvent] = StreamReader(
            "the account's stream",
            self._open_events,
            lambda event, _: self._inbox.put(lambda: self._event(event)),
            self._no_stream,
            backoff=Backoff(1.0, 60.0),
            limits=Backoff(LIMITED_SECONDS, LIMITED_SECONDS, spread=lambda: 1.0),
            before=self._before_opening,
            not_opened=self._not_opened,
            alive=self._alive,
        )
        reader.start()
        try:
            while not self._stopping.is_set() or self._games:
                self._turn(0.5)
                if self._stopping.is_set() and (self._fatal is not None or self._is_time_up()):
                    break
        finally:
            reader.stop()
            self._shut_down()
        if self._fatal is not None:
            raise self._fatal

    def stop(self, grace: float) -> None:
        """Accept nothing more, play what is running to its end for at most ``grace`` seconds, then hand it over."""
        self._grace_until = time.monotonic() + grace
        self._stopping.set()
        self._inbox.put(self._reception.close)

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping.is_set()

    def health(self) -> dict[str, object]:
        """How the bot is, for whoever watches over it."""
        silent = time.monotonic() - self._heard
        return {
            "ok": silent < 60 and not self._stopping.is_set(),
            "account": self.account.name,
            "silent_seconds": round(silent, 1),
            "games": sorted(self._games),
            "waiting_challenges": self._reception.waiting,
            "traps": len(self.traps.book.traps) if self.traps.book is not None else None,
            "moves": self.latency_stats.moves,
            "overhead_ms": spread(self.latency_stats.overheads),
            "late_ms": spread(self.latency_stats.late),
            "killer_ms": spread(self.latency_stats.killers),
            "threads": threading.active_count(),
        }

    def _is_time_up(self) -> bool:
        return time.monotonic() >= self._grace_until

    def _turn(self, seconds: float) -> None:
        """Handle one event, if one comes in time, and what is due."""
        try:
            work = self._inbox.get(timeout=seconds)
        except queue.Empty:
            work = None
        try:
            if work is not None:
                work()
            if not self._stopping.is_set():
                self._look()
                self._reception.turn(self._games.keys())
                self._seeker.turn(len(self._games) + self._reception.expected, self._deeds)
        except Exception:
            log.exception("an event of the account could not be handled")

    def _shut_down(self) -> None:
        left = list(self._games)
        for game in self._games.values():
            game.stop()
        for game in self._games.values():
            game.join(2.0)
        self._turns()
        if left:
            log.info("handed over: %s; they are resumed with the next start", ", ".join(left))
        self._voice.close(FAREWELL_SECONDS)
        self._recorder.close(FAREWELL_SECONDS)
        self._turns()
        self._deciders.shutdown(wait=False, cancel_futures=True)
        self._processors.close()
        self._deeds.shutdown(wait=False, cancel_futures=True)

    def _turns(self) -> None:
        """Handle what is waiting."""
        while True:
            try:
                self._inbox.get_nowait()()
            except queue.Empty:
                return

    # The account's stream, read elsewhere -----------------------------------------------------------------------------

    def _before_opening(self) -> float:
        wait = max(self._openings.wait(), self._pauses.wait(Kind.LISTEN))
        if wait <= 0:
            self._memory.bot.openings = self._openings.opened()
            self._memory.save_bot()
        return wait

    def _not_opened(self) -> None:
        self._memory.bot.openings = self._openings.not_opened()
        self._memory.save_bot()

    def _open_events(self) -> Iterator[AccountEvent | None]:
        try:
            yield from self._lichess.events()
        except Unauthorized:
            raise
        except Refused as error:
            # Only a token that is not valid any more is for ever.
            raise Unreachable(str(error)) from None

    def _alive(self) -> None:
        self._heard = time.monotonic()

    def _no_stream(self, error: Refused) -> None:
        log.error("the account's stream was refused: %s", error)
        self._fatal = error
        self.stop(0.0)

    def _event(self, event: AccountEvent) -> None:
        match event:
            case Challenge():
                self._reception.challenged(event)
            case ChallengeGone(id=challenge):
                self._reception.gone(challenge)
                self._seeker.gone(challenge)
            case GameStart():
                self._play(event.id)
            case GameFinish():
                # The game's own stream tells how; its thread ends by itself.
                pass

    # Games ------------------------------------------------------------------------------------------------------------

    def _agreed(self, game: str) -> None:
        """A challenge was accepted: without the account's stream nobody else tells that its game begins."""
        if self._is_deaf():
            self._play(game)

    def _play(self, game: str) -> None:
        self._reception.begun(game)
        if game in self._games or game in self._done:
            return
        # A game that runs is played, even if there are more than the settings want: to leave it would lose it.
        self._resting.discard(game)
        if self.traps.book is None:
            # Perhaps the library can be read by now.
            self._deeds.submit(self.traps.load)
        running = Game(game, self._house)
        self._games[game] = running
        self._memory.save(self._memory.game(game))
        running.start()

    def _ended(self, game: str, info: GameInfo | None, state: GameState | None) -> None:
        self._games.pop(game, None)
        if state is None or info is None:
            self._voice.left(game)
            if info is not None and info.speed == Speed.CORRESPONDENCE:
                self._resting.add(game)
            else:
                # Lichess would not give its stream: see whether it really does not run any more.
                self._look_at = min(self._look_at, time.monotonic() + LOOK_AGAIN_SECONDS)
            return
        self._done.add(game)
        if len(self._done) > 10_000:
            self._done = {game}
        self._seeker.rest()
        self._ending[game] = ["said", "recorded"]
        final = state
        self._voice.finished(info, final, lambda: self._inbox.put(lambda: self._one_less(game, "said")))
        self._recorder.record(Finished(game, info, final))

    def _recorded(self, game: Finished, events: list[TrapEvent] | None) -> None:
        """In the recorder's thread."""
        if events is not None:
            if game.info is not None:
                color: str = game.info.color
            else:
                color = "white" if f'[White "{self.account.name}"]' in game.pgn else "black"
            ours = [
                event.event.value
                for event in events
                if (event.event is Event.SET and event.mover == color)
                or (event.event is Event.FELL and event.mover != color)
            ]
            self._memory.count(["games", *ours])
        self._inbox.put(lambda: self._one_less(game.id, "recorded"))

    def _one_less(self, game: str, what: str) -> None:
        left = self._ending.get(game, [what])
        if what in left:
            left.remove(what)
        if not left:
            self._ending.pop(game, None)
            self._memory.forget(game)

    def _look(self) -> None:
        """Ask for the running games, so that none is missed; and record what ended while nobody looked."""
        now = time.monotonic()
        if self._is_deaf():
            self._look_at = min(self._look_at, self._looked + LOOK_SECONDS)
        if self._reception.is_overdue(now):
            self._look_at = min(self._look_at, self._looked + LOOK_EXPECTING_SECONDS)
        if self._looking or now < self._look_at or self._pauses.wait(Kind.LISTEN) > 0:
            return
        self._looked, self._look_at, self._looking = now, now + LOOK_CALM_SECONDS, True
        self._deeds.submit(self._ask_for_games)

    def _is_deaf(self) -> bool:
        """Whether the account's stream is broken, or waits for its next opening."""
        return time.monotonic() - self._heard >= DEAF_SECONDS

    def _ask_for_games(self) -> None:
        found: list[GameStart] | None = None
        try:
            found = self._lichess.ongoing()
            self._pauses.worked(Kind.LISTEN)
        except Limited as error:
            self._pauses.limited(Kind.LISTEN, error.seconds)
        except LichessError as error:
            log.info("the running games could not be asked for: %s", error)
        if found is not None and self._is_deaf() and self._may_list:
            self._ask_for_challenges()
        self._inbox.put(lambda: self._found(found))

    def _ask_for_challenges(self) -> None:
        """Without the account's stream nobody else tells of them."""
        try:
            for challenge in self._lichess.challenges():
                self._inbox.put(partial(self._reception.challenged, challenge))
        except Limited as error:
            self._pauses.limited(Kind.LISTEN, error.seconds)
        except Refused:
            # The token lacks the scope for it.
            self._may_list = False
        except LichessError as error:
            log.info("the challenges could not be asked for: %s", error)

    def _found(self, found: list[GameStart] | None) -> None:
        self._looking = False
        if found is None:
            self._look_at = time.monotonic() + LOOK_AGAIN_SECONDS
            return
        for game in found:
            # A game of days is read again when it is our turn.
            if game.is_our_turn or game.speed != Speed.CORRESPONDENCE or game.id not in self._resting:
                self._play(game.id)
        running = {game.id for game in found}
        if len(running) >= MOST_LISTED:
            return
        for game_id in self._memory.unfinished():
            if game_id not in running and game_id not in self._games and game_id not in self._ending:
                self._deeds.submit(self._record_late, game_id)

    def _record_late(self, game: str) -> None:
        """A game ended while the bot was away."""
        try:
            pgn = self._lichess.export(game)
        except Refused as error:
            log.warning("game %s cannot be recorded: %s", game, error)
            self._memory.forget(game)
        except LichessError as error:
            log.info("game %s is recorded later: %s", game, error)
        else:
            if '[Termination "Unterminated"]' in pgn:
                return
            self._inbox.put(lambda: self._ending.update({game: ["recorded"]}))
            self._recorder.record(Finished(game, None, None, pgn.rstrip() + "\n\n"))


def check_account(lichess: Lichess) -> Account:
    """The account. Raises `UsageError` unless it is a bot and its token may play, and `LichessError`."""
    account = lichess.account()
    if "bot:play" not in lichess.scopes():
        raise UsageError("the token lacks the scope bot:play; make one that has it")
    if not account.is_bot:
        raise UsageError(f"{account.name} is no bot account yet; `trapline bot --upgrade` makes it one, for ever")
    return account


__all__ = ["Bot", "Unauthorized", "check_account"]
