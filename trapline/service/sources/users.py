"""Finished games of users, each fetched exactly once, also after an interruption.

Lichess sorts games by their start, and a game that began early may end late. So running games are noted, and requested
by their ids once they have ended; and the last minutes before the newest game are always requested again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from lichess.api import Refused
from trapline.service.games.lichess_games import MOST_IDS, FinishedGame, LichessGames
from trapline.service.service import Service
from trapline.service.sources.retry import Retries, by_ids, note_bad, record_errors, until_stopped, with_retries
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome
from trapline.service.state.source_state import State

KIND = "users"

OVERLAP_MS = 600_000
"""Games that began this shortly before the newest one may have been missing in the answer that had the newest one."""

DAY_MS = 86_400_000


@dataclass(slots=True)
class UserCursor:
    """Position up to which the games of a user have been read."""

    since: int
    """Start of the newest game that was read, milliseconds since 1970 by lichess's clock."""
    recent: dict[str, int] = field(default_factory=dict)
    """Games that were read and might be sent again: id -> start."""
    running: dict[str, int] = field(default_factory=dict)
    """Games that were running at the last look: id -> start."""
    latest: int | None = None
    """A game that claims a later start is skipped: with it as the newest one, all others would be missed."""
    bad: list[str] = field(default_factory=list)
    """Why games were skipped, a reason each; not stored."""

    @classmethod
    def of(cls, state: State, since: int, now: int) -> "UserCursor":
        """Cursor from its stored state; ``since`` is the start for a new user, ``now`` the time (ms)."""
        known = state.get("since", since), state.get("recent", {}), state.get("running", {})
        return cls(*known, latest=now + DAY_MS)

    def state(self) -> State:
        """State to be stored."""
        return {"since": self.since, "recent": self.recent, "running": self.running}

    def take(self, games: list[FinishedGame], since: int) -> list[FinishedGame]:
        """Those of the games that were not read before; they count as read from now on.

        ``since`` is what was requested: an earlier game is skipped, or it would be new in every answer.
        """
        others = {game.id: game for game in games if game.id not in self.recent and game.created >= since}
        new = list(others.values())
        self.bad += [f"game {game.id} begins before what was asked for" for game in games if game.created < since]
        if self.latest is not None:
            early = [game for game in new if game.created <= self.latest]
            self.bad += [f"game {game.id} begins in the future" for game in new if game.created > self.latest]
            new = early
        self.recent.update((game.id, game.created) for game in new)
        self.since = max([self.since, *(game.created for game in new)])
        self.recent = {game: begun for game, begun in self.recent.items() if begun >= self.since - OVERLAP_MS}
        for game in new:
            self.running.pop(game.id, None)
        return new


def new_games(
    lichess: LichessGames, user: str, cursor: UserCursor, stop_flag: StopFlag
) -> Iterator[list[FinishedGame]]:
    """Finished games of a user that were not read yet, in pages; ``cursor`` is advanced before each page is yielded.

    A caller that stores the cursor after it has stored the page misses nothing. Raises `LichessError` after `TRIES`
    failed attempts.
    """

    def request_running() -> dict[str, int]:
        return with_retries(stop_flag, lichess.running, user)

    running = request_running()
    before = set(cursor.running)
    since = cursor.since - OVERLAP_MS
    tries = Retries(stop_flag)
    is_first = True
    while True:
        since = max(0, since)
        page = lichess.games(user, since, stop_flag)
        cursor.bad += page.bad
        new = cursor.take(page.games, since)
        if new:
            tries.worked()
            if is_first:
                # Running games are left out of the page, so they must be noted, even if this call fails halfway. A
                # game that one of the two answers has lost is in the other.
                running |= request_running()
                cursor.running |= running
                is_first = False
            yield new
        if page.broke is not None:
            tries.failed(page.broke)
        elif not new:
            # A page that is merely short does not end the loop: an answer cut off at a line end looks the same.
            break
        since = max(since, cursor.since)
    ended = sorted(game for game in before - running.keys() if game in cursor.running)
    for start in range(0, len(ended), MOST_IDS):
        some = ended[start : start + MOST_IDS]
        late = by_ids(lichess, some, stop_flag)
        # Games that lichess does not have any more were aborted.
        for game in some:
            cursor.running.pop(game, None)
        running |= late.running
        if late.games:
            yield late.games
    cursor.running = {game: begun for game, begun in running.items() if game not in cursor.recent}
    yield []


def fetch(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Fetch and index the new games of all users of the settings."""
    for user in until_stopped(service.mine.users, stop_flag):
        with record_errors(outcome, f"user {user}"), explain_refusal(service.lichess_games, user, stop_flag):
            feed = f"user {user.lower()}"
            first = int(service.clock.now() * 1000) - service.mine.history_days * DAY_MS
            cursor = UserCursor.of(service.source_state.get(feed), first, first + service.mine.history_days * DAY_MS)
            for games in new_games(service.lichess_games, user, cursor, stop_flag):
                if games:
                    oldest = games[0]
                    begun = datetime.fromtimestamp(oldest.created / 1000, UTC)
                    name = f"{user.lower()}/{begun:%Y%m%dT%H%M%S}-{oldest.id}"
                    service.game_files.put(KIND, name, (game.pgn for game in games))
                    outcome.counts["fetched"] += len(games)
                service.source_state.set(feed, cursor.state())
            note_bad(outcome, f"user {user}", cursor.bad)
    service.game_files.index(service.game_files.files(KIND), stop_flag, outcome)


@contextmanager
def explain_refusal(lichess: LichessGames, user: str, stop_flag: StopFlag) -> Iterator[None]:
    """Turn a 404 for a user into an error that says whether the account was closed or never existed."""
    try:
        yield
    except Refused as error:
        if error.status != 404:
            raise
        try:
            closed = lichess.is_closed(user, stop_flag)
        except Refused:
            closed = False
        reason = "the account was closed" if closed else "there is no such user"
        raise Refused(f"user {user}: {reason} at {lichess.url} (lichess answered 404)", 404) from None
