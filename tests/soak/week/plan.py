"""Size of a run, and the calendar that follows from it."""

from dataclasses import dataclass

from tests.fake_lichess.limits import DAY

WEEK_GAMES = 3000
BOT_GAMES_A_DAY = 100
"""Lichess's limit for games between bots, for a week of `WEEK_GAMES`."""

SECONDS_A_MISHAP = 25.0
"""A run shorter than this for each mishap of the week has only some of them."""

WEEK: tuple[tuple[float, str], ...] = (
    (0.2, "restart"),
    (0.5, "kill"),
    (0.8, "disk"),
    (1.1, "renew"),
    (1.4, "rush"),
    (1.6, "gateway"),
    (1.8, "stop"),
    (2.1, "storm"),
    (2.5, "revoke"),
    (2.7, "kill"),
    (2.8, "restart"),
    (2.9, "disk"),
    # From here on one process of the bot plays, so that its growth can be measured.
    (3.4, "rush"),
    (3.8, "restart"),
    (4.2, "disk"),
    (4.6, "gateway"),
    (5.0, "revoke"),
    (5.3, "rush"),
    (5.6, "storm"),
    (6.1, "restart"),
    (6.4, "disk"),
    (6.7, "rush"),
)
"""Days, and what goes wrong then, see `tests.soak.week.mishaps`."""

FIRST = ("restart", "kill", "disk", "renew", "rush", "gateway", "stop", "revoke", "storm")
"""The kinds that a shorter run has, as many as fit."""


@dataclass(frozen=True)
class Plan:
    """Size of a run: how many games and people, and how many seconds a game takes on average."""

    games: int = WEEK_GAMES
    people: int = 200
    bots: int = 6
    boards: int = 12
    """Games at the same time."""
    pace: float = 1.2
    """Seconds from the begin of a game to that of the next one."""
    seed: int = 1
    asks: float = 0.3
    """Commands that a person writes in a game or soon after it, on average."""

    @property
    def seconds(self) -> float:
        """Length of the week, if the bot and the machine keep up."""
        return self.games * self.pace

    @property
    def day(self) -> float:
        """Length of a day in seconds."""
        return self.seconds / 7

    @property
    def acceleration(self) -> float:
        """How many times faster than on lichess the days pass."""
        return DAY / self.day

    @property
    def bot_games_a_day(self) -> int:
        """The limit of games between bots, in proportion to the games."""
        return max(2, round(BOT_GAMES_A_DAY * self.games / WEEK_GAMES))

    def mishaps(self) -> list[tuple[float, str]]:
        """Seconds from the begin, and what goes wrong then."""
        most = max(5, int(self.seconds / SECONDS_A_MISHAP))
        if most >= len(WEEK):
            return [(day * self.day, kind) for day, kind in WEEK]
        kinds = FIRST[:most]
        return [(0.8 * self.seconds * (n + 0.5) / len(kinds), kind) for n, kind in enumerate(kinds)]
