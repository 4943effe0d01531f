"""One game as a value, and what each event makes of it and asks to be done: no thread, no clock, no net.

lichess sends the whole list of moves with every state. Ours is replaced by it, never added to, and a deed follows only
where it changed. Events may come twice, late, out of order or not at all; after whatever seems impossible the stream
is opened again (`Resync`), and its first line is believed.

A move is sent once. If it is not known what became of it, the next first line tells: if the move is not in it, it is
sent again. Nothing is sent while a takeback is being granted, and none is granted while a move is under way: whichever
came second would fall into another position. If the opponent moves instead, our yes comes too late and counts as a
proposal of our own, which the opponent may grant. So nothing is believed until lichess has our answer and the stream
was opened again; if that tells of such a proposal, it is withdrawn in the same way.
"""

from dataclasses import dataclass, replace

from lichess.api import ChatLine, Color, GameEvent, GameFull, GameInfo, GameState, OpponentGone

UNCONFIRMED_SECONDS = 6.0
"""A move that lichess took must be in a state by then, or the stream is opened again."""

DOUBT_SECONDS = 1.5
"""An older list of moves that no newer one corrects by then is looked into."""

ABORT_SECONDS = 45.0
"""An opponent who has not made a first move by then never will."""

REST_SECONDS = 150.0
"""A game of days is left when nothing was played for so long; it is looked at again when it is our turn."""

CLAIM_AGAIN_SECONDS = 20.0
REFUSALS = 3
"""A move that lichess refuses so many times in one position is not tried again."""


# What happens besides lichess's own events --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Played:
    """Lichess took our move."""

    moves: tuple[str, ...]
    """Before it."""
    uci: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Our move may or may not have been played (``refused``: it was not)."""

    moves: tuple[str, ...]
    uci: str
    refused: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Lichess has our answer to a takeback, or will never have it."""


Event = GameEvent | Played | Failed | Tick | Answered


# What is to be done -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decide:
    """It is our turn: choose a move and send it, or send ``again`` what was chosen before."""

    moves: tuple[str, ...]
    again: str | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """The moves on the board are others than before."""


@dataclass(frozen=True, slots=True)
class Begin:
    """The first state of the game is here."""


@dataclass(frozen=True, slots=True)
class AnswerTakeback:
    """The opponent wants to take back."""

    accept: bool


@dataclass(frozen=True, slots=True)
class WithdrawTakeback:
    """A takeback that we granted too late counts as one that we propose."""


@dataclass(frozen=True, slots=True)
class ConsiderDraw:
    """The opponent offers a draw."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The opponent has been away for long enough."""


@dataclass(frozen=True, slots=True)
class Abort:
    """The opponent never made a first move."""


@dataclass(frozen=True, slots=True)
class Resync:
    """Open the stream again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing will happen for long: the stream can be left."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The game is over."""


@dataclass(frozen=True, slots=True)
class Hear:
    """Somebody wrote."""

    line: ChatLine


Action = (
    Decide
    | Changed
    | Begin
    | AnswerTakeback
    | WithdrawTakeback
    | ConsiderDraw
    | Claim
    | Abort
    | Resync
    | Rest
    | Finish
    | Hear
)


# The game -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sent:
    moves: tuple[str, ...]
    uci: str
    at: float
    """When it was known what became of it."""
    refusals: int = 0
    is_certain: bool = True
    """Lichess said that it took it."""
    resynced: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """A game of ours; times are monotonic seconds."""

    takebacks_allowed: int = 0
    """So many more may be granted."""
    info: GameInfo | None = None
    state: GameState | None = None
    since: float = 0.0
    """When the moves changed last."""
    asked: tuple[str, ...] | None = None
    """The moves for which a decision was asked."""
    sent: _Sent | None = None
    sending: tuple[str, ...] | None = None
    """The moves after which a move of ours is under way."""
    granted: float | None = None
    """When a takeback was granted, or one of our own withdrawn, and it is not known yet what became of it."""
    answered: float | None = None
    """When lichess had that answer."""
    answered_takeback: tuple[str, ...] | None = None
    answered_draw: tuple[str, ...] | None = None
    gone_claim: float | None = None
    """When the game can be claimed."""
    doubt: float | None = None
    """Since when a state contradicts ours."""
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
    """Whether a move may be sent now that was chosen after ``moves``."""
    if not session.our_turn or session.moves != moves or session.granted is not None or session.sending == moves:
        return False
    sent = session.sent
    return sent is None or sent.moves != moves or sent.refusals > 0


def to_move(info: GameInfo, plies: int) -> Color:
    """Who moves after so many half-moves."""
    fields = info.initial_fen.split()
    black_begins = len(fields) > 1 and fields[1] == "b"
    return "white" if (plies % 2 == 0) != black_begins else "black"


