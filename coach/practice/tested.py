"""What the search says of the moves that exercises are about: each is tested once, and the library keeps what was said.

A test takes a good part of a second. It depends on nothing but the position and the move, so that one cache serves all
threads of a program; what is in the library serves the next one.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from cachetools import LRUCache, cached

from coach.practice.exercise import Exercise, Origin, Task
from coach.practice.judge import DECOY_TEST, TEST, check_decoy, check_move
from db.library.library import Library
from db.storage.practice_rows import MoveTest, Place, move_tests, store_move_tests
from trapcore import _native
from trapcore.errors import LibraryError, PositionError

AT_ONCE = 8
"""Moves that are searched before what was found is stored: a few seconds of work."""

_Key = tuple[str, Place]
"""The test, by its digest, and what it tested."""

_cache: LRUCache[_Key, MoveTest] = LRUCache(4096)
_lock = threading.Lock()


def is_confirmed(exercise: Exercise) -> bool:
    """Whether the search sees the reported loss of a game as clearly as it has to see any other, in a position that
    another move would have held.

    That was found with fewer nodes, and some of it does not stand. Of a decoy it says whether the killer fails. Traps,
    and what comes with trapline, are proved already.
    """
    if exercise.is_decoy:
        return bool(exercise.best) or _tested(exercise).is_confirmed
    return exercise.origin is not Origin.LOST or _tested(exercise).is_confirmed


def right_move(exercise: Exercise) -> str | None:
    """A right move (UCI): the killer, else the best by the search, also in a decoy; None if the search found none."""
    if exercise.is_decoy:
        return exercise.best or _tested(exercise).best
    return exercise.line[0] if exercise.task is Task.KILLER else _tested(exercise).best


def recall(library: Library, exercises: Iterable[Exercise]) -> None:
    """Take from the library what it has of these exercises and this program does not know. What cannot be read is
    searched anew, as what is missing is."""
    unknown = {_key(each) for each in untested(exercises)}
    if not unknown:
        return
    found: dict[_Key, MoveTest] = {}
    with suppress(LibraryError), library.database.read() as connection:
        for by in sorted({by for by, _ in unknown}):
            tests = move_tests(connection, by, {epd for each, (epd, _) in unknown if each == by})
            found |= {(by, place): test for place, test in tests.items()}
    with _lock:
        for key in unknown & found.keys():
            if _is_possible(key[1], found[key]):
                _cache[key] = found[key]


def untested(exercises: Iterable[Exercise]) -> list[Exercise]:
    """Those of which something has to be searched before they can be asked and answered."""
    with _lock:
        return [each for each in exercises if _is_searched(each) and _key(each) not in _cache]


def keep(library: Library, exercises: Sequence[Exercise]) -> None:
    """Store what is known of these exercises in the library, which is open for writing. Raises `LibraryError` and
    `LibraryBusyError`."""
    with _lock:
        keys = {_key(each) for each in exercises if _is_searched(each)}
        known = {key: _cache[key] for key in keys if key in _cache}
    if not known:
        return
    with library.database.write() as connection:
        for by in sorted({by for by, _ in known}):
            store_move_tests(connection, by, {place: test for (each, place), test in known.items() if each == by})


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


def _is_searched(exercise: Exercise) -> bool:
    """Whether something about it is known only by a search."""
    return exercise.task is Task.SAFE or (exercise.is_decoy and not exercise.best)


def _key(exercise: Exercise) -> _Key:
    return DECOY_TEST if exercise.is_decoy else TEST, (exercise.epd, exercise.line[0])


@cached(_cache, key=_key, lock=_lock)
def _tested(exercise: Exercise) -> MoveTest:
    return (check_decoy if exercise.is_decoy else check_move)(exercise.epd, exercise.line[0])


def _is_possible(place: Place, test: MoveTest) -> bool:
    """Whether the best move can be played: the library may be from anybody."""
    try:
        return test.best is None or (test.best != place[1] and bool(_native.sans(place[0], [test.best])))
    except PositionError:
        return False
