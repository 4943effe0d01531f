"""People and bots of a week: who challenges the bot when, what they write to it, and what of it was answered."""

import contextlib
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from bot.chat.worker import REPEAT_SECONDS
from tests.fake_lichess.challenges import Challenge
from tests.fake_lichess.game import ABORTED, Game
from tests.fake_lichess.people import Account, Refused
from tests.fake_lichess.players import Player
from tests.fake_lichess.site import Site
from tests.soak.baits import BaitLine
from tests.soak.week.arenas import Arenas
from tests.soak.week.habits import Intention, draw
from tests.soak.week.plan import Plan

TURN = 0.2
"""Seconds from one turn of the crowd to the next."""

BOTS = 0.3
"""Share of the challenges that come from bots: more than their limit of games a day allows."""

WITHDRAWN = 0.03
"""Share of the challenges that are taken back soon."""

QUESTIONS = {
    "!help": re.compile(r"You can ask: "),
    "!name": re.compile(r"I am TrapBot, trapline "),
    "!stats": re.compile(r"In .* I set .*"),
}
"""Commands whose answer can be told from anything else that the bot says."""

LATE_SECONDS = 30.0
"""An answer that has not come by then does not come."""

FLOOD, FLOOD_SECONDS = 100, 6.0
"""Lines of a flood of chat, and the time that it takes."""

PATIENCE = 2.0
"""Seconds in which nobody challenges a bot that has just declined."""

RUSH = 2
"""Challenges at once in a rush, for each board."""


@dataclass
class Asked:
    """A challenge or a command, and when it got its answer; times are seconds of the server."""

    what: str
    who: str
    game: str
    at: float
    is_bot: bool = False
    answered: float | None = None
    withdrawn: bool = False
    """Or not to be answered, because the game never began."""


