"""Fake lichess with a bot account, a client for it and opponents, for the tests of the server."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import chess

from tests.fake_lichess.challenges import Challenge
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.client import PATIENCE, Check, Client, Lines
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.people import Account, Token
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.terms import Terms

#: An opponent who does nothing by itself.
STILL = Habits(think=(1e9, 1e9), accept_draw=None, accept_takeback=None)


@dataclass
class ServerWithBot:
    """Server with a bot account; ``speed`` 0 means that only ``server.advance`` moves the clocks."""

    server: Server
    bot: Account
    token: Token
    client: Client

    def opponent(self, habits: Habits = STILL, name: str = "Human", title: str | None = None) -> Player:
        return self.server.do(lambda site: Player(site, site.join(name, title), habits))

    def challenged(self, player: Player, terms: Terms) -> Challenge:
        return self.server.do(lambda site: player.challenge(self.bot, terms))

    def game(self, terms: Terms, habits: Habits = STILL, name: str = "Human") -> tuple[Game, Player]:
        """A started game; ``terms.color`` is the opponent's."""
        player = self.opponent(habits, name)
        made = self.challenged(player, terms)
        assert self.client.post(f"/api/challenge/{made.id}/accept").status == 200
        return self.server.do(lambda site: site.games[made.id]), player

    def play(self, game: Game, *moves: str) -> None:
        """Moves in UCI for both sides: the opponent's in process, the bot's over HTTP."""
        for uci in moves:
            bots = game.sides[game.board.turn].account is self.bot
            if bots:
                got = self.client.post(f"/api/bot/game/{game.id}/move/{uci}")
                assert got.status == 200, got.body
            else:
                self.server.do(lambda site, uci=uci: site.play(game, game.board.turn, chess.Move.from_uci(uci)))  # type: ignore[misc]

    @contextmanager
    def stream(self, game: Game, patience: float = PATIENCE) -> Iterator[Lines]:
        with self.client.lines(f"/api/bot/game/stream/{game.id}", patience=patience) as lines:
            yield lines

    def violations(self) -> list[str]:
        """Kinds of all violations but requests that are not as published, which these tests send on purpose."""
        found = self.server.do(lambda site: [violation.kind for violation in site.record.violations])
        return [kind for kind in found if kind != "unpublished_request"]


@contextmanager
def server_with_bot(
    speed: float = 0.0, keep_alive: float = 0.2, check: Check = lambda *_: None, seed: int = 0
) -> Iterator[ServerWithBot]:
    """The server, to which its own tests also send requests that lichess does not publish."""
    with Server(speed=speed, keep_alive=keep_alive, seed=seed, strict=False) as server:
        bot, token = server.bot()
        yield ServerWithBot(server, bot, token, Client(server.port, token.secret, check))
