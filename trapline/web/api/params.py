"""Query parameters of the routes, with their ranges; an unknown one is an error that names the nearest. And forms."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData

from db.query.mistakes import MistakeQuery
from db.query.query import LONGEST_MOVES, LONGEST_TEXT, MOST_HITS, MOST_SIMILAR, Query, Sort
from db.traps.terms import HIGHEST_RATING, Outcome, Side
from trapcore.errors import UsageError
from trapcore.measures.options import IndexedMeasure
from trapcore.proof.verdict import Verdict
from trapcore.suggestions import unknown_name
from trapline.web.problems import UnsupportedMediaType

LONGEST_CURSOR = 1000


class QueryParams(BaseModel):
    """Query parameters of a route."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            for name in values:
                if name not in cls.model_fields:
                    raise unknown_name("parameter", str(name)[:100], cls.model_fields)
        return values


class PageParams(QueryParams):
    """Parameters of a route that answers in pages."""

    limit: int = Field(default=20, ge=1, le=MOST_HITS, description="Hits of a page.")
    after: str | None = Field(
        default=None, min_length=1, max_length=LONGEST_CURSOR, description="`next` of the page before."
    )


class PositionParams(QueryParams):
    """Parameters that name a position."""

    fen: str | None = Field(default=None, max_length=LONGEST_TEXT, description="The position, as FEN or EPD.")
    moves: str | None = Field(
        default=None, max_length=LONGEST_MOVES, description="The same by moves from the usual start, SAN or UCI."
    )


class SimilarityParams(QueryParams):
    """Parameters for the least similarity and for unproved traps."""

    min_similarity: float | None = Field(
        default=None, ge=0, le=1, allow_inf_nan=False, description="Least similarity of the similar traps."
    )
    unproved: bool = Field(
        default=False, description="Add similar traps whose killer is not proved to work in the position."
    )


class SimilarParams(PositionParams, SimilarityParams, PageParams):
    """Parameters of the search for traps that are similar to a position."""

    k: int = Field(default=10, ge=1, le=MOST_SIMILAR, description="So many traps.")
    measure: IndexedMeasure | None = Field(default=None, description="Similarity measure.")

    def query(self) -> Query:
        """Query of the library. Raises `UsageError`."""
        return Query(similar=self.k, **self.model_dump(exclude={"k"}))


class TrapParams(PositionParams, SimilarityParams, PageParams):
    """Parameters of the search for traps: every condition that is given must hold."""

    similar: int | None = Field(
        default=None, ge=1, le=MOST_SIMILAR, description="So many most similar traps as well; needs a position."
    )
    measure: IndexedMeasure | None = Field(default=None, description="By which they are similar.")
    name: str | None = Field(
        default=None, max_length=LONGEST_TEXT, description="Name, family or slug, in any spelling that is near."
    )
    family: str | None = Field(default=None, max_length=LONGEST_TEXT)
    eco: str | None = Field(default=None, max_length=7, description="`C41`, `B1` or `B10-B19`.")
    opening: str | None = Field(default=None, max_length=LONGEST_TEXT, description="Part of the opening's name.")
    victim: Side | None = None
    outcome: Outcome | None = None
    verdict: Verdict | None = None
    source: str | None = Field(default=None, max_length=LONGEST_TEXT, description="Part of the source.")
    bait: str | None = Field(default=None, max_length=LONGEST_TEXT, description="SAN or UCI.")
    killer: str | None = Field(
        default=None, max_length=LONGEST_TEXT, description="First move of the killer line, SAN or UCI."
    )
    min_length: int | None = Field(default=None, ge=1, le=1000, description="Attacker's moves in the killer line.")
    max_length: int | None = Field(default=None, ge=1, le=1000)
    player: str | None = Field(
        default=None, max_length=LONGEST_TEXT, description="Part of the name of somebody in whose games it was seen."
    )
    event: str | None = Field(default=None, max_length=20, description="set, fell, avoided, sprung or missed.")
    min_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING, description="Of the victim.")
    max_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING)
    min_frequency: float | None = Field(
        default=None, ge=0, le=1, allow_inf_nan=False, description="Share of those that played the bait."
    )
    sort: Sort | None = Field(default=None, description="By match for a position and a text, otherwise by slug.")

    def query(self) -> Query:
        """Query of the library. Raises `UsageError`."""
        return Query(**self.model_dump())


