"""Figures of a group: what each pupil has answered, what he loses to, and what several of them lose to."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coach.group.assignment import assigned_exercises
from coach.group.group import Group, Member
from coach.practice.exercise import Exercise
from coach.practice.progress import Answers, answers_to
from coach.report.reasons import NO_REASON, reason_of
from db.games.losing_moves import LostMove, lost_moves
from db.games.trap_occurrences import games_of_player
from db.library.library import Library
from db.patterns.keys import Pattern
from db.patterns.recurring import LEAST_GAMES, grouped, spans_games

LEAST_PUPILS = 2
"""Pupils who share a weakness at least."""

SHOWN = 4
"""Weaknesses that are reported, so that all fits on a page or two."""

REASONS_SHOWN = 3
"""Most reasons of losing moves that are named of a pupil."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pupil:
    """How a pupil stands."""

    member: Member
    games: int
    """Of him in the library; 0 also for a player whose games are not there any more."""
    judged: int
    """Of these that were searched for losing moves."""
    losing_moves: int
    reasons: tuple[tuple[str, int], ...]
    """Of `coach.report.reasons.REASONS`, the commonest first, with their losing moves."""
    answers: tuple[Answers, ...]
    """To each assigned exercise."""

    @property
    def solved(self) -> int:
        """Assigned exercises that he solved."""
        return sum(each.solved is not None for each in self.answers)

    def to_dict(self, exercises: Sequence[Exercise]) -> dict[str, Any]:
        """JSON form."""
        return {
            "player": self.member.key,
            "name": self.member.name,
            "games": self.games,
            "searched": self.judged,
            "losing_moves": self.losing_moves,
            "reasons": dict(self.reasons),
            "solved": self.solved,
            "answers": [
                {
                    "exercise": exercise.id,
                    "tries": each.tries,
                    "solved": None if each.solved is None else each.solved.isoformat(),
                    "last": None if each.last is None else each.last.isoformat(),
                    "at_once": each.is_at_once,
                }
                for exercise, each in zip(exercises, self.answers, strict=True)
            ],
        }


@dataclass(frozen=True, slots=True)
class CommonWeakness:
    """A pattern that several pupils lose to."""

    pattern: Pattern
    moves: tuple[LostMove, ...]
    """Their losing moves, the costliest first; none is in another weakness of the group."""
    by_pupil: tuple[tuple[str, int], ...]
    """Names with their losing moves, those with most first."""

    @property
    def games(self) -> int:
        """Games in which it happened."""
        return len({move.game.id for move in self.moves})

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "key": self.pattern.key,
            "name": self.pattern.name(colour=self.moves[0].colour),
            "losing_moves": len(self.moves),
            "games": self.games,
            "pupils": dict(self.by_pupil),
            "sample": {"game": self.moves[0].game.id, "ply": self.moves[0].move.ply, "epd": self.moves[0].epd},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReport:
    """How a group stands."""

    group: Group
    exercises: tuple[Exercise, ...]
    pupils: tuple[Pupil, ...]
    judged: int
    """Games of the pupils that were searched, each once."""
    weaknesses: tuple[CommonWeakness, ...]
    """What most pupils share first, then what costs most; none with fewer than `LEAST_GAMES` games."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form of all figures."""
        return {
            "group": self.group.name,
            "slug": self.group.slug,
            "assigned": self.group.assigned,
            "about": self.group.about,
            "exercises": [
                {"id": each.id, "task": str(each.task), "epd": each.epd, "line": each.line, "themes": each.themes}
                for each in self.exercises
            ],
            "pupils": [each.to_dict(self.exercises) for each in self.pupils],
            "left": {each.name: each.left for each in self.group.gone},
            "searched": self.judged,
            "weaknesses": [each.to_dict() for each in self.weaknesses],
        }


def group_report(library: Library, group: Group) -> GroupReport:
    """How a group stands. Raises `LibraryError`."""
    exercises = assigned_exercises(library, group)
    pupils, moves, judged = list[Pupil](), dict[str, list[LostMove]](), set[int]()
    for member in group.pupils:
        games = games_of_player(library, member.player)
        every, searched = lost_moves(library, games)
        own = moves[member.key] = [move for move in every if move.is_players]
        judged.update(number for number, row in games.rows.items() if row.judged_by is not None)
        reasons = Counter(reason for move in own if (reason := reason_of(move)) != NO_REASON)
        pupils.append(
            Pupil(
                member=member,
                games=len(games.rows),
                judged=searched,
                losing_moves=len(own),
                reasons=tuple(sorted(reasons.items(), key=lambda each: (-each[1], each[0]))[:REASONS_SHOWN]),
                answers=answers_to(library, member.player, exercises),
            )
        )
    names = {member.key: member.name for member in group.pupils}
    return GroupReport(
        group=group,
        exercises=exercises,
        pupils=tuple(pupils),
        judged=len(judged),
        weaknesses=tuple(common_weaknesses(moves, names)[:SHOWN]) if len(judged) >= LEAST_GAMES else (),
    )


def common_weaknesses(moves: Mapping[str, Iterable[LostMove]], names: Mapping[str, str]) -> list[CommonWeakness]:
    """The patterns of these losing moves, by pupil, in which `LEAST_PUPILS` pupils lose or more; ``names`` of pupils.

    Each losing move counts in the closest pattern that the pupils share. What most pupils share comes first, then what
    costs most.
    """
    # Somebody may be in the group twice, by his name and by his account.
    every = {(move.game.id, move.move.ply): (key, move) for key, own in moves.items() for move in own}

    def pupils_of(part: Iterable[LostMove]) -> Counter[str]:
        return Counter(every[move.game.id, move.move.ply][0] for move in part)

    parts = grouped(
        (move for _, move in every.values()),
        lambda part: spans_games(part) and len(pupils_of(part)) >= LEAST_PUPILS,
    )
    found = []
    for pattern, part in parts.items():
        counts = sorted(pupils_of(part).items(), key=lambda each: (-each[1], names[each[0]]))
        part.sort(key=lambda move: (-move.expected_cost, move.game.date, move.game.id, move.move.ply))
        found.append(CommonWeakness(pattern, tuple(part), tuple((names[key], count) for key, count in counts)))

    def rank(each: CommonWeakness) -> tuple[int, float, str]:
        return -len(each.by_pupil), -sum(move.expected_cost for move in each.moves), each.pattern.key

    return sorted(found, key=rank)
