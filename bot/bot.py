"""The bot: the account's event stream, its games and challenges, and an orderly shutdown."""

import gc
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from cachetools import LRUCache

from bot.challenges.arenas import Arenas
from bot.challenges.block_lists import BlockLists
from bot.challenges.matchmaking import Matchmaker
from bot.challenges.queue import ChallengeQueue
from bot.chat.worker import ChatWorker
from bot.finished_games import FinishedGames
from bot.game_archive import Recorder
from bot.game_context import GameContext
from bot.game_list import LIST_SECONDS, GameList
from bot.game_runner import Game
from bot.health import Condition, LatencyStats, free_megabytes, metrics, spread, summary
from bot.moves.move_choice import MoveSources
from bot.moves.repertoires import Repertoires
from bot.moves.search_pool import SearchPool
from bot.moves.time_management import Lag
from bot.moves.trap_book import TrapLibrary
from bot.saved_state import SavedState
from bot.settings import BotOptions, BotSettings, Speed
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
    Refused,
    Unauthorized,
    Unreachable,
)
from lichess.rate_limits import LIMITED_SECONDS, Backoff, Kind, Pauses, StreamOpenings
from lichess.streams import StreamCallbacks, StreamReader
from lichess.studies import StudyWriter
from lichess.token_check import TokenCheck
from trapcore.errors import UsageError
from trapcore.io.log_once import OnceLogger
from trapcore.io.status_server import Metric
from trapcore.version import installed_version

log = logging.getLogger(__name__)
_once = OnceLogger(log)

STREAM_SILENT_SECONDS = 10.0
"""An account's stream that is silent for this long is broken: lichess sends an empty line every 7 seconds."""

MOST_GAMES = 128
"""Games at the same time, however many lichess says have begun: each has threads and a connection."""

LIBRARY_SECONDS = 3.0
GAMES_SECONDS = 5.0
SHUTDOWN_SECONDS = 10.0
CUT_OFF_SECONDS = 5.0
"""Time for the searches that are cut off in the end, and for what waits for them."""


