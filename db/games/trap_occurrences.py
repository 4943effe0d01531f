"""Occurrences of traps in the indexed games of a player, as victim or as attacker, and what happened in each.

The position is the trap's own, in either colour; what happened follows from the moves before and after it. Sightings
of positions that are only like a trap's, as the bot records them, are occurrences too. Traps that are not proved are
left out: of them nothing may be said.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import chess
from sqlalchemy import Connection, or_, select

from db.games.accounts import SiteAccount
from db.games.sightings import TAGS, SeenGame
from db.library.library import Library
from db.storage.bulk import parts
from db.storage.column_types import stored
from db.storage.sighting_rows import BY_KEY
from db.storage.tables import GameRow, OccurrenceRow, PositionRow, SightingRow, TrapRow
from db.storage.trap_rows import read_traps
from db.traps.events import decision_ply, events_of, springs
from db.traps.openings import opening_of
from db.traps.terms import EVENTS, Event, Side
from db.traps.trap import Trap
from trapcore import _native
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror, mirror_move

UNNAMED = "Unnamed opening"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapOccurrence:
    """A trap of the library that stood on the board, or one like it, in a game of the player."""

    trap: Trap
    """With colours exchanged if it stood so."""
    exchanged: bool
    game: SeenGame
    colour: Side
    """The player's."""
    is_victim: bool
    """The player had the choice; otherwise his opponent."""
    ply: int
    """Of the choice, from 1 at the game's first move, also if the game ended before it."""
    number: int
    """Full-move number of the choice."""
    events: tuple[str, ...]
    """Of `db.traps.terms.EVENTS`, in their order: what either side did."""
    played: str
    """SAN of what was chosen; empty if the game ended."""
    answer: str
    """SAN of the attacker's next move; empty if there is none."""
    opening: str
    """What the opening of the game is called until there, without the variation."""
    measure: str
    """By which the trap was recognised, ``key`` for the very position."""
    score: float
    """KillerIndex, 0..1; 1 for the very position."""

    @property
    def rating(self) -> int | None:
        """Of the player who had the choice."""
        return self.game.white_elo if self.victim == "white" else self.game.black_elo

    @property
    def victim(self) -> Side:
        """The player who had the choice."""
        return self.colour if self.is_victim else ("black" if self.colour == "white" else "white")

    @property
    def year(self) -> int | None:
        """Of the game; None if it is not known."""
        return year_of(self.game.date)

    @property
    def month(self) -> str | None:
        """``2020-05``; None if it is not known."""
        year, _, rest = self.game.date.partition(".")
        known = _digits(year, 4) and _digits(rest[:2], 2) and 1 <= int(rest[:2]) <= 12
        return f"{year}-{rest[:2]}" if known else None


@dataclass(frozen=True, slots=True)
class Games:
    """The games of a player, by number."""

    rows: Mapping[int, Any]
    names: frozenset[str]

    def colours(self, number: int) -> Iterator[Side]:
        """The player's side in a game; both where he is said to have played himself."""
        row = self.rows[number]
        if row.white in self.names:
            yield "white"
        if row.black in self.names:
            yield "black"


@dataclass(frozen=True, slots=True)
class _Found:
    """A place where a trap was seen, before the game is replayed."""

    trap_id: int
    exchanged: bool
    game_id: int
    ply: int
    """Moves made before the choice."""
    events: frozenset[str] | None = None
    """As recorded; None for the very position, where they follow from the moves."""
    measure: str = BY_KEY
    score: float = 1.0


def games_of(library: Library, player: Collection[str] | SiteAccount) -> Games:
    """The indexed games of a player: of an account, or with one of these names. Raises `LibraryError`."""
    columns = [getattr(GameRow, name) for name in _COLUMNS]
    rows: dict[int, Any] = {}
    with library.database.read() as connection:
        if isinstance(player, SiteAccount):
            rows = {row.id: row for row in connection.execute(select(*columns).where(player.games()))}
            names = {name for row in rows.values() for name in (row.white, row.black) if player.has_name(name)}
            return Games(dict(sorted(rows.items())), frozenset(names))
        for part in parts(player):
            wanted = select(*columns).where(or_(GameRow.white.in_(part), GameRow.black.in_(part)))
            rows |= {row.id: row for row in connection.execute(wanted)}
    return Games(dict(sorted(rows.items())), frozenset(player))


def numbered_games(library: Library, numbers: Collection[int]) -> Games:
    """The games with these numbers, of nobody in particular. Raises `LibraryError`."""
    columns = [getattr(GameRow, name) for name in _COLUMNS]
    rows: dict[int, Any] = {}
    with library.database.read() as connection:
        for part in parts(numbers):
            rows |= {row.id: row for row in connection.execute(select(*columns).where(GameRow.id.in_(part)))}
    return Games(dict(sorted(rows.items())), frozenset())


def games_of_player(library: Library, player: str | SiteAccount) -> Games:
    """The indexed games of one player: an account, or a name; an empty name has none. Raises `LibraryError`."""
    if isinstance(player, SiteAccount):
        return games_of(library, player)
    return games_of(library, [player] if player else [])


_COLUMNS = (*TAGS, "site", "utc_time", "start_fen", "moves", "clocks", "judged_by")


