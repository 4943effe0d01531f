"""Which decoys come in a practice, and where between the exercises that ask for a killer.

For every two of these there is one decoy of the file at most, and one of the player's own games that is tested when its
turn comes. Each is like one of the two: they share a place, else a mechanism, else a theme. The order is the same every
time, and a digest decides it, so that it is no hint.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, zip_longest

from coach.practice.decoys import Decoy, after_move, bundled_decoys, still_possible
from coach.practice.exercise import Exercise, Origin, Task
from db.games.losing_moves import LostMove
from db.games.losing_themes import themes_of, themes_of_line
from db.patterns.bundled import BundledPattern, bundled_patterns
from db.patterns.keys import Pattern, patterns_of
from trapcore import _native

MOST_OF_PATTERN = 30
"""Losing moves that come with trapline, of one pattern."""


def from_patterns(key: str, own: Iterable[Exercise]) -> list[Exercise]:
    """Killers of the losing moves of a pattern that come with trapline, `MOST_OF_PATTERN` at most: those that share the
    closest patterns with the player's own exercises first. A missed chance has no killer."""
    if Pattern(key).is_missed:
        return []
    known = {each for exercise in own for each in exercise.patterns}
    found = [each for each in bundled_patterns() if any(pattern.key == key for pattern in each.patterns)]
    shared = [[pattern.key in known for pattern in each.patterns] for each in found]
    order = sorted(range(len(found)), key=lambda number: (*(not each for each in shared[number]), number))
    return [_killer(found[number], found[number].bait) for number in order[:MOST_OF_PATTERN]]


def in_turn(exercises: Sequence[Exercise]) -> list[Exercise]:
    """The exercises with those of each task in turn: where a pattern is avoided, and where it is found."""
    tasks = [[each for each in exercises if each.task is task] for task in (Task.SAFE, Task.KILLER)]
    return [each for pair in zip_longest(*tasks) for each in pair if each is not None]


def own_decoys(moves: Iterable[LostMove]) -> Iterator[Exercise]:
    """Positions of the player's games that may be decoys: after the better move in place of a losing one."""
    for lost in moves:
        patterns = [pattern for pattern in patterns_of(lost.move) if pattern.is_idea and not pattern.is_missed]
        if not patterns or not lost.move.killer_line or lost.move.best is None:
            continue
        killer = lost.move.killer_line[0]
        for best, epd in still_possible(lost.epd, lost.uci, killer, [lost.move.best]):
            yield Exercise(
                task=Task.KILLER,
                origin=Origin.DECOY,
                epd=epd,
                line=(killer,),
                mate_in=None,
                cost=0.0,
                themes=themes_of(lost),
                patterns=tuple(pattern.key for pattern in patterns),
                opening=lost.opening,
                rating=lost.other_rating,
                number=lost.number + (lost.colour == "black"),
                played_before=best,
                before=lost.epd,
                game=lost.game,
            )


def with_decoys(exercises: Sequence[Exercise], own: Sequence[Exercise]) -> tuple[Exercise, ...]:
    """The exercises with decoys between those that ask for a killer; ``own`` are those of the player's games."""
    killers = [number for number, each in enumerate(exercises) if each.task is Task.KILLER]
    positions = {each.epd for each in exercises if each.task is Task.KILLER}
    pools = [_Pool(own, positions), _Pool(_bundled(), positions)]
    before: dict[int, list[Exercise]] = defaultdict(list)
    for at in range(0, len(killers), 2):
        pair = killers[at : at + 2]
        for pool in pools:
            decoy = pool.take(exercises[number] for number in pair)
            if decoy is not None:
                places = [*pair, pair[-1] + 1]
                before[places[int(decoy.id, 16) % len(places)]].append(decoy)
    mixed = []
    for number in range(len(exercises) + 1):
        mixed += [*before[number], *exercises[number : number + 1]]
    return tuple(mixed)


class _Pool:
    """Decoys that were not taken yet, by what they share with an exercise."""

    def __init__(self, decoys: Iterable[Exercise], taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._by_key: dict[str, list[Exercise]] = defaultdict(list)
        for each in decoys:
            for key in _keys(each):
                self._by_key[key].append(each)

    def take(self, exercises: Iterable[Exercise]) -> Exercise | None:
        """The decoy that is most like one of the exercises; None if none shares anything with them."""
        for key in chain.from_iterable(zip_longest(*map(_keys, exercises), fillvalue="")):
            left = self._by_key.get(key, [])
            while left:
                decoy = left.pop(0)
                if decoy.epd not in self._taken:
                    self._taken.add(decoy.epd)
                    return decoy
        return None


_THEMES = 3


def _keys(exercise: Exercise) -> list[str]:
    """What it may share with another one, the closest first: place, mechanism, themes. A cause says nothing of how the
    position looks."""
    return [*(key for key in exercise.patterns if ":" in key), *exercise.themes[:_THEMES]]


@cache
def _bundled() -> tuple[Exercise, ...]:
    patterns = {(each.epd, each.bait): each for each in bundled_patterns()}
    return tuple(_decoy(each, patterns[each.before, each.bait]) for each in bundled_decoys())


def _decoy(decoy: Decoy, pattern: BundledPattern) -> Exercise:
    made = _killer(pattern, decoy.played)
    return replace(made, origin=Origin.DECOY, line=decoy.killer_line, mate_in=None, cost=decoy.cost, best=decoy.best)


def _killer(pattern: BundledPattern, played: str) -> Exercise:
    """The killer of a losing move that comes with trapline, as an exercise after a move of that position."""
    return Exercise(
        task=Task.KILLER,
        origin=Origin.PATTERN,
        epd=after_move(pattern.epd, played),
        line=pattern.killer_line,
        mate_in=pattern.mate_in,
        cost=pattern.before - pattern.after if pattern.settled else 0.0,
        themes=_themes(pattern),
        patterns=tuple(each.key for each in pattern.patterns if not each.is_missed),
        opening="",
        played_before=played,
        before=pattern.epd,
    )


def _themes(pattern: BundledPattern) -> tuple[str, ...]:
    after = after_move(pattern.epd, pattern.bait)
    kind = _native.killer_kind(after, pattern.killer_line[0], pattern.mate_in is not None)
    return themes_of_line(pattern.epd, (pattern.bait, *pattern.killer_line), kind)
