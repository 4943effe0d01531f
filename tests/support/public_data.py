"""The public data sets beside the checkout, which are no part of the project: a test of one is skipped without it."""

from pathlib import Path

import pytest

#: Absent on most machines.
DATA = Path(__file__).parents[3] / "shared" / "data"

#: What lies there by folder, as CONTRIBUTING.md lists it.
DATA_SETS = {
    "hostile": "odd files of the test data of python-chess and shakmaty",
    "trials": "odd PGN files that other programs read",
    "lichess-api": "the OpenAPI description of lichess's API",
    "openings": "lichess chess-openings",
    "perft": "perft counts of python-chess and shakmaty",
    "pgn": "games of PGN Mentor, lichess and Chess.com",
    "puzzles": "the lichess puzzle database",
}

PUZZLES = DATA / "puzzles" / "lichess_puzzles_open.csv.zst"
AMATEURS = DATA / "pgn" / "amateur_lichess_2021_10_kdave.pgn"


def missing(path: Path) -> str:
    """Why a test of this file or folder is skipped."""
    name = path.relative_to(DATA).as_posix()
    return f"public data: {DATA_SETS[name.split('/')[0]]} ({name}) is not in ../shared/data, see CONTRIBUTING.md"


def needs(path: Path) -> pytest.MarkDecorator:
    """The mark of a test that reads this file or folder."""
    return pytest.mark.skipif(not path.exists(), reason=missing(path))


def skip_without(path: Path) -> None:
    """The same from inside a test or a fixture."""
    if not path.exists():
        pytest.skip(missing(path))
