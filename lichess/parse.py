"""Parsing of lichess's JSON. Unknown types and fields are ignored and logged once; malformed ones are errors.

Every function raises `ValueError`, `KeyError` or `TypeError` for JSON of another shape; the caller turns it into
`Unreachable`, because a line that cannot be read is a broken stream.
"""

import logging
import re
from collections.abc import Mapping
from typing import Any

from lichess.api import (
    USUAL_START,
    AccountEvent,
    Challenge,
    ChallengeGone,
    ChatLine,
    Color,
    GameEvent,
    GameFinish,
    GameFull,
    GameInfo,
    GameStart,
    GameState,
    OpponentGone,
    Person,
    Room,
)
from trapcore.io.bounded_numbers import decimal_number, whole_number
from trapcore.io.log_once import OnceLogger
from trapcore.io.plain_text import harmless_line

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

_STATE_FIELDS = frozenset(
    {"type", "moves", "wtime", "btime", "winc", "binc", "status", "winner", "wdraw", "bdraw"}
    | {"wtakeback", "btakeback", "expiration", "rematch"}
)
_FULL_FIELDS = frozenset(
    {"type", "id", "variant", "clock", "speed", "perf", "rated", "createdAt", "white", "black", "initialFen", "state"}
    | {"daysPerTurn", "tournamentId", "source", "rules", "fullId"}
)
_once = OnceLogger(log)


_LATEST = 4_102_444_800_000
"""Milliseconds from 1970 to 2100: no game begins later."""

_MOST = 1 << 53
"""Numbers that JSON carries are below."""


def ident(value: object) -> str:
    """An id of a game, a challenge, a study or a round: up to 20 letters and figures, harmless in paths and addresses.

    Raises `ValueError`.
    """
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,20}", value):
        raise ValueError(f"no id: {str(value)[:60]!r}")
    return value


def moment(value: object) -> int:
    """A time in milliseconds since 1970, before 2100. Raises `ValueError`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LATEST:
        raise ValueError(f"no time: {str(value)[:60]!r}")
    return value


def text(value: object) -> str:
    """A text. Raises `ValueError` for anything else, which would be stored as Python writes it."""
    if not isinstance(value, str):
        raise ValueError(f"no text: {str(value)[:60]!r}")
    return value


def account_event(line: Json, me: str) -> AccountEvent | None:
    """An event of the account's stream; None for an unknown type."""
    match line["type"]:
        case "challenge":
            return challenge(line["challenge"], me)
        case "challengeCanceled":
            return ChallengeGone(ident(line["challenge"]["id"]))
        case "challengeDeclined":
            return _declined(line["challenge"], me)
        case "gameStart":
            return game_start(line["game"])
        case "gameFinish":
            return GameFinish(_game_id(line["game"]))
        case unknown:
            log_unknown(f"event {unknown!r}")
            return None


def game_event(line: Json, me: str) -> GameEvent | None:
    """An event of a game's stream; None for an unknown type."""
    match line["type"]:
        case "gameFull":
            return _game_full(line, me)
        case "gameState":
            return _game_state(line)
        case "chatLine":
            return ChatLine(str(line["username"]), str(line["text"]), _room(line["room"]))
        case "opponentGone":
            seconds = line.get("claimWinInSeconds")
            return OpponentGone(bool(line["gone"]), None if seconds is None else _seconds(seconds))
        case unknown:
            log_unknown(f"game event {unknown!r}")
            return None


def game_start(game: Json) -> GameStart:
    """A running game, from an event or from the list of them."""
    seconds = game.get("secondsLeft")
    return GameStart(
        _game_id(game),
        bool(game.get("isMyTurn", False)),
        None if seconds is None else _seconds(seconds),
        str(game.get("speed", "")),
    )


def challenge(given: Mapping[str, Any], me: str) -> Challenge:
    """A challenge, from an event or from the list of them."""
    control = given.get("timeControl") or {}
    challenger = person(given.get("challenger"))
    return Challenge(
        id=ident(given["id"]),
        challenger=challenger,
        variant=str(given["variant"]["key"]),
        speed=str(given["speed"]),
        rated=bool(given["rated"]),
        limit=whole_number(control["limit"], 0, _MOST) if control.get("limit") is not None else None,
        increment=whole_number(control.get("increment") or 0, 0, _MOST),
        days=whole_number(control["daysPerTurn"], 0, _MOST) if control.get("daysPerTurn") is not None else None,
        rules=tuple(str(rule) for rule in given.get("rules") or ()),
        initial_fen=str(given.get("initialFen") or ""),
        is_own=challenger.id == me or given.get("direction") == "out",
    )


