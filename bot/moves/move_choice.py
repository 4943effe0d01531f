"""Move choice: a proved killer, a book, the repertoire, a tablebase, or a search that prefers moves that set traps.

For a game below full strength see `bot.moves.sparring`.
"""

import errno
import logging
import mmap
import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import chess
import chess.polyglot
import chess.syzygy
from pydantic import SecretStr

from bot.moves.engines import Searcher
from bot.moves.online import OnlineMoves
from bot.moves.set_traps import SetTraps
from bot.moves.trap_book import TrapBook
from bot.settings import BotSettings, GameProfile, OnlineExplorer, PlayingStrength, has_other_rules
from coach.repertoire.live_traps import LiveTrap
from coach.repertoire.stored import StoredRepertoire
from coach.repertoire.trap_choice import choose_move
from coach.sparring.strength import Strength, Style, playing_rating
from lichess.api import GameInfo, Person
from trapcore.parallel.budget import Cancellation

log = logging.getLogger(__name__)

TRAP_SHARE = 0.15
"""Most of the thinking time that may go into traps of the library, 0..1; usually next to none is needed."""

BLESSED = 1
"""A table's word for a win that the fifty-move rule makes a draw, and with the other sign for such a loss."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen move with its reason."""

    uci: str
    why: str
    """``killer``, ``only``, ``book``, ``repertoire``, ``table``, ``explorer``, ``cloud``, ``search``, ``trap``,
    ``steer``: traps can be set after it, or ``level``: a player of the level plays it."""
    value: int | None = None
    """Centipawns for us, if it was searched."""
    trap: LiveTrap | None = None


class _Book(chess.polyglot.MemoryMappedReader):
    """Polyglot book in memory: if a process cuts a mapped file short, the bot ends in the middle of a game."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        if not content or len(content) % chess.polyglot.ENTRY_STRUCT.size:
            raise OSError(errno.EINVAL, "it is no polyglot book", str(path))
        self.mmap = mmap.mmap(-1, len(content))
        self.mmap.write(content)

    def __len__(self) -> int:
        return len(self.mmap) // chess.polyglot.ENTRY_STRUCT.size


class OpeningBooks:
    """Polyglot opening books; the first that knows the position counts."""

    def __init__(self, paths: Sequence[Path], plies: int | None = None) -> None:
        """``plies``: how long they are used. Raises `OSError` for a book that cannot be read, or is none."""
        self._books = [_Book(path) for path in paths]
        self._plies = plies

    def moves(self, board: chess.Board) -> dict[chess.Move, int]:
        """Book moves of a position with their weights."""
        if self._plies is not None and len(board.move_stack) >= self._plies:
            return {}
        for book in self._books:
            found = {entry.move: entry.weight for entry in book.find_all(board) if entry.weight > 0}
            if found:
                return found
        return {}


class Tablebases:
    """Syzygy tables."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Raises `OSError` for a folder that cannot be read."""
        self._tables: chess.syzygy.Tablebase | None = None
        if folders:
            self._tables = chess.syzygy.Tablebase()
            for folder in folders:
                self._tables.add_directory(str(folder))
        self._lock = threading.Lock()

    def move(self, board: chess.Board) -> Choice | None:
        """Move that preserves the result and makes progress; None where the tables do not reach.

        It has the value 0 if the result is a draw, and none otherwise.
        """
        if self._tables is None or board.castling_rights or chess.popcount(board.occupied) > chess.syzygy.TBPIECES:
            return None
        with self._lock:
            try:
                return self._best(board, self._tables)
            except (KeyError, chess.syzygy.MissingTableError):
                return None

    def _best(self, board: chess.Board, tables: chess.syzygy.Tablebase) -> Choice:
        ranked = []
        for move in board.legal_moves:
            after = board.copy()
            after.push(move)
            if after.is_checkmate():
                return Choice(board.uci(move), "table")
            draw = after.is_repetition(2) or after.is_stalemate() or after.is_insufficient_material()
            wdl = 0 if draw else -tables.probe_wdl(after)
            dtz = 0 if draw else -tables.probe_dtz(after)
            zeroing = board.is_zeroing(move)
            # If winning, the next capture or pawn move soon; if losing, late.
            progress = -abs(dtz) if wdl > 0 else abs(dtz)
            ranked.append((wdl, zeroing if wdl > 0 else False, progress, board.uci(move)))
        wdl, _, _, uci = max(ranked)
        return Choice(uci, "table", None if abs(wdl) > BLESSED else 0)


