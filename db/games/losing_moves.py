"""Losing moves in the indexed games of a player, his own and his opponents', each with what it hung on."""

from collections import defaultdict
from dataclasses import dataclass, replace

import chess

from db.games.phases import phase_of
from db.games.sightings import SeenGame
from db.games.trap_occurrences import UNNAMED, Games
from db.library.library import Library
from db.storage.losing_rows import LosingMove, losing_moves_of
from db.storage.value_rows import stored_values
from db.traps.openings import opening_of
from db.traps.position_value import Values
from db.traps.terms import Side
from trapcore import _native
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, MISTAKE


@dataclass(frozen=True, slots=True, kw_only=True)
class LostMove:
    """A losing move in a game of the player."""

    game: SeenGame
    move: LosingMove
    colour: Side
    """Whose move it was."""
    is_players: bool
    """It was the player's; otherwise his opponent's."""
    number: int
    """Full-move number."""
    epd: str
    """Before the move."""
    uci: str
    san: str
    epd_after: str
    killer_line_san: tuple[str, ...]
    best_san: str | None
    opening: str
    """What the opening of the game is called until there, without the variation."""
    phase: str
    """Of `db.games.phases.PHASES`."""
    utc_time: str = ""
    """When the game began, ``18:05:00``; empty if it is not known."""

    @property
    def opponent_rating(self) -> int | None:
        """Of the opponent of the player who made the move."""
        return self.game.black_elo if self.colour == "white" else self.game.white_elo

    @property
    def mover_rating(self) -> int | None:
        """Of the player who made the move."""
        return self.game.white_elo if self.colour == "white" else self.game.black_elo

    @property
    def other_rating(self) -> int | None:
        """Of the player's opponent, also if the opponent made the move."""
        return self.opponent_rating if self.is_players else self.mover_rating

    @property
    def cost(self) -> float:
        """Win chance that it cost, 0..2; 0 where it was not measured."""
        measured = self.move.before is not None and self.move.after is not None
        return self.move.before - self.move.after if measured else 0.0  # type: ignore[operator]

    @property
    def settled_cost(self) -> float:
        """The cost where it may be shown, 0..2; 0 with too few pieces."""
        return self.cost if self.move.settled else 0.0

    @property
    def expected_cost(self) -> float:
        """The cost that moves are sorted and added up by, 0..2.

        A settled cost counts as it was measured. With too few pieces, the measured cost counts with the probability
        that the move loses. A move that was never measured counts with `BLUNDER`, the least that a losing move costs.
        """
        if self.move.before is None or self.move.after is None:
            return BLUNDER
        if self.move.settled or self.move.probability is None:
            return self.cost
        return self.cost * self.move.probability


def lost_moves(library: Library, games: Games) -> tuple[list[LostMove], int]:
    """The losing moves in these games, by game and ply, and how many of the games were searched for them.

    What they cost is the difference of the values that the library has of their positions; a move that costs too little
    by deeper values is left out. A game in which the player had both sides gives each move once, as his. Raises
    `LibraryError`.
    """
    by_game: dict[int, list[LosingMove]] = defaultdict(list)
    with library.database.read() as connection:
        for number, move in losing_moves_of(connection, games.rows):
            by_game[number].append(move)
    numbers = sorted(by_game)
    replayed = []
    for number in numbers:
        row = games.rows[number]
        replayed.append((row.start_fen, row.moves, list(range(min(by_game[number][-1].ply, len(row.moves) // 2)))))
    found = []
    for number, line in zip(numbers, _native.replay(replayed), strict=True):
        found += [_lost_move(games, number, move, line) for move in by_game[number] if move.ply <= len(line)]
    with library.database.read() as connection:
        values = stored_values(connection, {epd for each in found for epd in (each.epd, each.epd_after)})
    judged = sum(row.judged_by is not None for row in games.rows.values())
    return list(filter(_is_told, (_priced(each, values) for each in found))), judged


def _priced(lost: LostMove, values: Values) -> LostMove:
    """The move with what it cost by these values."""
    move = lost.move.priced(values.get(lost.epd), values.get(lost.epd_after))
    if move.best == lost.uci:
        move = replace(move, best=None)
    return replace(lost, move=move, best_san=None if move.best is None else _native.sans(lost.epd, [move.best])[0])


def _is_told(lost: LostMove) -> bool:
    """Whether the move still costs enough, so that it may be called losing."""
    measured = lost.move.before is not None and lost.move.after is not None
    return not measured or lost.move.mate_in is not None or lost.cost >= MISTAKE


def _lost_move(games: Games, number: int, move: LosingMove, line: list[tuple[str, str]]) -> LostMove:
    row = games.rows[number]
    epd, uci = line[move.ply - 1]
    board = parse_position(epd)
    start = chess.Board() if row.start_fen is None else parse_position(row.start_fen)
    colour: Side = "white" if board.turn else "black"
    san, *killer = _native.sans(epd, [uci, *move.killer_line])
    phase = phase_of(board, move.ply, usual_start=row.start_fen is None)
    opening = opening_of(before for before, _ in line[: move.ply])
    board.push_uci(uci)
    return LostMove(
        game=SeenGame.of(row),
        move=move,
        colour=colour,
        is_players=colour in games.colours(number),
        number=start.fullmove_number + (move.ply - 1 + (not start.turn)) // 2,
        epd=epd,
        uci=uci,
        san=san,
        epd_after=_native.epd(board.fen()),
        killer_line_san=tuple(killer),
        best_san=None,
        opening=UNNAMED if opening is None else opening.family,
        phase=phase,
        utc_time=row.utc_time,
    )
