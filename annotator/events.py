"""Event in a game, of a known trap or of a move that was found to lose, with the proof of what is claimed about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from annotator.mates import allowed_mate
from db.patterns.bundled import kinds
from db.traps.position_value import PositionValue, Values
from db.traps.terms import Event
from db.traps.trap import Trap
from trapcore import _native
from trapcore.proof.causes import Mistake, explain
from trapcore.proof.trap_test import TOLD
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position

BEST_PLIES = 9
"""Plies of the better line that are shown."""


@dataclass(frozen=True, slots=True)
class EventProof:
    """Verdict on the bait, and its source."""

    verdict: Verdict
    mate_in: int | None
    """Moves from the killer to mate; None if no mate was proved."""
    nodes: int
    """Positions searched for it in this run, or an engine's limit for a position; 0 when the proof is the library's."""
    by: str
    """The prover's or the trap test's version, ``library``, or the name of an engine; empty if unproved."""
    loss: float | None = None
    """Win chance that the bait costs, 0..2, if that was measured for this event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapEvent:
    """One event in one game, as it is written into comments and the report. Win chances are lichess's, -1..1."""

    event: Event
    trap: Trap | None
    """Of the library, which it is or is like; None where it is like none."""
    known: bool
    """The position is the trap's own; otherwise it resembles it, or there is none."""
    mirrored: bool
    """The trap was matched with colours exchanged."""
    similarity: float
    """0..1; 1.0 when known, 0.0 without a trap."""
    measure: str
    """Name of the measure behind ``similarity``."""
    ply: int
    """Of the move that the event is about, from 1."""
    trap_ply: int
    """Of the victim's decision."""
    number: int
    """Full-move number of the move at ``ply``."""
    mover: str
    """``white`` or ``black``: the side that made that move."""
    played: str
    """SAN of that move."""
    fen: str
    """The position before the bait."""
    baited: str = ""
    """EPD after the bait; empty where no values of positions are known."""
    origin: str = ""
    """EPD before the move at ``ply``; empty likewise."""
    reached: str = ""
    """EPD after that move; empty likewise."""
    bait: str
    bait_san: str
    killer_line: tuple[str, ...]
    killer_line_san: tuple[str, ...]
    proof: EventProof
    anchor: _native.Anchor
    """Where text can be added to that move."""
    kind: str | None = None
    """What the killer is: ``mate``, ``capture`` (captures and promotions), ``check`` or ``quiet``."""
    before: float | None = None
    """Win chance of the victim with the best move in the position before the bait; None where it was not measured."""
    after: float | None = None
    """The same with the bait."""
    best: str | None = None
    """The best other move there, UCI."""
    best_san: str | None = None
    best_line_san: tuple[str, ...] = ()
    """The line that begins with it, a few plies."""
    probability: float | None = None
    """That the bait costs .3 or more, as our search estimated it; None where it did not, or an engine decided."""
    threat: bool = False
    """The killer would come as well if the victim passed."""
    explanation: _native.Explanation | None = None
    """Why the bait loses; None unless it was played and is proved to lose."""
    settled: bool = True
    """The win chances may be reported: it is no endgame with few pieces."""
    played_loss: float | None = None
    """Win chance that the move at ``ply`` costs against the best move there, 0..2; None where it was not measured."""
    reached_chance: float | None = None
    """Win chance of the player who made that move, after it; None if it was not measured."""
    only_move: bool = False
    """The move at ``ply`` is the only one there that does not cost .3 or more."""

    @property
    def proved(self) -> bool:
        """Whether anything may be claimed about the bait."""
        return self.proof.verdict is Verdict.PROVED

    @property
    def own_probability(self) -> float | None:
        """The probability where only a search of ours says that the bait loses; None where it does not rest on that:
        of a known trap, and of a mate that was proved."""
        return None if self.known or self.proof.mate_in is not None else self.probability

    @property
    def cause_keys(self) -> tuple[str, ...]:
        """Why the bait loses, the first cause first, each with the squares that it rests on: ``leaves:c3,b1``."""
        causes = () if self.explanation is None else self.explanation.causes
        return tuple(f"{cause.name}:{','.join(cause.squares)}" for cause in causes)

    @property
    def cause(self) -> str:
        """The cause that explains most; empty where none is known."""
        return self.cause_keys[0].partition(":")[0] if self.cause_keys else ""

    @property
    def mechanism(self) -> str:
        """Key of what the killer line does; empty where nobody has looked."""
        return "" if self.explanation is None else self.explanation.mechanism

    @property
    def bundled(self) -> int:
        """How many of the patterns that come with trapline have this cause and mechanism."""
        return kinds().get((self.cause, self.mechanism), 0)

    @property
    def mistake(self) -> Mistake:
        """The bait as a losing move that can be explained."""
        board = parse_position(self.fen)
        return Mistake(
            fen=self.fen,
            bait=self.bait,
            killer_line=self.killer_line,
            best_line=tuple(board.push_san(san).uci() for san in self.best_line_san),
            before=self.before,
            after=self.after,
            mate_in=self.proof.mate_in,
        )

    @property
    def slug(self) -> str | None:
        """Of the trap; None without one."""
        return None if self.trap is None else self.trap.slug

    @property
    def loss(self) -> float | None:
        """Win chance that the bait costs, 0..2, by what was measured for this event; None where nothing was."""
        if self.proof.loss is not None or self.before is None or self.after is None:
            return self.proof.loss
        return self.before - self.after

    @classmethod
    def of(cls, finding: _native.Finding, traps: Sequence[Trap], measure: str) -> Self:
        """The event of a finding of the analyzer, which was given these ``traps`` and this ``measure``."""
        return cls(
            **{name: getattr(finding, name) for name in _OF_FINDING},
            event=Event(finding.event),
            trap=None if finding.trap is None else traps[finding.trap],
            measure=measure,
            killer_line=tuple(finding.killer_line),
            killer_line_san=tuple(finding.killer_line_san),
            best_line_san=tuple(finding.best_line_san),
            proof=EventProof(Verdict(finding.verdict), finding.mate_in, finding.nodes, finding.prover, finding.loss),
        )