class MistakeParams(QueryParams):
    """Parameters of the search for losing moves: every condition that is given must hold."""

    like: str | None = Field(
        default=None,
        max_length=LONGEST_TEXT,
        description="A position (FEN or EPD), the slug of a trap, or `GAME#MOVE`: `12#27`, `12#14.`",
    )
    cause: str | None = Field(default=None, max_length=LONGEST_TEXT, description="Key of a cause, such as `threat`.")
    mechanism: str | None = Field(
        default=None, max_length=LONGEST_TEXT, description="Key, its beginning, or a part of the name."
    )
    place: str | None = Field(default=None, max_length=LONGEST_TEXT, description="The same of a place.")
    player: str | None = Field(default=None, max_length=LONGEST_TEXT, description="Part of the name of who moved.")
    victim: Side | None = Field(default=None, description="Who moved.")
    eco: str | None = Field(default=None, max_length=7, description="Of the game: `C41`, `B1` or `B10-B19`.")
    min_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING, description="Of who moved.")
    max_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING)
    limit: int = Field(default=10, ge=1, le=MOST_HITS, description="Losing moves.")

    def query(self) -> MistakeQuery:
        """Query of the library. Raises `UsageError`."""
        return MistakeQuery(**self.model_dump())


class ProposeParams(QueryParams):
    """Parameters of the proposal of moves."""

    fen: str = Field(max_length=LONGEST_TEXT, description="The position, before the bait or after it.")
    bait: str | None = Field(default=None, max_length=20, description="SAN or UCI; after it UCI.")
    top: int = Field(default=5, ge=1, le=50, description="Moves of each list.")
    nodes: int = Field(
        default=30_000, ge=0, le=10_000_000, description="Budget of the proof; at most what the server's settings say."
    )
    unproved: bool = Field(default=False, description="Add proposals for which nothing was proved.")
    explain: bool = Field(default=False, description="With what each move shares with the trap that it is like.")


class ExploreParams(PositionParams):
    """Parameters of the explorer."""

    min_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING, description="Of those who moved.")
    max_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING)
    since: int | None = Field(default=None, ge=1, le=9999, description="First year.")
    until: int | None = Field(default=None, ge=1, le=9999, description="Last year.")
    mirrored: bool = Field(default=False, description="Count the position with colours exchanged, too.")


class SightingParams(PageParams):
    """Parameters of the list of sightings."""

    player: str | None = Field(default=None, min_length=1, max_length=LONGEST_TEXT, description="Part of a name.")
    event: str | None = Field(default=None, max_length=20, description="set, fell, avoided, sprung or missed.")


class WriteParams(QueryParams):
    """Parameters of writing a trap."""

    replace: bool = Field(default=False, description="In place of one with this position and bait.")


async def no_params(request: Request) -> None:
    """Check of a route without parameters: raises `UsageError` for any."""
    for name in request.query_params:
        raise UsageError(f"unknown parameter {name[:100]!r}: there are none here")


async def read_form(request: Request, **limits: int) -> FormData:
    """The form of a request, with the ``limits`` of `Request.form`. Raises `UnsupportedMediaType` unless it is UTF-8.

    Browsers send the fields in the encoding of the page. Another one that the head of the request names could be any of
    Python's, some of which fail in their own ways or make text that can be written nowhere.
    """
    _, options = parse_options_header(request.headers.get("content-type", ""))
    if options.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8"):
        raise UnsupportedMediaType("the fields of a form are read as UTF-8 here; send them so")
    return await request.form(**limits)
