"""Archive of finished games: one thread writes annotated PGN to the disk, another one indexes it into the library.

Games with traps become chapters of studies, if the settings name any.
"""

import logging
import queue
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from annotator.comments.chapters import game_chapter, lessons
from annotator.events import TrapEvent
from annotator.record import record_losing_moves
from annotator.settings import AnalysisSettings
from bot.moves.board import GameBoard
from bot.moves.set_traps import SetTraps
from bot.moves.trap_book import TrapBook, TrapLibrary
from bot.saved_state import SavedGame, SavedState, write_whole
from bot.settings import has_other_rules
from db.games.index_games import index_files
from db.library.open import open_library
from db.proof.engine_choice import OFF
from db.storage.sighting_rows import Sighting
from db.traps.trap import Trap
from db.wording.languages.english import ENGLISH
from db.wording.sentences import Narrator
from lichess.api import USUAL_START, Color, GameInfo, GameState, LichessError, Limited
from lichess.rate_limits import LIMITED_SECONDS
from lichess.studies import StudyWriter
from trapcore.errors import OutputError, TraplineError
from trapcore.io.log_once import OnceLogger
from trapcore.io.plain_text import harmless
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import threads
from trapcore.proof.search import MATE, MATE_BOUND

log = logging.getLogger(__name__)

TAG = re.compile(r'^\[(\w+) "([^"]*)"\]', re.MULTILINE)

INDEX_SECONDS = 60.0
"""Interval between two indexings: they take a processor from running games."""

RETRY_SECONDS = 10.0
"""Wait before a game that could not be written is tried again: until then only this process may know of it."""


FULL_SECONDS = 0.5
"""The same while the bot ends."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Game to be archived, as its last state or as PGN from lichess."""

    id: str
    info: GameInfo | None
    state: GameState | None
    pgn: str = ""


def movetext(info: GameInfo, moves: tuple[str, ...]) -> bytes:
    """Minimal PGN of a game, for the analyzer. Raises `InputError` for a game that is not played, or illegal moves."""
    board = GameBoard(info).after(moves)
    tags = '[Variant "Chess960"]\n' if board.chess960 else ""
    if info.initial_fen != USUAL_START:
        tags += f'[SetUp "1"]\n[FEN "{board.root().fen()}"]\n'
    played = " ".join(move.uci() for move in board.move_stack)
    return f'[White "?"]\n{tags}\n{played} *\n'.encode()


