"""Event of a trap in a game, with the proof of what is claimed about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from db.traps.terms import Event
from db.traps.trap import Trap
from trapcore import _native
from trapcore.proof.verdict import Verdict


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
    """One event of one trap in one game, as it is written into comments and the report."""

    event: Event
    trap: Trap
    known: bool
    """The position is the trap's own; otherwise it resembles it."""
    mirrored: bool
    """The trap was matched with colours exchanged."""
    similarity: float
    """0..1; 1.0 when known."""
    measure: str
    """Name of the measure behind ``similarity``."""
    ply: int
    """Of the move that the event is about, from 1."""
    trap_ply: int
    """Of the victim's decision."""
    number: int
    """Full-move number of the move at ``ply``."""
    mover: str
    """``white`` or ``black``: who made that move."""
    played: str
    """SAN of that move."""
    fen: str
    """The position before the bait."""
    bait: str
    bait_san: str
    killer_line: tuple[str, ...]
    killer_line_san: tuple[str, ...]
    proof: EventProof
    anchor: _native.Anchor
    """Where text can be added to that move."""

    @property
    def proved(self) -> bool:
        """Whether anything may be claimed about the bait."""
        return self.proof.verdict is Verdict.PROVED

    @classmethod
    def of(cls, finding: _native.Finding, traps: Sequence[Trap], measure: str) -> Self:
        """The event of a finding of the analyzer, which was given these ``traps`` and this ``measure``.

        Raises ``ValueError`` for a finding that is like none of the traps.
        """
        if finding.trap is None:
            raise ValueError(f"the finding at ply {finding.ply} is like no trap of the library")
        return cls(
            event=Event(finding.event),
            trap=traps[finding.trap],
            known=finding.known,
            mirrored=finding.mirrored,
            similarity=finding.similarity,
            measure=measure,
            ply=finding.ply,
            trap_ply=finding.trap_ply,
            number=finding.number,
            mover=finding.mover,
            played=finding.played,
            fen=finding.fen,
            bait=finding.bait,
            bait_san=finding.bait_san,
            killer_line=tuple(finding.killer_line),
            killer_line_san=tuple(finding.killer_line_san),
            proof=EventProof(Verdict(finding.verdict), finding.mate_in, finding.nodes, finding.prover, finding.loss),
            anchor=finding.anchor,
        )
