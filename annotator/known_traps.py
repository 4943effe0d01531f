"""Traps of a library as the annotator takes them: all of one state, with the index that finds similar ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from db.library.library import Library
from db.patterns.recall import Recall, no_recall
from db.similarity.annotator_index import Screen, open_screen
from db.traps.position_value import StoredValues, no_values
from db.traps.trap import Trap
from trapcore.measures.options import IndexedMeasure


@dataclass(frozen=True, slots=True)
class KnownTraps:
    """Traps that games are searched for."""

    traps: Sequence[Trap]
    screen: Screen | None = None
    """Index of the killers of these traps; needed by the measure ``abstracted``, and by no other."""
    digest: str = ""
    """Of the traps; what an interrupted run has to agree in."""
    recall: Recall = no_recall
    """Earlier games in which a player made the same mistake."""
    history: str = ""
    """State of the games that this looks into; what an interrupted run has to agree in."""
    stored: StoredValues = no_values
    """Values of positions that are known already; where one is deeper than what is found, it counts."""

    @classmethod
    def of(cls, library: Library, measure: str, log: Callable[[str], None] = lambda _: None) -> Self:
        """All traps of a library, with its index if ``measure`` needs it; ``log`` is called if something is built.

        Raises ``LibraryError``.
        """
        screen = open_screen(library, log) if measure == IndexedMeasure.ABSTRACTED else None
        return cls(library.traps(), screen, library.digest())
