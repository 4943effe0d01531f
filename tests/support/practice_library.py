"""Libraries for the tests of practice, each made once in a run: one with games of two players and a trap, and one with
games of several pupils of a coach."""

import shutil
from pathlib import Path

from annotator.record import record_losing_moves
from annotator.settings import AnalysisSettings
from db.games.index_games import index_files
from db.library.open import open_library
from db.proof.prover import SEARCH_NODES, TrapProver
from tests.support.db_traps import LEGAL_MOVES, elephant, legal
from tests.support.templates import copy_of
from tests.support.trap_games import QUIET, game
from trapcore.parallel.pools import threads

PLAYER = "Éva Kiss"
"""She fell into Légal's mate as Black, and missed it as White."""

BAIT_PLY = 10
"""Of 5...Bxd1 in both games, from 1."""

LEGAL_SAFE = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq -"
LEGAL_KILLER = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq -"

GAMES = (
    game(
        f"{LEGAL_MOVES} Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n",
        black=PLAYER,
        WhiteElo="1700",
        BlackElo="1500",
        Date="2020.05.01",
        Site="https://lichess.org/x",
    ),
    game(f"{LEGAL_MOVES} Bxd1 6. Nxd1 Nxe5 0-1\n", white=PLAYER, WhiteElo="1500", BlackElo="1300", Date="2020.05.02"),
    game(QUIET, white=PLAYER, WhiteElo="1500", BlackElo="1550", Date="2020.05.03"),
)

LEA, BOB, CEC = "Lea Ann", "Bob", "Cec Poe"
"""Lea and Bob fell into Légal's mate again and again, Bob at lichess. Cec lost nothing."""

PUPILS_SITE = "https://lichess.example"

_FELL = f"{LEGAL_MOVES} Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
_QUIET_GAMES = ((1, LEA), (2, BOB), (3, CEC), (4, CEC), (5, CEC))

GAMES_OF_PUPILS = (
    *(game(_FELL, black=LEA, Date=f"2020.05.0{day}") for day in (1, 2, 3)),
    *(game(_FELL, black=BOB, Date=f"2020.06.0{day}", Site=f"{PUPILS_SITE}/bobbob0{day}") for day in (1, 2)),
    *(game(QUIET, white=name, Date=f"2020.07.0{day}") for day, name in _QUIET_GAMES),
)


def copy_practice_library(path: Path) -> Path:
    """A copy of the library at ``path``, which is returned."""
    copy_of("practice.sqlite", _make, path)
    return path


def copy_group_library(path: Path) -> Path:
    """A copy of the library of the pupils at ``path``, which is returned."""
    copy_of("pupils.sqlite", _make_pupils, path)
    return path


def _make(path: Path) -> None:
    games = path.with_name("practice.pgn")
    games.write_text("".join(GAMES), encoding="utf-8")
    building = path.with_name("practice-building.sqlite")
    with threads(1, "judge") as pool, open_library(building, create=True) as library:
        prover = TrapProver(search_nodes=SEARCH_NODES)
        library.add_all([prover.prove(legal()), prover.prove(elephant())])
        index_files(library, [games])
        record_losing_moves(library, [games], AnalysisSettings(engine="off"), pool)
    shutil.move(building, path)


def _make_pupils(path: Path) -> None:
    games = path.with_name("pupils.pgn")
    games.write_text("".join(GAMES_OF_PUPILS), encoding="utf-8")
    building = path.with_name("pupils-building.sqlite")
    with threads(1, "judge") as pool, open_library(building, create=True) as library:
        index_files(library, [games])
        record_losing_moves(library, [games], AnalysisSettings(engine="off"), pool)
    shutil.move(building, path)
