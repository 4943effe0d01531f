"""Which move to play: a killer that is proved, a book, a table, or a search that prefers moves that set traps."""

import logging
import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.polyglot
import chess.syzygy

from bot.moves.engines import Searcher
from bot.moves.trap_book import Armed, TrapBook, TrapSet
from trapcore.parallel.budget import Cancellation
from trapcore.proof.search import win_chance

log = logging.getLogger(__name__)

SCOUTING = 0.25
"""Share of the time that looking for traps may take, of which mostly next to none is used."""

BEST = 0.6
"""Share of the time for the best move if there are traps to weigh against it; they share the rest."""

WEIGHED = 3
"""Most traps that are searched for one move."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A move and why."""

    uci: str
    why: str
    """``killer``, ``only``, ``book``, ``table``, ``search`` or ``trap``."""
    value: int | None = None
    """Centipawns for us, if it was searched."""
    trap: TrapSet | None = None


class Openings:
    """Polyglot books; the first that knows the position counts."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Raises `OSError` for a book that cannot be opened."""
        self._books = [chess.polyglot.MemoryMappedReader(path) for path in paths]

    def moves(self, board: chess.Board) -> dict[chess.Move, int]:
        """The moves of the book and their weights."""
        for book in self._books:
            found = {entry.move: entry.weight for entry in book.find_all(board) if entry.weight > 0}
            if found:
                return found
        return {}


class Tables:
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
        """A move that keeps the result and makes progress; None where the tables do not reach."""
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
            # Winning: to the next capture or pawn move soon; losing: late.
            progress = -abs(dtz) if wdl > 0 else abs(dtz)
            ranked.append((wdl, zeroing if wdl > 0 else False, progress, board.uci(move)))
        return max(ranked)[-1]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What all games share."""

    openings: Openings
    tables: Tables
    trap_loss: float


def known(
    board: chess.Board, knowledge: Knowledge, book: TrapBook | None, armed: Armed, rating: int | None = None
) -> Choice | None:
    """A move that needs no thinking, if there is one; ``board`` has the moves of the game and is not over.

    ``rating`` is the opponent's; how likely baits are taken is weighed by it.
    """
    if book is not None:
        killer = book.killer(board, armed)
        if killer is not None:
            return Choice(killer, "killer")
    legal = list(board.legal_moves)
    if len(legal) == 1:
        return Choice(board.uci(legal[0]), "only")
    if weights := knowledge.openings.moves(board):
        # All of them are good enough, so a trap of the library among them is preferred without a search.
        if book is not None and knowledge.trap_loss > 0:
            for trap in book.set_by(board, weights, 0, rating):
                return Choice(trap.move, "book", trap=trap)
        (move,) = random.choices(list(weights), list(weights.values()))
        return Choice(board.uci(move), "book")
    if (found := knowledge.tables.move(board)) is not None:
        return Choice(found, "table")
    return None


def choose(
    board: chess.Board,
    milliseconds: int,
    knowledge: Knowledge,
    book: TrapBook | None,
    searcher: Searcher,
    stop: Cancellation,
    rating: int | None = None,
) -> Choice:
    """The move that thinking finds, within about ``milliseconds``, against an opponent of this rating."""
    legal = list(board.legal_moves)
    traps = _traps(board, legal, milliseconds, book, knowledge.trap_loss, rating)
    if not traps:
        best = searcher.search(board, milliseconds, stop)
        return Choice(best.uci, "search", best.value)
    best = searcher.search(board, int(BEST * milliseconds), stop)
    return _weighed(board, best.uci, best.value, traps, int((1 - BEST) * milliseconds), knowledge, searcher, stop)


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
    return book.set_by(board, legal, max(20, int(SCOUTING * milliseconds)), rating)[:WEIGHED]


def _weighed(
    board: chess.Board,
    uci: str,
    value: int,
    traps: Sequence[TrapSet],
    milliseconds: int,
    knowledge: Knowledge,
    searcher: Searcher,
    stop: Cancellation,
) -> Choice:
    """The best move, or a trap that costs no more than the settings allow and less than it can be hoped to bring."""
    best = Choice(uci, "search", value, next((trap for trap in traps if trap.move == uci), None))
    best_hope = 0.0 if best.trap is None else best.trap.gain * best.trap.taken
    for trap in traps:
        if trap.move == uci:
            continue
        after = board.copy()
        after.push_uci(trap.move)
        answer = searcher.search(after, milliseconds // len(traps), stop)
        worth = -answer.value
        loss = win_chance(value) - win_chance(worth)
        hope = trap.gain * trap.taken - max(0.0, loss)
        if loss <= knowledge.trap_loss and hope > best_hope:
            best, best_hope = Choice(trap.move, "trap", worth, trap), hope
    return best


def any_move(board: chess.Board) -> str:
    """Some legal move, when everything else failed."""
    return board.uci(random.choice(list(board.legal_moves)))