_OF_FINDING = (
    *("known", "mirrored", "similarity", "ply", "trap_ply", "number", "mover", "played", "fen", "baited", "origin"),
    *("reached", "bait", "bait_san", "anchor", "kind", "before", "after", "best", "best_san", "probability", "threat"),
    *("explanation", "settled", "played_loss", "only_move"),
)
"""Fields that an event has as the core's finding has them."""


def values_of(game: _native.GameFindings, engine: str) -> dict[str, PositionValue]:
    """Values of positions of a game by EPD: of our own search, or of the first look of the engine with this name."""
    return {
        found.fen: PositionValue(
            found.chance,
            found.nodes,
            tuple(found.line),
            engine if _native.ENGINE <= found.nodes < _native.PROOF else _native.TESTER_VERSION,
        )
        for found in game.judged
    }


def with_best_line(event: TrapEvent, line: Sequence[str]) -> TrapEvent:
    """The event with another line (UCI, one move or more) that begins with the best move in its position."""
    sans = tuple(_native.sans(event.fen, line[:BEST_PLIES]))
    return replace(event, best=line[0], best_san=sans[0], best_line_san=sans)


def valued(events: Iterable[TrapEvent], values: Values) -> list[TrapEvent]:
    """The events with the figures of this table; an event of whose positions it has none stays as it is."""
    return [_valued(event, values) for event in events]


def _valued(event: TrapEvent, values: Values) -> TrapEvent:
    origin, reached = values.get(event.origin), values.get(event.reached)
    if reached is not None:
        event = replace(event, reached_chance=-reached.chance)
    if origin is not None and reached is not None:
        event = replace(event, played_loss=max(0.0, origin.chance + reached.chance))
    before, after = values.get(_native.epd(event.fen)), values.get(event.baited)
    if before is None or after is None or event.before is None:
        return event
    return _answered(_with_bait(event, before, after))


def _with_bait(event: TrapEvent, value: PositionValue, baited: PositionValue) -> TrapEvent:
    """The event with what the bait costs by the values of the positions before it and after it."""
    before, after = value.chance, -baited.chance
    assert event.before is not None
    if event.known and before - after < TOLD:
        # The library vouches for the trap, and no figure of ours bears it out.
        return replace(event, before=None, after=None, proof=replace(event.proof, loss=None))
    event = replace(
        event,
        before=before,
        after=after,
        proof=replace(event.proof, loss=None if event.proof.loss is None else before - after),
    )
    if value.best is None or value.best == event.bait:
        return event
    better = with_best_line(event, value.line)
    if better.best_line_san == event.best_line_san[: len(better.best_line_san)]:
        return replace(better, best_line_san=event.best_line_san)  # what is known goes on longer
    return replace(better, explanation=None)


def _answered(event: TrapEvent) -> TrapEvent:
    """The event of an answer that gives back too little to have missed the killer springs the trap."""
    is_claim = event.event is Event.MISSED and event.proof.verdict is Verdict.PROVED and event.proof.mate_in is None
    if is_claim and event.played_loss is not None and event.played_loss < TOLD:
        return replace(event, event=Event.SPRUNG)
    return event


def explained(events: Sequence[TrapEvent]) -> list[TrapEvent]:
    """The events, each move that was played and is proved to lose with its causes, and the mate that it allows.

    The core explains the lines that it finds itself. A move with another line, of an engine or of a deeper search, is
    explained here.
    """
    found = [_with_mate(event) for event in events]
    wanted = [
        number
        for number, event in enumerate(found)
        if event.event is Event.FELL and event.proved and event.explanation is None and event.killer_line
    ]
    for number, explanation in zip(wanted, explain(found[at].mistake for at in wanted), strict=True):
        found[number] = replace(found[number], explanation=explanation)
    return found


def _with_mate(event: TrapEvent) -> TrapEvent:
    """The event of a losing move with the line to the mate, where its line seems to come to one."""
    if event.event is not Event.FELL or not event.proved or event.proof.mate_in is not None or not event.baited:
        return event
    proof = allowed_mate(event.baited, event.killer_line[0], event.after)
    if proof is None:
        return event
    return replace(
        event,
        killer_line=proof.line,
        killer_line_san=tuple(_native.sans(event.baited, proof.line)),
        proof=replace(event.proof, mate_in=proof.mate_in),
        explanation=None,
    )
