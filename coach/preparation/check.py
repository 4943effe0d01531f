"""A repertoire against a player's games: where they left it, what it leaves open, and which traps lie beside it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection

from coach.preparation.games import OpeningGame, Played, Score, opening_games, replies_in
from coach.preparation.lines import Lines
from db.games.sightings import SeenGame
from db.games.trap_occurrences import UNNAMED, Games
from db.library.library import Library
from db.query.ahead import TrapAhead, traps_ahead_of
from db.storage.value_rows import stored_values
from db.traps.json_form import JSON_FORM, Rounded, to_dict
from db.traps.openings import opening_of
from db.traps.position_value import Values
from db.traps.terms import OTHER_SIDE, SIDES, Side
from db.traps.trap import Trap
from db.wording import moves
from trapcore import _native
from trapcore.trees.chess_game import epd_after

BESIDE = 4
"""A trap lies beside a line if it arises within so many plies of it."""

LEAST_REPLIES = 2
"""A reply without an answer is a gap if so many indexed games have it."""

Kind = Literal["own", "opponent", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """A move by which games left the repertoire."""

    __pydantic_config__ = JSON_FORM

    kind: Kind
    """``own``: the player left it; ``opponent``: his opponent did; ``end``: the repertoire has no more moves there."""
    epd: str
    line: str
    """The moves of the repertoire to the position."""
    played: str
    """The move with its number, ``3...Nf6``."""
    expected: tuple[str, ...]
    """SAN of what the repertoire has there."""
    score: Score
    cost: Rounded | None
    """Win chance that the move gave away, 0..2; None where the library has not measured both positions."""
    games: tuple[SeenGame, ...]
    """The newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineScore:
    """The results in one opening of the repertoire."""

    __pydantic_config__ = JSON_FORM

    opening: str
    """Of the last position that the repertoire has of a game."""
    score: Score
    own: int
    """Games that the player left before his opponent did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A reply that people play and that the repertoire has no answer to."""

    __pydantic_config__ = JSON_FORM

    epd: str
    line: str
    reply: str
    """With its number."""
    games: int
    """Indexed games with the reply, without those in which the player himself made it,"""
    of: int
    """of those with the position and a move of somebody else after it,"""
    against: int
    """and how many were against the player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Several:
    """Several lines to one position, or several moves of the player in one."""

    __pydantic_config__ = JSON_FORM

    epd: str
    line: str
    others: tuple[str, ...]
    """The other lines, or the moves with their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapBeside:
    """A trap in the repertoire or within `BESIDE` plies of it."""

    __pydantic_config__ = JSON_FORM

    trap: Trap
    line: str
    """The repertoire's last moves before it,"""
    moves: str
    """those that follow, and"""
    bait: str
    """the bait, each with its number."""
    answers: tuple[str, ...]
    """SAN of what the repertoire plays in the trap's position, or where its line has to be left."""
    is_own: bool
    """The player may fall for it; otherwise his opponent."""
    is_bait_in_repertoire: bool
    leaves: bool
    """The player has to leave his repertoire to get there."""
    games: int
    """Indexed games that had the position, and"""
    fell: int
    """of these, those in which the bait was played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What the games of one colour say about the repertoire for it."""

    __pydantic_config__ = JSON_FORM

    colour: Side
    is_guessed: bool
    """Nothing in the file says that it is for this colour."""
    positions: int
    score: Score
    """Of all games of the colour."""
    inside: int
    """Games that ended, or went on beyond what is compared, within the repertoire."""
    outside: int
    """Games that had no position of it."""
    transposed: int
    """Games that came back into it after another move."""
    departures: tuple[Departure, ...]
    """Those of most games first."""
    by_opening: tuple[LineScore, ...]
    gaps: tuple[Gap, ...]
    """Those of most indexed games first."""
    transpositions: tuple[Several, ...]
    contradictions: tuple[Several, ...]
    traps: tuple[TrapBeside, ...]
    """First those whose bait the repertoire plays."""

    def count(self, kind: Kind) -> int:
        """Games that left it so."""
        return sum(each.score.games for each in self.departures if each.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self)


def check(library: Library, games: Games, lines: Sequence[Lines]) -> list[Check]:
    """Each repertoire against the games in which the player had its colour. Raises `LibraryError`."""
    found = opening_games(games)
    by_colour = {side: [game for game in found if game.colour == side] for side in SIDES}
    return [
        _check(library, by_colour[each.colour], Played.of(by_colour[OTHER_SIDE[each.colour]]), each) for each in lines
    ]


def _check(library: Library, games: Sequence[OpeningGame], as_other: Played, lines: Lines) -> Check:
    """``as_other`` is what the player himself plays against such a repertoire, which is no reply of other people."""
    left: defaultdict[tuple[Kind, str, str], list[OpeningGame]] = defaultdict(list)
    by_opening: defaultdict[str, list[tuple[OpeningGame, Kind | None]]] = defaultdict(list)
    inside = outside = transposed = 0
    for game in games:
        at = max((ply for ply, (epd, _) in enumerate(game.line) if epd in lines.ways), default=None)
        if at is None:
            outside += 1
            continue
        transposed += any(uci not in lines.moves.get(epd, {}) for epd, uci in game.line[:at])
        epd, uci = game.line[at]
        kind = _kind(lines, epd, uci)
        if kind is None:
            inside += 1
        else:
            left[kind, epd, uci].append(game)
        named = opening_of(before for before, _ in game.line[: at + 1])
        by_opening[UNNAMED if named is None else named.name].append((game, kind))
    with library.database.read() as connection:
        values = stored_values(connection, {each for _, epd, uci in left for each in (epd, epd_after(epd, uci))})
        departures = [_departure(lines, *place, some, values) for place, some in left.items()]
        played = replies_of_others(connection, lines, as_other)
    scores = [_line_score(opening, some) for opening, some in by_opening.items()]
    own = Played.of(games)
    gaps = [_gap(lines, epd, uci, played[epd], own) for epd in played for uci in _open(lines, epd, played[epd])]
    return Check(
        colour=lines.colour,
        is_guessed=lines.is_guessed,
        positions=len(lines.ways),
        score=Score.of(games),
        inside=inside,
        outside=outside,
        transposed=transposed,
        departures=tuple(sorted(departures, key=lambda each: (-each.score.games, each.line, each.played))),
        by_opening=tuple(sorted(scores, key=lambda each: (-each.score.games, each.opening))),
        gaps=tuple(sorted(gaps, key=lambda gap: (-gap.games, -gap.against, gap.line, gap.reply))),
        transpositions=tuple(_transpositions(lines)),
        contradictions=tuple(_contradictions(lines)),
        traps=tuple(_traps(library, lines)),
    )