class Bot:
    """Bot of one account. `run` returns when `stop` was called and everything has ended."""

    def __init__(
        self,
        lichess: Lichess,
        account: Account,
        settings: BotOptions,
        saved_state: SavedState,
        sources: MoveSources,
        studies: StudyWriter | None = None,
    ) -> None:
        """``studies`` gets the games with traps."""
        self.account = account
        self.settings = settings.bot
        self.latency_stats = LatencyStats()
        self._search_pool = SearchPool()
        self.traps = TrapLibrary(settings, self._search_pool)
        self._loading = threading.Thread(target=self.traps.load, name="library", daemon=True)
        self._repertoires = Repertoires(settings)
        self.lichess, self._saved_state = lichess, saved_state
        self._token_check = TokenCheck(
            lambda: may_play(lichess), lambda error: self._inbox.put(partial(self._no_token, error))
        )
        self.pauses = Pauses(token_check=self._token_check)
        self._stream_openings = StreamOpenings(saved_state.bot.openings)
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.games: dict[str, Game] = {}
        self._done: LRUCache[str, None] = LRUCache(10_000)
        self._resting: set[str] = set()
        self._stopping = threading.Event()
        self._heard = time.monotonic()
        self._late: set[str] = set()
        """Games that ended while the bot was away: their streams are read once more, for the record and the chat."""
        self._fatal: LichessError | None = None
        # Twice as many as games: the answer to a move may still be pending when the next move is due.
        self._deciders = ThreadPoolExecutor(2 * MOST_GAMES, thread_name_prefix="decide")
        self._requests = ThreadPoolExecutor(8, thread_name_prefix="request")
        self._chat = ChatWorker(
            lichess,
            self.pauses,
            saved_state,
            self.traps,
            self.settings,
            installed_version() or "source",
            lambda: len(self.games) + self.challenges.expected < self.settings.max_games,
        )
        self._finished = FinishedGames(lichess, account, saved_state, self._chat, self._requests, self._inbox.put)
        self._recorder = Recorder(
            self.settings.folder,
            self.settings.url,
            self.traps,
            settings,
            saved_state,
            self._finished.recorded,
            studies,
        )
        self._finished.record_with(self._recorder)
        self.block_lists = BlockLists(self.settings.block_lists)
        self.challenges = ChallengeQueue(
            lichess, self.pauses, self.settings, self._requests, self._inbox.put, self._agreed, self.block_lists
        )
        self._list = GameList(
            lichess, self.pauses, self._requests, self._inbox.put, self.challenges.challenged, self._found
        )
        self.arenas = Arenas(lichess, self.pauses, self.settings.tournaments)
        self._matchmaker = Matchmaker(lichess, self.pauses, saved_state, self.settings, account, self.block_lists)
        self._context = GameContext(
            lichess=lichess,
            me=account.id,
            settings=self.settings,
            pauses=self.pauses,
            saved_state=saved_state,
            traps=self.traps,
            sources=sources,
            repertoires=self._repertoires,
            lag=Lag(),
            chat=self._chat,
            deciders=self._deciders,
            search_pool=self._search_pool,
            requests=self._requests,
            latency_stats=self.latency_stats,
            ended=lambda game, info, state: self._inbox.put(lambda: self._ended(game, info, state)),
        )

    # Life -------------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until `stop`. Raises `Unauthorized` if lichess does not know the token any more, see `TokenCheck`."""
        self._loading.start()
        # Games do not wait for a library that has to be made first, but usually it is loaded in a moment.
        self._loading.join(LIBRARY_SECONDS)
        # What is loaded by now is permanent: the garbage collector need not scan it while clocks run.
        gc.collect()
        gc.freeze()
        self._search_pool.warm_up()
        self._finished.begin()
        self.block_lists.start()
        self._repertoires.start()
        callbacks: StreamCallbacks[AccountEvent] = StreamCallbacks(
            lambda event, _: self._inbox.put(lambda: self._event(event)),
            lambda error: log.error("the account's stream is not read any more: %s", error),
            before=self._before_opening,
            not_opened=self._not_opened,
            alive=self._alive,
        )
        reader: StreamReader[AccountEvent] = StreamReader(
            "the account's stream",
            self._open_events,
            callbacks,
            backoff=Backoff(1.0, 60.0),
            limits=Backoff(LIMITED_SECONDS, LIMITED_SECONDS, spread=lambda: 1.0),
        )
        reader.start()
        try:
            # A challenge that was accepted is a game in a moment, and its opponent must not sit alone.
            while not self._stopping.is_set() or self.games or self.challenges.expected:
                self._turn(0.5)
                if self._stopping.is_set() and (self._fatal is not None or time.monotonic() >= self._grace_until):
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
        self._inbox.put(self.challenges.close)
        self._inbox.put(self._leave_arenas)

    def _leave_arenas(self) -> None:
        self._requests.submit(self.arenas.leave)

    def post(self, work: Callable[[], None]) -> None:
        """Have ``work`` done in the bot's own thread; for any thread."""
        self._inbox.put(work)

    def use(self, settings: BotSettings, sources: MoveSources) -> None:
        """Play by other settings from now on, in the bot's own thread. Running games keep theirs."""
        before, self.settings = self.settings, settings
        self._chat.settings = self.challenges.settings = self._matchmaker.settings = settings
        self._context = replace(self._context, settings=settings, sources=sources)
        self._requests.submit(self.arenas.use, before.tournaments, settings.tournaments)

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping.is_set()

    def health(self) -> dict[str, object]:
        """Health of the bot as a JSON object, for monitoring."""
        now = time.monotonic()
        games = list(self.games.items())
        waiting = {name: game.unsent_since for name, game in games}
        found = summary(
            Condition(
                silent=now - self._heard,
                openings=self._stream_openings.recent,
                silent_games={name: now - game.heard for name, game in games},
                unsent={name: now - since for name, since in waiting.items() if since is not None},
                held=self.pauses.active(),
                unrecorded=self._recorder.unrecorded(),
                unindexed=len(self._saved_state.bot.unindexed),
                is_token_doubted=self._token_check.is_doubted,
                free_megabytes=free_megabytes(self.settings.folder),
            )
        )
        return {
            **found,
            "ok": found["ok"] and not self._stopping.is_set(),
            "account": self.account.name,
            "games": sorted(self.games),
            "waiting_challenges": self.challenges.waiting,
            "traps": len(self.traps.book.traps) if self.traps.book is not None else None,
            "repertoires": len(self._repertoires),
            "repertoires_complete": self._repertoires.is_complete,
            "moves": self.latency_stats.moves,
            "overhead_ms": spread(self.latency_stats.overheads),
            "late_ms": spread(self.latency_stats.late),
            "killer_ms": spread(self.latency_stats.killers),
            "threads": threading.active_count(),
        }

    def metrics(self) -> list[Metric]:
        """Metrics of the bot, for monitoring."""
        return metrics(self.health(), self._saved_state.bot.stats)

    def _turn(self, seconds: float) -> None:
        """Handle one event, if one arrives within ``seconds``, and everything that is due."""
        try:
            work = self._inbox.get(timeout=seconds)
        except queue.Empty:
            work = None
        try:
            if work is not None:
                work()
            if not self._stopping.is_set():
                self._list.turn(
                    is_broken=self._is_stream_broken(), is_overdue=self.challenges.is_overdue(time.monotonic())
                )
                opponents = {name: game.opponent for name, game in self.games.items() if name not in self._late}
                self.challenges.turn(opponents)
                games = len(opponents) + self.challenges.expected
                self._matchmaker.turn(games, self._requests)
                self.arenas.turn(games < self.settings.max_games, self._requests)
                self._finished.turn()
        except Exception:
            log.exception("an event of the account could not be handled")

    def _shut_down(self) -> None:
        self._token_check.close()
        self.block_lists.stop()
        self._repertoires.stop()
        left = list(self.games)
        for game in self.games.values():
            game.stop()
        until = time.monotonic() + GAMES_SECONDS
        for game in self.games.values():
            game.join(max(0.0, until - time.monotonic()))
        self._drain()
        if left:
            log.info("handed over: %s; they are resumed with the next start", ", ".join(left))
        self._chat.close(SHUTDOWN_SECONDS)
        self._recorder.close(SHUTDOWN_SECONDS)
        self._drain()
        self._deciders.shutdown(wait=False, cancel_futures=True)
        self._requests.shutdown(wait=False, cancel_futures=True)
        self._search_pool.close()
        self._await_threads()
        self._finished.end()
        self.traps.close()

    def _await_threads(self) -> None:
        """Wait for the threads that search, so that none is at work when Python ends."""
        until = time.monotonic() + CUT_OFF_SECONDS
        threads = [self._loading, *self._chat.threads, *self._recorder.threads]
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        left = [thread.name for thread in threads if thread.is_alive()]
        if left:
            log.warning("still at work, and cut off: %s", ", ".join(left))

    def _drain(self) -> None:
        while True:
            try:
                self._inbox.get_nowait()()
            except queue.Empty:
                return

    # The account's stream, read elsewhere -----------------------------------------------------------------------------

    def _before_opening(self) -> float:
        wait = max(self._stream_openings.wait(), self.pauses.wait(Kind.LISTEN))
        if wait <= 0:
            self._saved_state.bot.openings = self._stream_openings.opened()
            self._saved_state.save_bot()
        return wait

    def _not_opened(self) -> None:
        self._saved_state.bot.openings = self._stream_openings.not_opened()
        self._saved_state.save_bot()

    def _open_events(self) -> Iterator[AccountEvent | None]:
        try:
            yield from self.lichess.events()
        except Refused as error:
            if isinstance(error, Unauthorized):
                self.pauses.unauthorized(error)
            # No refusal is believed to be permanent: the stream is opened again, less and less often.
            raise Unreachable(str(error)) from None

    def _alive(self) -> None:
        self._heard = time.monotonic()

    def _no_token(self, error: Unauthorized) -> None:
        log.error("the bot ends, because lichess refuses its token: %s", error)
        self._fatal = error
        self.stop(0.0)

    def _event(self, event: AccountEvent) -> None:
        match event:
            case Challenge():
                self.challenges.challenged(event)
            case ChallengeGone(id=challenge, decliner=decliner, reason=reason):
                if decliner:
                    log.info("%s has declined challenge %s: %s", decliner, challenge, reason)
                self.challenges.gone(challenge)
                self._matchmaker.gone(challenge)
            case GameStart():
                if not self._list.is_held(event.id):
                    self._play(event.id)
            case GameFinish(id=game):
                # The result comes by the game's own stream, which a correspondence game that rests does not have.
                if game in self._resting:
                    self._list.again_in(0.0)

    # Games ------------------------------------------------------------------------------------------------------------

    def _agreed(self, game: str) -> None:
        """Begin the game of an accepted challenge, if the account's stream is broken and cannot announce it."""
        if self._is_stream_broken():
            self._play(game)

    def _play(self, game: str) -> None:
        self.challenges.begun(game)
        if game in self.games or game in self._done:
            return
        # A running game is played even beyond max_games: leaving it would lose it.
        if len(self.games) >= MOST_GAMES:
            _once.write(logging.ERROR, "games", "%d games run at once, and others are left alone", MOST_GAMES)
            self._list.again_in(LIST_SECONDS)
            return
        self._resting.discard(game)
        if self.traps.book is None:
            # Perhaps the library can be read by now.
            self._requests.submit(self.traps.load)
        running = Game(game, self._context)
        self.games[game] = running
        self._saved_state.save(self._saved_state.game(game))
        running.start()

    def _ended(self, game: str, info: GameInfo | None, state: GameState | None) -> None:
        self.games.pop(game, None)
        is_late = game in self._late
        self._late.discard(game)
        if state is None or info is None:
            self._chat.left(game)
            if is_late:
                self._finished.record_late(game)
            elif info is not None and info.speed == Speed.CORRESPONDENCE:
                self._resting.add(game)
            else:
                self._list.refused(game)
            return
        self._list.worked(game)
        self._done[game] = None
        self._matchmaker.rest()
        self._finished.finish(info, state)

    def _is_stream_broken(self) -> bool:
        return time.monotonic() - self._heard >= STREAM_SILENT_SECONDS

    def _found(self, found: list[GameStart]) -> None:
        """Play the games that lichess lists, and record those that ended while the bot was away."""
        for game in found:
            # A correspondence game is opened again when it is our turn.
            is_due = game.is_our_turn or game.speed != Speed.CORRESPONDENCE or game.id not in self._resting
            if is_due and not self._list.is_held(game.id):
                self._play(game.id)
        running = {game.id for game in found}
        if len(running) >= MOST_LISTED:
            return
        for game_id in self._saved_state.unfinished():
            if game_id not in running and game_id not in self.games and game_id not in self._finished:
                self._late.add(game_id)
                self._play(game_id)


def may_play(lichess: Lichess) -> bool:
    """Whether lichess knows the token and lets it play. Raises `LichessError` if lichess says neither."""
    try:
        return "bot:play" in lichess.scopes()
    except Unauthorized:
        return False


def check_account(lichess: Lichess) -> Account:
    """The account. Raises `UsageError` unless it is a bot and its token may play, and `LichessError`."""
    account = lichess.account()
    if not may_play(lichess):
        raise UsageError("the token lacks the scope bot:play; make one that has it")
    if not account.is_bot:
        raise UsageError(f"{account.name} is no bot account yet; `trapline bot --upgrade` makes it one, for ever")
    return account
