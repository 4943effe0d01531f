"""A game as a value: what its events ask for, whatever order they come in."""

from dataclasses import replace

import pytest

from bot.game_state import (
    ABORT_SECONDS,
    CLAIM_LATE_SECONDS,
    DOUBT_SECONDS,
    LEAVE_SECONDS,
    REFUSALS,
    UNCONFIRMED_SECONDS,
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
    is_draw_offered,
    may_send,
    step,
    to_move,
)
from lichess.api import ChatLine, GameFull, GameState, OpponentGone
from tests.support.bot_games import INFO, state

WHITE = INFO
BLACK = replace(WHITE, color="black")


def run(session: Session, *events: tuple[Event, float]) -> tuple[Session, list[Action]]:
    """The session after events at these times, and all actions that followed from them."""
    actions: list[Action] = []
    for event, now in events:
        session, new = step(session, event, now, opened=now)
        actions += new
    return session, actions


def test_the_first_line_begins_the_game_and_asks_for_a_move() -> None:
    session, actions = run(Session(), (GameFull(WHITE, state()), 1.0))
    assert actions == [Do.BEGIN, Do.MOVES_CHANGED, Decide(())]
    assert session.our_turn
    session, actions = run(Session(), (GameFull(BLACK, state()), 1.0))
    assert actions == [Do.BEGIN, Do.MOVES_CHANGED]
    assert not session.our_turn


def test_a_position_with_black_to_move_begins_with_black() -> None:
    info = replace(BLACK, initial_fen="r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5")
    assert to_move(info, 0) == "black"
    assert to_move(info, 1) == "white"
    assert run(Session(), (GameFull(info, state()), 1.0))[1][-1] == Decide(())


def test_the_same_moves_again_ask_for_nothing() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0), (state(), 2.0))
    offered = state("e2e4", draw_offers=frozenset({"black"}))
    session, actions = run(session, (state("e2e4"), 3.0), (offered, 4.0), (offered, 5.0), (state("e2e4"), 6.0))
    assert actions == [Do.MOVES_CHANGED, Do.CONSIDER_DRAW]
    assert run(session, (state("e2e4", "e7e5"), 7.0))[1] == [Do.MOVES_CHANGED, Decide(("e2e4", "e7e5"))]


def test_our_move_answers_a_draw_that_is_offered_on_our_turn() -> None:
    offered = state("e2e4", "e7e5", draw_offers=frozenset({"black"}))
    session, actions = run(Session(), (GameFull(WHITE, state("e2e4")), 1.0), (offered, 2.0))
    assert actions == [Do.BEGIN, Do.MOVES_CHANGED, Do.MOVES_CHANGED, Decide(("e2e4", "e7e5"))]
    assert is_draw_offered(session)


def test_an_older_state_is_not_believed_but_looked_into() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state("e2e4", "e7e5")), 1.0), (state("e2e4", "e7e5", "g1f3"), 2.0))
    session, actions = run(session, (state("e2e4", "e7e5"), 3.0), (Tick := _tick(), 3.1))
    assert actions == []
    assert run(session, (Tick, 3.0 + DOUBT_SECONDS))[1] == [Resync("an older state was not followed by a newer one")]
    longer = state("e2e4", "e7e5", "g1f3", "b8c6")
    assert run(session, (longer, 3.2), (Tick, 9.0))[1] == [Do.MOVES_CHANGED, Decide(longer.moves)]
    assert run(session, (state("d2d4"), 3.2))[1] == [Resync("a state contradicts the moves before")]


def _tick() -> Event:
    from bot.game_state import Tick

    return Tick()


def test_a_state_before_the_first_line_is_not_lost() -> None:
    session, actions = run(Session(), (state("e2e4"), 1.0), (GameFull(BLACK, state()), 1.1))
    assert session.moves == ("e2e4",)
    assert actions[-1] == Decide(("e2e4",))


def test_a_first_line_that_comes_twice_is_an_older_state() -> None:
    first = GameFull(WHITE, state())
    session, _ = step(Session(), first, 1.0, opened=0.9)
    session, _ = step(session, state("e2e4"), 2.0, opened=0.9)
    session, actions = step(session, first, 2.1, opened=0.9)
    assert (session.moves, actions) == (("e2e4",), [])


