"""Exercises of a player: positions of his own losing moves, killers that he missed, and the library's traps.

A losing move of his gives two: to find a safe move in its place, and to punish it from the other side. The second is
asked if the first has several right answers (`coach.practice.tested.is_confirmed`). His own come first, those that cost
most before the others; then the traps, if they are wanted: those of openings that he plays before the others, each as
the attacker sees it, and after all of them each as the victim does.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import chess
from sqlalchemy import Connection

from coach.practice.exercise import Exercise, Origin, Task
from coach.practice.judge import LEVEL
from coach.practice.mixing import own_decoys
from db.games.accounts import SiteAccount
from db.games.losing_moves import LostMove, lost_moves
from db.games.losing_themes import themes_of, themes_of_line
from db.games.trap_occurrences import games_of_player
from db.library.library import Library
from db.patterns.keys import patterns_of
from db.storage.sighting_rows import coded, move_code
from db.storage.tables import TrapRow
from db.storage.trap_rows import read_traps
from trapcore import _native
from trapcore.proof.verdict import Verdict

_CASTLING = {"e1g1", "e1c1", "e8g8", "e8c8"}


def plain_theme(name: str) -> str:
    """A theme however it is written: ``backRankMate``, ``back-rank mate``."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which exercises are wanted."""

    theme: str = ""
    """One of `Exercise.themes`, in words or as lichess writes it; empty for any."""
    pattern: str = ""
    """Key of a pattern, see `db.patterns.keys`; empty for any."""
    opening: str = ""
    """A part of the name of the opening, in any case; empty for any."""
    least_rating: int | None = None
    """Of the opponent; with either bound only exercises from games are left."""
    most_rating: int | None = None
    traps: bool = False
    """Also the library's traps, after the player's own exercises."""

    def __call__(self, exercise: Exercise) -> bool:
        """Whether it is wanted."""
        if self.theme and plain_theme(self.theme) not in map(plain_theme, exercise.themes):
            return False
        if self.pattern and self.pattern not in exercise.patterns:
            return False
        if self.opening and self.opening.casefold() not in exercise.opening.casefold():
            return False
        if self.least_rating is None and self.most_rating is None:
            return True
        rating = exercise.rating
        least, most = self.least_rating or 0, self.most_rating
        return rating is not None and rating >= least and (most is None or rating <= most)


@dataclass(frozen=True, slots=True)
class Material:
    """What there is to practise for a player."""

    exercises: tuple[Exercise, ...]
    """In the order in which they come, each position and task once, without decoys."""
    decoys: tuple[Exercise, ...]
    """Positions of the player's games that may be decoys, the costliest losing moves first."""


def material_of(library: Library, player: str | SiteAccount, *, traps: bool = False) -> Material:
    """What an account may practise, or the player with this name in the games, with ``traps`` also the library's traps;
    for nobody (an empty name) these alone. Raises `LibraryError`.
    """
    moves, _ = lost_moves(library, games_of_player(library, player))
    of_library: list[Exercise] = []
    if traps or not player:
        with library.database.read() as connection:
            of_library = list(from_traps(connection))
    played = Counter(move.opening for move in moves)
    ranked = [(-move.expected_cost, each.epd, each.task, each) for move in moves for each in from_games([move])]
    own = [each for *_, each in sorted(ranked, key=lambda one: one[:3])]
    of_library.sort(key=lambda each: (each.task, -played[each.opening], each.slug))
    found: dict[tuple[str, Task], Exercise] = {}
    for each in (*own, *of_library):
        known = found.get((each.epd, each.task))
        if known is None or (known.is_turned and not each.is_turned):
            found[each.epd, each.task] = each
    decoys = own_decoys(sorted(moves, key=lambda move: (-move.expected_cost, move.epd)))
    return Material(tuple(filter(has_choice, found.values())), tuple(filter(has_choice, decoys)))


def has_choice(exercise: Exercise) -> bool:
    """Whether there is more than one legal move; otherwise it is no exercise."""
    return _native.perft(exercise.epd, 1) > 1


def from_games(moves: Iterable[LostMove]) -> Iterator[Exercise]:
    """The exercises of losing moves: a safe move in place of the player's, and its killer from the other side; a killer
    that he missed."""
    for lost in moves:
        move = lost.move
        if not move.killer_line:
            continue
        about: dict[str, Any] = {
            "mate_in": move.mate_in,
            "cost": lost.settled_cost,
            "themes": themes_of(lost),
            "opening": lost.opening,
            "rating": lost.other_rating,
            "game": lost.game,
        }
        patterns = patterns_of(move)
        if lost.is_players and _is_sharp(move.before, move.after, move.mate_in, is_players=True):
            yield Exercise(
                task=Task.SAFE,
                origin=Origin.LOST,
                epd=lost.epd,
                line=(lost.uci, *move.killer_line),
                number=lost.number,
                patterns=tuple(each.key for each in patterns),
                **about,
            )
        is_asked = lost.is_players or move.answer == "missed"
        if is_asked and _is_sharp(move.before, move.after, move.mate_in, is_players=False):
            yield Exercise(
                task=Task.KILLER,
                origin=Origin.LOST if lost.is_players else Origin.MISSED,
                epd=lost.epd_after,
                line=move.killer_line,
                number=lost.number + (lost.colour == "black"),
                played_before=lost.uci,
                before=lost.epd,
                patterns=tuple(each.key for each in patterns if not each.is_missed),
                **about,
            )


def _is_sharp(before: float | None, after: float | None, mate_in: int | None, *, is_players: bool) -> bool:
    """Whether the difference between right and wrong is clear, see `coach.practice.judge.LEVEL`.

    ``before`` and ``after`` are of the losing move's player. Its own exercise is to hold what was not lost, and the
    move let all of that go; the exercise of its answer is to win what was not won before, and is not lost anyway.
    """
    if before is None or after is None:
        return True
    if is_players:
        return before >= -LEVEL and (mate_in is not None or after <= LEVEL)
    return -after >= -LEVEL and (mate_in is not None or -before <= LEVEL)


def from_traps(connection: Connection) -> Iterator[Exercise]:
    """Both tasks of every proved trap."""
    traps = read_traps(connection, TrapRow.verdict == Verdict.PROVED.value)
    games = [(trap.epd, _codes(trap.epd, trap.line[:2]), [1]) for trap in traps]
    for trap, replayed in zip(traps, _native.replay(games), strict=True):
        ((after, killer),) = replayed
        kind = _native.killer_kind(after, killer, trap.mate_in is not None)
        about: dict[str, Any] = {
            "origin": Origin.TRAP,
            "mate_in": trap.mate_in,
            "cost": trap.gain or 0.0,
            "themes": themes_of_line(trap.epd, trap.line, kind),
            "opening": trap.opening.partition(":")[0],
            "slug": trap.slug,
            "name": trap.name,
        }
        yield Exercise(
            task=Task.KILLER,
            epd=after,
            line=trap.killer_line,
            played_before=trap.bait,
            before=trap.epd,
            **about,
        )
        yield Exercise(task=Task.SAFE, epd=trap.epd, line=trap.line, **about)


def _codes(epd: str, line: Sequence[str]) -> bytes:
    """Two moves as `_native.replay` takes them."""
    bait, killer = line
    first = move_code(epd, bait) if bait in _CASTLING else coded(chess.Move.from_uci(bait))
    second = coded(chess.Move.from_uci(killer))
    if killer in _CASTLING:
        board = chess.Board(epd)
        board.push_uci(bait)
        second = move_code(board.fen(), killer)
    return first.to_bytes(2, "little") + second.to_bytes(2, "little")
