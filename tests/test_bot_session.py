"""A game as a value: what its events ask for, whatever order they come in."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bot.lichess import ChatLine, Color, GameFull, GameState, OpponentGone
from bot.session import (
    ABORT_SECONDS,
    DOUBT_SECONDS,
    REFUSALS,
    REST_SECONDS,
    UNCONFIRMED_SECONDS,
    Abort,
    Action,
    AnswerTakeback,
    Begin,
    Changed,
    Claim,
    ConsiderDraw,
    Decide,
    Event,
    Failed,
    Finish,
    Hear,
    Played,
    Rest,
    Resync,
    Session,
    may_send,
    step,
    to_move,
)
from tests.bot_games import INFO

WHITE = INFO
BLACK = replace(WHITE, color="black")


def state(*moves: str, status: str = "started", **more: object) -> GameState:
    return GameState(tuple(moves), 180_000, 180_000, 2_000, 2_000, status, **more)  # type: ignore[arg-type]


def run(session: Session, *events: tuple[Event, float]) -> tuple[Session, list[Action]]:
    """The session after events at these times, and all that they asked for."""
    asked: list[Action] = []
    for event, now in events:
        session, actions = step(session, event, now, opened=now)
        asked += actions
    return session, asked


def test_the_first_line_begins_the_game_and_asks_for_a_move() -> None:
    session, asked = run(Session(), (GameFull(WHITE, state()), 1.0))
    assert asked == [Begin(), Changed(), Decide(())]
    assert session.our_turn
    session, asked = run(Session(), (GameFull(BLACK, state()), 1.0))
    assert asked == [Begin(), Changed()]
    assert not session.our_turn


def test_a_position_with_black_to_move_begins_with_black() -> None:
    info = replace(BLACK, initial_fen="r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5")
    assert to_move(info, 0) == "black"
    assert to_move(info, 1) == "white"
    assert run(Session(), (GameFull(info, state()), 1.0))[1][-1] == Decide(())


def test_the_same_moves_again_ask_for_nothing() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0), (state(), 2.0))
    offered = state(draw_offers=frozenset({"black"}))
    session, asked = run(session, (offered, 3.0), (offered, 4.0), (state("e2e4"), 5.0), (state("e2e4"), 6.0))
    assert asked == [ConsiderDraw(), Changed()]
    assert run(session, (state("e2e4", "e7e5"), 7.0))[1] == [Changed(), Decide(("e2e4", "e7e5"))]


def test_an_older_state_is_not_believed_but_looked_into() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state("e2e4", "e7e5")), 1.0), (state("e2e4", "e7e5", "g1f3"), 2.0))
    session, asked = run(session, (state("e2e4", "e7e5"), 3.0), (Tick := _tick(), 3.1))
    assert asked == []
    assert run(session, (Tick, 3.0 + DOUBT_SECONDS))[1] == [Resync("an older state was not followed by a newer one")]
    longer = state("e2e4", "e7e5", "g1f3", "b8c6")
    assert run(session, (longer, 3.2), (Tick, 9.0))[1] == [Changed(), Decide(longer.moves)]
    assert run(session, (state("d2d4"), 3.2))[1] == [Resync("a state contradicts the moves before")]


def _tick() -> Event:
    from bot.session import Tick

    return Tick()


def test_a_state_before_the_first_line_is_not_lost() -> None:
    session, asked = run(Session(), (state("e2e4"), 1.0), (GameFull(BLACK, state()), 1.1))
    assert session.moves == ("e2e4",)
    assert asked[-1] == Decide(("e2e4",))


def test_a_first_line_that_comes_twice_is_an_older_state() -> None:
    first = GameFull(WHITE, state())
    session, _ = step(Session(), first, 1.0, opened=0.9)
    session, _ = step(session, state("e2e4"), 2.0, opened=0.9)
    session, asked = step(session, first, 2.1, opened=0.9)
    assert (session.moves, asked) == (("e2e4",), [])


def test_what_became_of_a_move_is_told_by_a_stream_that_is_opened_afterwards() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0))
    session, asked = run(session, (Failed((), "e2e4", refused=False), 2.0))
    assert asked == [Resync("it is not known whether a move was played")]
    # A stream that was opened before cannot know it.
    assert step(session, GameFull(WHITE, state()), 2.5, opened=1.9)[1] == []
    assert step(session, GameFull(WHITE, state()), 2.5, opened=2.1)[1] == [Decide((), "e2e4")]
    assert step(session, GameFull(WHITE, state("e2e4")), 2.5, opened=2.1)[1] == [Changed()]


def test_a_refused_move_is_chosen_anew_but_not_for_ever() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0))
    decided = 0
    for at in range(2, 20, 2):
        session, _ = run(session, (Failed((), "e2e4", refused=True), float(at)))
        session, asked = run(session, (GameFull(WHITE, state()), at + 1.0))
        decided += asked == [Decide((), None)]
    assert decided == REFUSALS - 1


def test_a_move_that_was_taken_but_is_not_shown_is_looked_into_once_and_sent_again() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0), (Played((), "e2e4"), 2.0))
    late = 2.0 + UNCONFIRMED_SECONDS
    session, asked = run(session, (_tick(), late - 0.1), (_tick(), late), (_tick(), late + 1))
    assert asked == [Resync("a move was taken but never shown")]
    assert run(session, (GameFull(WHITE, state()), late + 2))[1] == [Decide((), "e2e4")]
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0), (Played((), "e2e4"), 2.0), (state("e2e4"), 2.1))
    assert run(session, (_tick(), 20.0))[1] == []


def test_takebacks_are_counted_and_never_granted_in_rated_games() -> None:
    asks = state("e2e4", "e7e5", takeback_offers=frozenset({"black"}))
    session, asked = run(Session(takebacks_allowed=1), (GameFull(WHITE, asks), 1.0), (asks, 1.1))
    assert asked == [Begin(), Changed(), AnswerTakeback(True)]
    assert not may_send(session, asks.moves)
    # Should it not come about, the game goes on.
    stuck = 1.1 + UNCONFIRMED_SECONDS
    assert run(session, (_tick(), stuck))[1] == [Resync("a takeback was granted but is not shown")]
    assert run(session, (GameFull(WHITE, state(*asks.moves)), stuck))[1] == [Decide(asks.moves)]
    session, asked = run(session, (state("e2e4"), 2.0))
    assert (session.moves, asked) == (("e2e4",), [Changed()])
    again = state("e2e4", "c7c5", takeback_offers=frozenset({"black"}))
    assert run(session, (again, 3.0))[1] == [Changed(), AnswerTakeback(False), Decide(again.moves)]
    rated = replace(WHITE, rated=True)
    assert AnswerTakeback(False) in run(Session(takebacks_allowed=5), (GameFull(rated, asks), 1.0))[1]
    own = state("e2e4", "e7e5", takeback_offers=frozenset({"white"}))
    assert run(Session(takebacks_allowed=5), (GameFull(WHITE, own), 1.0))[1] == [Begin(), Changed(), Decide(own.moves)]


def test_no_takeback_is_granted_while_a_move_is_under_way() -> None:
    session, _ = run(Session(takebacks_allowed=1), (GameFull(WHITE, state("e2e4", "e7e5")), 1.0))
    assert may_send(session, ("e2e4", "e7e5"))
    session = replace(session, sending=("e2e4", "e7e5"))
    assert not may_send(session, ("e2e4", "e7e5"))
    asks = state("e2e4", "e7e5", takeback_offers=frozenset({"black"}))
    assert run(session, (asks, 2.0))[1] == []
    failed, _ = run(session, (Failed(asks.moves, "g1f3", refused=False), 3.0))
    assert failed.sending is None
    assert not may_send(failed, asks.moves)
    assert run(failed, (asks, 4.0))[1] == []
    again, asked = run(failed, (GameFull(WHITE, asks), 5.0))
    assert asked == [Decide(asks.moves, "g1f3")]
    assert may_send(again, asks.moves)


def test_an_opponent_who_is_gone_loses_when_it_is_time() -> None:
    moves = state("e2e4", "e7e5", "g1f3")
    session, _ = run(Session(), (GameFull(WHITE, moves), 1.0), (OpponentGone(True, 10.0), 2.0))
    assert run(session, (_tick(), 11.0))[1] == []
    gone, asked = run(session, (_tick(), 12.0), (_tick(), 13.0))
    assert asked == [Claim()]
    assert run(gone, (_tick(), 60.0))[1] == [Claim()]
    assert run(session, (OpponentGone(False, None), 5.0), (_tick(), 60.0))[1] == []
    back = state("e2e4", "e7e5", "g1f3", "b8c6", "f1b5")
    assert run(session, (back, 5.0), (_tick(), 60.0))[1] == [Changed()]


def test_a_game_that_does_not_begin_is_aborted() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state("e2e4")), 1.0))
    assert run(session, (_tick(), ABORT_SECONDS), (_tick(), 1 + ABORT_SECONDS), (_tick(), 99.0))[1] == [Abort()]
    slow = replace(WHITE, initial=None)
    session, _ = run(Session(), (GameFull(slow, state("e2e4")), 1.0))
    assert run(session, (_tick(), 1e6))[1] == []
    session, _ = run(Session(), (GameFull(replace(slow, speed="correspondence"), state("e2e4")), 1.0))
    assert run(session, (_tick(), REST_SECONDS))[1] == []
    assert run(session, (_tick(), 1 + REST_SECONDS))[1] == [Rest()]


def test_the_end_comes_once() -> None:
    over = state("e2e4", status="resign", winner="white")
    session, asked = run(Session(), (GameFull(WHITE, state("e2e4")), 1.0), (over, 2.0), (over, 3.0), (_tick(), 99.0))
    assert asked == [Begin(), Changed(), Finish()]
    line = ChatLine("You", "gg", "player")
    assert run(session, (line, 4.0))[1] == [Hear(line)]


# Any order ----------------------------------------------------------------------------------------------------------


class Server(RuleBasedStateMachine):
    """A game on a server, and a stream that doubles, delays, reorders and loses lines and is opened anew."""

    @initialize(color=st.sampled_from(["white", "black"]))
    def begin(self, color: Color) -> None:
        self.info = replace(WHITE, color=color)
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
        self.give(GameFull(self.info, state(*self.moves)))

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

    def our_turn(self) -> bool:
        return to_move(self.info, len(self.moves)) == self.info.color

    def tell(self) -> None:
        self.pending.append((state(*self.moves), self.now))

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
        self.give(_tick())

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


@pytest.mark.parametrize("color", ["white", "black"])
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_any_events_in_any_order_break_nothing(color: Color, data: st.DataObject) -> None:
    info = replace(WHITE, color=color)
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
        st.just(_tick()),
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
            finished += isinstance(action, Finish)
    assert granted <= 2
    assert finished <= 1
