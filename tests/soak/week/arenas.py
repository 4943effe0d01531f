"""Arenas of a week: the bot joins them by its settings, and is paired while it has joined within the last minute."""

from tests.fake_lichess.archive.stored import Tournament
from tests.fake_lichess.game import Game
from tests.fake_lichess.people import Account
from tests.fake_lichess.site import Site
from tests.soak.week.habits import ARENA

MOST = 7
LEAST_SECONDS = 150.0
"""From one arena to the next: the bot looks at its arenas every 50 seconds."""

OPEN = 0.6
"""Share of this time in which an arena runs."""

JOINED_SECONDS = 60.0
"""Lichess pairs a player who is not on the page for this long after it has joined."""


def arena_ids(seconds: float) -> list[str]:
    """Arenas of so long a week: as many as the bot can find in time, at most `MOST`."""
    return [f"arena{number:03}" for number in range(max(1, min(MOST, int(seconds / LEAST_SECONDS))))]


class Arenas:
    """One arena after the other, from the begin to the end of the week."""

    def __init__(self, site: Site, bot: Account, seconds: float) -> None:
        self.site = site
        self.bot = bot
        self.ids = arena_ids(seconds)
        self._span = seconds / len(self.ids)
        self.games: list[str] = []
        self._joined: dict[str, tuple[int, float]] = {}
        for ident in self.ids:
            site.archive.tournaments[ident] = Tournament(ident, "tournament", [], bots_allowed=True)

    def turn(self, now: float) -> str | None:
        """Lets time pass; returns the arena that has a game for the bot now, if one has."""
        found = None
        for number, ident in enumerate(self.ids):
            arena = self.site.archive.tournaments[ident]
            begin = number * self._span
            arena.seconds_to_start = max(0, round(begin - now))
            arena.over = now > begin + OPEN * self._span
            joins, at = self._joined.get(ident, (0, 0.0))
            if arena.joins > joins:
                joins, at = self._joined[ident] = arena.joins, now
            is_playing = bool(self.games) and not self.site.games[self.games[-1]].over
            is_waiting = self.bot.id in arena.players and joins and now - at <= JOINED_SECONDS
            if is_waiting and begin <= now and not arena.over and not is_playing and self.bot.online:
                found = ident
        return found

    def pair(self, arena: str, opponent: Account) -> Game:
        """A game of this arena begins."""
        ident = f"arn{len(self.games):05}"
        sides = (self.bot, opponent) if len(self.games) % 2 else (opponent, self.bot)
        self.games.append(ident)
        self.site.archive.tournaments[arena].games.append(ident)
        return self.site.begin(ident, ARENA, *sides, source="arena")
