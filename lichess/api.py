"""Events, requests and errors of the lichess API, independent of the HTTP library; `lichess.client` implements them.

Times are milliseconds, moves UCI, colours ``white`` and ``black``. Source: lichess's published OpenAPI description.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal, Protocol

from trapcore.errors import Message, TraplineError

Color = Literal["white", "black"]
Room = Literal["player", "spectator"]

USUAL_START = "startpos"
"""Lichess's name for the usual initial position."""

MOST_LISTED = 50
"""Most running games in lichess's list."""

BOT_GAMES_A_DAY = "bot.vsBot.day"
"""Lichess's name of the limit of games between bots, 100 a day; it concerns challenges to and from bots alone."""

ULTRA_BULLET, BULLET, BLITZ, RAPID, CLASSICAL = "ultraBullet", "bullet", "blitz", "rapid", "classical"


def clock_seconds(limit: int, increment: int) -> int:
    """Lichess's estimate of a side's time in seconds: the initial time and forty increments."""
    return limit + 40 * increment


def speed_of(limit: int, increment: int) -> str:
    """Lichess's speed of a clock in seconds."""
    length = clock_seconds(limit, increment)
    for speed, below in ((ULTRA_BULLET, 30), (BULLET, 180), (BLITZ, 480), (RAPID, 1500)):
        if length < below:
            return speed
    return CLASSICAL


# Errors -------------------------------------------------------------------------------------------------------------


class LichessError(TraplineError):
    """A request or a stream that failed."""


class Unreachable(LichessError):
    """No answer, half an answer, or an error of the server (5xx): whether the request took effect is unknown."""

    def __init__(self, template: str | Message, /, *, arrived: bool = True, **values: object) -> None:
        """``arrived`` is False if the request certainly never reached lichess."""
        super().__init__(template, **values)
        self.arrived = arrived


class Limited(LichessError):
    """Too many requests (429); the request took no effect."""

    def __init__(self, message: str, seconds: float | None, key: str = "") -> None:
        """``seconds``: how long to wait, None if lichess gives no time.

        ``key``: lichess's name of the limit, such as `BOT_GAMES_A_DAY`; empty for the general limit of requests.
        """
        super().__init__(message)
        self.seconds = seconds
        self.key = key


class Refused(LichessError):
    """Refusal by lichess (4xx); the request took no effect."""

    def __init__(self, template: str | Message, status: int, /, **values: object) -> None:
        super().__init__(template, **values)
        self.status = status


class Unauthorized(Refused):
    """The token is wrong, revoked, or lacks a scope (401, 403)."""

    # A program of its own: a service manager need not start again what only a new token mends.
    exit_code: ClassVar[int] = 8


# Players, challenges and games --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Account:
    """The account that the token belongs to."""

    id: str
    name: str
    is_bot: bool
    games: int = 0
    """Games ever played: an account that has played cannot become a bot."""


@dataclass(frozen=True, slots=True)
class Person:
    """Player of a game or challenge."""

    id: str
    name: str
    title: str = ""
    """``BOT``, ``GM``, …"""
    rating: int | None = None

    @property
    def is_bot(self) -> bool:
        """Whether it is a bot account."""
        return self.title == "BOT"


@dataclass(frozen=True, slots=True)
class Challenge:
    """Challenge to a game."""

    id: str
    challenger: Person
    variant: str
    speed: str
    rated: bool
    limit: int | None
    """Seconds on the clock; None without one."""
    increment: int
    """Seconds."""
    days: int | None
    """Days for a move, in correspondence games."""
    rules: tuple[str, ...] = ()
    """Special rules, such as ``noAbort``."""
    initial_fen: str = ""
    is_own: bool = False
    """Whether the bot itself has sent it."""


@dataclass(frozen=True, slots=True)
class Arena:
    """An arena tournament."""

    id: str
    admits_bots: bool
    seconds_to_start: float
    """0 once it has begun."""
    is_over: bool


@dataclass(frozen=True, slots=True)
class GameInfo:
    """Constant data of a game."""

    id: str
    color: Color
    """The bot's color."""
    me: Person
    opponent: Person
    variant: str
    initial_fen: str
    """`USUAL_START` or a FEN."""
    rated: bool
    speed: str
    initial: int | None
    """Milliseconds on each clock; None without one."""
    increment: int
    """Milliseconds."""
    created: int
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class GameState:
    """State of a game, always complete."""

    moves: tuple[str, ...]
    wtime: int
    btime: int
    winc: int
    binc: int
    status: str
    """``started`` while it is played."""
    winner: Color | None = None
    draw_offers: frozenset[Color] = frozenset()
    takeback_offers: frozenset[Color] = frozenset()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.status not in ("created", "started")


