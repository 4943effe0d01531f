"""All processes of one week: the stand-in for lichess with its crowd, and the bot."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.fake_lichess.http.server import Server
from tests.fake_lichess.record import Violation
from tests.soak.baits import agreeing, bundled_lines, write_book
from tests.soak.bot_process import BotProcess
from tests.soak.library import FORBIDDEN, free_port, make_soak_library
from tests.soak.week.arenas import arena_ids
from tests.soak.week.crowd import Crowd
from tests.soak.week.disk import Disk
from tests.soak.week.mishaps import SCOPES, STOP_SECONDS, Mishaps
from tests.soak.week.plan import Plan
from tests.soak.week.usage import Sample, sample

LOOK_SECONDS = 0.25
SAMPLE_SECONDS = 2.0
ANALYSIS = ('tell = "known"', "nodes = 2000")
"""To judge every move of every game would take longer than to play it."""

SLOWER = 3.0
"""A week that takes so many times longer than planned is given up."""

SETTLED_SECONDS = 75.0
"""Time in which the bot has to record what is over, after its last game."""


@dataclass
class Outcome:
    """What is left when all processes have ended, for the report."""

    plan: Plan
    bot: BotProcess
    crowd: Crowd
    mishaps: Mishaps
    violations: list[Violation]
    statuses: Counter[str]
    samples: list[Sample]
    codes: list[int]
    seconds: float
    """Length of the week in real time."""
    opens: int
    """Openings of the account's stream."""
    first_library: int
    """Bytes of the library at the begin."""
    overhead: dict[str, float]
    """Milliseconds of the last process's latest moves without thinking, as its health has them."""


class Week:
    """One run. `play` returns when all games are over and the bot has stopped."""

    def __init__(self, plan: Plan, disk: Disk, server: Server) -> None:
        self.plan, self.server = plan, server
        library = disk.folder / "library.sqlite"
        known = make_soak_library(library, disk.folder)
        settings = self._settings(disk)
        self.bot = BotProcess(disk.folder / "bot", server.url, "lip_week", free_port(), settings, library, ANALYSIS)
        self.bot.write_settings()
        account, _ = server.bot("TrapBot")
        server.do(lambda site: site.token(account, self.bot.token, SCOPES))
        lines = agreeing(bundled_lines(known.slugs), plan.seed)
        write_book(lines, disk.folder / "baits.bin")
        self.crowd = server.do(lambda site: Crowd(site, account, lines, plan))
        self.mishaps = Mishaps(server, self.bot, account, self.crowd, disk, self._pass)
        self.samples: list[Sample] = []
        self._sample_at = 0.0

    def _settings(self, disk: Disk) -> list[str]:
        arenas = ", ".join(f'"{ident}"' for ident in arena_ids(self.plan.seconds))
        return [
            f"max_games = {self.plan.boards}",
            f"human_places = {self.plan.boards // 3}",
            "move_seconds = 0.03",
            "repertoire_minutes = 0.02",
            "seek_minutes = 0.2",
            "resign = true",
            'goodbye = "Good bye, {opponent}."',
            f'books = ["{disk.folder / "baits.bin"}"]',
            f"tournaments = [{arenas}]",
        ]

    def play(self) -> Outcome:
        """Play the week."""
        first, overhead = self.bot.library.stat().st_size, {}
        self.bot.start()
        try:
            self._until(lambda: self.server.do(lambda _: self.mishaps.account.online), STOP_SECONDS)
            began = time.monotonic()
            self.server.do(lambda _: self.crowd.begin())
            self._live(began)
            seconds = time.monotonic() - began
            self.server.do(lambda _: self.crowd.close())
            self._until(lambda: self.server.do(lambda _: self.crowd.is_idle), STOP_SECONDS)
            self._until(
                lambda: not self.server.do(lambda _: self.crowd.to_record()) - self.bot.recorded_games(),
                SETTLED_SECONDS,
            )
            self._until(lambda: not self.server.do(lambda _: self.crowd.is_waiting), STOP_SECONDS)
            overhead = self.bot.health().get("overhead_ms", {})
        finally:
            codes = [*self.mishaps.codes, self.bot.stop(STOP_SECONDS)]
        site = self.server.do(lambda site: site)
        return Outcome(
            self.plan,
            self.bot,
            self.crowd,
            self.mishaps,
            site.record.of(*FORBIDDEN),
            Counter(game.status for game in site.games.values()),
            self.samples,
            codes,
            seconds,
            len(site.record.opens),
            first,
            overhead,
        )

    def _live(self, began: float) -> None:
        """Let the week pass, with all that goes wrong in it, until all games are over."""
        waiting = self.plan.mishaps()
        end = began + SLOWER * self.plan.seconds + STOP_SECONDS
        while time.monotonic() < end:
            self._pass(LOOK_SECONDS)
            if waiting and time.monotonic() - began >= waiting[0][0]:
                self.mishaps.happen(waiting.pop(0)[1])
            elif not waiting and self.server.do(lambda _: self.crowd.over()) >= self.plan.games:
                break

    def _until(self, condition: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            self._pass(LOOK_SECONDS)

    def _pass(self, seconds: float) -> None:
        """Let so much time pass; meanwhile measure the bot, and start it again if it has died."""
        end = time.monotonic() + seconds
        while True:
            self.bot.restart_if_dead()
            if time.monotonic() >= self._sample_at and self.bot.process is not None:
                self._sample_at = time.monotonic() + SAMPLE_SECONDS
                games = self.server.do(lambda _: self.crowd.over())
                found = sample(self.bot.process.pid, games, self.bot.library)
                self.samples += [found] if found is not None else []
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, LOOK_SECONDS))


def play(plan: Plan, disk: Disk) -> Outcome:
    """One week on this disk."""
    with Server(seed=plan.seed, strict=False) as server:
        return Week(plan, disk, server).play()