@dataclass(frozen=True, slots=True)
class MoveSources:
    """Books, tablebases and settings that all games share."""

    openings: OpeningBooks
    tables: Tablebases
    trap_loss: float
    profiles: tuple[tuple[GameProfile, OpeningBooks], ...] = ()
    """Profiles with books of their own."""
    online: OnlineMoves | None = None
    """Lichess's servers; None if none is to be asked."""
    strength: PlayingStrength = Strength.FULL
    style: Style = Style.TRICKSTER
    """Of the games that no profile says otherwise of."""
    rating: int | None = None
    """Rating that a game is played at; None for full strength."""

    @classmethod
    def of(cls, settings: BotSettings, tables: Sequence[Path] = (), token: SecretStr | None = None) -> Self:
        """Open what the settings name, and the folders of Syzygy tables; ``token`` is for the explorer.

        Raises `OSError` for a book or a folder that cannot be opened.
        """
        is_online = settings.lichess_cloud_analysis or settings.online_egtb
        is_online |= settings.lichess_opening_explorer is not OnlineExplorer.OFF
        return cls(
            OpeningBooks(settings.books),
            Tablebases(tables),
            settings.trap_loss,
            tuple(
                (one, OpeningBooks(settings.books if one.books is None else one.books, one.book_plies))
                for one in settings.profiles
            ),
            OnlineMoves(settings, token) if is_online else None,
            settings.strength,
            settings.style,
        )

    def for_game(self, info: GameInfo) -> "MoveSources":
        """The sources with the books for this game, its strength and its style.

        Below full strength no tablebase and no server is asked. A solid style pays nothing for traps.
        Nothing but an engine knows variants of other rules.
        """
        if has_other_rules(info.variant):
            return MoveSources(OpeningBooks([]), Tablebases([]), 0.0)
        nothing = GameProfile(), self.openings
        fitting = (pair for pair in self.profiles if pair[0].fits(info))
        profile, openings = next(fitting, nothing)
        strength = self.strength if profile.strength is None else profile.strength
        style = self.style if profile.style is None else profile.style
        rating = None if info.opponent.is_bot else playing_rating(strength, info.opponent.rating)
        return replace(
            self,
            openings=openings,
            tables=self.tables if rating is None else Tablebases([]),
            trap_loss=self.trap_loss if style is Style.TRICKSTER else 0.0,
            online=self.online if rating is None else None,
            style=style,
            rating=rating,
        )


def move_without_search(
    board: chess.Board,
    sources: MoveSources,
    book: TrapBook | None,
    own: SetTraps,
    rating: int | None = None,
    seconds: float | None = None,
    repertoire: StoredRepertoire | None = None,
) -> Choice | None:
    """Move that needs no search, if there is one; ``board`` has the moves of the game and is not over.

    ``rating`` is the opponent's, for the frequency with which baits are taken; ``seconds`` are left on our clock, None
    without one. Books of the owner come before the bot's own ``repertoire``. Below full strength the level decides
    whether it sees a killer.
    """
    if book is not None and sources.rating is None:
        killer = book.killer(board, own)
        if killer is not None:
            return Choice(killer.uci, "killer")
    legal = list(board.legal_moves)
    if len(legal) == 1:
        return Choice(board.uci(legal[0]), "only")
    if weights := sources.openings.moves(board):
        # Every book move is good enough, so one that sets a trap of the library is preferred without a search.
        if book is not None and sources.trap_loss > 0:
            for trap in book.set_by(board, weights, 0, rating):
                return Choice(trap.move, "book", trap=trap)
        (move,) = random.choices(list(weights), list(weights.values()))
        return Choice(board.uci(move), "book")
    if repertoire is not None and (prepared := repertoire.move(board)) is not None:
        uci, live = prepared
        return Choice(uci, "repertoire", trap=live)
    if (found := sources.tables.move(board)) is not None:
        return found
    if sources.online is not None and (online := sources.online.move(board, seconds)) is not None:
        return Choice(*online)
    return None


def choose(
    board: chess.Board,
    milliseconds: int,
    sources: MoveSources,
    book: TrapBook | None,
    searcher: Searcher,
    stop: Cancellation,
    person: Person | None = None,
) -> Choice:
    """Move found by search within about ``milliseconds``, against this opponent.

    Traps of the library count beside those that are found by searching, see `coach.repertoire.trap_choice`.
    """

    def search(position: chess.Board, time: int) -> tuple[str, int]:
        found = searcher.search(position, time, stop)
        return found.uci, found.value

    if book is None or sources.trap_loss <= 0:
        uci, value = search(board, milliseconds)
        return Choice(uci, "search", value)

    rating = None if person is None else person.rating

    def known() -> list[LiveTrap]:
        return book.set_by(board, board.legal_moves, max(20, int(TRAP_SHARE * milliseconds)), rating)

    opponent = book.opponent(person, sources.trap_loss)
    chosen = choose_move(board, milliseconds, search, opponent, stop, known)
    why = "search" if chosen.is_best else "trap" if chosen.trap is not None else "steer"
    return Choice(chosen.uci, why, chosen.value, chosen.trap)


def any_move(board: chess.Board) -> str:
    """Random legal move, when everything else failed."""
    return board.uci(random.choice(list(board.legal_moves)))
