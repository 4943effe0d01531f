"""Rate limits, with lichess's answers beyond them."""

from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fake_lichess.people import Refused

MINUTE, DAY = 60.0, 86400.0


class Limit:
    """At most ``most`` uses of one key in ``window`` seconds."""

    def __init__(self, most: int, window: float) -> None:
        self.most = most
        self.window = window
        self._uses: dict[str, deque[float]] = defaultdict(deque)

    def wait(self, key: str, now: float) -> float:
        """Seconds until the key may be used again; 0 if now."""
        uses = self._uses[key]
        while uses and uses[0] <= now - self.window:
            uses.popleft()
        return uses[0] + self.window - now if len(uses) >= self.most else 0.0

    def use(self, key: str, now: float) -> None:
        self._uses[key].append(now)


class Limits:
    """The limits that a bot meets. Numbers are lichess's; a test may set others."""

    def __init__(self) -> None:
        self.event_opens = Limit(30, 10 * MINUTE)
        self.challenges = Limit(25, MINUTE)
        self.bot_games = Limit(100, DAY)
        #: Most streams of broadcasts at a time without a token.
        self.broadcast_streams = 2
        self.open_broadcasts = 0

    def open_events(self, token: str, now: float) -> None:
        """Refused beyond the opens of the event stream; a refused open does not count."""
        if self.event_opens.wait(token, now):
            raise Refused("Please only run 1 bot stream at a time", 429)
        self.event_opens.use(token, now)

    @contextmanager
    def broadcast_stream(self, is_known: bool) -> Iterator[None]:
        """An open stream of a broadcast; ``is_known`` says whether the client has a token."""
        if is_known:
            yield
            return
        if self.open_broadcasts >= self.broadcast_streams:
            raise Refused(f"Please only run {self.broadcast_streams} request(s) at a time", 429)
        self.open_broadcasts += 1
        try:
            yield
        finally:
            self.open_broadcasts -= 1

    def challenge(self, who: str, now: float) -> None:
        if seconds := self.challenges.wait(who, now):
            raise Refused("Too many requests. Try again later.", 429, ratelimit=_limit_error("challenge", seconds))
        self.challenges.use(who, now)

    def bot_pair(self, challenger: str, dest: str, now: float) -> None:
        """Refused if either bot has played its games against bots for today."""
        if seconds := self.bot_games.wait(challenger, now):
            text = f"You played {self.bot_games.most} games against other bots today, please wait before challenging."
            raise Refused(text, 429, ratelimit=_limit_error("bot.vsBot.day", seconds))
        if seconds := self.bot_games.wait(dest, now):
            text = f"{dest} played {self.bot_games.most} games against other bots today."
            raise Refused(text, 400, ratelimit=_limit_error("bot.vsBot.day", seconds))


def _limit_error(key: str, seconds: float) -> dict[str, object]:
    return {"key": key, "seconds": int(seconds) + 1}
