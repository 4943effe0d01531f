"""Scripted opponents inside the server, which play whole games with human habits."""

import contextlib
import random
from dataclasses import dataclass, replace

import chess

from tests.fake_lichess.challenges import Challenge
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.answers import color_name
from tests.fake_lichess.http.stream import Json
from tests.fake_lichess.people import Account, Refused
from tests.fake_lichess.site import Site
from tests.fake_lichess.terms import Terms
from tests.fake_lichess.virtual_clock import Timer
from trapcore.parallel.budget import Budget
from trapcore.piece_values import POINTS
from trapcore.proof.search import search

#: What people type at a bot, commands and not.
TALK = (
    ("player", "!trap"),
    ("player", "!help"),
    ("player", "!HELP"),
    ("player", "!stats"),
    ("player", "!name"),
    ("player", "!why"),
    ("player", "!library elephant"),
    ("player", "!nonsense"),
    ("player", "hi, good luck"),
    ("player", "what is my best move here?"),
    ("player", "did I just blunder?"),
    ("spectator", "!trap"),
    ("spectator", "!why"),
    ("spectator", "!Help"),
    ("spectator", "nice game"),
)
#: Few enough not to hold the server up.
SENSE_NODES = 300


@dataclass(frozen=True)
class Habits:
    """Behaviour of a player; chances are per own move, seconds are the server's."""

    #: Moves in SAN from the start of the game, both sides'; played while the game follows them.
    line: tuple[str, ...] = ()
    #: Least and most seconds for a move.
    think: tuple[float, float] = (0.0, 0.0)
    #: Chance of taking the most valuable piece in reach instead of any move.
    greed: float = 0.5
    #: Chance of playing what a very short search likes, instead of either.
    sense: float = 0.0
    talk: float = 0.0
    offer_draw: float = 0.0
    ask_takeback: float = 0.0
    leave: float = 0.0
    #: Seconds a player who left stays away; None: for good.
    away: float | None = 2.0
    #: Chances of accepting offers; None: they are left without an answer.
    accept_draw: float | None = 0.2
    accept_takeback: float | None = 0.5
    #: Ply from which the player resigns; None: never.
    resign_at: int | None = None
    #: Chances of giving the opponent time with a move, and of asking for a rematch after a game.
    give_time: float = 0.0
    rematch: float = 0.0
    #: Chance of accepting a challenge.
    accept: float = 1.0


