"""Name of an opening: that of the last position of a game that has one.

``openings.tsv`` beside this file has a line for each named position: EPD, ECO code, name. Codes, names and moves are
those of lichess's chess-openings (https://github.com/lichess-org/chess-openings, CC0); `python -m
workshop.experiments.openings` writes the file from them.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources

from db.traps.terms import Side

_LEAST_LETTERS = 6
"""Of a name with typing errors; shorter texts are moves."""
_NEAR = 0.75
"""How much of it must be right, see `difflib`."""


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
    named = named_positions()
    found = None
    for epd in epds:
        found = named.get(epd, found)
    return found


def tagged_opening(tags: Mapping[str, str]) -> Opening | None:
    """The opening that the tags of a game name; None if they name none."""
    name = tags.get("Opening", "").strip("? ")
    return Opening(tags.get("ECO", ""), name) if name else None


def positions_of_opening(text: str) -> dict[str, str]:
    """EPD and name of the positions that are meant by a name or an ECO code; none if it means no opening.

    A name means the opening of that name, else those whose names begin with it, else the one spelt most like it. Only
    the first position of an opening counts, not those of its variations.
    """
    wanted = " ".join(text.replace(":", " ").replace(",", " ").lower().split())
    named = named_positions()
    if re.fullmatch(r"[a-e]\d\d", wanted):
        return {epd: each.name for epd, each in named.items() if each.eco.lower() == wanted}
    plain = {epd: " ".join(re.sub("[:,]", " ", each.name).lower().split()) for epd, each in named.items()}
    names = set(plain.values())
    meant = {wanted} & names or {name for name in names if name.startswith(f"{wanted} ")}
    if not meant and len(wanted) >= _LEAST_LETTERS:
        meant = set(get_close_matches(wanted, names, n=1, cutoff=_NEAR))
    # Of many variations that begin so, those with the shortest name are the opening itself.
    shortest = min(map(len, meant), default=0)
    return {epd: named[epd].name for epd, name in plain.items() if name in meant and len(name) == shortest}


@cache
def opening_names() -> dict[str, Side]:
    """The names of all openings, each with the side whose move brings it about."""
    return {each.name: "black" if epd.split()[1] == "w" else "white" for epd, each in named_positions().items()}


@cache
def names_by_slug() -> dict[str, str]:
    """The names of all openings by what stands for them in addresses: ``sicilian-defense-najdorf-variation``."""
    return {opening_slug(name): name for name in opening_names()}


def opening_slug(name: str) -> str:
    """What stands for the name of an opening in addresses."""
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode("ascii")
    return "-".join(re.findall("[a-z0-9]+", plain.replace("'", "")))


@cache
def named_positions() -> dict[str, Opening]:
    """The openings by their positions (canonical EPD)."""
    text = resources.files("db.traps").joinpath("openings.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {epd: Opening(eco, name) for epd, eco, name in rows}
