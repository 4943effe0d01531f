"""State machine of one game: a value, and the actions that follow from each event. No threads, clocks or network.

Lichess sends the whole list of moves with every state; it replaces ours, and an action follows only where it changed.
Events may come twice, late, out of order or not at all; after an impossible one the stream is opened again (`Resync`),
and its first line is authoritative.

A move is sent once. If its result is unknown, the next first line decides: if the move is not in it, it is sent again.
No move is sent while a takeback is being granted, and no takeback is granted while a move is under way, because
whichever came second would apply to another position. If the opponent moves instead, our yes comes too late and counts
as a proposal of our own, which the opponent may grant. So states are ignored until lichess has our answer and the
stream was opened again; if that shows such a proposal, it is withdrawn in the same way.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto

from db.traps.terms import OTHER_SIDE
from lichess.api import ChatLine, Color, GameEvent, GameFull, GameInfo, GameState, OpponentGone

UNCONFIRMED_SECONDS = 6.0
"""A move that lichess accepted must be in a state by then, or the stream is opened again."""

DOUBT_SECONDS = 1.5
"""An older list of moves must be followed by a newer one by then, or the stream is opened again."""

ABORT_SECONDS = 45.0
"""An opponent who has not made a first move by then is taken to be absent."""

LEAVE_SECONDS = 150.0
"""The stream of a correspondence game is left after so long without a move, until it is our turn."""

CLAIM_LATE_SECONDS = 1.5
"""Lichess rounds the seconds until a claim down: so long after them it is taken for certain."""

CLAIM_AGAIN_SECONDS = 2.0
"""Wait after the first claim that came to nothing; it doubles with each further one."""

MOST_CLAIM_SECONDS = 60.0
REFUSALS = 3
"""Most refusals of a move in one position; after that it is not tried again."""


# Events besides lichess's own ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Played:
    """Our move was accepted by lichess."""

    moves: tuple[str, ...]
    """The moves before it."""
    uci: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Our move may or may not have been played; with ``refused`` it was not."""

    moves: tuple[str, ...]
    uci: str
    refused: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Our answer to a takeback has reached lichess, or never will."""


Event = GameEvent | Played | Failed | Tick | Answered


# Actions ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decide:
    """Choose and send a move, or send the move ``again`` that was chosen before."""

    moves: tuple[str, ...]
    again: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerTakeback:
    """Accept or decline the opponent's takeback."""

    accept: bool


@dataclass(frozen=True, slots=True)
class Resync:
    """Open the stream again."""

    reason: str


class Do(Enum):
    """Actions that need nothing more said."""

    BEGIN = auto()
    """The first state of the game has arrived."""
    MOVES_CHANGED = auto()
    """The moves on the board have changed."""
    WITHDRAW_TAKEBACK = auto()
    """Withdraw a takeback that was granted too late and counts as our own proposal."""
    CONSIDER_DRAW = auto()
    """Accept or decline a draw offer that the opponent made on its own turn; on ours our move is the answer."""
    CLAIM = auto()
    """Claim the game, because the opponent has been away for long enough."""
    ABORT = auto()
    """Abort the game, because the opponent never made a first move."""
    GIVE_UP = auto()
    """End the game, because no move of ours is taken."""
    LEAVE_STREAM = auto()
    """Leave the stream, because nothing will happen for long."""
    FINISH = auto()
    """The game is over."""


Action = Decide | AnswerTakeback | Resync | Do


def comes_later(action: Action) -> bool:
    """Whether an action may wait until the move is chosen."""
    return not (action in (Do.BEGIN, Do.MOVES_CHANGED) or isinstance(action, Decide))


