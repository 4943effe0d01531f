"""What the search says of the moves that exercises are about: each is tested once, and the library keeps what was said.

A test takes a good part of a second. It depends on nothing but the position and the move, so that one cache serves all
threads of a program; what is in the library serves the next one.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from cachetools import LRUCache

from coach.practice.exercise import Exercise, Origin, Task
from coach.practice.judge import TEST, check_move
from db.library.library import Library
from db.storage.practice_rows import MoveTest, Place, move_tests, store_move_tests
from trapcore import _native
from trapcore.errors import LibraryError, PositionError

AT_ONCE = 8
"""Moves that are searched before what was found is stored: a few seconds of work."""

_cache: LRUCache[Place, MoveTest] = LRUCache(4096)
_stored: LRUCache[tuple[str, Place], bool] = LRUCache(4096)
"""What is known to be in the library of this name."""
_lock = threading.Lock()


def is_confirmed(exercise: Exercise) -> bool:
    """Whether the search sees the reported loss of a game as clearly as it has to see any other, in a position that
    another move would have held.

    That was found with fewer nodes, and some of it does not stand. Traps are proved already.
    """
    return exercise.origin is not Origin.LOST or _tested(exercise).is_confirmed


def right_move(exercise: Exercise) -> str | None:
    """A right move (UCI): the killer, else the best by the search; None if the search found none."""
    return exercise.line[0] if exercise.task is Task.KILLER else _tested(exercise).best


def recall(library: Library, exercises: Iterable[Exercise]) -> None:
    """Take from the library what it has of these exercises and this program does not know. What cannot be read is
    searched anew, as what is missing is."""
    unknown = {_place(each) for each in untested(exercises)}
    if not unknown:
        return
    found: dict[Place, MoveTest] = {}
    with suppress(LibraryError), library.database.read() as connection:
        found = move_tests(connection, TEST, {epd for epd, _ in unknown})
    with _lock:
        for place in unknown & found.keys():
            if _is_possible(place, found[place]):
                _cache[place] = found[place]
                _stored[library.name, place] = True


def untested(exercises: Iterable[Exercise]) -> list[Exercise]:
    """Those of which something has to be searched before they can be asked and answered."""
    with _lock:
        return [each for each in exercises if each.task is Task.SAFE and _place(each) not in _cache]


def keep(library: Library, exercises: Sequence[Exercise]) -> None:
    """Store what is known of these exercises and not in the library, which is open for writing. Raises `LibraryError`
    and `LibraryBusyError`."""
    with _lock:
        places = {_place(each) for each in exercises if each.task is Task.SAFE}
        new = {place: _cache[place] for place in places if place in _cache and (library.name, place) not in _stored}
    if not new:
        return
    with library.database.write() as connection:
        store_move_tests(connection, TEST, new)
    with _lock:
        for place in new:
            _stored[library.name, place] = True


def search_all(library: Library, exercises: Sequence[Exercise], open_for_writing: Callable[[], Library]) -> None:
    """Search the right moves that neither this program nor the library knows, and store them as far as it can be
    written."""
    recall(library, exercises)
    new = untested(exercises)
    for start in range(0, len(new), AT_ONCE):
        part = new[start : start + AT_ONCE]
        for exercise in part:
            right_move(exercise)
        with suppress(LibraryError), open_for_writing() as writing:
            keep(writing, part)


def _tested(exercise: Exercise) -> MoveTest:
    place = _place(exercise)
    with _lock:
        known = _cache.get(place)
    if known is None:
        known = check_move(*place)
        with _lock:
            _cache[place] = known
    return known


def _place(exercise: Exercise) -> Place:
    return exercise.epd, exercise.line[0]


def _is_possible(place: Place, test: MoveTest) -> bool:
    """Whether the best move can be played: the library may be from anybody."""
    try:
        return test.best is None or (test.best != place[1] and bool(_native.sans(place[0], [test.best])))
    except PositionError:
        return False
