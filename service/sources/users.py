"""The finished games of a user, each once, whatever happens in between.

Lichess gives games by when they began, and a game that began early may end late. So what runs is noted, and asked for
by its id once it does not run any more; and the last minutes before the newest game are always asked for again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from lichess.api import Refused
from service.clock import Halt
from service.job_log import Outcome
from service.lichess_games import MOST_IDS, Archive, FinishedGame
from service.service import Service
from service.source_state import State
from service.sources.retry import Tries, by_ids, each, patiently, told

KIND = "users"

OVERLAP_MS = 600_000
"""Games that began so shortly before the newest one may not have been in lichess's answer when that was."""

DAY_MS = 86_400_000


@dataclass(slots=True)
class Seen:
    """How far a user's games have been read."""

    since: int
    """Milliseconds since 1970, by lichess's clock: when the newest game began that was read."""
    recent: dict[str, int] = field(default_factory=dict)
    """Games that were read and might come again: id -> when it began."""
    running: dict[str, int] = field(default_factory=dict)
    """Games that were running."""

    @classmethod
    def of(cls, state: State, since: int) -> "Seen":
        """From what was stored; ``since`` is for a user who is new."""
        return cls(state.get("since", since), state.get("recent", {}), state.get("running", {}))

    def state(self) -> State:
        """To be stored."""
        return {"since": self.since, "recent": self.recent, "running": self.running}

    def take(self, games: list[FinishedGame]) -> list[FinishedGame]:
        """Those of the games that were not read before, which are noted as read."""
        new = [game for game in games if game.id not in self.recent]
        self.recent.update((game.id, game.created) for game in new)
        self.since = max([self.since, *(game.created for game in new)])
        self.recent = {game: begun for game, begun in self.recent.items() if begun >= self.since - OVERLAP_MS}
        for game in new:
            self.running.pop(game.id, None)
        return new


def new_games(archive: Archive, user: str, seen: Seen, halt: Halt) -> Iterator[list[FinishedGame]]:
    """The finished games of a user that were not read yet, page after page; ``seen`` is changed before each is given.

    Who keeps ``seen`` whenever he has kept the page misses nothing. Raises `LichessError` if lichess cannot be asked,
    after some tries.
    """

    def ask_running() -> dict[str, int]:
        return patiently(lambda: archive.running(user, halt), halt)

    running = ask_running()
    before = set(seen.running)
    since = seen.since - OVERLAP_MS
    tries = Tries(halt)
    is_first = True
    while True:
        page = archive.games(user, max(0, since), halt)
        new = seen.take(page.games)
        if new:
            tries.worked()
            if is_first:
                # What runs is passed over now, so it must be known, also if this look fails halfway. What one answer
                # has lost, the other one has.
                running |= ask_running()
                seen.running |= running
                is_first = False
            yield new
        if page.broke is not None:
            tries.failed(page.broke)
        elif not new:
            # Not merely fewer than a page: an answer that broke off at the end of a line looks the same.
            break
        since = max(since, seen.since)
    ended = sorted(game for game in before - running.keys() if game in seen.running)
    for start in range(0, len(ended), MOST_IDS):
        some = ended[start : start + MOST_IDS]
        late = by_ids(archive, some, halt)
        # What lichess does not have any more was aborted.
        for game in some:
            seen.running.pop(game, None)
        running |= late.running
        if late.games:
            yield late.games
    seen.running = {game: begun for game, begun in running.items() if game not in seen.recent}
    yield []


def fetch(service: Service, halt: Halt, outcome: Outcome) -> None:
    """The new games of all users of the settings, into the depot and into the library."""
    for user in each(service.mine.users, halt):
        with told(outcome, f"user {user}"), explained(service.lichess_games, user, halt):
            feed = f"user {user.lower()}"
            first = int(service.clock.now() * 1000) - service.mine.history_days * DAY_MS
            seen = Seen.of(service.source_state.get(feed), first)
            for games in new_games(service.lichess_games, user, seen, halt):
                if games:
                    oldest = games[0]
                    begun = datetime.fromtimestamp(oldest.created / 1000, UTC)
                    name = f"{user.lower()}/{begun:%Y%m%dT%H%M%S}-{oldest.id}"
                    service.game_files.put(KIND, name, (game.pgn for game in games))
                    outcome.counts["fetched"] += len(games)
                service.source_state.set(feed, seen.state())
    service.game_files.index(service.game_files.files(KIND), halt, outcome)


@contextmanager
def explained(archive: Archive, user: str, halt: Halt) -> Iterator[None]:
    """Say of a user who is refused whether there is none or whether the account was closed."""
    try:
        yield
    except Refused as error:
        if error.status != 404:
            raise
        try:
            closed = archive.is_closed(user, halt)
        except Refused:
            closed = False
        reason = "the account was closed" if closed else "there is no such user"
        raise Refused(f"user {user}: {reason} at {archive.url} (lichess answered 404)", 404) from None
