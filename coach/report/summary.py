"""The sentences that a report begins with: what costs most, beside whom, in which opening, with which clock, and since
when.

Counts are facts, each with its sample. That something is more or less is said only if the intervals of 95 % do not
meet. The page of the report, the terminal and the HTML file have the same sentences, from `coach.report.sentences`.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from coach.report.reasons import NO_REASON, REASONS, reason_of
from db.games.clocks import Clocks
from db.games.losing_moves import LostMove
from db.games.phases import OPENING_PLIES
from db.games.trap_occurrences import Games
from db.patterns.circumstances import LITTLE_SECONDS
from db.patterns.recurring import LEAST_GAMES, halves_by_date
from db.traps.openings import opening_of
from db.traps.terms import Side
from trapcore import _native
from trapcore.statistics import CONFIDENCE, deviations, is_above, wilson

RATED_ALIKE = 100
"""Opponents are compared with a player if their ratings differ by no more than this."""

LEADERS = 3
"""Most reasons that may cost most together, where the figures do not tell them apart."""

IN_OPENING = 20
"""Games with an opening and a colour from which on the opening is compared."""

WORST_OPENINGS = 2
"""Openings that are named beside the most played one."""

LEAST_MOVES = 100
"""Made with little time, and with more, so that both are compared."""

HASTY_SECONDS = 3
"""A move is hasty if it took no longer than this with"""
PLENTY_SECONDS = 300
"""so much left, or more."""

Share = tuple[int, int]
"""How many of how many."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The reasons that cost most, the costliest first."""

    reasons: tuple[tuple[str, int], ...]
    """Each with its losing moves."""
    games: int
    points: float
    """A game, of these reasons."""
    in_all: float
    """The same of all losing moves."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Something of the player beside the same of somebody else, or of his other games or moves."""

    name: str
    own: Share
    other: Share

    @property
    def is_worse(self) -> bool:
        """Whether his share is higher beyond doubt."""
        return is_above(self.own, self.other)

    @property
    def is_better(self) -> bool:
        """Whether it is lower beyond doubt."""
        return is_above(self.other, self.own)


@dataclass(frozen=True, slots=True)
class Openings:
    """Games with a losing move in the first ten moves."""

    in_all: Share
    shown: tuple[tuple[str, Side, Share, bool], ...]
    """Name, the player's colour, share, and whether it is more than in his other openings, beyond doubt."""


