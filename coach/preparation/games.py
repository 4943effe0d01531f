"""The openings of a player's games: which move was made in which position, and how the games ended."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection, func, select

from db.games.players import find_players, players
from db.games.sightings import SeenGame
from db.games.trap_occurrences import Games, games_of
from db.library.library import Library
from db.storage.bulk import parts
from db.storage.sighting_rows import coded
from db.storage.tables import GameRow, OccurrenceRow, PositionRow
from db.traps.json_form import JSON_FORM
from db.traps.terms import Side
from trapcore import _native
from trapcore.errors import UsageError, unknown_name
from trapcore.trees.chess_game import parse_position

PLIES = 40
"""So much of a game is its opening here."""

SITES = ("chess.com", "lichess.org")
ELSEWHERE = "elsewhere"
"""Site of a game that neither of `SITES` has: it was played over the board, or does not say."""

_POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


@dataclass(frozen=True, slots=True)
class Score:
    """Results from the player's side."""

    __pydantic_config__ = JSON_FORM

    games: int
    wins: int
    draws: int
    losses: int
    """Games without a result are in ``games`` only."""

    @property
    def share(self) -> float | None:
        """Points a game, 0..1; None if no game has a result."""
        ended = self.wins + self.draws + self.losses
        return (self.wins + self.draws / 2) / ended if ended else None

    @classmethod
    def of(cls, games: Iterable["OpeningGame"]) -> "Score":
        """The score of these games."""
        points = Counter(each.points for each in games)
        return cls(points.total(), points[1.0], points[0.5], points[0.0])


@dataclass(frozen=True, slots=True)
class OpeningGame:
    """A game from the usual start, from the side of a player."""

    game: SeenGame
    colour: Side
    """The player's."""
    line: tuple[tuple[str, str], ...]
    """EPD and UCI of its first moves, `PLIES` at most."""
    points: float | None
    """The player's, 0..1; None without a result."""

    def is_players(self, ply: int) -> bool:
        """Whether the move after so many plies is the player's."""
        return (ply % 2 == 0) == (self.colour == "white")


@dataclass(frozen=True, slots=True)
class Played:
    """What was played in each position of some games."""

    moves: dict[str, Counter[str]]
    """UCI by EPD; a game counts once for a position."""
    games: dict[tuple[str, str], list[OpeningGame]]
    """By EPD and UCI."""

    @classmethod
    def of(cls, games: Iterable[OpeningGame]) -> "Played":
        """Count these games."""
        moves: defaultdict[str, Counter[str]] = defaultdict(Counter)
        by_move: defaultdict[tuple[str, str], list[OpeningGame]] = defaultdict(list)
        for game in games:
            for epd, uci in dict(game.line).items():
                moves[epd][uci] += 1
                by_move[epd, uci].append(game)
        return cls(dict(moves), dict(by_move))

    def count(self, epd: str) -> int:
        """Games with this position and a move after it."""
        return self.moves[epd].total() if epd in self.moves else 0


def games_named(library: Library, name: str, *, every: bool | None = None, site: str | None = None) -> Games:
    """The indexed games of a player by a part of his name, see `db.games.players.find_players`, at one site or all.

    Raises `UsageError` for a name that nobody or several have, for an unknown site and for one without his games.
    """
    return at_site(games_of(library, find_players(players(library), name, every=every)), site)


def at_site(games: Games, site: str | None) -> Games:
    """The games of one site, or all of them. Raises `UsageError` if there are none, and for an unknown site."""
    if site is None:
        return games
    if site not in (*SITES, ELSEWHERE):
        raise unknown_name("site", site, (*SITES, ELSEWHERE))
    found = Games({number: row for number, row in games.rows.items() if site_of(row) == site}, games.names)
    if not found.rows:
        have = ", ".join(f"{count:,} from {where}" for where, count in sites_of(games).most_common())
        raise UsageError(
            "no indexed game of {names} is from {site}; there are {have}",
            names=", ".join(sorted(games.names)),
            site=site,
            have=have,
        )
    return found


def newest_game(library: Library) -> int:
    """Number of the game that was indexed last; 0 if there is none. Raises `LibraryError`."""
    with library.database.read() as connection:
        return connection.scalar(select(func.max(GameRow.id))) or 0


def opening_games(games: Games) -> list[OpeningGame]:
    """The openings of these games by number; twice where the player had both sides. Others than from the usual start
    are left out."""
    numbers = [number for number, row in games.rows.items() if row.start_fen is None]
    asked = [(None, games.rows[n].moves, list(range(min(PLIES, len(games.rows[n].moves) // 2)))) for n in numbers]
    found = []
    for number, line in zip(numbers, _native.replay(asked), strict=True):
        row = games.rows[number]
        for colour in games.colours(number):
            points = _POINTS.get(row.result)
            if points is not None and colour == "black":
                points = 1 - points
            found.append(OpeningGame(SeenGame.of(row), colour, tuple(line), points))
    return found


def site_of(row: Any) -> str:
    """Of `SITES`, or `ELSEWHERE`, by the tag Site of a game."""
    host = urlsplit(row.site).hostname or row.site.strip().lower()
    return next((site for site in SITES if host == site or host.endswith(f".{site}")), ELSEWHERE)


def sites_of(games: Games) -> Counter[str]:
    """How many of the games are from each site."""
    return Counter(map(site_of, games.rows.values()))


def replies_in(connection: Connection, epds: Sequence[str]) -> dict[str, Counter[str]]:
    """UCI by EPD: what was played in these positions in all indexed games."""
    by_key = {_native.position_key(epd): epd for epd in epds}
    found: defaultdict[str, Counter[int]] = defaultdict(Counter)
    counted = (
        select(PositionRow.key, OccurrenceRow.move, func.count())
        .join_from(PositionRow, OccurrenceRow, OccurrenceRow.position_id == PositionRow.id)
        .where(OccurrenceRow.move.is_not(None))
        .group_by(PositionRow.key, OccurrenceRow.move)
    )
    for some in parts(by_key):
        for key, move, count in connection.execute(counted.where(PositionRow.key.in_(some))):
            assert move is not None
            found[by_key[bytes(key)]][move] += count
    return {epd: _named(epd, moves) for epd, moves in found.items()}


def _named(epd: str, moves: Counter[int]) -> Counter[str]:
    # As in Chess960 the tables name castling by the rook that the king takes.
    board = parse_position(epd)
    wide = board.copy(stack=False)
    wide.chess960 = True
    return Counter({board.uci(move): moves[coded(move)] for move in wide.legal_moves if coded(move) in moves})
