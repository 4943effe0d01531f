"""`lichess.api.Lichess` by berserk.

Its methods serve for most requests. By berserk's `Requestor` are made those that it has no method for (draws, takebacks
and claims of a bot, the chat of its games), those whose body its method sends as JSON where the API is published with a
form or a text (chat, challenges, declining, tokens), whose parameter it does not know (a draw offered with a move) or
writes otherwise (the booleans of an export), and the streams, of which it drops the keep-alives and which it cannot
close.
"""

import logging
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any, TypeVar, cast

import berserk
from berserk.formats import JSON, PGN
from berserk.session import Requestor
from pydantic import SecretStr

from lichess import parse as reading
from lichess.api import (
    MOST_LISTED,
    Account,
    AccountEvent,
    Arena,
    Challenge,
    ChatLine,
    Color,
    DeclineReason,
    GameEvent,
    GameStart,
    Person,
    Room,
    Unreachable,
)
from lichess.http import Lines, PlainTextRequest, Session, translate_errors, user_agent
from trapcore.io.bounded_numbers import decimal_number, whole_number

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 10.0
"""Time-out of an answer. After a move that took longer it is unknown whether it was played."""

SILENT_SECONDS = 10.0
"""Time-out of a stream: lichess sends an empty line every 7 seconds."""

FIRST_LINE_SECONDS = 15.0
"""Time-out of the first line of a game's stream, whatever keeps the stream alive."""

_EXPORT = {"clocks": "true", "evals": "false", "opening": "true"}
"""What the PGN of a game is to have."""

T = TypeVar("T")


