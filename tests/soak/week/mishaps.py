"""What goes wrong in a week, and the moments in which nobody can expect an answer because of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fake_lichess.faults import USUAL_RATES, Fault
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.people import Account
from tests.fake_lichess.site import BOT_SCOPES
from tests.soak.bot_process import BotProcess
from tests.soak.week.crowd import Crowd
from tests.soak.week.disk import Disk

SCOPES = (*BOT_SCOPES, "tournament:write")
RESTART_SECONDS = 3.0
GATEWAY_SECONDS = 6.0
STORM_SECONDS = 10.0
LIMITED_SECONDS = 62.0
"""After a 429 without a time the bot answers no challenge for a minute, as lichess asks."""

REVOKED_SECONDS = 5.0
FULL_SECONDS = 12.0
PATIENCE = 90.0
"""Seconds after which the bot has to listen again."""

STOP_SECONDS = 60.0


@dataclass
class Window:
    """Seconds of the server from the begin of a mishap to the bot's recovery."""

    what: str
    since: float
    until: float = float("inf")


@dataclass
class Mishaps:
    """Makes things go wrong. Methods are called in the main thread and return when it is over."""

    server: Server
    bot: BotProcess
    account: Account
    crowd: Crowd
    disk: Disk
    wait: Callable[[float], None]
    """Lets so many seconds pass; what has to be looked after meanwhile is."""
    windows: list[Window] = field(default_factory=list)
    happened: list[str] = field(default_factory=list)
    full: list[tuple[float, float]] = field(default_factory=list)
    """When the disk was full."""
    codes: list[int] = field(default_factory=list)
    """Exit codes of orderly stops."""

    def happen(self, kind: str) -> None:
        """Lets one thing go wrong."""
        happens: dict[str, Callable[[], None]] = {
            "restart": self._restart,
            "gateway": self._gateway,
            "kill": self._kill,
            "stop": self._stop,
            "renew": self._renew,
            "revoke": self._revoke,
            "disk": self._fill,
            "storm": self._storm,
            "rush": lambda: self.server.do(lambda _: self.crowd.rush()),
        }
        self.happened.append(kind)
        happens[kind]()

    def disturbs(self, since: float, until: float) -> bool:
        """Whether a mishap lay between these seconds of the server."""
        return any(one.since <= until and since <= one.until for one in self.windows)

    def _now(self) -> float:
        return self.server.do(lambda site: site.clock.now())

    def _begin(self, what: str) -> Window:
        window = Window(what, self._now() - 1.0)
        self.windows.append(window)
        return window

    def _opens(self) -> int:
        return self.server.do(lambda site: len(site.record.opens))

    def _await_stream(self, window: Window, opens: int) -> None:
        """Until the bot has opened the account's stream again."""
        end = time.monotonic() + PATIENCE
        while self._opens() <= opens and time.monotonic() < end:
            self.wait(0.2)
        self.wait(1.0)
        window.until = self._now()

    def _restart(self) -> None:
        window, opens = self._begin("restart"), self._opens()
        self.server.order(Fault("restart", seconds=RESTART_SECONDS))
        self.wait(RESTART_SECONDS)
        self._await_stream(window, opens)

    def _gateway(self) -> None:
        """Lichess is down behind its gateway: every second request gets an error page."""
        window = self._begin("gateway")
        self.server.do(lambda _: self.server.faults.at_random({"502": 0.25, "503": 0.25}, len(self.happened)))
        self.wait(GATEWAY_SECONDS)
        self.server.do(lambda _: self.server.faults.clear())
        self.wait(8.0)
        window.until = self._now()

    def _storm(self) -> None:
        """All that the stand-in can do wrong, at its usual rates."""
        window = self._begin("storm")
        self.server.do(lambda _: self.server.faults.at_random(USUAL_RATES, len(self.happened)))
        self.wait(STORM_SECONDS)
        self.server.do(lambda _: self.server.faults.clear())
        self.server.order(Fault("skew", seconds=0.0))
        window.until = self._now() + LIMITED_SECONDS

    def _kill(self) -> None:
        window, opens = self._begin("kill"), self._opens()
        self.bot.kill_and_restart()
        self._await_stream(window, opens)

    def _stop(self) -> None:
        window, opens = self._begin("stop"), self._opens()
        self.codes.append(self.bot.stop(STOP_SECONDS))
        self.bot.start()
        self._await_stream(window, opens)

    def _renew(self) -> None:
        """The owner makes another token, starts the bot with it, and revokes the old one."""
        old, self.bot.token = self.bot.token, f"lip_renewed{len(self.happened)}"
        self.server.do(lambda site: site.token(self.account, self.bot.token, SCOPES))
        self._stop()
        self.server.do(lambda site: site.tokens.pop(old))

    def _revoke(self) -> None:
        """Lichess does not know the token for some seconds; the bot tests it until it does."""
        window = self._begin("revoke")
        token = self.server.do(lambda site: site.tokens.pop(self.bot.token))
        self.wait(REVOKED_SECONDS)
        tests = self._tests()
        self.server.do(lambda site: site.tokens.setdefault(token.secret, token))
        end = time.monotonic() + PATIENCE
        while self._tests() <= tests and time.monotonic() < end:
            self.wait(0.2)
        self.wait(1.0)
        window.until = self._now()

    def _tests(self) -> int:
        return self.server.do(lambda site: site.record.requests["POST /api/token/test"])

    def _fill(self) -> None:
        """No window: the bot has to play and answer on a full disk."""
        assert self.bot.process is not None
        since, process = self._now(), self.bot.process.pid
        self.disk.fill(process)
        self.wait(FULL_SECONDS)
        self.disk.free(process)
        self.full.append((since, self._now()))
