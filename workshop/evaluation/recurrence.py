"""Do players repeat themselves? Each mistake of a player, held against his own earlier ones and against others'.

For every mistake of a player with `LEAST_GAMES` games or more, in the order of his games, two questions: is there a
mistake of the same pattern in his own earlier games, and is there one in as many games of other players of his rating,
his opponents among them?
The quotient of the two shares is a likelihood ratio: 1 says that knowing him foretells no more than knowing anybody.
Intervals are of 95 %, by drawing his games again with replacement.
"""

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from sqlalchemy import Connection, select

from db.library.library import Library
from db.patterns.bundled import bundled_patterns
from db.patterns.index import write_index
from db.patterns.keys import Level, Pattern
from db.patterns.peers import white_moved
from db.patterns.recurring import IN_GAMES
from db.storage.tables import GameRow, LosingMoveRow, MistakeRow
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.ranking.weights import VOCABULARY_VERSION
from workshop.report import Report, Table, number

LEAST_GAMES = 100
NEAR = 150
"""Rating points by which others may differ."""
CLOSE = 0.3
"""Similarity from which two mistakes are of one position."""
DRAWS = 2_000
SEED = 7
LEVELS = (*map(str, Level), "position")


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake with its patterns."""

    number: int
    """Of the row in `MistakeRow`."""
    keys: frozenset[str]
    tokens: bytes


@dataclass(frozen=True, slots=True)
class Side:
    """One player's part in a game that was searched."""

    player: str
    rating: int | None
    order: tuple[str, str, bytes]
    """Date, time and digest of the game."""
    faults: tuple[Fault, ...]

    @property
    def draw(self) -> bytes:
        """By which others are drawn, the same in every run."""
        return hashlib.blake2b(self.order[2] + self.player.encode(), digest_size=8).digest()


@dataclass(frozen=True, slots=True)
class Repetition:
    """What came of one player at one level."""

    player: str
    level: str
    rating: int
    games: int
    """That there were as many of others for."""
    mistakes: int
    own: float
    """Share of his mistakes, 0..1, that have one of their pattern in his earlier games,"""
    others: float
    """and in as many games of others."""
    low: float
    """Interval of own / others."""
    high: float

    @property
    def ratio(self) -> float:
        """Likelihood ratio; infinite where others have none."""
        return self.own / self.others if self.others else float("inf")


def sides_of(connection: Connection) -> list[Side]:
    """Both sides of every game that was searched, by date."""
    white = white_moved()
    columns = (MistakeRow.id, MistakeRow.tokens, LosingMoveRow.game_id, LosingMoveRow.causes)
    same = (MistakeRow.game_id == LosingMoveRow.game_id) & (MistakeRow.ply == LosingMoveRow.ply)
    wanted = select(*columns, LosingMoveRow.mechanism, LosingMoveRow.place, white)
    wanted = wanted.join_from(LosingMoveRow, MistakeRow, same).join(GameRow, GameRow.id == LosingMoveRow.game_id)
    faults: dict[tuple[int, bool], list[Fault]] = {}
    for own, tokens, game, causes, mechanism, place, is_white in connection.execute(wanted):
        keys = frozenset(filter(None, ((causes or "").partition(":")[0], mechanism, place)))
        faults.setdefault((game, bool(is_white)), []).append(Fault(own, keys, tokens))
    games = select(GameRow.id, GameRow.white, GameRow.black, GameRow.white_elo, GameRow.black_elo, GameRow.date)
    games = games.add_columns(GameRow.utc_time, GameRow.digest).where(GameRow.judged_by.is_not(None))
    found = []
    for row in connection.execute(games):
        order = (row.date, row.utc_time, row.digest)
        for is_white, player, rating in ((True, row.white, row.white_elo), (False, row.black, row.black_elo)):
            found.append(Side(player, rating, order, tuple(faults.get((row.id, is_white), ()))))
    return sorted(found, key=lambda side: (side.order, side.player))