class Connection:
    """Client of one account on one server; may be used by any number of threads."""

    def __init__(self, url: str, token: SecretStr | None, user: str = "") -> None:
        """``user`` is the account's name, for the User-Agent, once it is known."""
        self.url = url
        self._token = token
        self._session = Session(token, TIMEOUT_SECONDS)
        self._streams = Session(token, SILENT_SECONDS)
        self._me = user.lower()
        self.name(user)
        self._client = berserk.Client(self._session, url)
        self._ask: Requestor[Any] = Requestor(self._session, url, JSON)
        self._listen: Requestor[Any] = Requestor(self._streams, url, Lines())

    def name(self, user: str) -> None:
        """Set the account's name, which is sent in the User-Agent of every request."""
        self._me = user.lower()
        agent = user_agent(user)
        for session in (self._session, self._streams):
            session.headers["User-Agent"] = agent

    def close(self) -> None:
        """Close the idle connections; streams close when their readers stop."""
        self._session.close()
        self._streams.close()

    # Queries --------------------------------------------------------------------------------------------------------

    def account(self) -> Account:
        """Account of the token."""
        with translate_errors():
            found: dict[str, Any] = dict(self._client.account.get())
            count = found.get("count") or {}
            return Account(
                id=str(found["id"]),
                name=str(found.get("username") or found["id"]),
                is_bot=found.get("title") == "BOT",
                games=whole_number(count.get("all") or 0),
            )

    def scopes(self) -> frozenset[str]:
        """Scopes of the token; empty if lichess does not know it."""
        if self._token is None:
            return frozenset()
        with translate_errors():
            secret = self._token.get_secret_value()
            # berserk's type of a body is a form; requests sends a text as it is.
            answer = self._ask.post("/api/token/test", data=cast(Any, secret), fmt=PlainTextRequest())
            found = answer.get(secret) or {}
            scopes = found.get("scopes") or ""
            return frozenset(str(scope).strip() for scope in (scopes.split(",") if isinstance(scopes, str) else scopes))

    def ongoing(self) -> list[GameStart]:
        """All running games."""
        with translate_errors():
            return [reading.game_start(game) for game in self._client.games.get_ongoing(MOST_LISTED)]

    def challenges(self) -> list[Challenge]:
        """Challenges that wait for our answer."""
        with translate_errors():
            found = self._client.challenges.get_mine()
            return [reading.challenge(one, self._me) for one in found["in"]]

    def export(self, game: str) -> str:
        """A game as PGN."""
        with translate_errors():
            return str(self._ask.get(f"/game/export/{game}", params=_EXPORT, fmt=PGN))

    def finished(self, user: str, since: float) -> Iterator[tuple[str, str]]:
        """Games of a user that are over, the oldest first; aborted ones are left out."""
        query = {**_EXPORT, "pgnInJson": "true", "since": str(int(1000 * since)), "sort": "dateAsc"}

        def read(game: dict[str, Any]) -> tuple[str, str] | None:
            return None if game.get("status") in ("aborted", "noStart") else (str(game["id"]), str(game["pgn"]))

        return filter(None, self._read(f"/api/games/user/{user}", read, query))

    def online_bots(self, most: int, speed: str) -> list[Person]:
        """Bots that are online, with their ratings at a speed."""
        with translate_errors():
            found = self._client.bots.get_online_bots(most)
            return [Person(str(bot["id"]), str(bot["username"]), "BOT", _rating(bot, speed)) for bot in found]

    def arena(self, ident: str) -> Arena:
        """An arena tournament."""
        with translate_errors():
            found = self._ask.get(f"/api/tournament/{ident}")
            return Arena(
                str(found["id"]),
                bool(found.get("botsAllowed")),
                decimal_number(found.get("secondsToStart") or 0, 0, 1e9),
                bool(found.get("isFinished")),
            )

    def join_arena(self, ident: str) -> None:
        """Join an arena, and ask for a pairing within the next minute."""
        with translate_errors():
            self._ask.post(f"/api/tournament/{ident}/join", data={"pairMeAsap": "true"})

    def leave_arena(self, ident: str) -> None:
        """Leave an arena, or take a break in it."""
        with translate_errors():
            self._ask.post(f"/api/tournament/{ident}/withdraw")

    def chat(self, game: str) -> list[ChatLine]:
        """Lines of the players' room of a game, the oldest first."""
        with translate_errors():
            found = self._ask.get(f"/api/bot/game/{game}/chat")
            return [ChatLine(str(line["user"]), str(line["text"]), "player") for line in found]

    # Streams --------------------------------------------------------------------------------------------------------

    def events(self) -> Iterator[AccountEvent | None]:
        """The stream of the account."""
        return self._read("/api/stream/event", lambda line: reading.account_event(line, self._me))

    def game(self, game: str, me: str) -> Iterator[GameEvent | None]:
        """The stream of a game. Raises `Unreachable` if it stays alive without a first line, too."""
        until, has_begun = time.monotonic() + FIRST_LINE_SECONDS, False
        path = f"/api/bot/game/stream/{game}"
        events: Generator[GameEvent | None] = self._read(path, lambda line: reading.game_event(line, me))
        with closing(events):
            for event in events:
                has_begun = has_begun or event is not None
                if not has_begun and time.monotonic() > until:
                    raise Unreachable("the stream does not begin")
                yield event

    def _read(
        self, path: str, read: Callable[[dict[str, Any]], T | None], query: dict[str, str] | None = None
    ) -> Generator[T | None]:
        with translate_errors():
            # A generator of `Lines`; berserk declares plain iterators only.
            answered = cast(Generator[dict[str, Any] | None], self._listen.get(path, params=query, stream=True))
            with closing(answered) as lines:
                for line in lines:
                    yield None if line is None else read(line)

    # Actions --------------------------------------------------------------------------------------------------------

    def upgrade(self) -> None:
        """Make the account a bot."""
        with translate_errors():
            self._client.account.upgrade_to_bot()  # type: ignore[no-untyped-call]

    def move(self, game: str, uci: str, *, offer_draw: bool = False) -> None:
        """Play a move."""
        self._post_to_game(game, f"move/{uci}", params={"offeringDraw": "true"} if offer_draw else None)

    def say(self, game: str, room: Room, text: str) -> None:
        """Send a chat message."""
        self._post_to_game(game, "chat", data={"room": room, "text": text})

    def abort(self, game: str) -> None:
        """Abort before the first moves."""
        with translate_errors():
            self._client.bots.abort_game(game)

    def resign(self, game: str) -> None:
        """Resign."""
        with translate_errors():
            self._client.bots.resign_game(game)

    def answer_draw(self, game: str, *, accept: bool) -> None:
        """Accept or decline a draw offer."""
        self._post_to_game(game, f"draw/{'yes' if accept else 'no'}")

    def answer_takeback(self, game: str, *, accept: bool) -> None:
        """Accept or decline a takeback."""
        self._post_to_game(game, f"takeback/{'yes' if accept else 'no'}")

    def claim_victory(self, game: str) -> None:
        """Claim a win because the opponent has left."""
        self._post_to_game(game, "claim-victory")

    def claim_draw(self, game: str) -> None:
        """Claim a draw because the opponent has left."""
        self._post_to_game(game, "claim-draw")

    def accept(self, challenge: str) -> None:
        """Accept a challenge."""
        with translate_errors():
            self._client.challenges.accept(challenge)

    def decline(self, challenge: str, reason: DeclineReason) -> None:
        """Decline a challenge."""
        with translate_errors():
            self._ask.post(f"/api/challenge/{challenge}/decline", data={"reason": reason.value})

    def challenge(
        self, name: str, *, rated: bool, limit: int, increment: int, fen: str = "", color: Color | None = None
    ) -> str:
        """Challenge a player; returns the challenge's id."""
        with translate_errors():
            data = {
                "rated": "true" if rated else "false",
                "clock.limit": limit,
                "clock.increment": increment,
                "variant": "fromPosition" if fen else "standard",
                "color": color or "random",
            }
            if fen:
                data["fen"] = fen
            answer = self._ask.post(f"/api/challenge/{name}", data=data)
            return str((answer.get("challenge") or answer)["id"])

    def withdraw(self, challenge: str) -> None:
        """Cancel a challenge of our own."""
        with translate_errors():
            self._client.challenges.cancel(challenge)

    def _post_to_game(self, game: str, action: str, **content: Any) -> None:
        with translate_errors():
            self._ask.post(f"/api/bot/game/{game}/{action}", **content)


def _rating(bot: dict[str, Any], speed: str) -> int | None:
    return reading.rating((bot.get("perfs") or {}).get(speed, {}))
