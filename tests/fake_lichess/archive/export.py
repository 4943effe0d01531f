"""A game as lichess exports it: PGN with clocks, or JSON."""

import itertools
from datetime import UTC, datetime
from typing import Any

import chess
import chess.pgn

from tests.fake_lichess.game import ABORTED, Game
from tests.fake_lichess.http.answers import color_name
from tests.fake_lichess.terms import VARIANTS

#: Plies that a running game is behind, so that nobody cheats with it.
DELAY = 3

TERMINATIONS = {"outoftime": "Time forfeit", "timeout": "Abandoned", ABORTED: "Abandoned", "started": "Unterminated"}


def _shown(game: Game) -> list[chess.Move]:
    stack = game.board.move_stack
    return list(stack if game.over else stack[: max(0, len(stack) - DELAY)])


def result(game: Game) -> str:
    if not game.over or game.status == ABORTED:
        return "*"
    return {None: "1/2-1/2", chess.WHITE: "1-0", chess.BLACK: "0-1"}[game.winner]


def as_pgn(game: Game, base: str, moves: bool = True, tags: bool = True, clocks: bool = True) -> str:
    """One game of PGN; a running one without its last moves."""
    start = chess.Board(game.first_fen, chess960=game.terms.any_castling)
    pgn = chess.pgn.Game()
    pgn.setup(start)
    begun = datetime.fromtimestamp(game.created_at / 1000, UTC)
    white, black = game.sides[chess.WHITE].account, game.sides[chess.BLACK].account
    kind = "Rated" if game.terms.rated else "Casual"
    limit, increment = game.terms.limit, game.terms.increment
    for name, value in {
        "Event": f"{kind} {game.terms.perf_name} game",
        "Site": f"{base}/{game.id}",
        "Date": f"{begun:%Y.%m.%d}",
        "Round": "-",
        "White": white.name,
        "Black": black.name,
        "Result": result(game),
        "GameId": game.id,
        "UTCDate": f"{begun:%Y.%m.%d}",
        "UTCTime": f"{begun:%H:%M:%S}",
        **{f"{side}Elo": str(who.rating or "?") for side, who in (("White", white), ("Black", black))},
        **{f"{side}Title": who.title for side, who in (("White", white), ("Black", black)) if who.title},
        "Variant": VARIANTS[game.terms.variant]["name"],
        "TimeControl": "-" if limit is None else f"{limit}+{increment}",
        "Termination": TERMINATIONS.get(game.status, "Normal"),
    }.items():
        pgn.headers[name] = value
    node: chess.pgn.GameNode = pgn
    if moves:
        for move, left in zip(_shown(game), game.clocks, strict=False):
            node = node.add_main_variation(move)
            if clocks and limit is not None:
                node.set_clock(int(left))
    return pgn.accept(chess.pgn.StringExporter(headers=tags, columns=None)) + "\n\n"


def as_json(game: Game, now_ms: int) -> dict[str, Any]:
    """The same as an object; moves in SAN."""
    board = chess.Board(game.first_fen, chess960=game.terms.any_castling)
    sans = [board.san_and_push(move) for move in _shown(game)]
    players = {
        color_name(color): {
            "user": {"id": side.account.id, "name": side.account.name},
            "rating": side.account.rating,
        }
        if side.account.ai_level is None
        else {"aiLevel": side.account.ai_level}
        for color, side in game.sides.items()
    }
    body: dict[str, Any] = {
        "id": game.id,
        "rated": game.terms.rated,
        "variant": game.terms.variant,
        "speed": game.terms.speed,
        "perf": game.terms.perf,
        "createdAt": game.created_at,
        "lastMoveAt": game.finished_at or now_ms,
        "status": game.status,
        "source": "friend",
        "players": players,
        "moves": " ".join(sans),
    }
    if game.winner is not None:
        body["winner"] = color_name(game.winner)
    if game.first_fen != chess.STARTING_FEN:
        body["initialFen"] = game.first_fen
    if game.terms.limit is not None and game.terms.increment is not None:
        total = game.terms.limit + 40 * game.terms.increment
        body["clock"] = {"initial": game.terms.limit, "increment": game.terms.increment, "totalTime": total}
        body["clocks"] = [round(left * 100) for left in itertools.islice(game.clocks, len(sans))]
    return body