def repetitions(sides: Sequence[Side], say: Callable[[str], None]) -> Iterator[Repetition]:
    """For every player with enough games, at each level."""
    by_player: dict[str, list[Side]] = {}
    for side in sides:
        by_player.setdefault(side.player, []).append(side)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mistakes"
        write_index(path, [(fault.number, fault.tokens) for side in sides for fault in side.faults])
        index = _native.TokenIndex(path, vocabulary=VOCABULARY_VERSION)
        for player, own in sorted(by_player.items()):
            ratings = [side.rating for side in own if side.rating is not None]
            if len(own) < LEAST_GAMES or not ratings or player in ("", "?"):
                continue
            say(f"{player}: {len(own)} games")
            rating = round(median(ratings))
            others = [side for side in sides if side.player != player and side.rating is not None]
            peers = [side for side in others if abs((side.rating or 0) - rating) <= NEAR]
            peers.sort(key=lambda side: side.draw)
            for level in LEVELS:
                yield _repetition(player, level, rating, own, peers, index)


def _repetition(
    player: str, level: str, rating: int, own: Sequence[Side], peers: Sequence[Side], index: _native.TokenIndex
) -> Repetition:
    hits: list[list[tuple[bool, bool]]] = []
    mine, theirs = _Seen(level, index), _Seen(level, index)
    for side, peer in zip(own, peers, strict=False):
        hits.append([(mine.has(fault, side), theirs.has(fault, side)) for fault in side.faults])
        mine.add(side)
        theirs.add(peer)
    counts = np.array([(len(each), sum(a for a, _ in each), sum(b for _, b in each)) for each in hits]).reshape(-1, 3)
    total, own_hits, other_hits = counts.sum(axis=0)
    draw = np.random.default_rng(SEED)
    sums = (
        np.array([counts[draw.integers(0, len(counts), len(counts))].sum(axis=0) for _ in range(DRAWS)])
        if total
        else counts
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = sums[:, 1] / sums[:, 2] if total else np.array([np.nan])
    known = ratios[~np.isnan(ratios)]
    low, high = np.percentile(known, [2.5, 97.5], method="nearest") if len(known) else (np.nan, np.nan)
    share = (own_hits / total, other_hits / total) if total else (0.0, 0.0)
    return Repetition(player, level, rating, len(hits), int(total), *map(float, (*share, low, high)))


class _Seen:
    """Mistakes of some games, and whether one like another is among those of other games."""

    def __init__(self, level: str, index: _native.TokenIndex) -> None:
        self._level, self._index = level, index
        self._sides: list[Side] = []

    def add(self, side: Side) -> None:
        self._sides.append(side)

    def has(self, fault: Fault, of: Side) -> bool:
        seen = [each for side in self._sides if side.order != of.order for each in side.faults]
        if self._level == "position":
            (near,) = self._index.top([fault.tokens], 1, only=_native.Payloads(each.number for each in seen))
            return bool(near) and near[0][1] >= CLOSE
        wanted = {key for key in fault.keys if Pattern(key).level == self._level}
        return any(wanted & each.keys for each in seen)


def coverage(sides: Sequence[Side]) -> list[tuple[str, int, int, dict[str, float]]]:
    """Players with enough games: their games and mistakes, and the share of these in patterns of `IN_GAMES` games."""
    by_player: dict[str, list[Side]] = {}
    for side in sides:
        by_player.setdefault(side.player, []).append(side)
    found = []
    for player, own in sorted(by_player.items()):
        if len(own) < LEAST_GAMES or player in ("", "?"):
            continue
        games: dict[str, set[bytes]] = {}
        for side in own:
            for fault in side.faults:
                for key in fault.keys:
                    games.setdefault(key, set()).add(side.order[2])
        faults = [fault for side in own for fault in side.faults]
        recurring = {Pattern(key) for key, spanned in games.items() if len(spanned) >= IN_GAMES}
        shares = {}
        for level in Level:
            wanted = {pattern.key for pattern in recurring if pattern.level is level and pattern.is_idea}
            shares[str(level)] = sum(bool(wanted & fault.keys) for fault in faults) / max(1, len(faults))
        found.append((player, len(own), len(faults), shares))
    return found


def in_bundled(faults: Sequence[Fault]) -> dict[str, float]:
    """Shares of these mistakes, 0..1, that have the keys of these levels in common with a bundled pattern."""
    levels = {
        "cause": (Level.CAUSE,),
        "mechanism": (Level.MECHANISM,),
        "cause and mechanism": (Level.CAUSE, Level.MECHANISM),
        "place": (Level.PLACE,),
        "cause and place": (Level.CAUSE, Level.PLACE),
    }
    found = {}
    for name, wanted in levels.items():
        known = {_keys(wanted, (key.key for key in each.patterns)) for each in bundled_patterns()}
        shared = [keys for fault in faults if len(keys := _keys(wanted, fault.keys)) == len(wanted) and keys in known]
        found[name] = len(shared) / max(1, len(faults))
    return found


def _keys(levels: Sequence[Level], keys: Iterable[str]) -> frozenset[str]:
    return frozenset(key for key in keys if Pattern(key).level in levels)


def speed(sets: Sequence[bytes]) -> dict[str, float]:
    """Seconds to index these token sets anew, milliseconds for the ten nearest of one, and for five more of a game."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mistakes"
        began = time.perf_counter()
        write_index(path, list(enumerate(sets)))
        anew = time.perf_counter() - began
        index = _native.TokenIndex(path, vocabulary=VOCABULARY_VERSION)
        asked = sets[:: max(1, len(sets) // 200)]
        began = time.perf_counter()
        index.top(asked, 10)
        nearest = 1000 * (time.perf_counter() - began) / len(asked)
        began = time.perf_counter()
        add = [(len(sets) + number, tokens) for number, tokens in enumerate(sets[:5])]
        _native.change_token_index(path, vocabulary=VOCABULARY_VERSION, add=add)
        return {
            "sets": len(sets),
            "anew_s": anew,
            "nearest_ms": nearest,
            "game_ms": 1000 * (time.perf_counter() - began),
        }


def _finite(value: str | float) -> str | float | None:
    """The value as JSON has it; None for a quotient by nothing."""
    return value if isinstance(value, str) or np.isfinite(value) else None


def measure(library: Library, say: Callable[[str], None]) -> tuple[Report, dict[str, object]]:
    """The report and its figures. Raises `UsageError` for a library without mistakes, and `LibraryError`."""
    with library.database.read() as connection:
        sides = sides_of(connection)
    faults = [fault for side in sides for fault in side.faults]
    sets, known = [fault.tokens for fault in faults], in_bundled(faults)
    if not sets:
        raise UsageError("the library has no losing moves with causes: index games first, with `trapline index FILE`")
    found, covered = list(repetitions(sides, say)), coverage(sides)
    rows = tuple(
        (
            each.player,
            f"{each.rating}",
            f"{each.games:,}",
            f"{each.mistakes:,}",
            each.level,
            number(each.own),
            number(each.others),
            f"{each.ratio:.2f}" if each.others else "",
            f"{each.low:.2f} to {each.high:.2f}" if each.others else "",
        )
        for each in found
    )
    header = ("player", "rating", "games", "mistakes", "level", "own", "others", "ratio", "95 %")
    shares = tuple((p, f"{g:,}", f"{m:,}", *(number(s[str(level)]) for level in Level)) for p, g, m, s in covered)
    report = Report(
        "Do players repeat themselves?",
        (
            f"Both sides of {len(sides) // 2:,} games with {len(sets):,} mistakes. *own*: share of a player's mistakes "
            "that have one of the same pattern in his own earlier games; *others*: in as many games of others rated "
            f"within {NEAR} points. At the level *position* it is a mistake with a similarity of {CLOSE} or more.",
            Table(header, rows) if rows else f"No player has {LEAST_GAMES} games and a rating.",
            f"Share of a player's mistakes in patterns that span {IN_GAMES} of his games or more:",
            Table(("player", "games", "mistakes", *map(str, Level)), shares) if shares else "No player.",
            f"Share of all these mistakes that have as much in common with one of {len(bundled_patterns()):,} bundled "
            "patterns:",
            Table(tuple(known), (tuple(map(number, known.values())),)),
        ),
    )
    data: dict[str, object] = {
        "repetitions": [
            {name: _finite(getattr(each, name)) for name in (*Repetition.__slots__, "ratio")} for each in found
        ],
        "coverage": [{"player": p, "games": g, "mistakes": m, "shares": s} for p, g, m, s in covered],
        "bundled": known,
        "speed": speed(sets),
    }
    return report, data
