"""Parameters of questions: what is unknown is an error that names the nearest one."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, model_validator

from db.query.query import LONGEST_MOVES, LONGEST_TEXT, MOST_HITS, MOST_SIMILAR, Query, Sort
from db.traps.terms import HIGHEST_RATING, Outcome
from trapcore.errors import UsageError
from trapcore.measures.options import IndexedMeasure
from trapcore.proof.verdict import Verdict
from trapcore.suggestions import unknown_name
from web.api.models import Side

LONGEST_CURSOR = 1000


class Asked(BaseModel):
    """What one question may have."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            for name in given:
                if name not in cls.model_fields:
                    raise unknown_name("parameter", str(name)[:100], cls.model_fields)
        return given


class Paged(Asked):
    """A question that is answered in pages."""

    limit: int = Field(default=20, ge=1, le=MOST_HITS, description="Hits of a page.")
    after: str | None = Field(
        default=None, min_length=1, max_length=LONGEST_CURSOR, description="`next` of the page before."
    )


class Positioned(Asked):
    """A question about a position."""

    fen: str | None = Field(default=None, max_length=LONGEST_TEXT, description="The position, as FEN or EPD.")
    moves: str | None = Field(
        default=None, max_length=LONGEST_MOVES, description="The same by moves from the usual start, SAN or UCI."
    )


class SimilarAsked(Positioned, Paged):
    """What traps are like the position."""

    k: int = Field(default=10, ge=1, le=MOST_SIMILAR, description="So many traps.")
    measure: IndexedMeasure | None = Field(default=None, description="Similarity measure.")
    least: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False, description="Least similarity.")

    def query(self) -> Query:
        """The question to the library. Raises `UsageError`."""
        given = self.model_dump()
        return Query(similar=given.pop("k"), **given)


class TrapsAsked(Positioned, Paged):
    """Every condition that is given must hold; the fields are those of `db.query.query.Query`."""

    similar: int | None = Field(
        default=None, ge=1, le=MOST_SIMILAR, description="So many most similar traps as well; needs a position."
    )
    measure: IndexedMeasure | None = Field(default=None, description="By which they are similar.")
    least: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False, description="Their similarity.")
    text: str | None = Field(
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
        """The question to the library. Raises `UsageError`."""
        return Query(**self.model_dump())


class ProposeAsked(Asked):
    """What killers are proposed."""

    fen: str = Field(max_length=LONGEST_TEXT, description="The position, before the bait or after it.")
    bait: str | None = Field(default=None, max_length=20, description="SAN or UCI; after it UCI.")
    top: int = Field(default=5, ge=1, le=50, description="So many moves.")
    nodes: int = Field(
        default=30_000, ge=0, le=10_000_000, description="Budget of the proof; at most what the server's settings say."
    )
    explain: bool = Field(default=False, description="With what each move shares with the trap that it is like.")


class ExploreAsked(Positioned):
    """What was played in the position."""

    min_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING, description="Of those who moved.")
    max_rating: int | None = Field(default=None, ge=0, le=HIGHEST_RATING)
    since: int | None = Field(default=None, ge=1, le=9999, description="First year.")
    until: int | None = Field(default=None, ge=1, le=9999, description="Last year.")
    mirrored: bool = Field(default=False, description="Count the position with colours exchanged, too.")


class SightingsAsked(Paged):
    """Where a trap was seen."""

    player: str | None = Field(default=None, min_length=1, max_length=LONGEST_TEXT, description="Part of a name.")
    event: str | None = Field(default=None, max_length=20, description="set, fell, avoided, sprung or missed.")


class WriteAsked(Asked):
    """How a trap is written."""

    replace: bool = Field(default=False, description="In place of one with this position and bait.")


def nothing_asked(request: Request) -> None:
    """Raise `UsageError` for any parameter: there are none where this stands."""
    for name in request.query_params:
        raise UsageError(f"unknown parameter {name[:100]!r}: there are none here")