def replies_of_others(connection: Connection, lines: Lines, as_other: Played) -> dict[str, Counter[str]]:
    """How often the moves of opponents (UCI) are made in each position of a repertoire, in all indexed games.

    Not counted is ``as_other``: what the player himself plays against such a repertoire.
    """
    replies = replies_in(connection, [epd for epd in lines.moves if not lines.is_mine(epd)])
    return {epd: counts - as_other.moves.get(epd, Counter()) for epd, counts in replies.items()}


def _kind(lines: Lines, epd: str, uci: str) -> Kind | None:
    known = lines.moves.get(epd)
    if known is None:
        return "end"
    if uci in known:
        return None
    return "own" if lines.is_mine(epd) else "opponent"


def _departure(lines: Lines, kind: Kind, epd: str, uci: str, games: Sequence[OpeningGame], values: Values) -> Departure:
    way = lines.ways[epd]
    played = numbered(way.half_move, epd, uci)
    newest = sorted((each.game for each in games), key=lambda game: (game.date, game.id), reverse=True)
    return Departure(
        kind=kind,
        epd=epd,
        line=way.text,
        played=played,
        expected=lines.answers(epd),
        score=Score.of(games),
        cost=_cost(epd, uci, values),
        games=tuple(newest),
    )


def _cost(epd: str, uci: str, values: Values) -> float | None:
    """By the deepest values that the library has of the two positions."""
    before, after = values.get(epd), values.get(epd_after(epd, uci))
    return None if before is None or after is None else max(0.0, before.chance + after.chance)


def _line_score(opening: str, games: Sequence[tuple[OpeningGame, Kind | None]]) -> LineScore:
    own = sum(kind == "own" for _, kind in games)
    return LineScore(opening=opening, score=Score.of(game for game, _ in games), own=own)


def _open(lines: Lines, epd: str, played: Mapping[str, int]) -> Iterator[str]:
    """The replies of people that lead to no position with an answer."""
    for uci, count in played.items():
        reached = lines.after.get(epd, {}).get(uci) or epd_after(epd, uci)
        if count >= LEAST_REPLIES and not lines.moves.get(reached):
            yield uci


def _gap(lines: Lines, epd: str, uci: str, played: Mapping[str, int], own: Played) -> Gap:
    way = lines.ways[epd]
    return Gap(
        epd=epd,
        line=way.text,
        reply=numbered(way.half_move, epd, uci),
        games=played[uci],
        of=sum(played.values()),
        against=own.moves[epd][uci] if epd in own.moves else 0,
    )


def _transpositions(lines: Lines) -> Iterator[Several]:
    for epd, parents in lines.parents.items():
        if len(parents) > 1:
            first, *others = parents.values()
            yield Several(epd=epd, line=first, others=tuple(others))


def _contradictions(lines: Lines) -> Iterator[Several]:
    for epd, known in lines.moves.items():
        if lines.is_mine(epd) and len(known) > 1:
            way = lines.ways[epd]
            yield Several(
                epd=epd, line=way.text, others=tuple(moves.line([san], way.half_move) for san in known.values())
            )


def _traps(library: Library, lines: Lines) -> list[TrapBeside]:
    """First those whose bait the repertoire plays, then those that people fell into, then the nearest."""
    ahead = sorted(traps_ahead_of(library, lines.ways, plies=BESIDE), key=lambda one: (-one.fell, one.plies))
    found = [beside(lines, one) for one in ahead]
    # To leave the repertoire is worth a thought only for a trap that people fell into.
    kept = [one for one in found if not one.leaves or (one.fell and not one.is_own)]
    return sorted(kept, key=lambda one: (not one.is_bait_in_repertoire, one.leaves))


def beside(lines: Lines, one: TrapAhead) -> TrapBeside:
    """What a trap near a repertoire needs there."""
    way = lines.ways[one.start]
    bait, *_ = one.trap.sans()
    return TrapBeside(
        trap=one.trap,
        line=way.text,
        moves=moves.line(one.moves, way.half_move),
        bait=moves.line([bait], way.half_move + one.plies),
        answers=lines.answers(one.start),
        is_own=one.trap.victim == lines.colour,
        is_bait_in_repertoire=not one.moves and one.trap.bait in lines.moves.get(one.start, {}),
        leaves=bool(one.moves) and lines.is_mine(one.start) and bool(lines.answers(one.start)),
        games=one.games,
        fell=one.fell,
    )


def numbered(half_move: int, epd: str, uci: str) -> str:
    """A move of a position with its number, ``3...Nf6``."""
    return moves.line(_native.sans(epd, [uci]), half_move)
