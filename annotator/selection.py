"""Filter of the events that are reported."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotator.events import TrapEvent


class Side(StrEnum):
    """Side whose moves are reported."""

    WHITE = "white"
    BLACK = "black"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter of events by who moved; it does not look at proofs."""

    side: Side = Side.BOTH
    player: str | None = None
    """Part of a player's name as the White or Black tag has it, in any case; None is everybody."""

    def includes(self, event: TrapEvent, tags: Mapping[str, str]) -> bool:
        """Whether the move of ``event`` was made by the side and the player of the filter."""
        if self.side is not Side.BOTH and event.mover != self.side.value:
            return False
        if self.player is None:
            return True
        return self.player.casefold() in tags.get(event.mover.capitalize(), "").casefold()
