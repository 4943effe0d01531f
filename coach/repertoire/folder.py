"""Repertoires in a folder that a program plays from: one for each colour and each rating and kind of opponents."""

import logging
from dataclasses import dataclass
from pathlib import Path

from coach.repertoire.build import RepertoireOptions, build_repertoire
from coach.repertoire.live_traps import allowed_cost
from coach.repertoire.replies import typical_rating
from coach.repertoire.stored import StoredRepertoire, made_of
from db.library.open import open_library
from db.traps.temptation import RATING_BANDS, UNKNOWN_RATING, RatingBand
from trapcore.errors import InputError, TraplineError
from trapcore.parallel.budget import Cancellation

log = logging.getLogger(__name__)

DEPTH = 24
"""Plies that a repertoire reaches at most."""
POSITIONS = 2_000
"""Positions that are examined for one at most."""
TEST_NODES = 40_000
"""For each question of the trap test."""


@dataclass(frozen=True, slots=True)
class RepertoireName:
    """Which repertoire it is."""

    color: str
    """``white`` or ``black``: ours."""
    band: RatingBand
    """One of `RATING_BANDS`, of the opponents."""
    against_engines: bool = False

    def __str__(self) -> str:
        """Like ``people-1200-1599-white``."""
        opponents = "engines" if self.against_engines else "people"
        return f"{opponents}-{str(self.band).replace('<', 'below-')}-{self.color}"

    def path(self, folder: Path) -> Path:
        """Its file."""
        return folder / f"{self}.json"

    def cost(self, trap_loss: float) -> float:
        """Win chance that a move of it may give away, given what a trap may cost against a player of 1600, 0..1."""
        rating = None if self.band == UNKNOWN_RATING else round(typical_rating(self.band))
        return round(allowed_cost(trap_loss, rating), 4)


NAMES = tuple(
    RepertoireName(color, band, against_engines)
    for against_engines in (False, True)
    for band in sorted(RATING_BANDS, key=lambda band: (band is UNKNOWN_RATING, abs(typical_rating(band) - 1600)))
    for color in ("white", "black")
)
"""All that there can be, those first that are needed most."""


def repertoire_name(text: str) -> RepertoireName:
    """The repertoire that is written like that. Raises `InputError`."""
    for name in NAMES:
        if str(name) == text:
            return name
    raise InputError(f"{text} is no repertoire; they are called {NAMES[0]} and the like")


def read_all(folder: Path) -> dict[RepertoireName, StoredRepertoire]:
    """The repertoires of a folder; files that cannot be read are logged and left out, so that they are built anew."""
    found = {}
    for name in NAMES:
        try:
            if name.path(folder).exists():
                found[name] = StoredRepertoire.read(name.path(folder))
        except TraplineError as error:
            log.warning("%s", error)
    return found


def build_into(
    folder: Path, name: RepertoireName, db: Path, trap_loss: float, seconds: float, stop: Cancellation | None = None
) -> StoredRepertoire:
    """Build a repertoire in about so many seconds on one processor, and write it.

    Raises `TraplineError` or `OSError`.
    """
    cost = name.cost(trap_loss)
    options = RepertoireOptions(
        color=name.color,
        band=name.band,
        max_cost=cost,
        depth=DEPTH,
        positions=POSITIONS,
        test_nodes=TEST_NODES,
        seconds=seconds,
        against_engines=name.against_engines,
    )
    with open_library(db, read_only=True) as library:
        now = made_of(library, cost)
        stored = StoredRepertoire.of(build_repertoire(library, options, stop=stop, compare=False), now)
    folder.mkdir(parents=True, exist_ok=True)
    stored.write(name.path(folder))
    return stored