def test_the_result_of_a_move_is_taken_from_a_stream_that_is_opened_afterwards() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0))
    session, actions = run(session, (Failed((), "e2e4", refused=False), 2.0))
    assert actions == [Resync("it is not known whether a move was played")]
    # A stream that was opened before cannot know it.
    assert step(session, GameFull(WHITE, state()), 2.5, opened=1.9)[1] == []
    assert step(session, GameFull(WHITE, state()), 2.5, opened=2.1)[1] == [Decide((), "e2e4")]
    assert step(session, GameFull(WHITE, state("e2e4")), 2.5, opened=2.1)[1] == [Do.MOVES_CHANGED]


def test_a_refused_move_is_chosen_anew_but_not_for_ever() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0))
    followed = []
    for at in range(2, 20, 2):
        session, _ = run(session, (Failed((), "e2e4", refused=True), float(at)))
        session, actions = run(session, (GameFull(WHITE, state()), at + 1.0))
        followed += actions
    assert followed[:REFUSALS] == [*[Decide((), None)] * (REFUSALS - 1), Do.GIVE_UP]
    # Should lichess not have it, then again.
    assert set(followed[REFUSALS:]) == {Do.GIVE_UP}


def test_a_move_that_was_taken_but_is_not_shown_is_looked_into_once_and_sent_again() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0), (Played((), "e2e4"), 2.0))
    late = 2.0 + UNCONFIRMED_SECONDS
    session, actions = run(session, (_tick(), late - 0.1), (_tick(), late), (_tick(), late + 1))
    assert actions == [Resync("a move was taken but never shown")]
    assert run(session, (GameFull(WHITE, state()), late + 2))[1] == [Decide((), "e2e4")]
    session, _ = run(Session(), (GameFull(WHITE, state()), 1.0), (Played((), "e2e4"), 2.0), (state("e2e4"), 2.1))
    assert run(session, (_tick(), 20.0))[1] == []


def test_takebacks_are_counted_and_never_granted_in_rated_games() -> None:
    asks = state("e2e4", "e7e5", takeback_offers=frozenset({"black"}))
    session, actions = run(Session(takebacks_allowed=1), (GameFull(WHITE, asks), 1.0), (asks, 1.1))
    assert actions == [Do.BEGIN, Do.MOVES_CHANGED, AnswerTakeback(True)]
    # Should lichess never have the answer, the game goes on.
    stuck = 1.1 + UNCONFIRMED_SECONDS
    late, actions = run(session, (_tick(), stuck))
    assert actions == [Resync("a takeback was answered long ago")]
    assert run(late, (GameFull(WHITE, state(*asks.moves)), stuck))[1] == [Decide(asks.moves)]
    session, actions = run(session, (Answered(), 1.5), (GameFull(WHITE, state("e2e4")), 2.0))
    assert actions == [Resync("a takeback was answered"), Do.MOVES_CHANGED]
    again = state("e2e4", "c7c5", takeback_offers=frozenset({"black"}))
    assert run(session, (again, 3.0))[1] == [Do.MOVES_CHANGED, AnswerTakeback(False), Decide(again.moves)]
    rated = replace(WHITE, rated=True)
    assert AnswerTakeback(False) in run(Session(takebacks_allowed=5), (GameFull(rated, asks), 1.0))[1]


@pytest.mark.parametrize(
    "meanwhile",
    [
        state("e2e4", "e7e5"),
        state("e2e4", "e7e5", "g1f3", "b8c6"),
        state("e2e4"),
        GameFull(WHITE, state("e2e4", "e7e5")),
    ],
    ids=["the same", "the opponent moved", "taken back", "a stream that is older than the answer"],
)
def test_nothing_is_sent_until_a_stream_tells_what_became_of_a_takeback(meanwhile: GameState | GameFull) -> None:
    asks = state("e2e4", "e7e5", takeback_offers=frozenset({"black"}))
    session, _ = run(Session(takebacks_allowed=1), (GameFull(WHITE, asks), 1.0))
    session, actions = run(session, (meanwhile, 2.0), (_tick(), 2.1))
    assert actions == []
    assert not may_send(session, session.moves)
    session, actions = run(session, (Answered(), 3.0))
    assert actions == [Resync("a takeback was answered")]
    assert step(session, GameFull(WHITE, state("e2e4", "e7e5")), 3.2, opened=2.9) == (session, [])
    session, actions = run(session, (GameFull(WHITE, state("e2e4", "d7d5")), 3.5))
    assert actions == [Do.MOVES_CHANGED, Decide(("e2e4", "d7d5"))]
    assert may_send(session, ("e2e4", "d7d5"))
    assert run(session, (Answered(), 4.0))[1] == []


