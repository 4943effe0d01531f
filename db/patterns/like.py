"""The mistakes most like a position, or like a move of a game of the library."""

import re
from collections.abc import Sequence

from sqlalchemy import select

from db.games.losing_moves import LostMove, lost_moves
from db.games.trap_occurrences import numbered_games
from db.library.library import Library
from db.patterns.bundled import patterns_at
from db.patterns.index import MistakeIndex, Place, Rows
from db.patterns.keys import Pattern, token_sets
from db.storage.models import GameRow, MistakeRow
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.proof.causes import Mistake, explain
from trapcore.ranking.weights import shipped_weights
from trapcore.trees.chess_game import parse_position

_MOVE = re.compile(r"(?P<number>\d+)(?P<dots>\.{0,3})\s*[A-Za-z].*|(?P<only>\d+)(?P<dot>\.{0,3})")
_PAIRS = 4
"""Ways to lose in a position that are compared."""


def sets_like(library: Library, like: str) -> list[bytes]:
    """The token sets to ask for: of a move ``GAME#MOVE``, or of the ways to lose in a position (FEN or EPD) and the
    bundled patterns that have it.

    GAME is a number of the library or the game's address, MOVE a ply as lichess writes it (``27``), or a move number
    with its dots (``14.``, ``14...``, ``14.Rd1``). A move that is no mistake of the library counts as the position
    before it. Raises `UsageError` for a game or a move that is not there, and `InputError` for no position.
    """
    if "#" not in like:
        found = _of_position(like.strip())
        with library.database.read() as connection:
            return found + token_sets(each.labelled for each in patterns_at(connection, _native.epd(like.strip())))
    game, ply = _place(library, like)
    with library.database.read() as connection:
        wanted = select(MistakeRow.tokens).where(MistakeRow.game_id == game, MistakeRow.ply == ply)
        stored = connection.scalar(wanted)
        row = connection.execute(select(GameRow.start_fen, GameRow.moves).where(GameRow.id == game)).one()
    if stored is not None:
        return [stored]
    ((epd, _),) = _native.replay([(row.start_fen, row.moves, [ply - 1])])[0]
    return _of_position(epd)


def nearest(index: MistakeIndex, sets: Sequence[bytes], k: int, only: Rows | None = None) -> list[tuple[Place, float]]:
    """The ``k`` mistakes that are most like one of these, the most similar first."""
    best: dict[Place, float] = {}
    for hits in index.nearest(sets, k, only):
        for place, similarity in hits:
            best[place] = max(similarity, best.get(place, 0.0))
    return sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))[:k]


def mistakes_at(library: Library, places: Sequence[Place]) -> dict[Place, LostMove]:
    """The losing moves at these places, without those that cost too little by deeper values. Raises `LibraryError`."""
    found, _ = lost_moves(library, numbered_games(library, {game for game, _ in places}))
    wanted = set(places)
    return {place: move for move in found if (place := (move.game.id, move.move.ply)) in wanted}


def _of_position(fen: str) -> list[bytes]:
    """What may lose in a position, as token sets: the pairs of a bait and a killer that look most promising."""
    parse_position(fen)
    pairs = shipped_weights().ranker.pairs(fen, None)[:_PAIRS]
    lines = [uci for uci, *_ in pairs if len(uci) > 1]
    reasons = explain(Mistake(fen, line[0], tuple(line[1:])) for line in lines)
    mistakes = []
    for line, reason in zip(lines, reasons, strict=True):
        cause = reason.causes[0].name if reason.causes else ""
        patterns = [Pattern(key) for key in (reason.place, reason.mechanism, cause) if key]
        mistakes.append((fen, line, patterns))
    return token_sets(mistakes)


def _place(library: Library, like: str) -> Place:
    """Game and ply of ``GAME#MOVE``."""
    name, _, move = like.rpartition("#")
    name = name.strip()
    condition = GameRow.id == int(name) if name.isdecimal() and len(name) < 19 else GameRow.site == name
    with library.database.read() as connection:
        row = connection.execute(select(GameRow.id, GameRow.plies, GameRow.start_fen).where(condition)).first()
    if row is None:
        raise UsageError(
            "the library has no game {game!r}: give its number, as query shows it, or its address", game=name
        )
    found = _MOVE.fullmatch(move.strip())
    if found is None:
        raise UsageError("{move!r} is no move of a game: write its ply (27), or 14. or 14... as in 14.Rd1", move=move)
    number, dots = int(found["number"] or found["only"]), found["dots"] or found["dot"] or ""
    ply = number
    if dots or found["number"]:
        start = parse_position(row.start_fen) if row.start_fen else None
        first, black = (start.fullmove_number, not start.turn) if start else (1, False)
        ply = 2 * (number - first) + 1 + (len(dots) == 3) - black
    if not 1 <= ply <= row.plies:
        raise UsageError(
            "the game {game} has no move {move!r}: it has {plies} half-moves", game=name, move=move, plies=row.plies
        )
    return row.id, ply
