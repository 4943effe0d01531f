"""Counts of a run."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import ClassVar, Self

from pydantic import ConfigDict, TypeAdapter

from annotator.events import TrapEvent
from db.traps.terms import Event
from trapcore import _native

SHOWN = 10
"""Most games that are named of those that could not be read; a report has all of them."""

NO_GAME = 'there is no game in this file; a game has tags such as [White "…"], or at least moves'
"""What is wrong with a file of prose or of random bytes."""

_NO_GAMES = {"no-game", "binary"}


def readable(found: _native.BatchFindings) -> int:
    """Games of a batch, without pieces of text that are no games."""
    return found.games - sum(skipped.reason in _NO_GAMES for skipped in found.skipped)


@dataclass(slots=True)
class Counts:
    """Numbers of games and findings; survives an interruption in the journal."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    games: int = 0
    positions: int = 0
    candidates: int = 0
    """Positions that were known or similar, before proof."""
    suspected: int = 0
    """Moves that may have lost by what the pass over their games saw."""
    engine: str = ""
    """Name of the engine that decided; empty without one."""
    asked: int = 0
    """Moves that the engine was asked about."""
    proof_nodes: int = 0
    """Nodes of all proofs. Each thread proves what it meets, and again after an interruption, so this may grow with the
    threads while the findings stay the same."""
    events: dict[str, int] = field(default_factory=dict)
    """Findings written or reported, by event."""
    losing_moves: dict[str, int] = field(default_factory=dict)
    """Moves that were played and proved to lose, by what the killer is."""
    slips: int = 0
    """Other moves that cost something."""
    with_traps: int = 0
    """Games with at least one of them."""
    annotated: int = 0
    """Games to which text was added; less than ``with_traps`` when it was there before."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Games that passed through unread, by reason."""
    notes: dict[str, int] = field(default_factory=dict)
    """Games of which words, or the moves from one that cannot be played, were left out, by reason."""
    noted: list[str] = field(default_factory=list)
    """The first `SHOWN` of these notes: a sentence each."""
    unread: list[str] = field(default_factory=list)
    """Of these the first `SHOWN`: file, number, place and what is wrong, a sentence each."""
    problems: list[str] = field(default_factory=list)
    """Inputs that could not be read, or not to their end: a sentence each."""

    def add_batch(self, found: _native.BatchFindings, file: str) -> None:
        """Count the games and positions of one batch of the input ``file``, not its findings."""
        self.games += found.games
        self.positions += found.positions
        self.candidates += found.candidates
        self.suspected += found.suspected
        self.proof_nodes += found.proof_nodes
        self.skipped = dict(Counter(self.skipped) + Counter(skipped.reason for skipped in found.skipped))
        for skipped in found.skipped[: max(0, SHOWN - len(self.unread))]:
            place = f"game {skipped.game}, at byte {skipped.offset:,}"
            self.unread.append(f"{file}, {place}: {skipped.detail} ({skipped.reason})")

        self.notes = dict(Counter(self.notes) + Counter(note.reason for note in found.notes))
        for note in found.notes[: max(0, SHOWN - len(self.noted))]:
            self.noted.append(f"{file}, game {note.game}, move {note.number}: {note.detail}.")

    def add_game(self, events: list[TrapEvent], *, annotated: bool) -> None:
        """Count the findings of one game that has some, or has slips."""
        self.events = dict(Counter(self.events) + Counter(event.event.value for event in events))
        lost = {event.ply: event for event in events if event.event is Event.FELL and event.proved}
        kinds = Counter(event.kind for event in lost.values() if event.kind is not None)
        self.losing_moves = dict(Counter(self.losing_moves) + kinds)
        self.with_traps += bool(events)
        self.annotated += annotated

    @property
    def cut(self) -> dict[str, int]:
        """Notes on games that were read up to a move that cannot be played, by reason."""
        return {reason: count for reason, count in self.notes.items() if reason != "ignored-text"}

    @property
    def findings(self) -> int:
        """Number of findings."""
        return sum(self.events.values())

    @property
    def games_skipped(self) -> int:
        """Number of games that passed through unread."""
        return sum(self.skipped.values())

    def as_dict(self) -> dict[str, object]:
        """For the journal."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, object]) -> Self:
        """From the journal; raises ``ValueError`` for fields that it does not know, or of another type."""
        return TypeAdapter(cls).validate_python(values)
