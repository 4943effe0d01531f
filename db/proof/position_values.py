"""Values of positions for the pages: those that the library has, and those that somebody asked for."""

import threading
from collections.abc import Callable, Iterable

from cachetools import LRUCache

from db.library.library import Library
from db.storage.value_rows import store_values, stored_values
from db.traps.position_value import PositionValue, Values, deepest
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine, uci_line
from trapcore.errors import LibraryError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import search
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import win_chance

NODES = 1_000
"""Nodes of the search of a position that has no value yet; a game takes half a second."""

BEST_NODES = 200_000
"""Nodes of our own search for a best move that is asked for."""

_MOST = 50_000  # values in memory


class PositionValues:
    """Values by EPD: those of the library, by which comments and reports were written, and others in memory."""

    def __init__(
        self, library: Library, open_for_writing: Callable[[], Library], engine: str | None, engine_nodes: int
    ) -> None:
        """Values of an open library, which ``open_for_writing`` opens once more to store what an engine knows better.

        ``engine`` is a UCI engine that is asked for best moves, None for our search.
        """
        self._library, self._open_for_writing = library, open_for_writing
        self._engine, self._engine_nodes = engine, engine_nodes
        self._searched: LRUCache[str, PositionValue] = LRUCache(_MOST)
        self._stated: LRUCache[str, PositionValue] = LRUCache(_MOST)
        self._lock = threading.Lock()

    def note(self, values: Values) -> None:
        """Note that comments were written by these values: no search of ours that somebody asks for replaces them."""
        with self._lock:
            self._stated.update(values)

    def known(self, epds: Iterable[str]) -> dict[str, PositionValue]:
        """The value of each of these positions that has one. Raises `LibraryError`."""
        epds = set(epds)
        with self._lock:
            searched = {epd: value for epd in epds if (value := self._searched.get(epd)) is not None}
        return {**searched, **self.stated(epds)}

    def stated(self, epds: Iterable[str]) -> dict[str, PositionValue]:
        """The value of each of these positions that something was written by. Raises `LibraryError`."""
        epds = set(epds)
        with self._lock:
            stated = {epd: value for epd in epds if (value := self._stated.get(epd)) is not None}
        with self._library.database.read() as connection:
            return {**stated, **stored_values(connection, epds)}

    def of(self, epds: Iterable[str], stop: Cancellation, nodes: int = NODES) -> dict[str, PositionValue]:
        """The value of each of these positions, by a search with so many nodes where there is none as good.

        Raises `LibraryError`.
        """
        epds = set(epds)
        found = self.known(epds)
        shallow = {epd for epd in epds if epd not in found or found[epd].effort < nodes}
        return found | self.keep({epd: _searched(epd, nodes, stop) for epd in shallow}, stop)

    def best(self, epd: str, stop: Cancellation) -> PositionValue:
        """The value of a position with its best move, by the engine, else by our own search.

        Raises ``EngineError`` and `LibraryError`.
        """
        command, nodes = self._engine, self._engine_nodes
        stated = self.stated([epd]).get(epd)
        is_deep = stated is not None and stated.effort > _native.LOOK_NODES and stated.line
        if stated is not None and is_deep and (command is None or stated.is_engines):
            return stated
        with self._lock:
            known = stated if stated is not None else self._searched.get(epd)
        if known is not None and known.effort >= (BEST_NODES if command is None else _native.ENGINE + nodes):
            return known
        found = _searched(epd, BEST_NODES, stop) if command is None else _by_engine(command, epd, nodes)
        return self.keep({epd: found}, stop)[epd]

    def keep(self, found: Values, stop: Cancellation | None = None) -> dict[str, PositionValue]:
        """The values that these positions have now: what something was written by, except where an engine knows better
        or that was the first look at a game, else the deepest, which is kept unless ``stop`` cut the searches short.
        Raises `LibraryError`.
        """
        stated = self.stated(found)
        is_cut = stop is not None and stop.is_cancelled
        better = {epd: found[epd] for epd, known in stated.items() if not is_cut and _replaces(found[epd], known)}
        if better:
            try:
                with self._open_for_writing() as library, library.database.write() as connection:
                    store_values(connection, better)
            except LibraryError:  # nobody may write here: what the comments say stays
                better = {}
        others: Values = {epd: value for epd, value in found.items() if epd not in stated}
        with self._lock:
            known = {epd: value for epd in others if (value := self._searched.get(epd)) is not None}
            others = deepest((known, others))
            if not is_cut:
                self._searched.update(others)
        return {**others, **stated, **better}


def _replaces(found: PositionValue, stated: PositionValue) -> bool:
    """Whether a value takes the place of what something was written by."""
    if stated.effort <= _native.LOOK_NODES:
        return found.effort > stated.effort
    return found.is_engines and not stated.is_engines


def _searched(epd: str, nodes: int, stop: Cancellation) -> PositionValue:
    result = search(epd, Budget(nodes=nodes), stop)
    return PositionValue(win_chance(result.value), nodes, result.line, _native.TESTER_VERSION)


def _by_engine(command: str, epd: str, nodes: int) -> PositionValue:
    with UciEngine(command) as engine:
        board = parse_position(epd)
        said = engine.evaluate(board, nodes, line=True)
        return PositionValue.of_engine(said.chance, nodes, uci_line(board, said.line), engine.name)