class Crowd:
    """All who play the bot. To be used in the server's thread, like the site."""

    def __init__(self, site: Site, bot: Account, lines: Sequence[BaitLine], plan: Plan) -> None:
        self.site, self.bot, self.lines, self.plan = site, bot, lines, plan
        self.random = random.Random(plan.seed)
        self.arenas = Arenas(site, bot, plan.seconds)
        site.limits.bot_games.most = plan.bot_games_a_day
        site.limits.bot_games.window = plan.day
        self._people = [self._player(f"Human{n:03}", None, n) for n in range(plan.people)]
        self._bots = [self._player(f"Robot{n}", "BOT", plan.people + n) for n in range(plan.bots)]
        self._by_id = {player.account.id: player for player in (*self._people, *self._bots)}
        self.challenges: dict[str, Asked] = {}
        self.questions: list[Asked] = []
        self._told: dict[tuple[str, str], float] = {}
        """When the bot last gave the answer to a command, by game and command."""
        self.kinds: Counter[str] = Counter()
        self.limited = 0
        """Challenges of bots that lichess refused, because the games of a day were played."""
        self.lines_written = 0
        self._intended: dict[str, Intention] = {}
        self._running: dict[str, Game] = {}
        self._waiting: dict[str, Challenge] = {}
        self._messages = 0
        self._again_at = 0.0
        self._began = site.clock.now()
        self._closed = False

    def _player(self, name: str, title: str | None, number: int) -> Player:
        account = self.site.join(name, title, rating=self.random.randint(900, 2100))
        return Player(self.site, account, draw(self.random, self.lines, is_bot=bool(title)).habits, number)

    @property
    def now(self) -> float:
        """Seconds since the week began."""
        return self.site.clock.now() - self._began

    def begin(self) -> None:
        """Play until `close`, and note answers as long as the server runs."""
        self._turn()
        self.site.clock.after(TURN, self.begin)

    def close(self) -> None:
        """Challenge and ask no more."""
        self._closed = True

    @property
    def is_idle(self) -> bool:
        """Whether no game runs and no challenge waits."""
        return not self._running and not self._waiting

    @property
    def is_waiting(self) -> bool:
        """Whether a command is so new that its answer may still come."""
        since = self.site.clock.now() - LATE_SECONDS
        return any(asked.answered is None and asked.at > since for asked in self.questions)

    def games(self) -> list[Game]:
        """The games of the bot that have begun."""
        return list(self.site.games.values())

    def over(self) -> int:
        """How many of them are over."""
        return len(self.site.games) - len(self._running)

    def to_record(self) -> set[str]:
        """Ids of the games that must be on the bot's disk: all that are over and were not aborted."""
        return {game.id for game in self.games() if game.over and game.status != ABORTED}

    def rush(self) -> None:
        """Many people challenge at once, more than the bot has places for."""
        for _ in range(RUSH * self.plan.boards):
            self._invite(is_bot=False)

    def _turn(self) -> None:
        self._look_at_challenges()
        self._read()
        for ident in [ident for ident, game in self._running.items() if game.over]:
            del self._running[ident]
        if self._closed:
            return
        self._play_arena()
        due = min(self.plan.games, int(self.now / self.plan.pace) + 1)
        while len(self.site.games) + len(self._waiting) < due and self.bot.online and self.now >= self._again_at:
            if len(self._running) + len(self._waiting) >= self.plan.boards:
                break
            if not self._invite(is_bot=self.random.random() < BOTS):
                break

    def _play_arena(self) -> None:
        arena = self.arenas.turn(self.now)
        opponent = self._somebody(is_bot=self.random.random() < BOTS) if arena is not None else None
        if arena is not None and opponent is not None:
            intention = draw(self.random, self.lines, is_bot=opponent.account.is_bot)
            opponent.habits = intention.habits
            self._begun(self.arenas.pair(arena, opponent.account), opponent, intention)

    def _somebody(self, *, is_bot: bool) -> Player | None:
        """A player who neither plays the bot nor waits for it."""
        busy = {made.challenger for made in self._waiting.values()}
        busy |= {side.account for game in self._running.values() for side in game.sides.values()}
        idle = [player for player in (self._bots if is_bot else self._people) if player.account not in busy]
        return self.random.choice(idle) if idle else None

    def _invite(self, *, is_bot: bool) -> bool:
        """Challenge the bot; whether that was possible."""
        player = self._somebody(is_bot=is_bot)
        if player is None:
            return False
        intention = draw(self.random, self.lines, is_bot=is_bot)
        player.habits = intention.habits
        try:
            made = player.challenge(self.bot, intention.terms)
        except Refused:
            # The games against bots of this day are played.
            self.limited += 1
            return False
        self._intended[made.id] = intention
        self._waiting[made.id] = made
        if self.random.random() < WITHDRAWN:
            self.site.clock.after(self.random.uniform(0.0, 2.0), lambda: self._withdraw(made))
        return True

    def _withdraw(self, made: Challenge) -> None:
        with contextlib.suppress(Refused):
            self.site.cancel(made.challenger, made.id)
            if made.id in self.challenges:
                self.challenges[made.id].withdrawn = not made.open and made.status == "canceled"

    # Challenges

    def _look_at_challenges(self) -> None:
        """Note new challenges to the bot, rematches too, and the answers to those that wait."""
        for made in islice(self.site.challenges.values(), len(self.challenges), None):
            who = made.challenger
            # One may be taken back before this turn.
            unanswerable = who is self.bot or made.status == "canceled"
            self.challenges[made.id] = Asked(
                "challenge", who.name, made.id, self.site.clock.now(), who.is_bot, withdrawn=unanswerable
            )
            self._waiting[made.id] = made
        for made in [made for made in self._waiting.values() if not made.open]:
            del self._waiting[made.id]
            asked = self.challenges[made.id]
            if made.status in ("accepted", "declined"):
                asked.answered = self.site.clock.now()
            if made.status == "declined":
                self._again_at = self.now + PATIENCE
            if made.status == "accepted":
                other = made.dest if made.challenger is self.bot else made.challenger
                player = self._by_id[other.id]
                intention = self._intended.pop(made.id, None) or Intention("rematch", player.habits, made.terms)
                self._begun(self.site.games[made.id], player, intention)

    def _begun(self, game: Game, player: Player, intention: Intention) -> None:
        self._running[game.id] = game
        self.kinds[intention.kind] += 1
        if intention.kind == "floods":
            for number in range(FLOOD):
                wait = number * FLOOD_SECONDS / FLOOD
                self.site.clock.after(wait, lambda number=number: self._flood(game, player, number))  # type: ignore[misc]
        elif not player.account.is_bot:
            for _ in range(int(self.plan.asks + self.random.random())):
                text = self.random.choice(list(QUESTIONS))
                wait = self.random.uniform(0.2, 4.0)
                self.site.clock.after(wait, lambda text=text: self._ask(game, player, text))  # type: ignore[misc]

    # Chat

    def _flood(self, game: Game, player: Player, number: int) -> None:
        text = "!help" if number % 10 == 5 else f"line {number}: are you there?"
        self.lines_written += game.write(player.account, ("player", "spectator")[number % 2], text) is not None

    def _ask(self, game: Game, player: Player, text: str) -> None:
        if self._closed:
            return
        has_begun = game.ply >= 2
        # A game that was aborted has no chat that the bot would read.
        if (not game.over or has_begun) and game.write(player.account, "player", text) is not None:
            now = self.site.clock.now()
            # The bot does not repeat at once what it has just said.
            is_told = now - self._told.get((game.id, text), -REPEAT_SECONDS) < REPEAT_SECONDS
            answered = now if is_told else None
            self.questions.append(Asked(text, player.account.name, game.id, now, answered=answered))

    def _read(self) -> None:
        """Note the answers to questions."""
        new, now = self.site.record.messages[self._messages :], self.site.clock.now()
        self._messages += len(new)
        told = {
            (line.game, what)
            for line in new
            for what, pattern in QUESTIONS.items()
            if line.room == "player" and pattern.match(line.text)
        }
        self._told.update(dict.fromkeys(told, now))
        for asked in self.questions if told else ():
            if asked.answered is None and (asked.game, asked.what) in told:
                asked.answered = now

    def unanswerable(self) -> set[str]:
        """Games that were aborted: nobody reads their chat."""
        return {game.id for game in self.games() if game.status == ABORTED}