# The game -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sent:
    moves: tuple[str, ...]
    uci: str
    at: float
    """When its result was known."""
    refusals: int = 0
    resynced: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """State of one game of ours; times are monotonic seconds."""

    takebacks_allowed: int = 0
    """Takebacks that may still be granted."""
    info: GameInfo | None = None
    state: GameState | None = None
    since: float = 0.0
    """Last change of the moves."""
    requested: tuple[str, ...] | None = None
    """Moves for which a decision was requested."""
    sent: _Sent | None = None
    sending: tuple[str, ...] | None = None
    """Moves after which a move of ours is under way."""
    granted: float | None = None
    """When a takeback was granted, or our own withdrawn, whose result is unknown yet."""
    answered: float | None = None
    """When lichess received that answer."""
    answered_takeback: tuple[str, ...] | None = None
    answered_draw: tuple[str, ...] | None = None
    gone_claim: float | None = None
    """When the game is to be claimed."""
    claims: int = 0
    """Claims since the opponent left that came to nothing so far."""
    doubt: float | None = None
    """Since when the latest state has been older than ours."""
    early: GameState | None = None
    """A state that came before the first line."""
    aborted: bool = False
    is_over: bool = False

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves on the board."""
        return () if self.state is None else self.state.moves

    @property
    def our_turn(self) -> bool:
        """Whether we are to move in a running game."""
        if self.info is None or self.state is None or self.is_over or self.state.is_over:
            return False
        return to_move(self.info, len(self.state.moves)) == self.info.color


def may_send(session: Session, moves: tuple[str, ...]) -> bool:
    """Whether a move that was chosen after ``moves`` may be sent now."""
    if not session.our_turn or session.moves != moves or session.granted is not None or session.sending == moves:
        return False
    sent = session.sent
    return sent is None or sent.moves != moves or sent.refusals > 0


def is_draw_offered(session: Session) -> bool:
    """Whether the opponent offers a draw."""
    info, state = session.info, session.state
    return info is not None and state is not None and OTHER_SIDE[info.color] in state.draw_offers


def to_move(info: GameInfo, plies: int) -> Color:
    """Side to move after so many plies."""
    fields = info.initial_fen.split()
    black_begins = len(fields) > 1 and fields[1] == "b"
    return "white" if (plies % 2 == 0) != black_begins else "black"


def step(session: Session, event: Event, now: float, opened: float = 0.0) -> tuple[Session, list[Action]]:
    """Next state after ``event`` at ``now``, and the actions; ``opened`` is when the event's stream was requested."""
    if session.is_over or isinstance(event, ChatLine):
        return session, []
    if isinstance(event, GameFull):
        return _full(session, event, now, opened)
    if isinstance(event, GameState):
        return _state(session, event, now)
    if isinstance(event, OpponentGone):
        return _gone(session, event, now), []
    if isinstance(event, Played):
        return _sent(session, _Sent(event.moves, event.uci, now)), []
    if isinstance(event, Failed):
        return _failed(session, event, now)
    if isinstance(event, Answered):
        if session.granted is None:
            return session, []
        return replace(session, answered=now), [Resync("a takeback was answered")]
    return _tick(session, now)


def _gone(session: Session, event: OpponentGone, now: float) -> Session:
    """Next state after lichess has reported an absent opponent, as it does again every few seconds."""
    if not event.gone or event.claim_in is None:
        return replace(session, gone_claim=None, claims=0)
    if event.claim_in > 0:
        return replace(session, gone_claim=now + event.claim_in + CLAIM_LATE_SECONDS, claims=0)
    if session.claims and session.gone_claim is not None:
        # The next claim has its time already.
        return session
    return replace(session, gone_claim=now)


def _full(session: Session, event: GameFull, now: float, opened: float) -> tuple[Session, list[Action]]:
    begun = session.info is None
    if not begun and opened < session.since and not event.state.is_over:
        # An older stream's first line, or one that was sent twice; newer moves are known.
        return _state(session, event.state, now)
    state = event.state
    if session.early is not None and _begins(session.early.moves, state.moves) and not state.is_over:
        state = session.early
    if session.granted is not None and not event.state.is_over:
        if session.answered is None or opened < session.answered:
            return session, []
        session = replace(session, granted=None, answered=None, requested=None)
    after = replace(session, info=event.info, early=None, doubt=None)
    after, actions = _take(after, state, now)
    if begun:
        actions.insert(0, Do.BEGIN)
    sent = after.sent
    if (
        after.our_turn
        and after.granted is None
        and sent is not None
        and sent.moves == after.moves
        and opened >= sent.at
    ):
        # This stream was opened after the move was sent, and does not know it.
        if sent.refusals >= REFUSALS:
            actions = [action for action in actions if not isinstance(action, Decide)]
            return replace(after, requested=after.moves), [*actions, Do.GIVE_UP]
        again = None if sent.refusals else sent.uci
        after = replace(after, requested=after.moves, sent=None if not sent.refusals else replace(sent, at=now))
        actions = [action for action in actions if not isinstance(action, Decide)]
        actions.append(Decide(after.moves, again))
    return after, actions


def _state(session: Session, state: GameState, now: float) -> tuple[Session, list[Action]]:
    if session.info is None or session.state is None:
        return replace(session, early=state), []
    if session.granted is not None and not state.is_over:
        return session, []
    if state.moves != session.moves and not _begins(state.moves, session.moves) and not state.is_over:
        if not _begins(session.moves, state.moves):
            return replace(session, doubt=None), [Resync("a state contradicts the moves before")]
        return replace(session, doubt=session.doubt if session.doubt is not None else now), []
    return _take(session, state, now)


