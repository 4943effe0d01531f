"""The mistakes most like a position, a known trap, or a move of a game of the library."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from db.games.losing_moves import LostMove, lost_moves
from db.games.trap_occurrences import numbered_games
from db.library.library import Library
from db.patterns.bundled import patterns_at
from db.patterns.index import MistakeIndex, Place, Rows
from db.patterns.keys import Pattern, patterns_of, token_sets
from db.storage.losing_rows import losing_moves_of
from db.storage.tables import GameRow, MistakeRow
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.proof.causes import Mistake, explain
from trapcore.ranking.weights import shipped_weights
from trapcore.trees.chess_game import parse_position

_MOVE = re.compile(r"(?P<number>\d+)(?P<dots>\.{0,3})\s*[A-Za-z].*|(?P<only>\d+)(?P<dot>\.{0,3})")
_PAIRS = 4
"""Ways to lose in a position that are compared."""


@dataclass(frozen=True, slots=True)
class Model:
    """A way to lose that mistakes are compared with."""

    tokens: bytes
    """Packed token set, see `db.patterns.keys.token_sets`."""
    patterns: tuple[Pattern, ...]
    """The closest first."""

    def shared_with(self, patterns: Sequence[Pattern]) -> tuple[Pattern, ...]:
        """Those of a losing move's patterns that this has as well, in their order."""
        return tuple(pattern for pattern in patterns if pattern in self.patterns)


def models_like(library: Library, like: str) -> list[Model]:
    """What to compare with: the ways to lose in a position (FEN or EPD) and the bundled patterns that have it, a known
    trap (its slug), or a move ``GAME#MOVE``.

    GAME is a number of the library or the game's address, MOVE a ply as lichess writes it (``27``), or a move number
    with its dots (``14.``, ``14...``, ``14.Rd1``). A move that is no mistake of the library counts as the position
    before it. Raises `UsageError` for a game or a move that is not there, and `InputError` for no position.
    """
    like = like.strip()
    if "#" not in like:
        trap = None if "/" in like else library.find(like)
        return _of_position(like) + _of_bundled(library, like) if trap is None else _of_lines(trap.epd, [trap.line])
    game, ply = place_of(library, like)
    with library.database.read() as connection:
        moves = [move for _, move in losing_moves_of(connection, [game]) if move.ply == ply]
        tokens = connection.scalar(select(MistakeRow.tokens).where(MistakeRow.game_id == game, MistakeRow.ply == ply))
        row = connection.execute(select(GameRow.start_fen, GameRow.moves).where(GameRow.id == game)).one()
    if tokens is not None and moves:
        return [Model(tokens, patterns_of(moves[0]))]
    ((epd, _),) = _native.replay([(row.start_fen, row.moves, [ply - 1])])[0]
    return _of_position(epd)


def nearest(
    index: MistakeIndex, models: Sequence[Model], k: int, only: Rows | None = None
) -> list[tuple[Place, float, Model]]:
    """The ``k`` mistakes that are most like one of these models, the most similar first, each with the model."""
    best: dict[Place, tuple[float, Model]] = {}
    found = index.nearest([model.tokens for model in models], k, only)
    for model, hits in zip(models, found, strict=True):
        for place, similarity in hits:
            if place not in best or similarity > best[place][0]:
                best[place] = similarity, model
    order = sorted(best.items(), key=lambda hit: (-hit[1][0], hit[0]))[:k]
    return [(place, similarity, model) for place, (similarity, model) in order]


def mistakes_at(library: Library, places: Sequence[Place]) -> dict[Place, LostMove]:
    """The losing moves at these places, without those that cost too little by deeper values. Raises `LibraryError`."""
    found, _ = lost_moves(library, numbered_games(library, {game for game, _ in places}))
    wanted = set(places)
    return {place: move for move in found if (place := (move.game.id, move.move.ply)) in wanted}


def _of_position(fen: str) -> list[Model]:
    """What may lose in a position: the pairs of a bait and a killer that look most promising."""
    parse_position(fen)
    pairs = shipped_weights().ranker.pairs(fen, None)[:_PAIRS]
    return _of_lines(fen, [uci for uci, *_ in pairs if len(uci) > 1])


def _of_bundled(library: Library, fen: str) -> list[Model]:
    """The bundled patterns that have a position."""
    with library.database.read() as connection:
        found = patterns_at(connection, _native.epd(fen))
    return [
        Model(tokens, each.patterns) for tokens, each in zip(token_sets(p.labelled for p in found), found, strict=True)
    ]


def _of_lines(fen: str, lines: Sequence[Sequence[str]]) -> list[Model]:
    """Each line, a bait and what punishes it (UCI), as a mistake in the position."""
    reasons = explain(Mistake(fen, line[0], tuple(line[1:])) for line in lines)
    patterns = []
    for reason in reasons:
        cause = reason.causes[0].name if reason.causes else ""
        patterns.append(tuple(Pattern(key) for key in (reason.place, reason.mechanism, cause) if key))
    sets = token_sets((fen, line, keys) for line, keys in zip(lines, patterns, strict=True))
    return [Model(tokens, keys) for tokens, keys in zip(sets, patterns, strict=True)]


def place_of(library: Library, like: str) -> Place:
    """Game and ply of ``GAME#MOVE``. Raises `UsageError` for a game or a move that is not there."""
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