# Events -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChallengeGone:
    """A challenge was taken back or declined."""

    id: str
    decliner: str = ""
    """Name of the player who declined a challenge of ours; empty otherwise."""
    reason: str = ""
    """Why, in lichess's words."""


@dataclass(frozen=True, slots=True)
class GameStart:
    """A game of ours is running; also sent for all running games when the stream opens."""

    id: str
    is_our_turn: bool = False
    seconds_left: float | None = None
    speed: str = ""


@dataclass(frozen=True, slots=True)
class GameFinish:
    """A game of ours has ended."""

    id: str


AccountEvent = Challenge | ChallengeGone | GameStart | GameFinish


@dataclass(frozen=True, slots=True)
class GameFull:
    """The first line of a game's stream."""

    info: GameInfo
    state: GameState


@dataclass(frozen=True, slots=True)
class ChatLine:
    """Line of chat, perhaps by the bot itself."""

    username: str
    text: str
    room: Room


@dataclass(frozen=True, slots=True)
class OpponentGone:
    """The opponent has left or is back."""

    gone: bool
    claim_in: float | None
    """Seconds after which the game can be claimed."""


GameEvent = GameFull | GameState | ChatLine | OpponentGone


class DeclineReason(StrEnum):
    """Reason to decline a challenge, in lichess's terms."""

    GENERIC = "generic"
    LATER = "later"
    TOO_FAST = "tooFast"
    TOO_SLOW = "tooSlow"
    TIME_CONTROL = "timeControl"
    RATED = "rated"
    CASUAL = "casual"
    STANDARD = "standard"
    VARIANT = "variant"
    NO_BOT = "noBot"
    ONLY_BOT = "onlyBot"


class Lichess(Protocol):
    """Client of one account. Every method may raise `LichessError`.

    A stream gives None for each keep-alive, ends when the server ends it, and raises `Unreachable` when it is silent
    for too long, breaks off, or sends what cannot be read. It belongs to the thread that reads it.
    """

    def account(self) -> Account:
        """Account of the token."""

    def scopes(self) -> frozenset[str]:
        """Scopes of the token."""

    def upgrade(self) -> None:
        """Make the account a bot, for ever."""

    def events(self) -> Iterator[AccountEvent | None]:
        """The stream of the account; opening it closes an older one."""

    def game(self, game: str, me: str) -> Iterator[GameEvent | None]:
        """The stream of a game; ``me`` is the id of our account."""

    def ongoing(self) -> list[GameStart]:
        """All running games."""

    def challenges(self) -> list[Challenge]:
        """Challenges that wait for our answer; needs the scope challenge:read."""

    def export(self, game: str) -> str:
        """A game as PGN."""

    def finished(self, user: str, since: float) -> Iterator[tuple[str, str]]:
        """The games of a user that began at this time or later, seconds since 1970, and are over: id and PGN."""

    def move(self, game: str, uci: str, *, offer_draw: bool = False) -> None:
        """Play a move."""

    def say(self, game: str, room: Room, text: str) -> None:
        """Send a chat message of at most 140 characters."""

    def abort(self, game: str) -> None:
        """Abort before the first moves."""

    def resign(self, game: str) -> None:
        """Resign."""

    def answer_draw(self, game: str, *, accept: bool) -> None:
        """Accept or decline a draw offer."""

    def answer_takeback(self, game: str, *, accept: bool) -> None:
        """Accept or decline a takeback."""

    def claim_victory(self, game: str) -> None:
        """Claim a win because the opponent has left."""

    def claim_draw(self, game: str) -> None:
        """Claim a draw because the opponent has left."""

    def accept(self, challenge: str) -> None:
        """Accept a challenge."""

    def decline(self, challenge: str, reason: DeclineReason) -> None:
        """Decline a challenge."""

    def challenge(
        self, name: str, *, rated: bool, limit: int, increment: int, fen: str = "", color: Color | None = None
    ) -> str:
        """Challenge a player, times in seconds; returns the challenge's id.

        ``fen``: position to begin with instead of the usual one; ``color``: ours, at random without one.
        """

    def withdraw(self, challenge: str) -> None:
        """Cancel a challenge of our own."""

    def online_bots(self, most: int, speed: str) -> list[Person]:
        """Bots that are online, with their ratings at a speed."""

    def arena(self, ident: str) -> Arena:
        """An arena tournament."""

    def join_arena(self, ident: str) -> None:
        """Join an arena, and ask for a pairing within the next minute; needs the scope tournament:write."""

    def leave_arena(self, ident: str) -> None:
        """Leave an arena, or take a break in it; needs the same scope."""

    def chat(self, game: str) -> list[ChatLine]:
        """Lines of the players' room of a game, also of one that is over, the oldest first."""
