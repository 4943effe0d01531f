"""Pictures of `db.traps.board_svg` with their URLs."""

from dataclasses import dataclass
from urllib.parse import urlencode

from db.traps import board_svg as pictures


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture(pictures.Picture):
    """Picture of a board, with its URL."""

    @property
    def url(self) -> str:
        """URL of the picture."""
        texts = {"fen": self.fen, "bait": self.bait, "killer": self.killer, "last": self.last}
        flags = {"flipped": self.flipped, "plain": self.plain}
        params = {name: text for name, text in texts.items() if text}
        params |= {name: "1" for name, is_set in flags.items() if is_set}
        return f"/board.svg?{urlencode(params)}"
