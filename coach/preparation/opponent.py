"""What an opponent plays with each colour, where he leaves theory, what he loses to, and which traps lie in his lines.

The book is the list of named openings (`db.traps.openings`). A game leaves it after the last position with a name.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import chess

from coach.preparation.games import OpeningGame, Played, Score, opening_games, sites_of
from coach.report.report import Report, report
from db.games.trap_occurrences import UNNAMED, Games
from db.library.library import Library
from db.query.ahead import TrapAhead, traps_ahead_of
from db.storage.value_rows import stored_values
from db.traps.json_form import JSON_FORM, to_dict
from db.traps.openings import opening_of
from db.traps.terms import SIDES, Side
from db.traps.trap import Trap
from db.wording import moves
from trapcore import _native

TREE_PLIES = 6
"""Depth of the tree of his first moves."""

TREE_SHARE = 0.04
"""A branch of the tree has this share of his games of the colour at least, and two games unless he has few."""

FEW = 10
"""With fewer games than this, one game has to do."""

USUAL = 0.15
"""A move that he chooses so often, as a share, belongs to his most played lines."""

KNOWN = 3
"""A bait that was not taken once in so many games tempts nobody."""

MORE_PLIES = 4
"""A trap lies in his lines if it arises within so many plies of a position of his games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A move of the tree."""

    __pydantic_config__ = JSON_FORM

    plies: int
    """From 1 at the first move."""
    move: str
    """With its number."""
    is_his: bool
    games: int
    """His games with it,"""
    of: int
    """of those with the position before it."""
    score: Score
    """His."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theory:
    """An opening that he plays, and how its games leave the book."""

    __pydantic_config__ = JSON_FORM

    opening: str
    """The last name that a position of the game has, without the variations of a variation."""
    score: Score
    left: int
    """Games in which he made the first move behind the book."""
    moves: tuple[tuple[str, int], ...]
    """His moves that left it, with their numbers and their games, the most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A move of his on the way to a trap."""

    __pydantic_config__ = JSON_FORM

    move: str
    played: int
    """His games with it,"""
    of: int
    """of those with the position before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapForHim:
    """A trap whose victim he would be."""

    __pydantic_config__ = JSON_FORM

    trap: Trap
    colour: Side
    """His."""
    line: str
    """The moves from the start to its position, with their numbers."""
    number: int
    """Full-move number of the bait."""
    choices: tuple[Choice, ...]
    """His moves on the way."""
    decisions: int
    """Times that he had the choice himself,"""
    fell: int
    """and that he took the bait."""
    games: int
    """Indexed games that had the position after one of his, and"""
    games_fell: int
    """of these, those in which the bait was played."""
    better: str
    """SAN of his best move instead, if the library knows it; else empty."""
    chance: float | None
    """Win chance of the side that sets it after the best move, -1..1; None if it is not measured."""

    @property
    def unknown(self) -> int:
        """How many of his moves on the way he has never played there."""
        return sum(not choice.played for choice in self.choices)

    @property
    def may_tempt(self) -> bool:
        """Whether he fell for it, or has not shown that he knows it, and neither have the others."""
        return self.fell > 0 or (self.decisions < KNOWN and (self.games_fell > 0 or self.games < KNOWN))

    @property
    def rarest(self) -> Choice | None:
        """The move of his on the way that he has played least; None if he has none there."""
        return min(self.choices, key=lambda choice: (choice.played, choice.played / max(1, choice.of)), default=None)

    @property
    def worth(self) -> float:
        """By which such traps are sorted: how likely he gets there and, by what he did there, how likely he falls.

        Shares of few games count for less: once in one game is a half.
        """
        share = (self.fell + 1) / (self.decisions + 2)
        for choice in self.choices:
            share *= choice.played / (choice.of + 1)
        return share


@dataclass(frozen=True, slots=True, kw_only=True)
class WithColour:
    """What he plays with one colour."""

    __pydantic_config__ = JSON_FORM

    colour: Side
    score: Score
    tree: tuple[Branch, ...]
    """Depth first, the most played moves before the others."""
    theory: tuple[Theory, ...]
    """The openings of most games first."""
    traps: tuple[TrapForHim, ...]
    """First those that he gets to by moves that he has played, the likeliest before the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """A sheet about an opponent."""

    names: tuple[str, ...]
    sites: Mapping[str, int]
    """Games by site."""
    dates: tuple[str, str]
    """First and last date, as the games have them; empty where none is known."""
    colours: tuple[WithColour, ...]
    report: Report
    """His patterns, and the traps that he met."""

    @property
    def games(self) -> int:
        """His games, those not from the usual start too."""
        return sum(self.sites.values())

    @property
    def suggestion(self) -> TrapForHim | None:
        """The best trap in his most played lines that he may fall into; None if there is none.

        Each of his moves on the way is one that he chooses there in `USUAL` of his games or more, and in two games
        unless the sheet has few. A trap that he or others avoided each of `KNOWN` times or more tempts nobody.
        """
        least = 1 if self.games < FEW else 2
        usual = [
            trap
            for each in self.colours
            for trap in each.traps
            if trap.may_tempt and all(choice.played >= max(least, USUAL * choice.of) for choice in trap.choices)
        ]
        return max(usual, key=lambda trap: trap.worth, default=None)

    def to_dict(self) -> dict[str, Any]:
        """JSON form of all figures."""
        suggestion = self.suggestion
        return {
            "players": self.names,
            "games": self.games,
            "sites": dict(self.sites),
            "first": self.dates[0],
            "last": self.dates[1],
            "colours": [to_dict(each) for each in self.colours],
            "suggestion": None if suggestion is None else to_dict(suggestion),
            "report": self.report.to_dict(),
        }


