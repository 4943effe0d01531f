"""Endgame tables: those of the program agree with Syzygy tables, which know more; a wrong folder is told."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.syzygy
import pytest

from db.library.open import open_library
from trapcore import _native
from trapcore.errors import InputError

TABLES = Path(__file__).parents[2] / "out" / "syzygy"
POSITIONS = 40
"""Of each material and side to move."""

EN_PASSANT = "8/8/8/8/k2pP3/8/8/4K3 b - e3 0 1"
"""The tables of the program leave captures en passant out."""

needs_tables = pytest.mark.skipif(
    not TABLES.is_dir(), reason=f"Syzygy tables: {TABLES} is not there; `make test` fetches it with python-chess"
)


@pytest.fixture(scope="module")
def syzygy() -> Iterator[chess.syzygy.Tablebase]:
    with chess.syzygy.open_tablebase(str(TABLES)) as tables:
        yield tables


def boards(name: str, chance: random.Random) -> Iterator[chess.Board]:
    """Legal positions of a material such as ``KQvKR``, each side to move."""
    sides = name.split("v")
    found = 0
    while found < POSITIONS:
        board = chess.Board(None)
        squares = iter(chance.sample(chess.SQUARES, 4))
        for color, pieces in zip((chess.WHITE, chess.BLACK), sides, strict=True):
            for letter in pieces:
                piece = chess.Piece(chess.PIECE_SYMBOLS.index(letter.lower()), color)
                board.set_piece_at(next(squares), piece)
        board.turn = bool(found % 2)
        if board.is_valid():
            found += 1
            yield board


@needs_tables
def test_the_tables_of_the_program_are_those_of_syzygy(syzygy: chess.syzygy.Tablebase) -> None:
    names = sorted(path.stem for path in TABLES.glob("*.rtbw"))
    assert len(names) == 35
    chance = random.Random(1)
    for name in names:
        for board in boards(name, chance):
            wdl = syzygy.probe_wdl(board)
            assert _native.known_outcome(board.fen()) == ("lost" if wdl < 0 else "won" if wdl > 0 else "drawn"), board


@needs_tables
def test_a_position_that_only_syzygy_knows_is_valued_by_it(syzygy: chess.syzygy.Tablebase) -> None:
    code = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from trapcore import _native\n"
        "from trapcore.proof.syzygy import use_syzygy\n"
        "from trapcore.parallel.budget import Budget\n"
        "from trapcore.proof.search import search\n"
        "fen, folder = sys.argv[1:]\n"
        "before = _native.known_outcome(fen)\n"
        "said = [use_syzygy([Path(folder)]) for _ in range(2)]\n"
        "print(json.dumps([before, _native.known_outcome(fen), search(fen, Budget(depth=1)).value, *said]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, EN_PASSANT, str(TABLES)], check=True, capture_output=True, text=True
    )
    said = f"{TABLES}: tables of up to 4 men"
    assert syzygy.probe_wdl(chess.Board(EN_PASSANT)) == 0
    assert json.loads(done.stdout) == [None, "drawn", 0, said, said]


@needs_tables
def test_the_option_opens_the_tables_for_any_command(tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    open_library(library, create=True).close()
    command = [sys.executable, "-m", "trapline", "--syzygy"]
    words = ["propose", "8/8/8/8/8/2k5/3p4/3K4 w - - 0 1", "--nodes", "10", "--db", str(library)]
    good = subprocess.run([*command, str(TABLES), *words], check=False, capture_output=True, text=True)
    assert good.returncode == 0, good.stderr
    wrong = subprocess.run([*command, str(tmp_path), *words], check=False, capture_output=True, text=True)
    assert wrong.returncode == InputError.exit_code
    assert "holds no Syzygy tables" in wrong.stderr
