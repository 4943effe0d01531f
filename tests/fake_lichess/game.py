"""One game: the rules by python-chess, real clocks, offers, presence."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import chess

from tests.fake_lichess.chat import Chat, Line
from tests.fake_lichess.http.stream import Json, Stream
from tests.fake_lichess.people import Account, Refused
from tests.fake_lichess.terms import Terms
from tests.fake_lichess.virtual_clock import Timer, VirtualClock

#: Status names that a running and a never decided game have.
STARTED, ABORTED = "started", "aborted"
#: Plies that must pass after a draw offer before the same player may make another.
BETWEEN_OFFERS = 20
#: Seconds that a click on "give time" adds to the other's clock.
GIVEN_TIME = 15.0
#: Seconds for each side's first move, for games shorter than so many seconds (limit and 40 increments).
FIRST_MOVE = ((120, 20.0), (480, 30.0), (float("inf"), 45.0))


@dataclass
class Side:
    """One player's side of the game; ``left`` is the clock in seconds when it last stopped."""

    account: Account
    left: float
    offers_draw: bool = False
    proposes_takeback: bool = False
    last_offer: int = -BETWEEN_OFFERS
    #: Second of the server's time since which the player is away; None while present.
    gone_since: float | None = None
    #: The next time that the other is told of it.
    told_next: Timer | None = None


