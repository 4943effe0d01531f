"""Drilling a repertoire: a line is played against the player, and he answers with the moves of his repertoire.

Each of his positions is a card of `coach.practice.schedule`, whatever moves led to it. A line leads to a position that
is due, else to one that is new. The moves before it are played for him; from there on he is asked for each of his own.
The moves of the opponent are drawn by how often people play them, and evenly where no indexed game has the position.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from random import Random

import chess

from coach.practice.schedule import Standing, standing_of, store_answer
from coach.preparation.check import BESIDE, replies_of_others
from coach.preparation.games import Played, opening_games
from coach.preparation.lines import Lines
from db.games.trap_occurrences import Games
from db.library.library import Library
from db.query.ahead import TrapAhead, traps_ahead_of
from db.storage.practice_rows import LINE, Asked, Card, Review, cards_of, reviews_of
from db.traps.terms import Side
from trapcore.trees.chess_game import parse_position


@dataclass(frozen=True, slots=True)
class DrillLine:
    """A line of a repertoire up to a position."""

    colour: Side
    """Of the player."""
    start: str
    """EPD of the position in which it begins."""
    moves: tuple[str, ...]
    """UCI from there."""
    epds: tuple[str, ...]
    """The positions, the first one before the first move."""

    @property
    def epd(self) -> str:
        """The position at its end."""
        return self.epds[-1]

    def then(self, uci: str, epd: str) -> "DrillLine":
        """The line with one more move."""
        return replace(self, moves=(*self.moves, uci), epds=(*self.epds, epd))

    def board(self, plies: int | None = None) -> chess.Board:
        """The position after so many half-moves, by default at the end, with the moves that led to it."""
        board = parse_position(self.start)
        for uci in self.moves if plies is None else self.moves[:plies]:
            board.push_uci(uci)
        return board


@dataclass(frozen=True, slots=True)
class DrillAnswer:
    """What became of an answer."""

    is_right: bool
    number: int
    """Of the stored answer."""
    is_first: bool
    """The position was never asked before."""


@dataclass(frozen=True, slots=True)
class Drill:
    """A repertoire that a player drills."""

    profile: str
    """What his answers are stored under; empty for nobody."""
    lines: Mapping[Side, Lines]
    """The repertoire for either colour, or for both."""
    replies: Mapping[Side, Mapping[str, Counter[str]]]
    """How often people made the moves of the opponents (UCI), by position."""
    traps: Mapping[Side, Mapping[str, Sequence[TrapAhead]]]
    """The proved traps within `BESIDE` plies of the lines, by the position from which they are so near."""

    def places(self) -> list[Asked]:
        """All cards of the repertoire."""
        return [(epd, LINE) for lines in self.lines.values() for epd in lines.mine()]

    def standing(self, library: Library, now: datetime, zone: tzinfo | None = None) -> Standing:
        """How it stands, see `coach.practice.schedule.standing_of`. Raises `LibraryError`."""
        return standing_of(library, self.profile, self.places(), self.places(), now, zone)

    def line(self, colour: Side, start: int, moves: Iterable[str]) -> DrillLine | None:
        """The line with these moves (UCI) from the start of this number; None if the repertoire has none such."""
        lines = self.lines.get(colour)
        starts = [] if lines is None else lines.starts()
        if lines is None or not 0 <= start < len(starts):
            return None
        found = DrillLine(colour, starts[start], (), (starts[start],))
        for uci in moves:
            reached = lines.after.get(found.epd, {}).get(uci)
            if reached is None:
                return None
            found = found.then(uci, reached)
        return found

    def is_asked(self, line: DrillLine) -> bool:
        """Whether the player has a move at the end of a line, in a position that it had not before."""
        lines = self.lines[line.colour]
        return lines.is_mine(line.epd) and bool(lines.moves.get(line.epd)) and line.epd not in line.epds[:-1]

    def begin(self, library: Library, now: datetime, chance: Random, skip: Collection[str] = ()) -> DrillLine | None:
        """A line to the next position that is to be answered; None if nothing is due and nothing is new.

        ``skip``: positions (EPD) that are put off. Raises `LibraryError`.
        """
        cards = self._cards(library)
        due = {
            side: [epd for epd in lines.mine() if epd not in skip and is_due(cards.get((epd, LINE)), now)]
            for side, lines in self.lines.items()
        }
        if any(due.values()):
            first = min(
                ((cards[epd, LINE].due, side) for side, epds in due.items() for epd in epds), key=lambda one: one
            )
            return self._led(first[1], set(due[first[1]]), chance)
        new = {
            side: {epd for epd in lines.mine() if epd not in skip and (epd, LINE) not in cards}
            for side, lines in self.lines.items()
        }
        sides = [side for side, epds in new.items() if epds]
        return self._led(side, new[side], chance) if sides and (side := chance.choice(sides)) else None

    def go_on(
        self, library: Library, line: DrillLine, uci: str, now: datetime, chance: Random, skip: Collection[str] = ()
    ) -> DrillLine:
        """The line after a move of the repertoire and the opponent's reply, if there is one. `is_asked` says whether it
        goes on. Raises `LibraryError`.
        """
        lines, cards = self.lines[line.colour], self._cards(library)
        line = line.then(uci, lines.after[line.epd][uci])
        if not lines.moves.get(line.epd) or lines.is_mine(line.epd):
            return line
        open_ones = {
            epd
            for epd in lines.mine()
            if epd not in skip and epd not in line.epds and is_open(cards.get((epd, LINE)), now)
        }
        distance = _distances(lines, open_ones)
        known = lines.after[line.epd]
        wanted = [each for each, epd in known.items() if epd in distance] or list(known)
        reply = self._drawn(line, wanted, chance)
        return line.then(reply, known[reply])

    def answer(self, library: Library, line: DrillLine, uci: str, now: datetime) -> DrillAnswer:
        """Judge a legal move at the end of a line and store the answer; an empty one asks to be shown the move.

        Any move that the repertoire has there is right. Raises as `coach.practice.schedule.store_answer` does.
        """
        is_first = (line.epd, LINE) not in self._cards(library)
        is_right = uci in self.lines[line.colour].moves[line.epd]
        review = Review(at=now, answer=uci, is_right=is_right, hints=0, rating=None, line=())
        number, _ = store_answer(library, self.profile, (line.epd, LINE), review)
        return DrillAnswer(is_right, number, is_first)

    def answered(self, library: Library, number: int) -> tuple[str, str, bool] | None:
        """Of a stored answer to a position of a repertoire: the position, the move (UCI), and whether it was the first
        one there; None if there is no such answer. Raises `LibraryError`."""
        with library.database.read() as connection:
            reviews = [each for each in reviews_of(connection, self.profile) if each[1] == LINE]
        for epd, _, each, review in reviews:
            if each == number:
                is_first = next(other for place, _, other, _ in reviews if place == epd) == number
                return epd, review.answer, is_first
        return None

    def _cards(self, library: Library) -> dict[Asked, Card]:
        with library.database.read() as connection:
            return cards_of(connection, self.profile)

    def _led(self, colour: Side, targets: set[str], chance: Random) -> DrillLine | None:
        """A line from a start to the first of the targets that it meets; None if no start leads to one."""
        lines = self.lines[colour]
        distance = _distances(lines, targets)
        starts = [epd for epd in lines.starts() if epd in distance]
        if not starts:
            return None
        start = chance.choice(starts)
        line = DrillLine(colour, start, (), (start,))
        while line.epd not in targets:
            nearer = {uci: epd for uci, epd in lines.after[line.epd].items() if epd in distance}
            fresh = [uci for uci, epd in nearer.items() if epd not in line.epds]
            # Where lines lead in a circle, the shortest way out of it.
            drawn = self._drawn(line, fresh, chance) if fresh else min(nearer, key=lambda uci: distance[nearer[uci]])
            line = line.then(drawn, nearer[drawn])
        return line

    def _drawn(self, line: DrillLine, moves: Sequence[str], chance: Random) -> str:
        """One of these moves by how often people play them; evenly if nobody does."""
        played = self.replies[line.colour].get(line.epd, Counter())
        weights = [played[uci] for uci in moves]
        return chance.choices(moves, weights if any(weights) else None)[0]


def open_drill(library: Library, profile: str, lines: Iterable[Lines], games: Games | None = None) -> Drill:
    """The drill of a repertoire; ``games`` are the player's own, whose moves for the other colour nobody else plays.

    Raises `LibraryError`.
    """
    by_side = {each.colour: each for each in lines}
    own = [] if games is None else opening_games(games)
    replies = {}
    with library.database.read() as connection:
        for side, each in by_side.items():
            as_other = Played.of(game for game in own if game.colour != side)
            replies[side] = replies_of_others(connection, each, as_other)
    return Drill(profile, by_side, replies, {side: _traps(library, each) for side, each in by_side.items()})


def is_due(card: Card | None, now: datetime) -> bool:
    """Whether a position was asked before, and is to be asked again now."""
    return card is not None and card.due <= now


def is_open(card: Card | None, now: datetime) -> bool:
    """Whether a position is due or new."""
    return card is None or card.due <= now


def _traps(library: Library, lines: Lines) -> dict[str, list[TrapAhead]]:
    found: dict[str, list[TrapAhead]] = {}
    for one in traps_ahead_of(library, lines.ways, plies=BESIDE):
        found.setdefault(one.start, []).append(one)
    return found


def _distances(lines: Lines, targets: Collection[str]) -> dict[str, int]:
    """Half-moves from each position to the nearest target; positions that lead to none are left out."""
    found = dict.fromkeys(targets, 0)
    waiting = deque(targets)
    while waiting:
        epd = waiting.popleft()
        for before in lines.parents.get(epd, {}):
            if before not in found:
                found[before] = found[epd] + 1
                waiting.append(before)
    return found