@dataclass(frozen=True, slots=True)
class Hasty:
    """Losing moves that were played at once with much time left."""

    moves: Share
    """Of the losing moves whose time is known."""
    example: LostMove
    """The costliest."""
    spent: int
    left: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What the sentences say; None where the games do not show it."""

    costs: Costs | None = None
    rated: Beside | None = None
    """Games in which it happened, to him and to opponents rated like him, in the same games."""
    openings: Openings | None = None
    hurried: Beside | None = None
    """Losing moves of the moves made with little time, beside those with more; a difference may be chance."""
    hasty: Hasty | None = None
    trend: Beside | None = None
    """Losing moves of the moves made in the later half of the games, beside the earlier one."""


def summary_of(games: Games, moves: Sequence[LostMove]) -> Summary:
    """The summary of a player's games by their losing moves, his own and his opponents'.

    Empty with fewer than `LEAST_GAMES` games that were searched.
    """
    judged = Games({number: row for number, row in games.rows.items() if row.judged_by is not None}, games.names)
    if len(judged.rows) < LEAST_GAMES:
        return Summary()
    own = [move for move in moves if move.is_players]
    clocks = {number: found for number, row in judged.rows.items() if (found := Clocks.of(row.clocks)) is not None}
    return Summary(
        costs=_costs(own, len(judged.rows)),
        rated=_rated(judged, moves),
        openings=_openings(judged, own),
        hurried=_hurried(judged, own, clocks),
        hasty=_hasty(own, clocks),
        trend=_trend(judged, own),
    )


def _costs(own: Sequence[LostMove], games: int) -> Costs | None:
    """The fewest reasons that cost more than each other one beyond doubt, `LEADERS` at most."""
    points: dict[str, list[float]] = defaultdict(list)
    for move in own:
        points[reason_of(move)].append(move.expected_cost / 2)
    ranked = sorted((name for name in points if name != NO_REASON), key=lambda name: (-sum(points[name]), name))
    for count, name in enumerate(ranked[:LEADERS], start=1):
        after = points[ranked[count]] if count < len(ranked) else []
        # The sum of so many costs, whose number is left to chance, has this error.
        error = math.sqrt(sum(cost**2 for cost in [*points[name], *after]))
        if sum(points[name]) - sum(after) > CONFIDENCE * error:
            leaders = tuple((each, len(points[each])) for each in ranked[:count])
            theirs = sum(sum(points[each]) for each, _ in leaders)
            return Costs(leaders, games, theirs / games, sum(map(sum, points.values())) / games)
    return None


def _rated(games: Games, moves: Sequence[LostMove]) -> Beside | None:
    """What happens to the player more often than to opponents rated like him, else what happens to him less often."""
    alike = {
        number
        for number, row in games.rows.items()
        if row.white_elo and row.black_elo and abs(row.white_elo - row.black_elo) <= RATED_ALIKE
    }
    seen: dict[tuple[str, bool], set[int]] = defaultdict(set)
    for move in moves:
        if move.game.id in alike:
            seen[reason_of(move), move.is_players].add(move.game.id)
            seen["", move.is_players].add(move.game.id)
    z = deviations(len(REASONS))
    worse, better = [], []
    for name in (each for each in REASONS if each != NO_REASON):
        pair = _pair(name, seen, len(alike))
        worse += [pair] if is_above(pair.own, pair.other, z) else []
        better += [pair] if is_above(pair.other, pair.own, z) else []
    every = _pair("", seen, len(alike))
    if worse:
        return max(worse, key=lambda pair: pair.own[0] - pair.other[0])
    if every.is_worse or every.is_better:
        return every
    return max(better, key=lambda pair: pair.other[0] - pair.own[0], default=None)


def _pair(name: str, seen: Mapping[tuple[str, bool], set[int]], games: int) -> Beside:
    return Beside(name, (len(seen[name, True]), games), (len(seen[name, False]), games))


def _openings(games: Games, own: Sequence[LostMove]) -> Openings | None:
    """The openings that are worst at least, and the one that is played most."""
    lines = _native.replay([(row.start_fen, row.moves, _FIRST[: len(row.moves) // 2]) for row in games.rows.values()])
    played: dict[tuple[str, Side], set[int]] = defaultdict(set)
    for number, line in zip(games.rows, lines, strict=True):
        found = opening_of(epd for epd, _ in line)
        if found is not None and games.rows[number].start_fen is None:
            for colour in games.colours(number):
                played[found.family, colour].add(number)
    every = set().union(*played.values())
    lost = every & {move.game.id for move in own if move.phase == "opening"}
    many = {name: numbers for name, numbers in played.items() if len(numbers) >= IN_OPENING}
    if not many:
        return None
    shares = {name: (len(numbers & lost), len(numbers)) for name, numbers in many.items()}
    worst = sorted(shares, key=lambda name: (-wilson(*shares[name])[0], name))[:WORST_OPENINGS]
    most = min(many, key=lambda name: (-len(many[name]), name))
    z = deviations(len(many))
    shown = []
    for name in dict.fromkeys((*worst, most)):
        count, of = shares[name]
        others = (len(lost) - count, len(every) - of)
        shown.append((*name, (count, of), is_above((count, of), others, z)))
    return Openings((len(lost), len(every)), tuple(shown))


def _hurried(games: Games, own: Sequence[LostMove], clocks: Mapping[int, Clocks]) -> Beside | None:
    """Losing moves of the moves that the player made with less than `LITTLE_SECONDS` left, beside the others."""
    made = {True: 0, False: 0}
    for number, found in clocks.items():
        for ply in _own_plies(games, number):
            if (left := found.after(ply)) is not None:
                made[left < LITTLE_SECONDS] += 1
    lost = {True: 0, False: 0}
    for move in own:
        if move.game.id in clocks and (left := clocks[move.game.id].after(move.move.ply)) is not None:
            lost[left < LITTLE_SECONDS] += 1
    pair = Beside("", (lost[True], made[True]), (lost[False], made[False]))
    return pair if min(made.values()) >= LEAST_MOVES else None


def _hasty(own: Sequence[LostMove], clocks: Mapping[int, Clocks]) -> Hasty | None:
    timed = []
    for move in own:
        found = clocks.get(move.game.id)
        spent, left = (None, None) if found is None else (found.spent(move.move.ply), found.after(move.move.ply))
        if spent is not None and left is not None:
            timed.append((move, spent, left))
    hasty = [each for each in timed if each[1] <= HASTY_SECONDS and each[2] >= PLENTY_SECONDS]
    if not hasty:
        return None
    move, spent, left = max(hasty, key=lambda each: each[0].expected_cost)
    return Hasty((len(hasty), len(timed)), move, spent, left)


def _trend(games: Games, own: Sequence[LostMove]) -> Beside | None:
    """Losing moves of the moves made in the later half of the games; ``name`` is the date that it begins with."""
    earlier, later = halves_by_date(games.rows)
    if not later:
        return None

    def share(half: Collection[int]) -> Share:
        made = sum(len(_own_plies(games, number)) for number in half)
        return sum(move.game.id in half for move in own), made

    pair = Beside(min(games.rows[number].date for number in later), share(later), share(earlier))
    return pair if pair.is_worse or pair.is_better else None


def _own_plies(games: Games, number: int) -> list[int]:
    """The plies, from 1, of the player's moves in a game."""
    row, colours = games.rows[number], set(games.colours(number))
    white_begins = row.start_fen is None or row.start_fen.split()[1] == "w"
    first, second = ("white", "black") if white_begins else ("black", "white")
    return [ply for ply in range(1, len(row.moves) // 2 + 1) if (first if ply % 2 else second) in colours]


_FIRST = list(range(OPENING_PLIES + 1))
