"""JSON shapes of the bodies and answers of the web server, for the description at ``/openapi.json``.

Answers of the library are its own dataclasses, `db.query.answer.PageAnswer` and others; a test holds every answer to
its shape.
"""

from pydantic import BaseModel, ConfigDict, Field

from db.library.families import Family
from db.library.library import Added
from db.query.answer import TrapInGames
from trapline.web.jobs import State


class Shape(BaseModel):
    """An answer: nothing is in it that is not described."""

    model_config = ConfigDict(extra="forbid")


class Families(Shape):
    """All families, by name."""

    families: list[Family]


class AnnotationStatus(Shape):
    """How far an annotation has come."""

    id: str
    state: State
    problem: str | None
    percent: float = Field(ge=0, le=100)
    games: int
    positions: int
    findings: int
    annotated: int = Field(description="Games to which text was added.")
    events: dict[str, int]
    losing_moves: dict[str, int] = Field(description="Moves played that were proved to lose, by the killer.")
    skipped: dict[str, int] = Field(description="Games that passed through unread, by reason.")
    notes: dict[str, int] = Field(description="Words and moves that were left out of games, by reason.")
    left_out: list[str] = Field(description="The first of both: place and what is wrong, a sentence each.")
    bytes: int = Field(description="Of the result so far.")
    began: str


class LibraryState(Shape):
    """What is served."""

    traps: int
    proved: int
    refuted: int
    undecided: int
    games: int
    positions: int
    state: str | None = Field(description="Another text whenever the library has changed.")
    writable: bool = Field(description="Whether traps can be added with the token.")


class Health(Shape):
    """Whether the server is well."""

    ok: bool
    version: str
    problem: str | None
    library: LibraryState | None


class NewTrap(Shape):
    """A trap to add: its position by `fen`, or by `moves` from the usual start. Moves in SAN or UCI."""

    name: str = Field(min_length=1, max_length=200)
    fen: str | None = Field(default=None, max_length=200)
    moves: str | None = Field(default=None, max_length=4000)
    bait: str = Field(min_length=1, max_length=20)
    line: str = Field(min_length=1, max_length=1000, description="What refutes the bait.")
    family: str = Field(default="other", min_length=1, max_length=80)
    slug: str | None = Field(default=None, max_length=80)
    eco: str = Field(default="", max_length=8)
    opening: str = Field(default="", max_length=200)
    source: str = Field(default="added over HTTP", max_length=500)


class Written(Shape):
    """What became of a trap that was to be added."""

    result: Added
    trap: TrapInGames
