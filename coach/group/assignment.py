"""The exercises that are assigned to a group: chosen from its pupils' own mistakes or from a pattern, and practised.

They are exercises as any other: a pupil's answers lie in his practice. An assigned one does not say whose game it is
from.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest
from typing import Any, TypeVar

from sqlalchemy import delete, insert, select, update

from coach.group.group import Group
from coach.practice.collect import Filter, Material, has_choice, material_of
from coach.practice.exercise import Exercise, Origin, Task
from coach.practice.session import Practice, wanted_exercises
from coach.practice.tested import right_move, search_all
from db.games.accounts import SiteAccount
from db.library.library import Library
from db.patterns.keys import Pattern
from db.storage.column_types import stored, time_text
from db.storage.tables import GroupExerciseRow, GroupRow
from trapcore import _native
from trapcore.errors import TraplineError, UsageError

COUNT = 10
"""Exercises that are assigned unless another number is wanted."""

MOST = 100
"""Most exercises of an assignment."""

T = TypeVar("T")


def choose_exercises(
    library: Library,
    group: Group,
    wanted: Filter,
    open_for_writing: Callable[[], Library],
    *,
    count: int = COUNT,
    own_only: bool = False,
) -> list[Exercise]:
    """Exercises for a group, ``count`` at most: each pupil's costliest in turn. Those of a pattern have the losing
    moves with it that come with trapline, too, unless ``own_only``. Each is searched first, which takes up to a second.

    Raises `UsageError` if there are none, with what to do, and `LibraryError`.
    """
    if not 1 <= count <= MOST:
        raise UsageError("an assignment has 1 to {most} exercises", most=MOST)
    if not group.pupils:
        raise UsageError("nobody is in the group {group} yet; add pupils first", group=group.name)
    materials = [material_of(library, pupil.player) for pupil in group.pupils]
    together = Material(
        tuple(_in_turn([each.exercises for each in materials])), tuple(_in_turn([each.decoys for each in materials]))
    )
    every = wanted_exercises(together, wanted, bundled=not own_only)
    found = search_all(library, every, open_for_writing, count)
    if not found:
        raise UsageError(
            "there is nothing to assign to {group}: its pupils have no losing move that makes an exercise; "
            "`trapline index FILE --db {library}` looks for them; or choose a pattern of the report",
            group=group.name,
            library=library.name,
        )
    return [_for_all(exercise) for exercise in found]


def assign(library: Library, group: Group, exercises: Sequence[Exercise], now: datetime, *, about: str = "") -> None:
    """Assign exercises to a group, in place of those before; ``about`` is the key of their pattern, if they have one.

    Raises `LibraryError`.
    """
    rows = [_row(group, place, exercise) for place, exercise in enumerate(exercises, start=1)]
    with library.database.write() as connection:
        connection.execute(delete(GroupExerciseRow).where(GroupExerciseRow.group_id == group.id))
        connection.execute(insert(GroupExerciseRow), rows)
        values = {"assigned": time_text(now), "about": about}
        connection.execute(update(GroupRow).where(GroupRow.id == group.id).values(**values))


def assigned_exercises(library: Library, group: Group) -> tuple[Exercise, ...]:
    """The exercises that are assigned to a group. Those that cannot be played are left out: the library may be from
    anybody. Raises `LibraryError`.
    """
    columns = [getattr(GroupExerciseRow, name) for name in _FIELDS]
    wanted = select(*columns).where(GroupExerciseRow.group_id == group.id).order_by(GroupExerciseRow.place)
    with library.database.read() as connection:
        found = [_exercise(row._mapping) for row in connection.execute(wanted)]
    return tuple(filter(_can_be, found))


def assigned_practice(
    library: Library, group: Group, player: str | SiteAccount, wanted: Filter | None = None
) -> Practice:
    """A player's practice of what is assigned to a group. Raises `UsageError` if nothing is, and `LibraryError`."""
    every = assigned_exercises(library, group)
    if not every:
        raise UsageError("no exercises are assigned to {group} yet", group=group.name)
    exercises = tuple(filter(wanted, every))
    if not exercises:
        raise UsageError(
            "none of the {count:,} exercises is of this kind; leave out a condition, such as the opening or the rating",
            count=len(every),
        )
    return Practice(player, exercises)


_FIELDS = (
    *("epd", "task", "origin", "line", "mate_in", "cost", "themes", "patterns", "opening"),
    *("number", "played_before", "before", "best"),
)
_WORDS = ("line", "themes", "patterns")


def _in_turn(parts: Iterable[Sequence[T]]) -> list[T]:
    return [each for row in zip_longest(*parts) for each in row if each is not None]


def _for_all(exercise: Exercise) -> Exercise:
    """The exercise as everybody of the group gets it."""
    kept = exercise.origin in (Origin.PATTERN, Origin.DECOY)
    best = exercise.best or (right_move(exercise) or "" if exercise.is_decoy else "")
    return replace(
        exercise, origin=exercise.origin if kept else Origin.GROUP, game=None, rating=None, slug="", name="", best=best
    )


def _row(group: Group, place: int, exercise: Exercise) -> dict[str, Any]:
    values = {name: getattr(exercise, name) for name in _FIELDS}
    values |= {name: " ".join(values[name]) for name in _WORDS}
    return {"group_id": group.id, "place": place, **values, "task": str(exercise.task), "origin": str(exercise.origin)}


def _exercise(row: Any) -> Exercise:
    values = dict(row)
    values |= {name: tuple(values[name].split()) for name in _WORDS}
    return Exercise(**{**values, "task": stored(Task, values["task"]), "origin": stored(Origin, values["origin"])})


def _can_be(exercise: Exercise) -> bool:
    if not exercise.line or not exercise.themes or not (exercise.patterns or exercise.origin is Origin.GROUP):
        return False
    if not all(Pattern(key).has_name for key in exercise.patterns):
        return False
    best = [exercise.best] if exercise.best else []
    try:
        _native.sans(exercise.epd, exercise.line)
        _native.sans(exercise.epd, best)
        if exercise.played_before:
            _native.sans(exercise.before, [exercise.played_before])
        return has_choice(exercise)
    except (TraplineError, ValueError):
        return False
