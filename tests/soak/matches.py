"""The games of a soak: who plays what against the bot, one after the other on every board."""

import random

import chess

from tests.fake_lichess.challenges import Challenge
from tests.fake_lichess.game import ABORTED, Game
from tests.fake_lichess.people import Account, Refused
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.site import Site
from tests.fake_lichess.terms import Terms
from tests.soak.baits import BaitLine

#: (seconds, increment): bullet and blitz, slow enough that a silent connection can be noticed and opened again.
CLOCKS = ((60, 1), (90, 1), (120, 1), (180, 0))
#: Share of the games in which an opponent tries to fall into a trap of the library.
BAITED = 0.4
CHESS960 = 0.1
#: and of the others those that begin from a position with rooks that only Chess960 knows.
FROM_POSITION = 0.05
ROOKS_INSIDE = "1rqbkr2/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/1RQBKR2 w KQkq - 0 1"
#: and of the others those in which the opponent never makes a move.
ABSENT = 0.01
#: Seconds after which a challenge that came to nothing is made again.
AGAIN = 1.0


class Matches:
    """Keeps ``boards`` games going; ``think`` is the most seconds for a move."""

    def __init__(self, site: Site, bot: Account, lines: list[BaitLine], boards: int, think: float, seed: int) -> None:
        self.site = site
        self.bot = bot
        self.lines = lines
        self.think = think
        self.random = random.Random(seed)
        self.played: dict[str, Game] = {}
        self._players = [
            Player(site, site.join(f"Human{number + 1}", rating=1200 + 100 * number), Habits(), seed + number)
            for number in range(boards)
        ]
        self._invited: dict[str, tuple[Player, BaitLine | None, Terms]] = {}

    def begin(self) -> None:
        for player in self._players:
            self._next(player)

    def to_record(self) -> set[str]:
        """Ids of the games that must be on the bot's disk: all that are over and were not aborted."""
        return {ident for ident, game in self.played.items() if game.over and game.status != ABORTED}

    def _next(self, player: Player) -> None:
        line = self.random.choice(self.lines) if self.lines and self.random.random() < BAITED else None
        player.habits = self._habits(line)
        self._invite(player, line, self._terms(line))

    def _habits(self, line: BaitLine | None) -> Habits:
        think = (0.0, self.think)
        if line is None and self.random.random() < ABSENT:
            return Habits(think=(1e6, 1e6))
        if line is not None:
            return Habits(line=line.whole, think=think, talk=0.05, accept_draw=0.3, sense=0.8)
        return Habits(
            think=think,
            greed=self.random.choice((0.2, 0.5, 0.9)),
            sense=self.random.choice((0.0, 0.8, 0.97)),
            talk=0.08,
            give_time=0.01,
            offer_draw=0.02,
            ask_takeback=0.02,
            leave=0.004,
            away=self.random.choice((1.0, 4.0, None)),
            accept_draw=0.3,
            accept_takeback=0.5,
            resign_at=self.random.choice((None, None, 50, 90)),
        )

    def _terms(self, line: BaitLine | None) -> Terms:
        limit, increment = self.random.choice(CLOCKS)
        rated = self.random.random() < 0.5
        if line is not None:
            color = "white" if line.victim == chess.WHITE else "black"
            return Terms(limit=limit, increment=increment, color=color, rated=rated)
        if self.random.random() < FROM_POSITION:
            return Terms(variant="fromPosition", fen=ROOKS_INSIDE, limit=limit, increment=increment)
        variant = "chess960" if self.random.random() < CHESS960 else "standard"
        return Terms(variant=variant, limit=limit, increment=increment, rated=rated)

    def _invite(self, player: Player, line: BaitLine | None, terms: Terms) -> None:
        # A bot without a stream can be challenged like one with; whether it hears of that is its own affair.
        try:
            made = player.challenge(self.bot, terms)
        except Refused as refused:
            raise RuntimeError(f"the soak made a bad challenge: {refused}") from refused
        self._invited[made.id] = (player, line, terms)
        self._look(made)

    def _look(self, made: Challenge) -> None:
        """Follow a challenge until it is a game or has to be made again."""
        if made.open:
            self.site.clock.after(0.2, lambda: self._look(made))
            return
        player, line, terms = self._invited.pop(made.id)
        if made.status == "accepted":
            game = self.site.games[made.id]
            self.played[game.id] = game
            if game.over:
                self._ended(game)
            else:
                game.on_end.append(self._ended)
            return
        self.site.clock.after(AGAIN, lambda: self._invite(player, line, terms))

    def _ended(self, game: Game) -> None:
        player = next(p for p in self._players if any(side.account is p.account for side in game.sides.values()))
        self.site.clock.after(0.3, lambda: self._next(player))
