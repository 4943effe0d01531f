"""The shapes of answers and bodies, for the description at ``/openapi.json``; a test holds every answer to it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from db.library.library import Added
from db.query.answer import Match
from db.traps.terms import Outcome
from trapcore.proof.verdict import Verdict
from trapcore.ranking.verification import Finding
from web.upload_jobs import State

Side = Literal["white", "black"]


class Shape(BaseModel):
    """An answer: nothing is in it that is not described."""

    model_config = ConfigDict(extra="forbid")


class Depth(Shape):
    """The bait and the best other move at one depth, in centipawns for the victim."""

    depth: int
    bait: int
    best: int


class Profile(Shape):
    """How the bait looks to a shallow search and to a deeper one."""

    rank: int = Field(description="Among all moves, from 1; the better of first sight and one ply.")
    gain: int = Field(description="What it seems to win there, in centipawns.")
    depths: list[Depth]


class Opinion(Shape):
    """What one prover, search or engine says of the trap."""

    by: str
    verdict: Verdict
    gain: float | None = Field(description="Win chance that the bait gives away, 0 to 2.")
    nodes: int
    depth: int | None
    date: str


class Frequency(Shape):
    """How often the bait was played where it could be, in the indexed games."""

    decisions: int
    played: int
    share: float = Field(ge=0, le=1)


class Trap(Shape):
    """A trap; all moves of its line in UCI and in SAN."""

    slug: str
    name: str
    family: str
    victim: Side = Field(description="The side to move, which the bait tempts.")
    epd: str = Field(description="The position before the bait.")
    bait: str
    bait_san: str
    killer_line: list[str]
    killer_line_san: list[str]
    outcome: Outcome
    verdict: Verdict
    mate_in: int | None
    gain: float | None = Field(description="Win chance that the bait gives away, 0 to 2.")
    proof_by: str
    proof_nodes: int
    proof_depth: int | None
    eco: str
    opening: str
    moves: str | None = Field(description="From the usual start to the position.")
    source: str
    reason: str = Field(description="Why it is no trap, for a famous line that is none.")
    profile: Profile | None
    opinions: list[Opinion]
    is_disputed: bool
    tempts: list[Literal["rank", "gain", "frequency"]] | None = Field(description="Why; null if nothing is known.")
    frequency: Frequency
    events: dict[str, int] = Field(description="How often the very position was seen with each event.")


class Line(Shape):
    """Moves in the asked position."""

    uci: list[str]
    san: list[str]


class Shared(Shape):
    """Why two killers are called alike."""

    here: list[str]
    there: list[str]
    shared: list[str]


class Hit(Trap):
    """A trap that answers the question, and how."""

    match: Match
    similarity: float | None = Field(ge=0, le=1)
    bait_here: Line | None
    killer_here: Line | None
    mate_here: int | None
    shared: Shared | None


class Page(Shape):
    """Some hits in their order."""

    query: dict[str, object] = Field(description="The question as it was understood.")
    total: int | None = Field(description="Hits of all pages; null where counting them would take too long.")
    next: str | None = Field(description="The parameter `after` of the next page; null on the last one.")
    hits: list[Hit]


class Family(Shape):
    """A family of traps."""

    family: str
    traps: int
    proved: int


class Families(Shape):
    """All families, by name."""

    families: list[Family]


class Faller(Shape):
    """A game in which somebody took the bait."""

    game: int = Field(description="Its number in the library.")
    ply: int
    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    date: str
    result: str
    event: str
    address: str | None = Field(description="Where the game can be seen.")
    mirrored: bool


class PlayedMove(Shape):
    """A move that was played in the position."""

    uci: str
    san: str
    count: int
    white: int
    draws: int
    black: int
    mean_rating: int | None
    last_year: int | None
    trap: str | None = Field(description="Slug of the trap whose bait it is.")
    cost: float | None = Field(description="Win chance that the bait gives away, 0 to 2.")
    fallers: list[Faller]


class TrapHere(Shape):
    """A trap whose position this is."""

    slug: str
    name: str
    mirrored: bool
    bait: str
    bait_san: str
    verdict: Verdict
    mate_in: int | None
    cost: float | None


class Explored(Shape):
    """What was played in a position; White and Black are those of the position."""

    epd: str
    games: int
    white: int
    draws: int
    black: int
    moves: list[PlayedMove] = Field(description="The most played first.")
    traps: list[TrapHere]


class SeenGame(Shape):
    """The game of a sighting, as its tags tell."""

    id: int = Field(description="Its number in the library.")
    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    result: str
    date: str
    event: str
    address: str | None = Field(description="Where the game can be seen.")


class Sighting(Shape):
    """One event of a trap in a game."""

    trap: str
    file: str = Field(description="Name of the file with the game.")
    game_number: int = Field(description="From 1 within the file.")
    byte_offset: int
    ply: int
    event: Literal["set", "fell", "avoided", "sprung", "missed"]
    measure: str = Field(description="By which it was recognised; `key` for the very position.")
    score: float
    verdict: Verdict
    game: SeenGame | None


class Sightings(Shape):
    """Some sightings, in the order in which they were recorded."""

    sightings: list[Sighting]
    next: str | None = Field(description="The parameter `after` of the next page; null on the last one.")


class ProposedMove(Shape):
    """A proposed killer and what the proof says of it."""

    uci: str
    san: str
    rank: int
    confidence: float
    score: float
    trap: str | None = Field(description="Slug of the known trap that it is most like.")
    name: str | None
    family: str | None
    similarity: float
    verdict: Finding
    mate_in: int | None
    win_chance: float | None
    lead: float | None
    line: list[str]
    explanation: Shared | None = None


class Proposals(Shape):
    """Proposed killers, best first."""

    fen: str
    bait: str | None
    after: str = Field(description="FEN of the position in which the killer is sought.")
    weights: Literal["library", "shipped"]
    nodes: int
    moves: list[ProposedMove]


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
    skipped: dict[str, int] = Field(description="Games that passed through unread, by reason.")
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
    trap: Trap