def _take(session: Session, state: GameState, now: float) -> tuple[Session, list[Action]]:
    """Next state with ``state`` accepted as true."""
    assert session.info is not None
    actions: list[Action] = []
    changed = session.state is None or state.moves != session.moves
    after = replace(session, state=state, doubt=None)
    if changed:
        after = replace(after, since=now, gone_claim=None, claims=0)
        if len(state.moves) < len(session.moves):
            after = replace(after, requested=None, sent=None, sending=None)
        actions.append(Do.MOVES_CHANGED)
    if state.is_over:
        return replace(after, is_over=True), [*actions, Do.FINISH]
    after, answers = _offers(after, state, now)
    actions += answers
    if after.our_turn and after.granted is None and after.requested != after.moves:
        after = replace(after, requested=after.moves)
        actions.append(Decide(after.moves))
    return after, actions


def _offers(session: Session, state: GameState, now: float) -> tuple[Session, list[Action]]:
    assert session.info is not None
    own, opponent = session.info.color, OTHER_SIDE[session.info.color]
    actions: list[Action] = []
    if (
        opponent in state.takeback_offers
        and session.answered_takeback != state.moves
        and session.sending != state.moves
        and (session.sent is None or session.sent.moves != state.moves)
    ):
        accept = session.takebacks_allowed > 0 and not session.info.rated
        left = session.takebacks_allowed - accept
        session = replace(session, answered_takeback=state.moves, takebacks_allowed=left)
        if accept:
            # The move that is being searched is not wanted any more.
            session = replace(session, granted=now, answered=None, requested=None)
        actions.append(AnswerTakeback(accept))
    elif own in state.takeback_offers and session.granted is None:
        session = replace(session, granted=now, answered=None, requested=None)
        actions.append(Do.WITHDRAW_TAKEBACK)
    if is_draw_offered(session) and not session.our_turn and session.answered_draw != state.moves:
        session = replace(session, answered_draw=state.moves)
        actions.append(Do.CONSIDER_DRAW)
    return session, actions


def _sent(session: Session, sent: _Sent) -> Session:
    # A move that is on the board by now needs no further care.
    if session.sending == sent.moves:
        session = replace(session, sending=None)
    return replace(session, sent=sent) if sent.moves == session.moves else session


def _failed(session: Session, event: Failed, now: float) -> tuple[Session, list[Action]]:
    if session.sending == event.moves:
        session = replace(session, sending=None)
    if event.moves != session.moves:
        return session, []
    before = session.sent
    refusals = before.refusals if before is not None and before.moves == event.moves else 0
    sent = _Sent(event.moves, event.uci, now, refusals + event.refused, resynced=True)
    return replace(session, sent=sent), [Resync("it is not known whether a move was played")]


def _tick(session: Session, now: float) -> tuple[Session, list[Action]]:
    if session.info is None or session.state is None:
        return session, []
    if session.doubt is not None and now - session.doubt >= DOUBT_SECONDS:
        return replace(session, doubt=None), [Resync("an older state was not followed by a newer one")]
    if session.granted is not None and now - session.granted >= UNCONFIRMED_SECONDS:
        # A request that takes this long is given up.
        return replace(session, granted=now, answered=now), [Resync("a takeback was answered long ago")]
    sent = session.sent
    if sent is not None and sent.moves == session.moves and not sent.resynced and now - sent.at >= UNCONFIRMED_SECONDS:
        return replace(session, sent=replace(sent, resynced=True)), [Resync("a move was taken but never shown")]
    if session.gone_claim is not None and now >= session.gone_claim and not session.our_turn:
        wait = min(CLAIM_AGAIN_SECONDS * 2.0**session.claims, MOST_CLAIM_SECONDS)
        return replace(session, gone_claim=now + wait, claims=min(session.claims + 1, 10)), [Do.CLAIM]
    if session.info.speed == "correspondence" and not session.our_turn and now - session.since >= LEAVE_SECONDS:
        return session, [Do.LEAVE_STREAM]
    waiting = len(session.moves) < 2 and not session.our_turn and session.info.initial is not None
    if waiting and not session.aborted and now - session.since >= ABORT_SECONDS:
        return replace(session, aborted=True), [Do.ABORT]
    return session, []


def _begins(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    return longer[: len(shorter)] == shorter
