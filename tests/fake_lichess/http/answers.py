"""The JSON that lichess answers with, shape for shape as published."""

from typing import TYPE_CHECKING

import chess

from tests.fake_lichess.game import ABORTED, STARTED, Game
from tests.fake_lichess.http.stream import Json
from tests.fake_lichess.people import Account, Token
from tests.fake_lichess.terms import VARIANTS, Terms

if TYPE_CHECKING:
    from tests.fake_lichess.challenges import Challenge

STATUS = {
    "created": 10,
    STARTED: 20,
    ABORTED: 25,
    "mate": 30,
    "resign": 31,
    "stalemate": 32,
    "timeout": 33,
    "draw": 34,
    "outoftime": 35,
    "insufficientMaterialClaim": 38,
    "variantEnd": 60,
}
#: Milliseconds lichess tells of a clock that does not run.
NO_CLOCK = 2147483647


def color_name(color: chess.Color) -> str:
    return "white" if color else "black"


def account(who: Account, base: str) -> Json:
    """``/api/account`` and, without the addresses, one line of ``/api/bot/online``."""
    perf = {"games": who.played, "rd": 60, "prog": 0}
    speeds = ("bullet", "blitz", "rapid", "classical", "chess960")
    counts = ("all", "rated", "ai", "draw", "drawH", "loss", "lossH", "win", "winH", "bookmark", "import", "me")
    return {
        "id": who.id,
        "username": who.name,
        "perfs": {speed: {**perf, "rating": who.ratings.get(speed, who.rating)} for speed in speeds},
        **({"title": who.title} if who.title else {}),
        "createdAt": who.created_at,
        "seenAt": who.created_at,
        "playTime": {"total": 0, "tv": 0},
        "url": f"{base}/@/{who.name}",
        "count": dict.fromkeys(counts, 0) | {"all": who.played, "playing": 0},
    }


def token(known: Token | None) -> Json | None:
    if known is None:
        return None
    return {"userId": known.account.id, "scopes": ",".join(sorted(known.scopes)), "expires": None}


def _challenge_user(who: Account) -> Json:
    return {
        "id": who.id,
        "name": who.name,
        "rating": who.rating,
        **({"title": who.title} if who.title else {}),
        "online": who.online,
    }


