"""Move choice: a proved killer, an opening book, a tablebase, or a search that prefers moves that set traps."""

import logging
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.polyglot
import chess.syzygy

from bot.moves.engines import Searcher
from bot.moves.trap_book import PendingReplies, TrapBook, TrapSet
from trapcore.parallel.budget import Cancellation
from trapcore.proof.search import win_chance

log = logging.getLogger(__name__)

TRAP_SHARE = 0.25
"""Most of the thinking time that may go into finding traps, 0..1; usually next to none is needed."""

BEST_SHARE = 0.6
"""Part of the thinking time for the best move if there are traps to compare it with, 0..1; they share the rest."""

MAX_TRAPS = 3
"""Most traps that are compared with the best move."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen move with its reason."""

    uci: str
    why: str
    """``killer``, ``only``, ``book``, ``table``, ``search`` or ``trap``."""
    value: int | None = None
    """Centipawns for us, if it was searched."""
    trap: TrapSet | None = None


class OpeningBooks:
    """Polyglot opening books; the first that knows the position counts."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Raises `OSError` for a book that cannot be opened."""
        self._books = [chess.polyglot.MemoryMappedReader(path) for path in paths]

    def moves(self, board: chess.Board) -> dict[chess.Move, int]:
        """Book moves of a position with their weights."""
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

    def move(self, board: chess.Board) -> str | None:
        """Move that preserves the result and makes progress; None where the tables do not reach."""
        if self._tables is None or board.castling_rights or chess.popcount(board.occupied) > chess.syzygy.TBPIECES:
            return None
        with self._lock:
            try:
                return self._best(board, self._tables)
            except (KeyError, chess.syzygy.MissingTableError):
                return None

    def _best(self, board: chess.Board, tables: chess.syzygy.Tablebase) -> str:
        ranked = []
        for move in board.legal_moves:
            after = board.copy()
            after.push(move)
            if after.is_checkmate():
                return board.uci(move)
            draw = after.is_repetition(2) or after.is_stalemate() or after.is_insufficient_material()
            wdl = 0 if draw else -tables.probe_wdl(after)
            dtz = 0 if draw else -tables.probe_dtz(after)
            zeroing = board.is_zeroing(move)
            # If winning, the next capture or pawn move soon; if losing, late.
            progress = -abs(dtz) if wdl > 0 else abs(dtz)
            ranked.append((wdl, zeroing if wdl > 0 else False, progress, board.uci(move)))
        return max(ranked)[-1]


@dataclass(frozen=True, slots=True)
class MoveSources:
    """Books, tablebases and settings that all games share."""

    openings: OpeningBooks
    tables: Tablebases
    trap_loss: float


def move_without_search(
    board: chess.Board, sources: MoveSources, book: TrapBook | None, pending: PendingReplies, rating: int | None = None
) -> Choice | None:
    """Move that needs no search, if there is one; ``board`` has the moves of the game and is not over.

    ``rating`` is the opponent's, for the frequency with which baits are taken.
    """
    if book is not None:
        killer = book.killer(board, pending)
        if killer is not None:
            return Choice(killer, "killer")
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
    if (found := sources.tables.move(board)) is not None:
        return Choice(found, "table")
    return None


def choose(
    board: chess.Board,
    milliseconds: int,
    sources: MoveSources,
    book: TrapBook | None,
    searcher: Searcher,
    stop: Cancellation,
    rating: int | None = None,
) -> Choice:
    """Move found by search within about ``milliseconds``, against an opponent of this rating."""
    legal = list(board.legal_moves)
    traps = _traps(board, legal, milliseconds, book, sources.trap_loss, rating)
    if not traps:
        found = searcher.search(board, milliseconds, stop)
        return Choice(found.uci, "search", found.value)
    found = searcher.search(board, int(BEST_SHARE * milliseconds), stop)
    own_trap = next((trap for trap in traps if trap.move == found.uci), None)
    best = Choice(found.uci, "search", found.value, own_trap)
    others = [trap for trap in traps if trap.move != found.uci]
    each = int((1 - BEST_SHARE) * milliseconds) // len(traps)

    def value_of(trap: TrapSet) -> int:
        after = board.copy()
        after.push_uci(trap.move)
        return -searcher.search(after, each, stop).value

    return _prefer_trap(best, found.value, others, value_of, sources.trap_loss)


def _traps(
    board: chess.Board,
    legal: list[chess.Move],
    milliseconds: int,
    book: TrapBook | None,
    trap_loss: float,
    rating: int | None,
) -> list[TrapSet]:
    if book is None or trap_loss <= 0:
        return []
    return book.set_by(board, legal, max(20, int(TRAP_SHARE * milliseconds)), rating)[:MAX_TRAPS]


def _prefer_trap(
    best: Choice, best_value: int, traps: Sequence[TrapSet], value_of: Callable[[TrapSet], int], trap_loss: float
) -> Choice:
    """The best move, or a trap that costs at most ``trap_loss`` of win chance and less than its expected gain."""
    best_hope = 0.0 if best.trap is None else best.trap.gain * best.trap.taken
    for trap in traps:
        value = value_of(trap)
        loss = win_chance(best_value) - win_chance(value)
        hope = trap.gain * trap.taken - max(0.0, loss)
        if loss <= trap_loss and hope > best_hope:
            best, best_hope = Choice(trap.move, "trap", value, trap), hope
    return best


def any_move(board: chess.Board) -> str:
    """Random legal move, when everything else failed."""
    return board.uci(random.choice(list(board.legal_moves)))
