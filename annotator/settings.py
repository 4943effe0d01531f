"""Settings of how games are analysed, which every way of using trapline shares."""

import os
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, Field, field_validator

from db.proof.engine_choice import AUTO, engine_command
from db.wording.languages.available import Language
from db.wording.languages.grammar import Verbosity
from trapcore.measures.options import LEAST_SIMILARITY, IndexedMeasure
from trapcore.settings import at_home, data_folder


class Tell(StrEnum):
    """How much of a game is told."""

    KNOWN = "known"
    """Positions of the library's traps."""
    SIMILAR = "similar"
    """And positions like them."""
    LOSSES = "losses"
    """And every move that is proved to lose, whether a trap is like it or not, with what was missed after it."""
    ALL = "all"
    """And every other move that costs something, by a search alone."""

    @property
    def judges_every_move(self) -> bool:
        """Whether every move of a game is judged, a trap or none."""
        return self in (Tell.LOSSES, Tell.ALL)


class AnalysisSettings(BaseModel):
    """Settings at the top of the table: the library, the engine, the measure, and what a proof may cost."""

    db: Path = Field(
        default_factory=lambda: data_folder() / "library.sqlite",
        description="File of the trap library, SQLite; made when it is first filled. By default where the operating "
        "system keeps user data.",
        examples=["~/.local/share/trapline/library.sqlite"],
    )
    tell: Tell = Field(
        default=Tell.LOSSES,
        description="How much of a game is told. known: the library's traps. similar: also what is like them. losses: "
        "also every other move that lost by force. all: also every other move that costs 5 points of win chance or "
        "more, by a search. Each takes longer than the one before.",
    )
    verbosity: Verbosity = Field(
        default=Verbosity.NORMAL,
        description="How much the comments say: brief (what happened and why, of losing moves only), normal (also what "
        "it cost, what was better, and known traps that are set or avoided, once in a file), or full (every trap and "
        "threat that is set or avoided).",
    )
    language: Language = Field(
        default=Language.EN,
        description="Language of comments, reports and practice: en (English) or de (German). Moves are English SAN in "
        "both, as in PGN. Where it is not set, the pages of the server take the language that a browser asks for.",
    )
    engine: str = Field(
        default=AUTO,
        min_length=1,
        description="UCI engine that decides which moves lost, and that what `mine` finds to win material is borne out "
        "by: auto (a Stockfish found on the machine, if there is one), off or none, or a path or a command. Without "
        "one, what is told is what our own search proves.",
        examples=["off"],
    )
    engine_nodes: int = Field(
        default=100_000,
        ge=1,
        description="Nodes the engine searches for a position in doubt, 1 or more, after a first look of 4,000. Fewer "
        "are faster and miss deeper wins.",
    )
    syzygy: tuple[Path, ...] = Field(
        default=(),
        description="Folders with Syzygy tables (files named like KRPvKR.rtbw): endings that they know are valued by "
        "them. The bot plays by them, too, where it also has the files .rtbz.",
        examples=[["~/syzygy/3-4-5"]],
    )
    measure: IndexedMeasure = Field(
        default=IndexedMeasure.ABSTRACTED,
        description="Similarity measure: abstracted (what a killer does, whatever its squares), or one of the founding "
        "paper: sequences, continuations or structural, which recognise near duplicates of a position.",
    )
    min_similarity: float | None = Field(
        default=None,
        ge=0.0,
        le=1.0,
        allow_inf_nan=False,
        description="Similarity from which a position is taken for a candidate, 0.0 to 1.0. Lower finds more and takes "
        "more proofs; what is claimed is proved either way. By default 0.5 for abstracted and 0.8 for the others.",
        examples=[0.5],
    )
    nodes: int = Field(
        default=200_000,
        ge=1,
        description="Nodes the prover may spend on one candidate, 1 or more. Raise it if many stay undecided.",
    )
    jobs: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        description="Threads that work at the same time, 1 or more. By default as many as the machine has processors.",
        examples=[2],
    )

    @property
    def engine_command(self) -> str | None:
        """Path or command of the engine in use; None without one."""
        return engine_command(self.engine)

    @property
    def least_similarity(self) -> float:
        """Similarity from which a position is a candidate by the measure in use, 0 to 1."""
        return LEAST_SIMILARITY[self.measure] if self.min_similarity is None else self.min_similarity

    @field_validator("db")
    @classmethod
    def _home(cls, path: Path) -> Path:
        return at_home(path)

    @field_validator("syzygy")
    @classmethod
    def _homes(cls, paths: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(map(at_home, paths))
