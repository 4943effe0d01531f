"""Name of an opening: that of the last position of a game that has one.

``openings.tsv`` beside this file has a line for each named position: EPD, ECO code, name. Codes, names and moves are
those of lichess's chess-openings (https://github.com/lichess-org/chess-openings, CC0); `python -m
workshop.experiments.openings` writes the file from them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening or a variation of one."""

    eco: str
    name: str
    """Opening, a colon, then variations from the general to the particular."""

    @property
    def family(self) -> str:
        """The name of the opening without its variation."""
        return self.name.partition(":")[0]


def opening_of(epds: Iterable[str]) -> Opening | None:
    """The opening that the last named of these positions (canonical EPD, in the order of the game) belongs to.

    None if none of them has a name.
    """
    named = _openings()
    found = None
    for epd in epds:
        found = named.get(epd, found)
    return found


@cache
def _openings() -> dict[str, Opening]:
    text = resources.files("db.traps").joinpath("openings.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {epd: Opening(eco, name) for epd, eco, name in rows}