def pgn_of(info: GameInfo, state: GameState, url: str, saved: SavedGame | None = None) -> str:
    """PGN of a game with lichess's tags, and with the clocks and evaluations that were saved.

    Raises `InputError` for moves that are not legal.
    """
    board = GameBoard(info).after(state.moves)
    game = chess.pgn.Game.from_board(board)
    for ply, node in enumerate(game.mainline(), start=1) if saved is not None else ():
        assert saved is not None
        if (value := saved.evals.get(str(ply))) is not None:
            node.set_eval(_score(value))
        if info.initial is not None and (left := saved.clocks.get(str(ply))) is not None:
            node.set_clock(left // 1000)
    white, black = (info.me, info.opponent) if info.color == "white" else (info.opponent, info.me)
    day = time.gmtime(info.created / 1000)
    headers = game.headers
    headers["Event"] = f"{'rated' if info.rated else 'casual'} {info.speed} game"
    headers["Site"] = address_of(info, url)
    headers["Date"] = headers["UTCDate"] = time.strftime("%Y.%m.%d", day)
    headers["UTCTime"] = time.strftime("%H:%M:%S", day)
    headers["Round"] = "-"
    headers["White"], headers["Black"] = white.name, black.name
    headers["Result"] = _result(state)
    headers["GameId"] = info.id
    for color, player in (("White", white), ("Black", black)):
        if player.rating is not None:
            headers[f"{color}Elo"] = str(player.rating)
        if player.title:
            headers[f"{color}Title"] = player.title
    headers["TimeControl"] = "-" if info.initial is None else f"{info.initial // 1000}+{info.increment // 1000}"
    headers["Termination"] = _TERMINATIONS.get(state.status, "Normal")
    return harmless(f"{game.accept(chess.pgn.StringExporter(columns=80))}\n\n")


def address_of(info: GameInfo, url: str) -> str:
    """Where the game is, at the lichess of this address."""
    return f"{url}/{info.id}"


def _score(value: int) -> chess.engine.PovScore:
    if abs(value) <= MATE_BOUND:
        return chess.engine.PovScore(chess.engine.Cp(value), chess.WHITE)
    moves = max(1, (MATE - abs(value) + 1) // 2)
    return chess.engine.PovScore(chess.engine.Mate(moves if value > 0 else -moves), chess.WHITE)


_TERMINATIONS = {
    "outoftime": "Time forfeit",
    "timeout": "Abandoned",
    "aborted": "Abandoned",
    "noStart": "Abandoned",
    "cheat": "Rules infraction",
}


def _result(state: GameState) -> str:
    if state.winner is not None:
        return "1-0" if state.winner == "white" else "0-1"
    return "*" if state.status in ("aborted", "noStart", "unknownFinish") or not state.is_over else "1/2-1/2"


class Recorder:
    """Writes finished games in order, and has them indexed."""

    def __init__(
        self,
        folder: Path,
        url: str,
        traps: TrapLibrary,
        analysis: AnalysisSettings,
        saved_state: SavedState,
        done: Callable[[Finished, list[TrapEvent] | None], None],
        studies: StudyWriter | None = None,
    ) -> None:
        """``analysis`` says which library the games go to, and how their losing moves are judged.

        ``done`` is called with the events of each game that is written, or with None if it had no moves. ``studies``
        gets the games with traps.
        """
        self._studies = studies
        self._folder = folder / "games"
        self._url, self._traps, self._saved_state, self._done = url, traps, saved_state, done
        self._queue: queue.SimpleQueue[Finished | None] = queue.SimpleQueue()
        self._next_retry = 0.0
        self._until = float("inf")
        self._once = OnceLogger(log)
        self._failed: dict[str, tuple[Finished, str]] = {}
        self._indexer = Indexer(traps, analysis, saved_state, studies)
        self._thread = threading.Thread(target=self._run, name="records", daemon=True)
        self._thread.start()

    def record(self, game: Finished) -> None:
        """Queue a game; returns at once."""
        self._queue.put(game)

    def unrecorded(self) -> dict[str, str]:
        """Returns the games that could not be written, by id, with the reason; each is tried again."""
        return {name: reason for name, (_, reason) in list(self._failed.items())}

    def has(self, game: str) -> bool:
        """Whether the file of a game is there."""
        return self._file(game) is not None

    @property
    def is_done(self) -> bool:
        """Whether all games are written, after `close`."""
        return not self._thread.is_alive() and not self._failed

    def close(self, seconds: float) -> None:
        """Write what is queued, then index it, for at most ``seconds``; a full disk may be freed meanwhile.

        The next start records the games that are left, and indexes what is written.
        """
        self._until = time.monotonic() + seconds
        self._queue.put(None)
        self._thread.join(seconds)
        if self._failed:
            log.error("not recorded, so that the next start requests them from lichess: %s", ", ".join(self._failed))
        self._indexer.close(max(0.0, self._until - time.monotonic()))

    @property
    def threads(self) -> list[threading.Thread]:
        """The threads that end after `close`."""
        return [self._thread, self._indexer.thread]

    def _run(self) -> None:
        closing = is_full = False
        while not closing:
            with suppress(queue.Empty):
                game = self._queue.get(timeout=RETRY_SECONDS)
                closing = game is None
                if game is not None:
                    self._try_to_write(game)
            if closing or time.monotonic() >= self._next_retry:
                is_full = not self._write_failed()
        while is_full and time.monotonic() < self._until:
            time.sleep(FULL_SECONDS)
            is_full = not self._write_failed()

    def _write_failed(self) -> bool:
        """Try the games again that could not be written; False once one finds the disk as full as before."""
        self._next_retry = time.monotonic() + RETRY_SECONDS
        return all(self._try_to_write(failed) for failed, _ in list(self._failed.values()))

    def _try_to_write(self, game: Finished) -> bool:
        """Write a game; False if the disk takes none now.

        If that fails it is tried again later, and after a restart: its saved state stays.
        """
        try:
            self._write(game)
        except (TraplineError, OSError) as error:
            self._failed[game.id] = game, str(error)
            self._once.write(logging.ERROR, game.id, "game %s is recorded later: %s", game.id, error)
            return not isinstance(error, OSError | OutputError)
        except Exception as error:
            self._failed[game.id] = game, str(error)
            # What is judged when the time is up is cut off.
            if time.monotonic() < self._until:
                log.exception("game %s could not be recorded", game.id)
        else:
            self._failed.pop(game.id, None)
            self._once.reset(game.id)
        return True

    def _write(self, game: Finished) -> None:
        pgn = game.pgn
        if game.info is not None and game.state is not None:
            if len(game.state.moves) == 0:
                self._done(game, None)
                return
            pgn = pgn_of(game.info, game.state, self._url, self._saved_state.game(game.id))
        text, events = pgn.encode(), list[TrapEvent]()
        is_other = game.info is not None and has_other_rules(game.info.variant)
        book = None if is_other else self._traps.book
        if book is not None:
            own = SetTraps.from_json(self._saved_state.game(game.id).set_traps)
            text, events = book.annotated(text, own)
        path = self._file(game.id) or self._folder / time.strftime("%Y-%m") / f"{game.id}.pgn"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
        if self._studies is not None and book is not None:
            self._add_chapters(self._studies, game, pgn, text, events)
        self._saved_state.to_index(str(path.absolute()))
        self._done(game, events)

    def _file(self, game: str) -> Path | None:
        return next(self._folder.glob(f"*/{game}.pgn"), None)

    def _add_chapters(
        self, studies: StudyWriter, game: Finished, pgn: str, annotated: bytes, events: list[TrapEvent]
    ) -> None:
        if not events:
            return
        tags = dict(TAG.findall(pgn))
        side: Color = "white" if game.info is None else game.info.color
        studies.add(game_chapter(game.id, tags, annotated.decode("utf-8", "replace"), side))
        for lesson in lessons(game.id, events, Narrator(ENGLISH)):
            studies.add(lesson)


class Indexer:
    """Indexes written games into the library every minute, and writes the chapters that wait.

    It has a thread of its own: an indexing may take minutes, and no game waits so long to be written.
    """

    def __init__(
        self, traps: TrapLibrary, analysis: AnalysisSettings, saved_state: SavedState, studies: StudyWriter | None
    ) -> None:
        """As `Recorder`."""
        self._traps, self._saved_state, self._studies = traps, saved_state, studies
        # No engine takes the processors from running games.
        self._analysis = analysis.model_copy(update={"engine": OFF})
        self._write_chapters_at = 0.0
        self._once = OnceLogger(log)
        self._closing, self._is_cut_off = threading.Event(), False
        self._stop = Cancellation()
        self.thread = threading.Thread(target=self._run, name="index", daemon=True)
        self.thread.start()

    def close(self, seconds: float) -> None:
        """Index what is left, for at most ``seconds``; then what is under way is cut off."""
        self._closing.set()
        self.thread.join(seconds)
        self._is_cut_off = True
        self._stop.cancel()

    def _run(self) -> None:
        while not self._closing.wait(INDEX_SECONDS):
            self._index()
            self._write_chapters()
        self._index()

    def _write_chapters(self) -> None:
        """Write the chapters that wait; what fails is tried again later, with one warning."""
        if self._studies is None or time.monotonic() < self._write_chapters_at:
            return
        try:
            self._studies.write()
            self._once.reset("chapters")
        except LichessError as error:
            seconds = error.seconds if isinstance(error, Limited) else None
            self._write_chapters_at = time.monotonic() + (LIMITED_SECONDS if seconds is None else seconds)
            self._once.write(logging.WARNING, "chapters", "chapters of studies wait: %s", error)

    def _index(self) -> None:
        """Index the games; a library that is locked or missing is tried again later, with one warning."""
        book = self._traps.book
        waiting = list(self._saved_state.bot.unindexed)
        self._stop = Cancellation()
        if not waiting or book is None or self._is_cut_off:
            return
        try:
            self._index_files([path for path in map(Path, waiting) if path.exists()], book)
            self._saved_state.indexed(waiting)
            self._once.reset("index")
        except (TraplineError, OSError) as error:
            self._once.write(logging.WARNING, "index", "games are written but wait to be indexed: %s", error)
        except Exception:
            if self._closing.is_set():
                log.info("the bot ends while it indexes; the next start indexes %d games", len(waiting))
            else:
                log.exception("games could not be indexed")

    def _index_files(self, paths: list[Path], book: TrapBook) -> None:
        with (
            open_library(self._analysis.db, busy_seconds=5.0) as library,
            threads(1, "losses", background=True) as pool,
        ):
            index_files(library, paths)
            events = [(path, event) for path in paths for event in book.events(path.read_bytes(), SetTraps())]
            library.add_sightings(
                _sighting(path, event, event.trap)
                for path, event in events
                if event.trap is not None and not event.known
            )
            # Last, for it takes longest: what is cut off by the end of the bot is done after the next start.
            record_losing_moves(library, paths, self._analysis, pool, stop=self._stop)


def _sighting(path: Path, event: TrapEvent, trap: Trap) -> Sighting:
    return Sighting(
        trap=trap.slug,
        file=str(path.absolute()),
        game_number=1,
        byte_offset=0,
        ply=event.ply,
        event=event.event.value,
        measure=event.measure,
        score=event.similarity,
        verdict=event.proof.verdict,
    )
