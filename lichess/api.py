"""What the bot needs of lichess, in our words: events, questions and deeds. `lichess.client` has them by berserk.

Times are milliseconds, moves UCI, colours ``white`` and ``black``. Source: lichess's published OpenAPI description.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from trapcore.errors import TraplineError

Color = Literal["white", "black"]
Room = Literal["player", "spectator"]

USUAL_START = "startpos"
"""How lichess writes the usual first position."""

MOST_LISTED = 50
"""Running games that lichess lists at most."""


# What goes wrong ----------------------------------------------------------------------------------------------------


class LichessError(TraplineError):
    """A request or a stream that failed."""


class Unreachable(LichessError):
    """No answer, half an answer, or an error of the server (5xx): whether the deed was done is not known."""

    def __init__(self, message: str, *, arrived: bool = True) -> None:
        """``arrived`` is False if lichess has certainly not seen the request."""
        super().__init__(message)
        self.arrived = arrived


class Limited(LichessError):
    """Too many requests (429); it was not done."""

    def __init__(self, message: str, seconds: float | None) -> None:
        """``seconds`` is how long to wait, None if lichess did not say."""
        super().__init__(message)
        self.seconds = seconds


class Refused(LichessError):
    """Lichess understood and will not (4xx); it was not done."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Unauthorized(Refused):
    """The token is wrong, revoked, or lacks a scope (401, 403)."""


# Who and what -------------------------------------------------------------------------------------------------------


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
    """A player, as games and challenges name him."""

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
    """Somebody wants to play."""

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
    """For a move, in correspondence."""
    rules: tuple[str, ...] = ()
    """Such as ``noAbort``."""
    initial_fen: str = ""
    is_own: bool = False
    """The bot itself has sent it."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What of a game does not change."""

    id: str
    color: Color
    """The bot's."""
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
    """Where a game stands: all of it, each time."""

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
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GameStart:
    """A game of ours runs; also sent for all running ones when the stream opens."""

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
    """Somebody wrote, perhaps the bot itself."""

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
    """Why a challenge is declined; these words are lichess's."""

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
    """The server, with one account. Everything may raise `LichessError`.

    A stream gives None for each keep-alive, ends when the server ends it, and raises `Unreachable` when it is silent
    for too long, breaks off, or sends what cannot be read. It belongs to the thread that reads it.
    """

    def account(self) -> Account:
        """Whose token it is."""

    def scopes(self) -> frozenset[str]:
        """What the token allows."""

    def upgrade(self) -> None:
        """Make the account a bot, for ever."""

    def events(self) -> Iterator[AccountEvent | None]:
        """The stream of the account; opening it closes an older one."""

    def game(self, game: str, me: str) -> Iterator[GameEvent | None]:
        """The stream of a game; ``me`` is the id of our account."""

    def ongoing(self) -> list[GameStart]:
        """All games that run."""

    def challenges(self) -> list[Challenge]:
        """Those that wait for our answer; needs the scope challenge:read."""

    def export(self, game: str) -> str:
        """A game as PGN."""

    def move(self, game: str, uci: str, *, offer_draw: bool = False) -> None:
        """Play a move."""

    def say(self, game: str, room: Room, text: str) -> None:
        """Write at most 140 characters."""

    def abort(self, game: str) -> None:
        """Abort before the first moves."""

    def resign(self, game: str) -> None:
        """Resign."""

    def answer_draw(self, game: str, *, accept: bool) -> None:
        """Agree to a draw, or decline one."""

    def answer_takeback(self, game: str, *, accept: bool) -> None:
        """Grant a takeback, or decline one."""

    def claim_victory(self, game: str) -> None:
        """Win because the opponent has gone."""

    def claim_draw(self, game: str) -> None:
        """Draw because the opponent has gone."""

    def accept(self, challenge: str) -> None:
        """Accept a challenge."""

    def decline(self, challenge: str, reason: DeclineReason) -> None:
        """Decline a challenge."""

    def challenge(self, name: str, *, rated: bool, limit: int, increment: int) -> str:
        """Challenge somebody to standard chess, times in seconds; the id of the challenge."""

    def withdraw(self, challenge: str) -> None:
        """Take a challenge of our own back."""

    def online_bots(self, most: int) -> list[Person]:
        """Bots that are online."""
