"""State of the site: accounts, challenges, games and their streams, independent of HTTP."""

import random
import string
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

import chess

from tests.fake_lichess.archive.stored import Archive
from tests.fake_lichess.challenges import EXPIRES, REASONS, Challenge
from tests.fake_lichess.game import ABORTED, Game
from tests.fake_lichess.http import answers
from tests.fake_lichess.http.stream import Json, Stream
from tests.fake_lichess.limits import Limits
from tests.fake_lichess.people import Account, Refused, Token
from tests.fake_lichess.record import ChatMessage, Record
from tests.fake_lichess.terms import Terms
from tests.fake_lichess.virtual_clock import VirtualClock

#: What a bot's token usually opens.
BOT_SCOPES = ("bot:play", "challenge:read", "challenge:write")


@dataclass
class ServerRules:
    """Rules that differ between servers and versions; times in seconds of the server's clock."""

    #: Seconds of absence after which the other may claim.
    claim_after: float = 30.0
    #: Seconds between two lines that tell of an absent opponent, and from the absence to the first of them.
    gone_tick: float = 5.0
    gone_phase: float = 0.7
    #: Seconds without any stream of a game after which its bot counts as gone, for the opponent who may claim.
    bot_gone_after: float = 1.0


class Site:
    """All state; to be used from the server's event loop alone."""

    def __init__(self, clock: VirtualClock, seed: int = 0, base: str = "https://lichess.org") -> None:
        self.clock = clock
        self.base = base
        self.rules = ServerRules()
        self.limits = Limits()
        self.record = Record()
        self.archive = Archive()
        self.accounts: dict[str, Account] = {}
        #: Who sits at a browser that comes to sign in, and agrees; None if he does not.
        self.visitor: Account | None = None
        self.tokens: dict[str, Token] = {}
        self.challenges: dict[str, Challenge] = {}
        self.games: dict[str, Game] = {}
        self._events: dict[str, tuple[Account, Stream]] = {}
        self._random = random.Random(seed)
        self._sent_messages: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)

    # Accounts

    def join(self, name: str, title: str | None = None, rating: int = 1500, in_process: bool = False) -> Account:
        if name.lower() in self.accounts:
            raise ValueError(f"there is a {name} already")
        made = Account(name, rating, title, self.clock.wall_ms(), in_process=in_process)
        self.accounts[made.id] = made
        return made

    def token(self, account: Account, secret: str | None = None, scopes: tuple[str, ...] = BOT_SCOPES) -> Token:
        made = Token(secret or "lip_" + self._letters(20), account, frozenset(scopes))
        self.tokens[made.secret] = made
        return made

    def account(self, name: str) -> Account:
        try:
            return self.accounts[name.lower()]
        except KeyError:
            raise Refused(f"No such user: {name}", 404) from None

    def upgrade(self, account: Account) -> None:
        if account.is_bot:
            raise Refused("You are already a Bot account")
        if account.title:
            raise Refused("Titled players cannot be upgraded to Bot")
        if account.played:
            raise Refused("You already have played games")
        account.title = "BOT"

    def _letters(self, count: int) -> str:
        return "".join(self._random.choices(string.ascii_letters + string.digits, k=count))

    # Challenges

    def challenge(self, challenger: Account, dest: Account, terms: Terms, rematch_of: str = "") -> Challenge:
        """Refused where lichess refuses it: terms, limits, bots where no bot may play.

        ``rematch_of`` is the game that it offers to repeat: a bot gets an offer of a rematch as a challenge.
        """
        terms.check()
        if challenger is dest:
            raise Refused("You cannot challenge yourself")
        if terms.speed == "ultraBullet" and (challenger.is_bot or dest.is_bot):
            raise Refused("Bots cannot play UltraBullet")
        now = self.clock.now()
        if challenger.is_bot and dest.is_bot:
            self.limits.bot_pair(challenger.id, dest.id, now)
        if not challenger.in_process:
            self.limits.challenge(challenger.id, now)
        color = {"white": chess.WHITE, "black": chess.BLACK}.get(terms.color, self._random.random() < 0.5)
        made = Challenge(self._letters(8), challenger, dest, terms, color, rematch_of=rematch_of)
        self.challenges[made.id] = made
        if terms.limit is not None:
            # An expiry sends no event: the challenged player learns of it from the answer to its accept.
            made.expiry = self.clock.after(EXPIRES, lambda: made.close("canceled"))
        for who in (dest, challenger):
            self._tell(who, self._challenge_event("challenge", made))
        return made

    def _challenge_event(self, kind: str, made: Challenge) -> Json:
        event = {"type": kind, "challenge": answers.challenge(made, self.base)}
        return event | ({"compat": {"bot": True, "board": True}} if kind == "challenge" else {})

    def _open_challenge(self, ident: str) -> Challenge:
        found = self.challenges.get(ident)
        if found is None or not found.open:
            raise Refused("Not found", 404)
        return found

    def accept(self, who: Account, ident: str) -> Game:
        found = self._open_challenge(ident)
        if found.dest is not who:
            raise Refused("Not found", 404)
        now = self.clock.now()
        if found.challenger.is_bot and who.is_bot:
            self.limits.bot_pair(who.id, found.challenger.id, now)
            self.limits.bot_games.use(who.id, now)
            self.limits.bot_games.use(found.challenger.id, now)
        found.close("accepted")
        white, black = (found.challenger, who) if found.challenger_color else (who, found.challenger)
        return self.begin(found.id, found.terms, white, black)

    def begin(self, ident: str, terms: Terms, white: Account, black: Account, source: str = "friend") -> Game:
        """A game begins; ``source`` is how it came about, in lichess's terms: friend, ai, lobby."""
        if terms.variant == "chess960" and terms.fen is None:
            drawn = chess.Board.from_chess960_pos(self._random.randrange(960))
            terms = replace(terms, fen=drawn.fen())
        game = Game(ident, terms, white, black, self.clock)
        game.source = source
        game.state_of = answers.game_state
        game.on_end.append(self._finished)
        self.games[game.id] = game
        for player in (white, black):
            player.played += 1
            self._tell(player, {"type": "gameStart", "game": answers.game_info(game, player)})
        return game

    def decline(self, who: Account, ident: str, reason: str = "generic") -> Challenge:
        found = self._open_challenge(ident)
        if found.dest is not who:
            raise Refused("Not found", 404)
        # lichess takes an unknown reason for the generic one.
        found.reason = next((known for known in REASONS if known.lower() == reason.lower()), "generic")
        found.close("declined")
        for account in (found.challenger, found.dest):
            self._tell(account, self._challenge_event("challengeDeclined", found))
        return found

    def cancel(self, who: Account, ident: str) -> None:
        """Cancel an own challenge, or abort the game that came of it while nobody has lost by that."""
        game = self.games.get(ident)
        if game is not None and any(side.account is who for side in game.sides.values()):
            game.abort(game.color_of(who))
            return
        found = self._open_challenge(ident)
        if found.challenger is not who:
            raise Refused("Not found", 404)
        found.close("canceled")
        self._tell(found.dest, self._challenge_event("challengeCanceled", found))

    def challenges_of(self, who: Account) -> tuple[list[Challenge], list[Challenge]]:
        """Open challenges to and from an account."""
        open_ones = [made for made in self.challenges.values() if made.open]
        return [c for c in open_ones if c.dest is who], [c for c in open_ones if c.challenger is who]

    # Event stream

    def open_events(self, token: Token) -> Stream:
        """A token's event stream, which closes the one it had; it begins with all running games and challenges."""
        now = self.clock.now()
        who = token.account
        self.record.opens.append((who.name, now))
        try:
            self.limits.open_events(token.secret, now)
        except Refused:
            self.record.add_violation("stream_opens", who.name, "", "event stream opened too often", now)
            raise
        before = self._events.get(token.secret)
        if before is not None:
            self._close(*before)
        stream = Stream()
        self._events[token.secret] = (who, stream)
        who.streams.add(stream)
        for game in self.running(who):
            stream.offer({"type": "gameStart", "game": answers.game_info(game, who)})
        incoming, own = self.challenges_of(who)
        for made in [*incoming, *own]:
            stream.offer(self._challenge_event("challenge", made))
        return stream

    def close_events(self, token: Token, stream: Stream) -> None:
        if self._events.get(token.secret, (None, None))[1] is stream:
            del self._events[token.secret]
        self._close(token.account, stream)

    @staticmethod
    def _close(who: Account, stream: Stream) -> None:
        stream.end()
        who.streams.discard(stream)

    def _tell(self, who: Account, event: Json) -> None:
        if who.on_event is not None:
            who.on_event(event)
        for account, stream in self._events.values():
            if account is who:
                stream.offer(event)

    # Games

    def running(self, who: Account) -> list[Game]:
        return [g for g in self.games.values() if not g.over and any(s.account is who for s in g.sides.values())]

    def game_for(self, who: Account, ident: str) -> Game:
        """A game of this bot's, as the bot addresses see it."""
        game = self.games.get(ident[:8])
        if game is None:
            raise Refused("No such game", 404)
        game.color_of(who)
        if not who.is_bot:
            raise Refused("This endpoint can only be used with a Bot account.")
        return game

    def open_game(self, who: Account, ident: str) -> tuple[Game, Stream]:
        game = self.game_for(who, ident)
        stream = Stream()
        stream.offer(answers.game_full(game))
        if game.over:
            stream.end()
        else:
            game.streams[stream] = game.color_of(who)
            who.streams.add(stream)
            game.come_back(game.color_of(who))
        return game, stream

    def close_game(self, who: Account, game: Game, stream: Stream) -> None:
        game.streams.pop(stream, None)
        self._close(who, stream)
        color = game.color_of(who)
        if color not in game.streams.values() and not game.over:

            def gone() -> None:
                if color not in game.streams.values():
                    self.leave(game, color)

            self.clock.after(self.rules.bot_gone_after, gone)

    def leave(self, game: Game, color: chess.Color) -> None:
        """A player is away, under the rules of this server."""
        game.leave(color, self.rules.claim_after, self.rules.gone_tick, self.rules.gone_phase)

    def claim(self, who: Account, ident: str, win: bool) -> None:
        """A bot claims the game of an absent opponent; a draw where it could have won is recorded."""
        game = self.game_for(who, ident)
        color = game.color_of(who)
        game.claim(color, self.rules.claim_after, win)
        if not win and game.status == "timeout" and not game.board.has_insufficient_material(color):
            self.record.add_violation("drawn_win", who.name, game.id, f"ply {game.ply}", self.clock.now())

    def move(self, who: Account, ident: str, uci: str, offers_draw: bool = False) -> None:
        """Play a bot's move; a violation is recorded before the move is refused."""
        game = self.game_for(who, ident)
        color = game.color_of(who)
        ply, now = game.ply, self.clock.now()
        try:
            game.move(color, uci, offers_draw)
        except Refused:
            self.record.add_violation(self._wrong_move(game, color, uci), who.name, game.id, f"{uci} at ply {ply}", now)
            raise

    def _wrong_move(self, game: Game, color: chess.Color, uci: str) -> str:
        if game.over:
            return "late_move"
        if game.board.turn == color:
            return "illegal_move"
        last = game.board.move_stack[-1:]
        return "repeated_move" if last and uci == last[0].uci() else "out_of_turn"

    def play(self, game: Game, color: chess.Color, move: chess.Move, offers_draw: bool = False) -> None:
        """Play a move of an in-process player."""
        game.move(color, move.uci(), offers_draw)

    def chat(self, who: Account, ident: str, room: str, text: str) -> None:
        """Post a bot's message; violations are recorded, whether lichess reports them or not."""
        game = self.game_for(who, ident)
        now = self.clock.now()
        before = self._sent_messages[game.id, room, who.id]
        try:
            if game.write(who, room, text) is None:
                self.record.add_violation("link", who.name, game.id, f"{room}: {text}", now)
        except Refused:
            if len(text) > 140:
                self.record.add_violation("long_message", who.name, game.id, f"{room}: {text}", now)
            raise
        finally:
            # Lichess lets a bot repeat itself. Ours repeats answers alone: as often as somebody writes, at most.
            if before[text] and before[text] >= game.chat.lines_to(who, room):
                self.record.add_violation("repeated_message", who.name, game.id, f"{room}: {text}", now)
            before[text] += 1
            self.record.messages.append(ChatMessage(game.id, room, text))

    def _finished(self, game: Game) -> None:
        now = self.clock.now()
        for color, side in game.sides.items():
            if not side.account.in_process and game.winner is (not color):
                if game.status == "outoftime":
                    left = "no stream open" if color not in game.streams.values() else "a stream open"
                    detail = f"ply {game.ply}, {left}"
                    self.record.add_violation("lost_on_time", side.account.name, game.id, detail, now)
                if game.status == "timeout":
                    self.record.add_violation("abandoned", side.account.name, game.id, f"ply {game.ply}", now)
            # An opponent who aborts at once has not waited for the first move.
            has_waited = now - game.turn_began >= self.rules.claim_after
            if game.status == ABORTED and game.board.turn == color and has_waited and not side.account.in_process:
                self.record.add_violation("abandoned", side.account.name, game.id, "no first move", now)
            side.account.streams -= set(game.streams)
            self._tell(side.account, {"type": "gameFinish", "game": answers.game_info(game, side.account)})
        game.streams.clear()