class Game:
    """A game from its start to its end; ``watchers`` are notified of every change.

    Clocks stand still until both have moved once, as on lichess. Refused is raised for what the rules forbid.
    """

    def __init__(self, ident: str, terms: Terms, white: Account, black: Account, clock: VirtualClock) -> None:
        self.id = ident
        self.terms = terms
        self.clock = clock
        self.board = terms.first_board()
        self.first_fen = self.board.fen()
        start = float(terms.limit if terms.limit is not None else (terms.days or 3650) * 86400)
        if terms.limit == 0:
            # Lichess begins with the increment, or three seconds.
            start = float(max(terms.increment or 0, 3))
        self.sides = {chess.WHITE: Side(white, start), chess.BLACK: Side(black, start)}
        self.created_at = clock.wall_ms()
        self.finished_at = 0
        self.status = STARTED
        self.winner: chess.Color | None = None
        self.chat = Chat()
        #: Seconds left of the mover after each ply, for the export.
        self.clocks: list[float] = []
        self.turn_began = clock.now()
        self.source = "friend"
        self.streams: dict[Stream, chess.Color] = {}
        self.told_gone: set[Stream] = set()
        #: Called with the game after every change of state, and with chat lines.
        self.on_change: list[Callable[[Game], None]] = []
        self.on_line: list[Callable[[Game, str, Line], None]] = []
        self.on_end: list[Callable[[Game], None]] = []
        #: Called for streams alone, with one event.
        self.state_of: Callable[[Game], Json] = lambda _: {}
        self._flag: Timer | None = None

    @property
    def over(self) -> bool:
        return self.status != STARTED

    @property
    def ply(self) -> int:
        return len(self.board.move_stack)

    @property
    def ticking(self) -> bool:
        return not self.over and self.ply >= 2

    def color_of(self, account: Account) -> chess.Color:
        for color, side in self.sides.items():
            if side.account is account:
                return color
        raise Refused("Not your game", 404)

    @property
    def expiration(self) -> tuple[float, float] | None:
        """Seconds since the last move and seconds for the next, while a player's first move is awaited.

        As lichess tells it; the game is not aborted by that here.
        """
        if self.over or self.ply >= 2 or self.terms.limit is None or self.source == "ai":
            return None
        length = self.terms.limit + 40 * (self.terms.increment or 0)
        return self.clock.now() - self.turn_began, next(seconds for below, seconds in FIRST_MOVE if length < below)

    def left(self, color: chess.Color) -> float:
        """Seconds on a player's clock now, never below 0."""
        spent = self.clock.now() - self.turn_began if self.ticking and self.board.turn == color else 0.0
        return max(0.0, self.sides[color].left - spent)

    def move(self, color: chess.Color, uci: str, offers_draw: bool = False) -> None:
        """Play a move; a draw offer goes before it, as on lichess.

        If the other had offered a draw, that ends the game, and the move is let go without a word.
        """
        if self.over or self.board.turn != color:
            raise Refused("Not your turn, or game already over")
        try:
            move = self.board.parse_uci(uci)
        except ValueError as error:
            raise Refused(f"Invalid UCI or illegal move: {uci}") from error
        if not move:
            raise Refused(f"Invalid UCI: {uci}")
        if offers_draw and not self.sides[color].offers_draw:
            self.answer_draw(color, True)
            if self.over:
                return
        self._accept_time(color)
        if self.over:
            raise Refused("Not your turn, or game already over")
        self.board.push(move)
        self.clocks.append(self.sides[color].left)
        other = self.sides[not color]
        other.offers_draw = other.proposes_takeback = self.sides[color].proposes_takeback = False
        self._start_turn()
        self._end_by_the_rules()
        self._tell_state()
        if not self.over and self.board.is_repetition(3) and any(s.account.is_bot for s in self.sides.values()):
            # Lichess claims the draw for every bot, after the state with the move was sent.
            self.end("draw", None)

    def _accept_time(self, color: chess.Color) -> None:
        side = self.sides[color]
        left = self.left(color)
        if self.ticking and left <= 0:
            self._time_out()
        elif self.ticking:
            side.left = left + (self.terms.increment or 0)
        if self.terms.days is not None:
            side.left = self.terms.days * 86400.0

    def _start_turn(self) -> None:
        self.turn_began = self.clock.now()
        self._flag_after(self.sides[self.board.turn].left)

    def _flag_after(self, seconds: float) -> None:
        """Let the flag of who is to move fall after so many seconds."""
        if self._flag is not None:
            self._flag.cancel()
        self._flag = None
        if self.ticking and (self.terms.limit is not None or self.terms.days is not None):
            self._flag = self.clock.after(seconds, self._time_out)

    def _time_out(self) -> None:
        if self.over:
            return
        loser = self.board.turn
        self.sides[loser].left = 0.0
        self.end("outoftime", None if self.board.has_insufficient_material(not loser) else not loser)

    def _end_by_the_rules(self) -> None:
        board = self.board
        if board.is_variant_end():
            won = None if board.is_variant_draw() else board.turn if board.is_variant_win() else not board.turn
            self.end("variantEnd", won, tell=False)
        elif board.is_checkmate():
            self.end("mate", not board.turn, tell=False)
        elif board.is_stalemate():
            self.end("stalemate", None, tell=False)
        elif board.is_insufficient_material() or board.is_fifty_moves():
            self.end("draw", None, tell=False)

    def end(self, status: str, winner: chess.Color | None, tell: bool = True) -> None:
        """End the game; streams get the last state and end."""
        if self.ticking:
            self.sides[self.board.turn].left = self.left(self.board.turn)
        self.status, self.winner = status, winner
        self.finished_at = self.clock.wall_ms()
        if self._flag is not None:
            self._flag.cancel()
        for side in self.sides.values():
            side.offers_draw = side.proposes_takeback = False
            if side.told_next is not None:
                side.told_next.cancel()
        if tell:
            self._tell_state()

    def abort(self, color: chess.Color) -> None:
        if self.over or self.ply >= 2 or "noAbort" in self.terms.rules:
            raise Refused("This game can no longer be aborted")
        self.end(ABORTED, None)

    def resign(self, color: chess.Color) -> None:
        if self.over:
            raise Refused("This game cannot be resigned")
        if self.ply < 2 and "noAbort" not in self.terms.rules:
            self.abort(color)
        else:
            self.end("resign", not color)

    def answer_draw(self, color: chess.Color, yes: bool) -> None:
        """Offer, accept, take back or decline; a senseless request changes nothing, as on lichess."""
        if self.over:
            return
        side, other = self.sides[color], self.sides[not color]
        if not yes:
            self._no_draw(color)
        elif other.offers_draw:
            self._say("Draw offer accepted")
            self.end("draw", None)
            return
        elif self._may_offer(side):
            if self.board.has_insufficient_material(not color):
                self.end("insufficientMaterialClaim", None)
                return
            side.offers_draw, side.last_offer = True, self.ply
            self._say(f"{'White' if color else 'Black'} offers draw")
        self._tell_state()

    def _may_offer(self, side: Side) -> bool:
        return not side.offers_draw and self.ply >= 2 and self.ply - side.last_offer > BETWEEN_OFFERS

    def _no_draw(self, color: chess.Color) -> None:
        side, other = self.sides[color], self.sides[not color]
        if side.offers_draw:
            side.offers_draw = False
            self._say("Draw offer canceled")
        elif other.offers_draw:
            other.offers_draw = False
            self._say(f"{'White' if color else 'Black'} declines draw")

    def answer_takeback(self, color: chess.Color, yes: bool) -> None:
        """Propose, accept or decline to take the proposer's last move back."""
        if self.over:
            return
        side, other = self.sides[color], self.sides[not color]
        if not yes:
            if side.proposes_takeback:
                side.proposes_takeback = False
                self._say("Takeback cancelled")
            elif other.proposes_takeback:
                other.proposes_takeback = False
                self._say("Takeback declined")
        elif other.proposes_takeback:
            other.proposes_takeback = side.proposes_takeback = False
            self._take_back(2 if self.board.turn != color else 1)
            self._say("Takeback accepted")
        elif self.ply >= (2 if self.board.turn == color else 1):
            side.proposes_takeback = True
            self._say("Takeback sent")
        self._tell_state()

    def _take_back(self, plies: int) -> None:
        self.sides[self.board.turn].left = self.left(self.board.turn)
        for _ in range(plies):
            self.board.pop()
            self.clocks.pop()
        self._start_turn()

    def leave(self, color: chess.Color, claim_after: float, tick: float, phase: float = 0.0) -> None:
        """A player is away; the other may claim after ``claim_after`` seconds of the server's time.

        The other is told ``phase`` seconds later and then every ``tick`` seconds how many whole seconds are missing,
        rounded down: so a 0 may come almost a second too early.
        """
        side = self.sides[color]
        if self.over or side.gone_since is not None:
            return
        side.gone_since = self.clock.now()

        def tell() -> None:
            assert side.gone_since is not None
            missing = max(0.0, claim_after - (self.clock.now() - side.gone_since))
            self._tell_gone(color, math.floor(missing))
            side.told_next = self.clock.after(tick, tell)

        side.told_next = self.clock.after(phase, tell)
        if phase <= 0:
            side.told_next.cancel()
            tell()

    def _tell_gone(self, color: chess.Color, seconds: int) -> None:
        for stream, own in self.streams.items():
            if own != color:
                stream.offer({"type": "opponentGone", "gone": True, "claimWinInSeconds": seconds})
                self.told_gone.add(stream)

    def come_back(self, color: chess.Color) -> None:
        """The player is there again; a stream that was opened in between gets no event, as on lichess."""
        side = self.sides[color]
        if side.gone_since is None:
            return
        side.gone_since = None
        if side.told_next is not None:
            side.told_next.cancel()
        for stream in [s for s in self.told_gone if self.streams.get(s, color) != color]:
            stream.offer({"type": "opponentGone", "gone": False})
        self.told_gone.clear()

    def may_claim(self, color: chess.Color) -> bool:
        """Whether a claim is looked at: on the absent player's turn, in a game with a clock that has begun."""
        bound = "noClaimWin" in self.terms.rules or self.source == "ai" or self.terms.limit is None
        return not self.over and self.ply >= 2 and self.board.turn != color and not bound

    def claim(self, color: chess.Color, claim_after: float, win: bool) -> None:
        """End the game of a player who left it; a win is a draw for who could never mate. Refused if it is too early.

        A claim that may not be made at all changes nothing, without a word, as on lichess.
        """
        if not self.may_claim(color):
            return
        since = self.sides[not color].gone_since
        if since is None or self.clock.now() - since <= claim_after:
            raise Refused(f"You cannot claim {'the win' if win else 'draw'} on this game")
        can_mate = not self.board.has_insufficient_material(color)
        self.end("timeout", color if win and can_mate else None)
        if win and not can_mate:
            raise Refused("You cannot claim the win on this game")

    def give_time(self, color: chess.Color) -> None:
        """A player adds time to the other's clock."""
        if self.over or self.terms.limit is None or "noGiveTime" in self.terms.rules:
            return
        self.sides[not color].left += GIVEN_TIME
        if self.ticking and self.board.turn != color:
            # The clock that runs now is the other one.
            self._flag_after(self.left(not color))
        self._say(f"{'Black' if color else 'White'} + {GIVEN_TIME:.0f} seconds")
        self._tell_state()

    def write(self, author: Account, room: str, text: str) -> Line | None:
        """A chat line, shown to both players' streams if it passes the rules."""
        line = self.chat.write(author, room, text)
        if line is not None:
            self._show(room, line)
        return line

    def _say(self, text: str) -> None:
        self._show("player", self.chat.tell(text))

    def _show(self, room: str, line: Line) -> None:
        event = {"type": "chatLine", "room": room, "username": line.user, "text": line.text}
        for stream in self.streams:
            stream.offer(event)
        for listener in list(self.on_line):
            listener(self, room, line)

    def _tell_state(self) -> None:
        state = self.state_of(self)
        for stream in list(self.streams):
            stream.offer(state)
            if self.over:
                stream.end()
        for listener in list(self.on_change):
            listener(self)
        if self.over:
            enders, self.on_end = self.on_end, []
            for ender in enders:
                ender(self)
