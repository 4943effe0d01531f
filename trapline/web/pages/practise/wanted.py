"""Whose exercises are wanted, and which: the parameters of the address of a practice."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from coach.practice.collect import Filter
from coach.practice.wording import HINTS
from trapline.web.pages.rendering import address

SKIPPED = 200
"""Most exercises that an address puts off."""

Name = Annotated[str, Field(max_length=200)]
Short = Annotated[str, Field(max_length=20)]
Rating = Annotated[str, Field(max_length=4, pattern=r"\d*")]
"""A rating, or nothing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose exercises are wanted, and which."""

    player: str
    """As it was written; empty for the library's traps."""
    theme: str
    opening: str
    least: int | None = None
    """Rating of the opponent, as `Filter` takes it."""
    most: int | None = None
    pattern: str = ""
    skip: tuple[str, ...] = ()
    """Identifiers of the exercises that are put off."""

    def url(self, **params: object) -> str:
        """Address of the practice with these parameters."""
        return address("/practise", go=1, **self.fields(), **{"skip": ",".join(self.skip), **params})

    def fields(self) -> dict[str, str]:
        """Whose and which, as parameters."""
        bounds = {"least": "" if self.least is None else str(self.least), "most": str(self.most or "")}
        return {"player": self.player, "theme": self.theme, "opening": self.opening, "pattern": self.pattern, **bounds}

    def filter(self) -> Filter:
        """The same for `open_practice`."""
        bounds = {"least_rating": self.least, "most_rating": self.most}
        return Filter(theme=self.theme, pattern=self.pattern, opening=self.opening, **bounds)


class Place(BaseModel):
    """The parameters of the address: where somebody is in his practice."""

    go: bool = False
    """The choice is made."""
    player: Name = ""
    theme: Name = ""
    opening: Name = ""
    least: Rating = ""
    most: Rating = ""
    pattern: Name = ""
    skip: Annotated[str, Field(max_length=13 * SKIPPED)] = ""
    exercise: Short = ""
    """`Exercise.id`; empty for the next one."""
    sure: bool = False
    """It was answered that a move wins; which is still to come."""
    hints: Annotated[int, Field(ge=0, le=HINTS)] = 0
    review: Annotated[int, Field(ge=1)] | None = None
    """Number of the answer that is shown."""
    ply: Annotated[int, Field(ge=0)] | None = None
    """How far its line is played."""
    chosen: Annotated[Short, Field(alias="from")] = ""
    """Square of the piece that is to move."""


def number(text: str) -> int | None:
    """A whole number of at most four digits; None for any other text."""
    return int(text) if text.isdecimal() and len(text) <= 4 else None
