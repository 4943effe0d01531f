"""Query parameters of the routes, with their ranges; an unknown one is an error that names the nearest. And forms."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData

from db.query.condition import LONGEST_TEXT, conditions_of
from db.query.query import LONGEST_MOVES, MOST_HITS
from db.traps.terms import HIGHEST_RATING
from trapcore.errors import UsageError, unknown_name
from trapline.web.problems import UnsupportedMediaType


def described(query: type) -> dict[str, Any]:
    """Description of a route that takes the conditions of a query, see `db.query.condition.query_of`."""
    described = conditions_of(query).values()
    return {
        "parameters": [
            {
                "name": each.name,
                "in": "query",
                "required": each.required,
                "description": each.help,
                "schema": each.schema(),
            }
            for each in described
        ]
    }


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


class SearchParams(QueryParams):
    """Parameters of the search by words."""

    q: str = Field(min_length=1, max_length=LONGEST_MOVES, description="What people type into a search box.")
    limit: int = Field(default=20, ge=1, le=MOST_HITS, description="Hits of a page.")
    after: str | None = Field(default=None, min_length=1, max_length=1000, description="`next` of the page before.")


class ExploreParams(QueryParams):
    """Parameters of the explorer."""

    fen: str | None = Field(default=None, max_length=LONGEST_TEXT, description="The position, as FEN or EPD.")
    moves: str | None = Field(
        default=None, max_length=LONGEST_MOVES, description="The same by moves from the usual start, SAN or UCI."
    )
    min_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING, description="Of those who moved.")
    max_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING)
    since: int | None = Field(default=None, ge=1, le=9999, description="First year.")
    until: int | None = Field(default=None, ge=1, le=9999, description="Last year.")
    mirrored: bool = Field(default=False, description="Count the position with colours exchanged, too.")
    people: bool = Field(default=False, description="With what people of several ratings play, and what it costs.")


class SightingParams(QueryParams):
    """Parameters of the list of sightings."""

    limit: int = Field(default=20, ge=1, le=MOST_HITS, description="Hits of a page.")
    after: str | None = Field(default=None, min_length=1, max_length=1000, description="`next` of the page before.")
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