def _declined(given: Json, me: str) -> ChallengeGone:
    decliner = person(given.get("destUser"))
    reason = harmless_line(str(given.get("declineReason", "")))[:200]
    return ChallengeGone(ident(given["id"]), "" if decliner.id == me else decliner.name, reason)


def person(user: Json | None) -> Person:
    """A player; lichess's own computer and anonymous players have no id."""
    if user is None:
        return Person("", "Anonymous")
    name = _name(user.get("name") or user.get("username") or ("Stockfish" if "aiLevel" in user else "Anonymous"))
    return Person(_name(user.get("id") or name.lower()), name, _name(user.get("title") or ""), rating(user))


def _name(value: object) -> str:
    """A name that neither a terminal nor a tag of a game takes for more than that."""
    return harmless_line(text(value))[:100].replace('"', "'").replace("\\", "/")


def rating(given: Json) -> int | None:
    """The rating of a player, or of a player at a speed; None without one."""
    found = given.get("rating")
    return None if found is None else whole_number(found, 0, _MOST)


def log_unknown(what: str) -> None:
    """Log the first occurrence of an unknown type or field."""
    _once.write(logging.INFO, what, "lichess sent an unknown %s; it is ignored, and not logged again", what)


def _game_id(game: Json) -> str:
    found = game.get("gameId") or game.get("id")
    return ident(found)


def _room(room: object) -> Room:
    if room not in ("player", "spectator"):
        raise ValueError(f"unknown room {room!r}")
    return room


def _game_full(line: Json, me: str) -> GameFull:
    for field in line.keys() - _FULL_FIELDS:
        log_unknown(f"field {field!r} of a game")
    white, black = person(line.get("white")), person(line.get("black"))
    if me not in (white.id, black.id):
        raise ValueError(f"{me} does not play in game {line['id']}")
    color: Color = "white" if white.id == me else "black"
    clock = line.get("clock") or {}
    info = GameInfo(
        id=_game_id(line),
        color=color,
        me=white if color == "white" else black,
        opponent=black if color == "white" else white,
        variant=str(line["variant"]["key"]),
        initial_fen=str(line.get("initialFen") or USUAL_START),
        rated=bool(line.get("rated", False)),
        speed=str(line.get("speed", "")),
        initial=None if clock.get("initial") is None else whole_number(clock["initial"], 0, _MOST),
        increment=whole_number(clock.get("increment") or 0, 0, _MOST),
        created=_created(line.get("createdAt")),
    )
    return GameFull(info, _game_state(line["state"]))


def _game_state(line: Json) -> GameState:
    for field in line.keys() - _STATE_FIELDS:
        log_unknown(f"field {field!r} of a state")
    winner = line.get("winner")
    if winner not in (None, "white", "black"):
        raise ValueError(f"unknown winner {winner!r}")
    return GameState(
        moves=tuple(str(line["moves"]).split()),
        wtime=_milliseconds(line["wtime"]),
        btime=_milliseconds(line["btime"]),
        winc=_milliseconds(line.get("winc", 0)),
        binc=_milliseconds(line.get("binc", 0)),
        status=str(line["status"]),
        winner=winner,
        draw_offers=_offers(line, "draw"),
        takeback_offers=_offers(line, "takeback"),
    )


def _offers(line: Json, what: str) -> frozenset[Color]:
    sides: tuple[tuple[str, Color], ...] = (("w", "white"), ("b", "black"))
    return frozenset(color for letter, color in sides if line.get(letter + what))


def _created(value: object) -> int:
    try:
        return moment(value)
    except ValueError:
        log_unknown(f"time of creation {str(value)[:60]!r}")  # only the date of the archived game hangs on it
        return 0


def _seconds(value: object) -> float:
    return decimal_number(value, -_MOST, _MOST)


def _milliseconds(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= _MOST:
        raise ValueError(f"no time in milliseconds: {value!r}")
    return value
