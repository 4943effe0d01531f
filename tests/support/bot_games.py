"""Games and people for the tests of the bot."""

from pathlib import Path

from db.library.library import Library
from db.library.open import create_library
from db.proof.prover import TrapProver
from lichess.api import USUAL_START, GameInfo, GameState, Person
from tests.support.db_traps import legal

INFO = GameInfo(
    id="abcdefgh",
    color="white",
    me=Person("me", "Me", "BOT"),
    opponent=Person("you", "You"),
    variant="standard",
    initial_fen=USUAL_START,
    rated=False,
    speed="blitz",
    initial=180_000,
    increment=2_000,
    created=0,
)
"""A casual blitz game in which we have White."""


def small_library(path: Path) -> None:
    """A library of one trap, which is proved."""

    def fill(library: Library) -> None:
        library.add(TrapProver().prove(legal()))

    create_library(path, fill)


def state(*moves: str, status: str = "started", **more: object) -> GameState:
    """A state of a game with three minutes and two seconds, clocks untouched."""
    return GameState(tuple(moves), 180_000, 180_000, 2_000, 2_000, status, **more)  # type: ignore[arg-type]
