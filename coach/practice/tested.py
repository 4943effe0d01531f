"""What the search says of the moves that exercises are about: each is tested once, and the library keeps what was said.

A test takes a good part of a second. It depends on nothing but the position and the move, so that one cache serves all
threads of a program; what is in the library serves the next one.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from cachetools import LRUCache, cached

from coach.practice.exercise import Exercise, Task
from coach.practice.judge import DECOY_TEST, KILLER_TEST, TEST, check_decoy, check_killer, check_move
from db.library.library import Library
from db.storage.practice_rows import MoveTest, Place, move_tests, store_move_tests
from trapcore import _native
from trapcore.errors import LibraryError, PositionError

AT_ONCE = 8
"""Moves that are searched before what was found is stored: a few seconds of work."""

MOST_AHEAD = 2
"""How far twice the decoys may be ahead of the killers. Of the killers only some are confirmed."""

_Key = tuple[str, Place]
"""The test, by its digest, and what it tested."""

_cache: LRUCache[_Key, MoveTest] = LRUCache(1 << 15)
_lock = threading.Lock()


def is_confirmed(exercise: Exercise) -> bool:
    """Whether the exercise has one right answer by the search: one safe move, and a bait that clearly loses; one move
    that wins; or in a decoy none.

    The punishment of the player's own move is asked only if the safe move in its place is not: nothing is asked twice.
    """
    if exercise.is_decoy and exercise.best:
        return True
    *safe, own = _keys(exercise)
    return not any(_tested(*key).is_confirmed for key in safe) and _tested(*own).is_confirmed


def right_move(exercise: Exercise) -> str | None:
    """A right move (UCI): the killer, else the best by the search, also in a decoy; None if the search found none."""
    if exercise.is_decoy:
        return exercise.best or _tested(*_keys(exercise)[-1]).best
    return exercise.line[0] if exercise.task is Task.KILLER else _tested(*_keys(exercise)[-1]).best


def recall(library: Library, exercises: Iterable[Exercise]) -> None:
    """Take from the library what it has of these exercises and this program does not know. What cannot be read is
    searched anew, as what is missing is."""
    unknown = {key for each in untested(exercises) for key in _keys(each)}
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
        return [each for each in exercises if any(key not in _cache for key in _keys(each))]


def keep(library: Library, exercises: Sequence[Exercise]) -> None:
    """Store what is known of these exercises in the library, which is open for writing. Raises `LibraryError` and
    `LibraryBusyError`."""
    with _lock:
        keys = {key for each in exercises for key in _keys(each)}
        known = {key: _cache[key] for key in keys if key in _cache}
    if not known:
        return
    with library.database.write() as connection:
        for by in sorted({by for by, _ in known}):
            store_move_tests(connection, by, {place: test for (each, place), test in known.items() if each == by})


def in_turn_confirmed(exercises: Iterable[Exercise], ahead: int = 0) -> Iterator[Exercise]:
    """The exercises that are confirmed, with one decoy for two killers (see `MOST_AHEAD`). ``ahead``: how far twice the
    decoys are ahead of the killers so far."""
    for each in exercises:
        if (each.is_decoy and ahead >= MOST_AHEAD) or not is_confirmed(each):
            continue
        ahead += 2 if each.is_decoy else -1 if each.task is Task.KILLER else 0
        yield each


def search_all(
    library: Library, exercises: Iterable[Exercise], open_for_writing: Callable[[], Library], most: int
) -> list[Exercise]:
    """The first confirmed exercises, ``most`` at most. What had to be searched is stored as far as the library can be
    written."""
    every, part = tuple(exercises), list[Exercise]()
    recall(library, every)

    def store() -> None:
        with suppress(LibraryError), open_for_writing() as writing:
            keep(writing, part)
        part.clear()

    def one_by_one() -> Iterator[Exercise]:
        for each in every:
            part.extend(untested([each]))
            yield each
            if len(part) >= AT_ONCE:
                store()

    found = list(islice(in_turn_confirmed(one_by_one()), most))
    if part:
        store()
    return found


def _keys(exercise: Exercise) -> list[_Key]:
    """The tests that it needs, its own last; none if it is known without a search."""
    place = exercise.epd, exercise.line[0]
    if exercise.is_decoy:
        return [] if exercise.best else [(DECOY_TEST, place)]
    if exercise.task is Task.SAFE:
        return [(TEST, place)]
    own = [(KILLER_TEST, place)]
    return [(TEST, (exercise.before, exercise.played_before)), *own] if exercise.is_turned else own


@cached(_cache, key=lambda by, place: (by, place), lock=_lock)
def _tested(by: str, place: Place) -> MoveTest:
    check = {TEST: check_move, DECOY_TEST: check_decoy, KILLER_TEST: check_killer}[by]
    return check(*place)


def _is_possible(place: Place, test: MoveTest) -> bool:
    """Whether the best move can be played: the library may be from anybody."""
    try:
        return test.best is None or (test.best != place[1] and bool(_native.sans(place[0], [test.best])))
    except PositionError:
        return False
