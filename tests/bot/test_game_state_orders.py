"""A game as a value: its events in any order, on a server that takes moves back."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bot.game_state import (
    Action,
    Answered,
    AnswerTakeback,
    Decide,
    Do,
    Event,
    Failed,
    Played,
    Resync,
    Session,
    Tick,
    may_send,
    step,
    to_move,
)
from lichess.api import ChatLine, Color, GameFull, GameState, OpponentGone
from tests.support.bot_games import INFO, state


class Server(RuleBasedStateMachine):
    """A game on a server, and a stream that doubles, delays, reorders and loses lines and is opened anew."""

    @initialize(color=st.sampled_from(["white", "black"]))
    def begin(self, color: Color) -> None:
        self.info = replace(INFO, color=color)
        self.moves: tuple[str, ...] = ()
        self.session = Session(takebacks_allowed=3)
        self.now = 1.0
        self.pending: list[tuple[Event, float]] = []
        self.wanted: Decide | None = None
        self.decided: dict[tuple[str, ...], int] = {}
        self.lost: set[tuple[str, ...]] = set()
        self.count = 0
        self.open()

    def open(self) -> None:
        self.opened = self.now
        self.pending = []
        self.give(GameFull(self.info, self.shown()))

    def shown(self) -> GameState:
        return state(*self.moves)

    def give(self, event: Event) -> None:
        self.now += 0.01
        self.session, actions = step(self.session, event, self.now, self.opened)
        for action in actions:
            match action:
                case Decide(moves, again):
                    assert to_move(self.info, len(moves)) == self.info.color, "a move is asked for out of turn"
                    if moves in self.decided:
                        assert again is not None or moves in self.lost, "a decision is asked for twice"
                    self.decided[moves] = self.decided.get(moves, 0) + 1
                    self.wanted = action
                case Resync():
                    self.now += 1.0
                    self.open()
                    return
                case _:
                    self.record_action(action)

    def record_action(self, action: Action) -> None:
        """Something else that the bot is to do."""

    def our_turn(self) -> bool:
        return to_move(self.info, len(self.moves)) == self.info.color

    def tell(self) -> None:
        self.pending.append((self.shown(), self.now))

    @precondition(lambda self: self.our_turn() and self.wanted is not None and self.wanted.moves == self.moves)
    @rule(fate=st.sampled_from(["taken", "answer lost", "never arrived", "taken but forgotten"]))
    def send(self, fate: str) -> None:
        """The bot does what it was asked; sent moves are never stale because the bot looks before it sends."""
        assert self.wanted is not None
        before, uci = self.moves, self.wanted.again or f"m{self.count}"
        self.count += 1
        self.wanted = None
        if not may_send(self.session, before):
            return
        self.session = replace(self.session, sending=before)
        if fate in ("taken", "answer lost"):
            self.moves = (*before, uci)
            self.tell()
        if fate in ("taken", "taken but forgotten"):
            self.give(Played(before, uci))
        else:
            self.give(Failed(before, uci, refused=False))

    @precondition(lambda self: not self.our_turn())
    @rule()
    def opponent_moves(self) -> None:
        self.moves = (*self.moves, f"m{self.count}")
        self.count += 1
        self.tell()

    @precondition(lambda self: self.pending)
    @rule(which=st.integers(0, 3), twice=st.booleans())
    def arrives(self, which: int, twice: bool) -> None:
        """Not always the oldest first."""
        event, _ = self.pending.pop(min(which, len(self.pending) - 1))
        self.give(event)
        if twice:
            self.give(event)

    @precondition(lambda self: self.pending)
    @rule()
    def is_lost(self) -> None:
        self.pending.pop()
        self.now += 0.2
        self.open()

    @rule(seconds=st.floats(0.1, 20))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.give(Tick())

    @invariant()
    def never_ahead_of_the_server(self) -> None:
        if hasattr(self, "moves"):
            assert self.moves[: len(self.session.moves)] == self.session.moves

    def teardown(self) -> None:
        """However it went: with a stream that works, whose turn it is gets known, and our move gets asked for."""
        if not hasattr(self, "moves"):
            return
        self.now += 60.0
        self.open()
        assert self.session.moves == self.moves
        if self.our_turn():
            assert self.wanted is not None
            assert self.wanted.moves == self.moves


TestServer = Server.TestCase
TestServer.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


class Takebacks(Server):
    """The same with an opponent who asks for takebacks, and moves on or not, while our answers are on their way."""

    @initialize()
    def nobody_asks(self) -> None:
        self.asks = self.proposes = False
        self.answers: list[bool] = []

    def shown(self) -> GameState:
        us: Color = self.info.color
        them: Color = "black" if us == "white" else "white"
        asks, proposes = getattr(self, "asks", False), getattr(self, "proposes", False)
        return state(*self.moves, takeback_offers=frozenset([them] * asks + [us] * proposes))

    def record_action(self, action: Action) -> None:
        if action == AnswerTakeback(False):
            self.asks = False
        elif isinstance(action, AnswerTakeback) or action is Do.WITHDRAW_TAKEBACK:
            self.answers.append(isinstance(action, AnswerTakeback))

    def give(self, event: Event) -> None:
        if isinstance(event, Played | Failed) and event.moves != self.moves:
            self.asks = self.proposes = False
        super().give(event)

    @precondition(lambda self: not self.our_turn())
    @rule()
    def opponent_moves(self) -> None:
        self.asks = self.proposes = False
        self.moves = (*self.moves, f"m{self.count}")
        self.count += 1
        self.tell()

    @precondition(lambda self: len(self.moves) >= 2 and not self.asks)
    @rule()
    def opponent_asks(self) -> None:
        self.asks = True
        self.tell()

    @precondition(lambda self: self.answers)
    @rule()
    def answer_arrives(self) -> None:
        yes = self.answers.pop(0)
        if yes and self.asks:
            self.take_back(1 if self.our_turn() else 2)
        else:
            self.proposes = yes
        self.tell()
        self.give(Answered())

    @precondition(lambda self: self.proposes and len(self.moves) >= 2)
    @rule()
    def opponent_grants(self) -> None:
        self.take_back(2 if self.our_turn() else 1)
        self.tell()

    def take_back(self, plies: int) -> None:
        self.asks = self.proposes = False
        self.moves = self.moves[:-plies]
        self.decided = {moves: times for moves, times in self.decided.items() if len(moves) < len(self.moves)}

    @precondition(lambda self: not self.answers)
    @rule(seconds=st.floats(0.1, 20))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.give(Tick())

    @invariant()
    def never_ahead_of_the_server(self) -> None:
        """Whatever is sent now falls into the position that it was chosen for."""
        if hasattr(self, "wanted") and self.wanted is not None and may_send(self.session, self.wanted.moves):
            assert self.wanted.moves == self.moves

    def teardown(self) -> None:
        if not hasattr(self, "moves"):
            return
        for _ in range(3):
            while getattr(self, "answers", None):
                self.answer_arrives()
            self.now += 60.0
            self.open()
        super().teardown()


TestTakebacks = Takebacks.TestCase
TestTakebacks.settings = settings(max_examples=300, stateful_step_count=50, deadline=None)


@pytest.mark.parametrize("color", ["white", "black"])
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_any_events_in_any_order_break_nothing(color: Color, data: st.DataObject) -> None:
    info = replace(INFO, color=color)
    moves = st.lists(st.sampled_from(["a", "b"]), max_size=4).map(tuple)
    sides = st.frozensets(st.sampled_from(["white", "black"]))
    states = st.builds(
        GameState,
        moves,
        st.integers(0, 10**6),
        st.integers(0, 10**6),
        st.just(0),
        st.just(0),
        st.sampled_from(["created", "started", "mate", "aborted", "whatever"]),
        st.none(),
        sides,
        sides,
    )
    events = st.one_of(
        states,
        st.builds(GameFull, st.just(info), states),
        st.builds(OpponentGone, st.booleans(), st.none() | st.floats(0, 60)),
        st.builds(ChatLine, st.just("You"), st.text(max_size=5), st.sampled_from(["player", "spectator"])),
        st.builds(Played, moves, st.just("a")),
        st.builds(Failed, moves, st.just("a"), st.booleans()),
        st.just(Tick()),
        st.just(Answered()),
    )
    session, now = Session(takebacks_allowed=2), 1.0
    granted = finished = 0
    for event in data.draw(st.lists(events, max_size=30)):
        now += data.draw(st.floats(0, 30))
        session, actions = step(session, event, now, opened=now - data.draw(st.floats(0, 5)))
        for action in actions:
            if isinstance(action, Decide):
                assert session.our_turn
                assert action.moves == session.moves
            granted += action == AnswerTakeback(True)
            finished += action is Do.FINISH
    assert granted <= 2
    assert finished <= 1