def occurrences(library: Library, games: Games) -> tuple[list[TrapOccurrence], int]:
    """The occurrences in these games, by game and ply, and how many there were with traps that are not proved.

    A game in which the player had both sides gives each occurrence twice. Raises `LibraryError`.
    """
    with library.database.read() as connection:
        found = [*_very(connection, games.rows), *_similar(connection, games.rows)]
        traps = _traps(connection, {each.trap_id for each in found})
    known = [each for each in found if each.trap_id in traps]
    by_game: dict[int, list[_Found]] = defaultdict(list)
    for each in known:
        by_game[each.game_id].append(each)
    numbers = sorted(by_game)
    games_to_replay = []
    for number in numbers:
        row = games.rows[number]
        last = max(each.ply for each in by_game[number])
        games_to_replay.append((row.start_fen, row.moves, list(range(min(last + 2, len(row.moves) // 2)))))
    found_occurrences = []
    for number, line in zip(numbers, _native.replay(games_to_replay), strict=True):
        for each in sorted(by_game[number], key=lambda each: (each.ply, each.trap_id)):
            trap, row = traps[each.trap_id], games.rows[number]
            found_occurrences += [_occurrence(each, trap, row, line, colour) for colour in games.colours(number)]
    return found_occurrences, len(found) - len(known)


def year_of(date: str) -> int | None:
    """Of a PGN date; None if it does not say it."""
    year = date.partition(".")[0]
    return int(year) if _digits(year, 4) else None


def exchanged(trap: Trap) -> Trap:
    """The trap with colours exchanged, and without the moves that lead to it, which then others would be."""
    line = tuple(map(mirror_move, trap.killer_line))
    return replace(trap, epd=mirror(trap.epd), bait=mirror_move(trap.bait), killer_line=line, moves=None)


def _very(connection: Connection, games: Collection[int]) -> Iterator[_Found]:
    """Where positions of traps occurred, those without a move after them included."""
    for is_exchanged in (False, True):
        key = TrapRow.mirror_key if is_exchanged else TrapRow.key
        wanted = (
            select(TrapRow.id, OccurrenceRow.game_id, OccurrenceRow.ply)
            .join_from(TrapRow, PositionRow, PositionRow.key == key)
            .join(OccurrenceRow, OccurrenceRow.position_id == PositionRow.id)
        )
        for part in parts(games):
            for trap, game, ply in connection.execute(wanted.where(OccurrenceRow.game_id.in_(part))):
                yield _Found(trap, is_exchanged, game, ply)


def _similar(connection: Connection, games: Collection[int]) -> Iterator[_Found]:
    """Where positions like those of traps were recorded, and proved there."""
    wanted = select(
        SightingRow.trap_id,
        SightingRow.game_id,
        SightingRow.ply,
        SightingRow.event,
        SightingRow.measure,
        SightingRow.score,
    ).where(SightingRow.measure != BY_KEY, SightingRow.verdict == Verdict.PROVED.value)
    events: dict[tuple[int, int, int, str], dict[str, float]] = defaultdict(dict)
    for part in parts(games):
        for trap, game, ply, event, measure, score in connection.execute(wanted.where(SightingRow.game_id.in_(part))):
            assert game is not None  # it is one of those asked for
            events[trap, game, decision_ply(stored(Event, event), ply) - 1, measure][event] = score
    for (trap, game, ply, measure), scores in events.items():
        yield _Found(trap, False, game, ply, frozenset(scores), measure, max(scores.values()))


def _traps(connection: Connection, numbers: Iterable[int]) -> dict[int, Trap]:
    """The proved traps among those numbers."""
    slugs: dict[str, int] = {}
    traps: list[Trap] = []
    for part in parts(numbers):
        proved = TrapRow.id.in_(part), TrapRow.verdict == Verdict.PROVED.value
        slugs |= dict(connection.execute(select(TrapRow.slug, TrapRow.id).where(*proved)).all())
        traps += read_traps(connection, *proved)
    return {slugs[trap.slug]: trap for trap in traps}


def _occurrence(found: _Found, trap: Trap, row: Any, line: list[tuple[str, str]], colour: Side) -> TrapOccurrence:
    turned = exchanged(trap) if found.exchanged else trap
    start = chess.Board() if row.start_fen is None else parse_position(row.start_fen)
    white_moves = (found.ply % 2 == 0) == start.turn
    victim: Side = "white" if white_moves else "black"
    played, answer = (line[ply][1] if ply < len(line) else None for ply in (found.ply, found.ply + 1))
    sans = ["", ""]
    if played is not None:
        board = parse_position(line[found.ply][0])
        sans = [board.san_and_push(chess.Move.from_uci(move)) if move else "" for move in (played, answer)]
    events = found.events if found.events is not None else _events(turned, found.ply, played, answer)
    opening = opening_of(epd for epd, _ in line[: found.ply + 1])
    return TrapOccurrence(
        trap=turned,
        exchanged=found.exchanged,
        game=SeenGame.of(row),
        colour=colour,
        is_victim=victim == colour,
        ply=found.ply + 1,
        number=start.fullmove_number + (found.ply + (not start.turn)) // 2,
        events=tuple(str(event) for event in EVENTS if event in events),
        played=sans[0],
        answer=sans[1],
        opening=opening.family if opening is not None else trap.opening.partition(":")[0] or UNNAMED,
        measure=found.measure,
        score=found.score,
    )


def _events(trap: Trap, ply: int, played: str | None, answer: str | None) -> frozenset[str]:
    took_bait = None if played is None else played == trap.bait
    is_sprung = springs(trap, answer) if took_bait and answer is not None else None
    return frozenset(events_of(follows_a_move=ply > 0, took_bait=took_bait, is_sprung=is_sprung))


def _digits(text: str, length: int) -> bool:
    return len(text) == length and text.isascii() and text.isdigit()