class Player:
    """Scripted player of one account in all its games."""

    def __init__(self, site: Site, account: Account, habits: Habits, seed: int = 0) -> None:
        self.site = site
        self.account = account
        self.habits = habits
        self.random = random.Random(seed)
        self._pending: dict[str, Timer] = {}
        account.in_process = True
        account.on_event = self._event

    def challenge(self, dest: Account, terms: Terms) -> Challenge:
        return self.site.challenge(self.account, dest, terms)

    def _event(self, event: Json) -> None:
        if event["type"] == "gameStart":
            game = self.site.games[event["game"]["gameId"]]
            # Not before the caller has finished with the game that it is making.
            self.site.clock.after(0.0, lambda: self._sit(game))
        elif event["type"] == "challenge" and event["challenge"]["destUser"]["id"] == self.account.id:
            ident = event["challenge"]["id"]
            self.site.clock.after(self._thinking(), lambda: self._answer(ident))

    def _answer(self, ident: str) -> None:
        if not self.site.challenges[ident].open:
            return
        if self.random.random() < self.habits.accept:
            self.site.accept(self.account, ident)
        else:
            self.site.decline(self.account, ident, "later")

    def _thinking(self) -> float:
        return self.random.uniform(*self.habits.think)

    def _chance(self, chance: float) -> bool:
        return self.random.random() < chance

    def _sit(self, game: Game) -> None:
        game.on_change.append(self._see)
        self._see(game)
        self._watch(game)

    def _see(self, game: Game) -> None:
        """React to a change: answer offers, and think if it is the player's turn."""
        color = game.color_of(self.account)
        if (game.over or game.board.turn != color) and (pending := self._pending.pop(game.id, None)):
            pending.cancel()
        if game.over:
            if self._chance(self.habits.rematch):
                self.site.clock.after(self._thinking(), lambda: self._again(game, color))
            return
        other = game.sides[not color]
        if other.offers_draw and self.habits.accept_draw is not None:
            draw = self._chance(self.habits.accept_draw)
            self.site.clock.after(0.0, lambda: game.answer_draw(color, draw) if other.offers_draw else None)
        if other.proposes_takeback and self.habits.accept_takeback is not None:
            back = self._chance(self.habits.accept_takeback)
            self.site.clock.after(0.0, lambda: game.answer_takeback(color, back) if other.proposes_takeback else None)
        if game.board.turn == color and game.id not in self._pending:
            self._pending[game.id] = self.site.clock.after(self._thinking(), lambda: self._act(game, color))

    def _again(self, game: Game, color: chess.Color) -> None:
        """Ask for a rematch with the other color."""
        terms = replace(game.terms, color=color_name(not color))
        with contextlib.suppress(Refused):
            self.site.challenge(self.account, game.sides[not color].account, terms, rematch_of=game.id)

    def _act(self, game: Game, color: chess.Color) -> None:
        self._pending.pop(game.id, None)
        if game.over or game.board.turn != color:
            return
        habits = self.habits
        if habits.resign_at is not None and game.ply >= habits.resign_at:
            game.resign(color)
            return
        if game.ply >= 2 and self._chance(habits.leave):
            self._go(game, color)
            return
        if self._chance(habits.talk):
            room, text = self.random.choice(TALK)
            game.write(self.account, room, text)
        if game.ply >= 2 and self._chance(habits.give_time):
            game.give_time(color)
        if game.ply >= 4 and self._chance(habits.ask_takeback):
            game.answer_takeback(color, True)
            if game.over or game.board.turn != color or game.sides[color].proposes_takeback:
                self._pending[game.id] = self.site.clock.after(self._thinking(), lambda: self._move(game, color))
                return
        self._move(game, color)

    def _move(self, game: Game, color: chess.Color) -> None:
        self._pending.pop(game.id, None)
        if not game.over and game.board.turn == color:
            self.site.play(game, color, self._choose(game.board), self._chance(self.habits.offer_draw))

    def _go(self, game: Game, color: chess.Color) -> None:
        self.site.leave(game, color)
        if self.habits.away is not None:

            def return_() -> None:
                if not game.over:
                    game.come_back(color)
                    self._move(game, color)

            self.site.clock.after(self.habits.away, return_)

    def _choose(self, board: chess.Board) -> chess.Move:
        followed = self._from_line(board)
        if followed is not None:
            return followed
        if self._chance(self.habits.sense):
            found = search(board.fen(), Budget(nodes=SENSE_NODES)).line
            if found:
                return board.parse_uci(found[0])
        legal = list(board.legal_moves)
        captures = [move for move in legal if board.is_capture(move)]
        if captures and self._chance(self.habits.greed):
            return max(captures, key=lambda move: POINTS[board.piece_type_at(move.to_square) or chess.PAWN])
        return self.random.choice(legal)

    def _from_line(self, board: chess.Board) -> chess.Move | None:
        ply = len(board.move_stack)
        if ply >= len(self.habits.line):
            return None
        line = board.root()
        for played, san in zip(board.move_stack, self.habits.line, strict=False):
            if line.push_san(san) != played:
                return None
        return line.parse_san(self.habits.line[ply])

    def _watch(self, game: Game) -> None:
        """React to an absent opponent: abort a game that has not begun, claim any other."""
        if game.over:
            return
        color = game.color_of(self.account)
        wait = self.site.rules.claim_after
        since = game.sides[not color].gone_since
        try:
            if since is not None and self.site.clock.now() - since > wait:
                game.claim(color, wait, win=True)
            elif game.ply < 2 and game.board.turn != color and self.site.clock.now() - game.turn_began >= wait:
                game.abort(color)
        except Refused:
            pass
        self.site.clock.after(wait / 4, lambda: self._watch(game))