def _time_control(terms: Terms) -> Json:
    if terms.limit is not None and terms.increment is not None:
        minutes = {15: "¼", 30: "½", 45: "¾", 90: "1.5"}.get(terms.limit, str(terms.limit // 60))
        show = f"{minutes}+{terms.increment}"
        return {"type": "clock", "limit": terms.limit, "increment": terms.increment, "show": show}
    if terms.days is not None:
        return {"type": "correspondence", "daysPerTurn": terms.days}
    return {"type": "unlimited"}


def challenge(made: "Challenge", base: str, seen_by: Account | None = None) -> Json:
    terms = made.terms
    body: Json = {
        "id": made.id,
        "url": f"{base}/{made.id}",
        "status": made.status,
        "challenger": _challenge_user(made.challenger),
        "destUser": _challenge_user(made.dest),
        "variant": VARIANTS[terms.variant],
        "rated": terms.rated,
        "speed": terms.speed,
        "timeControl": _time_control(terms),
        "color": terms.color,
        "finalColor": color_name(made.challenger_color),
        "perf": {"icon": "", "name": terms.perf_name},
    }
    if seen_by is not None:
        body["direction"] = "in" if seen_by is made.dest else "out"
    if terms.fen is not None:
        body["initialFen"] = terms.fen
    if terms.rules:
        body["rules"] = list(terms.rules)
    if made.rematch_of:
        body["rematchOf"] = made.rematch_of
    if made.status == "declined":
        body |= {"declineReason": made.reason_text, "declineReasonKey": made.reason.lower()}
    return body


def moves(game: Game) -> str:
    """All moves in UCI; castling is the king's two steps in standard chess, and king takes rook in every other variant,
    also where king and rooks stand as usual.
    """
    # Not by `Board.uci`, which takes a queen's e8h8 for castling if the king stands on e8 today.
    return " ".join(move.uci() for move in game.board.move_stack)


def game_state(game: Game) -> Json:
    white, black = game.sides[chess.WHITE], game.sides[chess.BLACK]
    timed = game.terms.limit is not None or game.terms.days is not None
    state: Json = {
        "type": "gameState",
        "moves": moves(game),
        "wtime": round(game.left(chess.WHITE) * 1000) if timed else NO_CLOCK,
        "btime": round(game.left(chess.BLACK) * 1000) if timed else NO_CLOCK,
        "winc": (game.terms.increment or 0) * 1000,
        "binc": (game.terms.increment or 0) * 1000,
        "status": game.status,
    }
    for letter, side in (("w", white), ("b", black)):
        if side.offers_draw:
            state[f"{letter}draw"] = True
        if side.proposes_takeback:
            state[f"{letter}takeback"] = True
    if game.winner is not None:
        state["winner"] = color_name(game.winner)
    if game.expiration is not None:
        idle, most = game.expiration
        state["expiration"] = {"idleMillis": round(idle * 1000), "millisToMove": round(most * 1000)}
    return state


def _event_player(who: Account) -> Json:
    """A player; what lichess does not know of him is left out, although the description has id and name required."""
    if who.ai_level is not None:
        return {"aiLevel": who.ai_level}
    if who.anonymous:
        return {}
    return {"id": who.id, "name": who.name, "title": who.title, "rating": who.rating}


def game_full(game: Game) -> Json:
    terms = game.terms
    full: Json = {
        "type": "gameFull",
        "id": game.id,
        "variant": VARIANTS[terms.variant],
        "speed": terms.speed,
        "perf": {"name": terms.perf_name},
        "rated": terms.rated,
        "createdAt": game.created_at,
        "white": _event_player(game.sides[chess.WHITE].account),
        "black": _event_player(game.sides[chess.BLACK].account),
        "initialFen": "startpos" if game.first_fen == chess.STARTING_FEN else game.first_fen,
        "state": game_state(game),
    }
    if terms.limit is not None and terms.increment is not None:
        full["clock"] = {"initial": terms.limit * 1000, "increment": terms.increment * 1000}
    if terms.days is not None:
        full["daysPerTurn"] = terms.days
    return full


def _event_opponent(who: Account) -> Json:
    if who.ai_level is not None:
        return {"id": None, "username": f"Stockfish level {who.ai_level}", "ai": who.ai_level}
    if who.anonymous:
        return {"id": None, "username": "Anonymous", "rating": None}
    return {"id": who.id, "username": who.name, "rating": who.rating}


def game_info(game: Game, seen_by: Account) -> Json:
    """The game inside gameStart and gameFinish."""
    color = game.color_of(seen_by)
    other = game.sides[not color].account
    stack = game.board.move_stack
    info: Json = {
        "fullId": game.id + ("wwww" if color else "bbbb"),
        "gameId": game.id,
        "fen": game.board.fen(),
        "color": color_name(color),
        "lastMove": stack[-1].uci() if stack else "",
        "source": game.source,
        "status": {"id": STATUS[game.status], "name": game.status},
        "variant": VARIANTS[game.terms.variant],
        "speed": game.terms.speed,
        "perf": game.terms.perf,
        "rated": game.terms.rated,
        "hasMoved": game.ply > (0 if color == game.board.root().turn else 1),
        "opponent": _event_opponent(other),
        "isMyTurn": not game.over and game.board.turn == color,
        "secondsLeft": int(game.left(color)),
        "rating": seen_by.rating,
        "compat": {"bot": True, "board": True},
        "id": game.id,
    }
    if game.winner is not None:
        info["winner"] = color_name(game.winner)
    return info


def playing(games: list[Game], seen_by: Account, most: int) -> Json:
    """``/api/account/playing``, the most urgent first."""
    infos = [game_info(game, seen_by) for game in games]
    infos.sort(key=lambda info: (not info["isMyTurn"], info["secondsLeft"]))
    for info in infos:
        info["status"] = info["status"]["name"]
    return {"nowPlaying": infos[:most], "nbMyTurn": sum(info["isMyTurn"] for info in infos)}
