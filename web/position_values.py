"""Values of positions for the pages: those that the library has, and those that were asked for, of which the deepest
counts."""

import threading
from collections.abc import Iterable, Sequence

import chess
from cachetools import LRUCache

from db.library.library import Library
from db.proof.uci_engine import UciEngine
from db.storage.value_rows import store_values, stored_values
from db.traps.position_value import ENGINE, PositionValue, deepest
from trapcore import _native
from trapcore.errors import LibraryError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import search, win_chance
from trapcore.trees.chess_game import parse_position
from web.settings import WebOptions

NODES = 1_000
"""Nodes of the search of a position that has no value yet; a game takes half a second."""

BEST_NODES = 200_000
"""Nodes of our own search for a best move that is asked for."""

_MOST = 50_000  # values in memory


class PositionValues:
    """Values by EPD. A value that is asked for goes into the library if that has one of the position, so that reports
    read it too; others are in memory."""

    def __init__(self, library: Library, settings: WebOptions) -> None:
        self._library, self._settings = library, settings
        self._searched: LRUCache[str, PositionValue] = LRUCache(_MOST)
        self._lock = threading.Lock()

    def known(self, epds: Iterable[str]) -> dict[str, PositionValue]:
        """The deepest value of each of these positions that has one. Raises `LibraryError`."""
        epds = set(epds)
        stored = self._stored(epds)
        with self._lock:
            searched = {epd: value for epd in epds if (value := self._searched.get(epd)) is not None}
        return deepest((stored, searched))

    def of(self, epds: Sequence[str], stop: Cancellation) -> dict[str, PositionValue]:
        """The value of each of these positions, by a short search where there is none. Raises `LibraryError`."""
        found = self.known(epds)
        for epd in epds:
            if epd not in found:
                found[epd] = self.keep(epd, _searched(epd, NODES, stop))
        return found

    def best(self, epd: str, stop: Cancellation) -> PositionValue:
        """The value of a position with its best move, by the engine of the settings, else by our own search.

        Raises ``EngineError`` and `LibraryError`.
        """
        command, nodes = self._settings.engine_command, self._settings.engine_nodes
        stored = self._stored([epd]).get(epd)
        with self._lock:
            searched = self._searched.get(epd)
        if stored is not None and stored.line and (command is None or stored.effort >= ENGINE):
            # Comments and reports were written by it.
            return stored
        if searched is not None and searched.effort >= (BEST_NODES if command is None else ENGINE + nodes):
            return searched
        found = _searched(epd, BEST_NODES, stop) if command is None else _asked(command, epd, nodes)
        return found if stop.is_cancelled else self.keep(epd, found)

    def keep(self, epd: str, found: PositionValue) -> PositionValue:
        """The deeper one of this value and of what is known of the position, which is kept. Raises `LibraryError`."""
        stored = self._stored([epd]).get(epd)
        if stored is not None:
            if found.effort <= stored.effort:
                return stored
            try:
                with self._library.database.write() as connection:
                    store_values(connection, {epd: found})
            except LibraryError:
                # Nobody may write now: what the reports say stays the value of the position.
                return stored
            return found
        with self._lock:
            known = self._searched.get(epd)
            if known is None or found.effort > known.effort:
                self._searched[epd] = known = found
            return known

    def _stored(self, epds: Iterable[str]) -> dict[str, PositionValue]:
        with self._library.database.read() as connection:
            return stored_values(connection, epds)


def _searched(epd: str, nodes: int, stop: Cancellation) -> PositionValue:
    result = search(epd, Budget(nodes=nodes), stop)
    return PositionValue(win_chance(result.value), nodes, result.line, _native.TESTER_VERSION)


def _asked(command: str, epd: str, nodes: int) -> PositionValue:
    with UciEngine(command) as engine:
        board = parse_position(epd)
        said = engine.evaluate(board, nodes, line=True)
        return PositionValue.of_engine(said.chance, nodes, _uci(board, said.line), engine.name)


def _uci(board: chess.Board, line: Sequence[chess.Move]) -> tuple[str, ...]:
    found = []
    for move in line:
        found.append(board.uci(move))
        board.push(move)
    return tuple(found)
