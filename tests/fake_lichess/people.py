"""Accounts and their tokens."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fake_lichess.http.stream import Json, Stream


class Refused(Exception):
    """Error answer: ``status`` is the HTTP status, the text goes to the client."""

    def __init__(self, text: str, status: int = 400, **more: object) -> None:
        super().__init__(text)
        self.status = status
        self.body = {"error": text, **more}


@dataclass(eq=False)
class Account:
    """Account: ``title`` is BOT for a bot, a chess title or None; ``rating`` holds for every speed.

    An anonymous player has no rating, and lichess's own computer has a level instead.
    """

    name: str
    rating: int | None = 1500
    title: str | None = None
    created_at: int = 0
    #: Games started, which is what forbids the upgrade to a bot.
    played: int = 0
    #: In process players are always there; others while they have a stream open.
    in_process: bool = False
    streams: set[Stream] = field(default_factory=set)
    #: Gets what the event stream tells, for players inside the server.
    on_event: Callable[[Json], None] | None = None
    anonymous: bool = False
    ai_level: int | None = None
    #: Ratings by speed where they differ from ``rating``.
    ratings: dict[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.name.lower()

    @property
    def is_bot(self) -> bool:
        return self.title == "BOT"

    @property
    def online(self) -> bool:
        return self.in_process or bool(self.streams)


@dataclass(frozen=True)
class Token:
    """Access token with its scopes."""

    secret: str
    account: Account
    scopes: frozenset[str]