def step(session: Session, event: Event, now: float, opened: float = 0.0) -> tuple[Session, list[Action]]:
    """What ``event`` makes of the game at ``now``, and what to do; ``opened`` is when its stream was asked for."""
    if isinstance(event, ChatLine):
        return session, [Hear(event)]
    if session.is_over:
        return session, []
    if isinstance(event, GameFull):
        return _full(session, event, now, opened)
    if isinstance(event, GameState):
        return _state(session, event, now)
    if isinstance(event, OpponentGone):
        claim = None if not event.gone or event.claim_in is None else now + event.claim_in
        return replace(session, gone_claim=claim), []
    if isinstance(event, Played):
        return _sent(session, _Sent(event.moves, event.uci, now)), []
    if isinstance(event, Failed):
        return _failed(session, event, now)
    if isinstance(event, Answered):
        if session.granted is None:
            return session, []
        return replace(session, answered=now), [Resync("a takeback was answered")]
    return _tick(session, now)


def _full(session: Session, event: GameFull, now: float, opened: float) -> tuple[Session, list[Action]]:
    begun = session.info is None
    if not begun and opened < session.since and not event.state.is_over:
        # The first line of a stream that knows newer moves came a second time.
        return _state(session, event.state, now)
    state = event.state
    if session.early is not None and _begins(session.early.moves, state.moves) and not state.is_over:
        state = session.early
    if session.granted is not None and not event.state.is_over:
        if session.answered is None or opened < session.answered:
            return session, []
        session = replace(session, granted=None, answered=None, asked=None)
    after = replace(session, info=event.info, early=None, doubt=None)
    after, actions = _take(after, state, now)
    if begun:
        actions.insert(0, Begin())
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
            return after, actions
        again = None if sent.refusals else sent.uci
        after = replace(after, asked=after.moves, sent=None if not sent.refusals else replace(sent, at=now))
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
    """Believe ``state``."""
    assert session.info is not None
    actions: list[Action] = []
    changed = session.state is None or state.moves != session.moves
    after = replace(session, state=state, doubt=None)
    if changed:
        after = replace(after, since=now, gone_claim=None)
        if len(state.moves) < len(session.moves):
            after = replace(after, asked=None, sent=None, sending=None)
        actions.append(Changed())
    if state.is_over:
        return replace(after, is_over=True), [*actions, Finish()]
    after, answers = _offers(after, state, now)
    actions += answers
    if after.our_turn and after.granted is None and after.asked != after.moves:
        after = replace(after, asked=after.moves)
        actions.append(Decide(after.moves))
    return after, actions


def _offers(session: Session, state: GameState, now: float) -> tuple[Session, list[Action]]:
    assert session.info is not None
    own = session.info.color
    opponent: Color = "black" if own == "white" else "white"
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
            # What is being thought about is not wanted any more.
            session = replace(session, granted=now, answered=None, asked=None)
        actions.append(AnswerTakeback(accept))
    elif own in state.takeback_offers and session.granted is None:
        session = replace(session, granted=now, answered=None, asked=None)
        actions.append(WithdrawTakeback())
    if opponent in state.draw_offers and session.answered_draw != state.moves:
        session = replace(session, answered_draw=state.moves)
        actions.append(ConsiderDraw())
    return session, actions


def _sent(session: Session, sent: _Sent) -> Session:
    # What is on the board by now needs no care any more.
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
    sent = _Sent(event.moves, event.uci, now, refusals + event.refused, is_certain=False, resynced=True)
    return replace(session, sent=sent), [Resync("it is not known whether a move was played")]


def _tick(session: Session, now: float) -> tuple[Session, list[Action]]:
    if session.info is None or session.state is None:
        return session, []
    if session.doubt is not None and now - session.doubt >= DOUBT_SECONDS:
        return replace(session, doubt=None), [Resync("an older state was not followed by a newer one")]
    if session.granted is not None and now - session.granted >= UNCONFIRMED_SECONDS:
        # A request that takes so long is given up.
        return replace(session, granted=now, answered=now), [Resync("a takeback was answered long ago")]
    sent = session.sent
    if sent is not None and sent.moves == session.moves and not sent.resynced and now - sent.at >= UNCONFIRMED_SECONDS:
        return replace(session, sent=replace(sent, resynced=True)), [Resync("a move was taken but never shown")]
    if session.gone_claim is not None and now >= session.gone_claim and not session.our_turn:
        return replace(session, gone_claim=now + CLAIM_AGAIN_SECONDS), [Claim()]
    if session.info.speed == "correspondence" and not session.our_turn and now - session.since >= REST_SECONDS:
        return session, [Rest()]
    waiting = len(session.moves) < 2 and not session.our_turn and session.info.initial is not None
    if waiting and not session.aborted and now - session.since >= ABORT_SECONDS:
        return replace(session, aborted=True), [Abort()]
    return session, []


def _begins(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    """Whether ``longer`` begins with ``shorter``."""
    return longer[: len(shorter)] == shorter
