"""Cache of the indexes of an open library, each opened once for each state of its traps and weights."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from db.library.library import Library
from db.similarity.annotator_index import Screen, WeightsSource, screen_of, weights_in_use
from db.similarity.killer_index import KillerIndex, open_killer_index
from db.similarity.nearest_traps import PositionIndex
from db.storage.tables import WeightsRow
from db.storage.trap_rows import read_traps, traps_state
from db.traps.trap import Trap
from trapcore.ranking.weights import Weights

_FITTED = select(WeightsRow.fitted)
_State = tuple[str, str]


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """Weights in use and the index of the killers by them."""

    weights: Weights
    source: WeightsSource
    killers: KillerIndex


class IndexCache:
    """The one owner of the indexes of an open library; any number of threads may ask.

    What is asked for is opened when it is first needed, and again once the traps or the weights are others or the files
    of the index were changed by somebody. Every method raises `LibraryError` as `open_killer_index` does.
    """

    def __init__(self, library: Library, log: Callable[[str], None] | None = None) -> None:
        """Take an open library; ``log`` is given a few words if something has to be built."""
        self._library = library
        self._log = log if log is not None else _silent
        self._lock = threading.Lock()
        self._killers: tuple[_State, OpenIndex] | None = None
        self._positions: PositionIndex | None = None
        self._annotator: tuple[_State, list[Trap], Screen] | None = None

    def killers(self, connection: Connection | None = None) -> OpenIndex:
        """The killers as they are now, or as ``connection`` sees them."""
        state = self._state(connection)
        with self._lock:
            if self._killers is None or self._killers[0] != state or not self._killers[1].killers.is_in_place:
                weights, source = weights_in_use(self._library)
                opened = open_killer_index(self._library, weights, self._log)
                if self._killers is not None:
                    self._killers[1].killers.close()  # a caller that still asks the old one can
                self._killers = (state, OpenIndex(weights, source, opened))
            return self._killers[1]

    def positions(self, connection: Connection) -> PositionIndex:
        """The positions of the traps as ``connection`` sees them."""
        with self._lock:
            if self._positions is None or self._positions.state != traps_state(connection):
                self._positions = PositionIndex(connection)
            return self._positions

    def annotator(self) -> tuple[list[Trap], Screen]:
        """All traps, and what the annotator finds them by; both as they are now."""
        with self._library.database.read() as connection:
            state = self._state(connection)
            with self._lock:
                if self._annotator is not None and self._annotator[0] == state:
                    return self._annotator[1:]
            index = self.killers(connection)
            found = (state, read_traps(connection), screen_of(connection, index.weights, index.killers.index))
        with self._lock:
            self._annotator = found
        return found[1:]

    def close(self) -> None:
        """Let go of what was opened, and delete what was built for this use only; the library stays open."""
        with self._lock:
            if self._killers is not None:
                self._killers[1].killers.close()
            self._killers = self._positions = self._annotator = None

    def _state(self, connection: Connection | None) -> _State:
        if connection is None:
            with self._library.database.read() as reading:
                return self._state(reading)
        return traps_state(connection), str(connection.scalar(_FITTED))


def _silent(_: str) -> None:
    """Log nothing."""
