"""The pictures of `db.traps.board_svg` as this room serves them: each with its address."""

from dataclasses import dataclass
from urllib.parse import urlencode

from db.traps import board_svg as pictures


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture(pictures.Picture):
    """A board to be shown, and where."""

    @property
    def url(self) -> str:
        """Where the page serves the picture."""
        given = {"fen": self.fen, "bait": self.bait, "killer": self.killer, "last": self.last}
        flags = {"flipped": self.flipped, "plain": self.plain}
        asked = {name: text for name, text in given.items() if text} | {name: "1" for name, is_ in flags.items() if is_}
        return f"/board.svg?{urlencode(asked)}"