def prepare(library: Library, games: Games) -> Preparation:
    """The sheet about the player of these games. Raises `LibraryError`."""
    found = opening_games(games)
    made = report(library, games)
    dates = sorted(row.date for row in games.rows.values() if row.date[:1].isdigit())
    by_colour: dict[Side, list[OpeningGame]] = {side: [] for side in SIDES}
    for game in found:
        by_colour[game.colour].append(game)
    return Preparation(
        names=tuple(sorted(games.names)),
        sites=dict(sites_of(games).most_common()),
        dates=(dates[0], dates[-1]) if dates else ("", ""),
        colours=tuple(_with_colour(library, side, some, made) for side, some in by_colour.items() if some),
        report=made,
    )


def _with_colour(library: Library, colour: Side, games: Sequence[OpeningGame], made: Report) -> WithColour:
    played = Played.of(games)
    least = max(1 if len(games) < FEW else 2, round(TREE_SHARE * len(games)))
    return WithColour(
        colour=colour,
        score=Score.of(games),
        tree=tuple(_branches(played, chess.Board(), colour, least)),
        theory=tuple(_theory(games)),
        traps=tuple(_traps(library, colour, games, played, made)),
    )


def _branches(played: Played, board: chess.Board, colour: Side, least: int) -> Iterator[Branch]:
    plies, epd = board.ply(), board.epd(en_passant="legal")
    if plies == TREE_PLIES or epd not in played.moves:
        return
    for uci, count in played.moves[epd].most_common():
        if count < least:
            break
        after = board.copy(stack=False)
        san = after.san_and_push(chess.Move.from_uci(uci))
        yield Branch(
            plies=plies + 1,
            move=moves.line([san], plies + 2),
            is_his=board.turn == (colour == "white"),
            games=count,
            of=played.count(epd),
            score=Score.of(played.games[epd, uci]),
        )
        yield from _branches(played, after, colour, least)


def _theory(games: Sequence[OpeningGame]) -> Iterator[Theory]:
    by_name: defaultdict[str, list[OpeningGame]] = defaultdict(list)
    left: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for game in games:
        at = max((ply for ply, (epd, _) in enumerate(game.line) if opening_of([epd]) is not None), default=0)
        named = opening_of(epd for epd, _ in game.line)
        name = UNNAMED if named is None else named.name.partition(",")[0]
        by_name[name].append(game)
        if game.line and game.is_players(at):
            epd, uci = game.line[at]
            left[name][moves.line(_native.sans(epd, [uci]), at + 2)] += 1
    for name, some in sorted(by_name.items(), key=lambda each: (-len(each[1]), each[0])):
        yield Theory(
            opening=name,
            score=Score.of(some),
            left=left[name].total(),
            moves=tuple(sorted(left[name].items(), key=lambda each: (-each[1], each[0]))),
        )


def _traps(
    library: Library, colour: Side, games: Sequence[OpeningGame], played: Played, made: Report
) -> list[TrapForHim]:
    ahead = traps_ahead_of(library, played.moves, plies=MORE_PLIES, victim=colour)
    starts = {one.start for one in ahead}
    ways: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for game in games:
        for ply, (epd, _) in enumerate(game.line):
            if epd in starts:
                ways[epd][tuple(uci for _, uci in game.line[:ply])] += 1
    met = {each.trap.slug: each.victim.rate for each in made.traps}
    with library.database.read() as connection:
        values = stored_values(connection, [one.trap.epd for one in ahead])
    found = []
    for one in ahead:
        ((way, _),) = ways[one.start].most_common(1)
        value, rate = values.get(one.trap.epd), met.get(one.trap.slug)
        choices, line = _way(way, one, colour, played)
        found.append(
            TrapForHim(
                trap=one.trap,
                colour=colour,
                line=line,
                number=1 + (len(way) + one.plies) // 2,
                choices=choices,
                decisions=0 if rate is None else rate.decisions,
                fell=0 if rate is None else rate.fell,
                games=one.games,
                games_fell=one.fell,
                better=one.better,
                chance=None if value is None else -value.chance,
            )
        )
    return sorted(found, key=lambda trap: (trap.unknown, -trap.worth, -trap.games_fell, trap.trap.slug))


def _way(way: Sequence[str], one: TrapAhead, colour: Side, played: Played) -> tuple[tuple[Choice, ...], str]:
    """His moves on the way to a trap, and all moves there."""
    sans = [*_native.sans(chess.STARTING_FEN, way), *one.moves]
    board, choices = chess.Board(), []
    for ply, san in enumerate(sans):
        epd, uci = board.epd(en_passant="legal"), board.push_san(san).uci()
        if (ply % 2 == 0) == (colour == "white"):
            count = played.moves.get(epd, Counter())[uci]
            choices.append(Choice(move=moves.line([san], ply + 2), played=count, of=played.count(epd)))
    return tuple(choices), moves.line(sans, 2)