def test_a_takeback_that_was_granted_too_late_is_a_proposal_and_withdrawn() -> None:
    proposes = state("e2e4", "e7e5", takeback_offers=frozenset({"white"}))
    session, actions = run(Session(takebacks_allowed=5), (GameFull(WHITE, proposes), 1.0), (proposes, 1.1))
    assert actions == [Do.BEGIN, Do.MOVES_CHANGED, Do.WITHDRAW_TAKEBACK]
    assert not may_send(session, proposes.moves)
    session, actions = run(session, (Answered(), 2.0), (GameFull(WHITE, state("e2e4", "e7e5")), 2.5))
    assert actions == [Resync("a takeback was answered"), Decide(proposes.moves)]
    over = run(session, (state("e2e4", "e7e5", status="resign"), 3.0))[1]
    assert over == [Do.FINISH]


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
    again, actions = run(failed, (GameFull(WHITE, asks), 5.0))
    assert actions == [Decide(asks.moves, "g1f3")]
    assert may_send(again, asks.moves)


def test_an_opponent_who_is_gone_loses_when_it_is_time() -> None:
    moves = state("e2e4", "e7e5", "g1f3")
    session, _ = run(Session(), (GameFull(WHITE, moves), 1.0), (OpponentGone(True, 10.0), 2.0))
    # Lichess rounds down and repeats.
    assert run(session, (_tick(), 12.0), (OpponentGone(True, 5.0), 7.2), (_tick(), 13.6))[1] == []
    assert run(session, (_tick(), 12.0 + CLAIM_LATE_SECONDS), (_tick(), 14.0))[1] == [Do.CLAIM]
    assert run(session, (OpponentGone(True, 0.0), 11.9), (_tick(), 12.0))[1] == [Do.CLAIM]
    assert run(session, (OpponentGone(False, None), 5.0), (_tick(), 60.0))[1] == []
    back = state("e2e4", "e7e5", "g1f3", "b8c6", "f1b5")
    assert run(session, (back, 5.0), (_tick(), 60.0))[1] == [Do.MOVES_CHANGED]


def test_a_claim_that_came_too_early_is_made_again_and_again_but_less_and_less_often() -> None:
    moves = state("e2e4", "e7e5", "g1f3")
    session, _ = run(Session(), (GameFull(WHITE, moves), 1.0), (OpponentGone(True, 0.0), 2.0))
    claimed = []
    for tick in range(4, 400):
        now = tick / 2
        if tick % 10 == 0:
            # The line that may be claimed comes again every five seconds.
            session, _ = run(session, (OpponentGone(True, 0.0), now))
        session, actions = run(session, (_tick(), now))
        claimed += [now] * len(actions)
    assert claimed == [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 124.0, 184.0]


def test_a_game_that_does_not_begin_is_aborted() -> None:
    session, _ = run(Session(), (GameFull(WHITE, state("e2e4")), 1.0))
    assert run(session, (_tick(), ABORT_SECONDS), (_tick(), 1 + ABORT_SECONDS), (_tick(), 99.0))[1] == [Do.ABORT]
    slow = replace(WHITE, initial=None)
    session, _ = run(Session(), (GameFull(slow, state("e2e4")), 1.0))
    assert run(session, (_tick(), 1e6))[1] == []
    session, _ = run(Session(), (GameFull(replace(slow, speed="correspondence"), state("e2e4")), 1.0))
    assert run(session, (_tick(), LEAVE_SECONDS))[1] == []
    assert run(session, (_tick(), 1 + LEAVE_SECONDS))[1] == [Do.LEAVE_STREAM]


def test_the_end_comes_once() -> None:
    over = state("e2e4", status="resign", winner="white")
    session, actions = run(Session(), (GameFull(WHITE, state("e2e4")), 1.0), (over, 2.0), (over, 3.0), (_tick(), 99.0))
    assert actions == [Do.BEGIN, Do.MOVES_CHANGED, Do.FINISH]
    line = ChatLine("You", "gg", "player")
    assert run(session, (line, 4.0))[1] == []
