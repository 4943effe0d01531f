"""Odd surroundings: closed and full streams, a working folder that is gone, numbers beyond all bounds.

Whatever it is: one line, the exit code that is documented, no traceback, and nothing left behind.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from db.library.open import open_library
from tests.support.db_traps import FELL, elephant, legal

ROOT = Path(__file__).parents[2]
CODES = {0, 1, 2, 3, 4, 5}

PRINTING = [
    ["--version"],
    ["--help"],
    ["library", "list"],
    ["library", "list", "--json"],
    ["library", "export"],
    ["query", "--name", "Légal"],
    ["annotate", "{at}/in.pgn"],
]


@pytest.fixture
def at(tmp_path: Path) -> Path:
    (tmp_path / "in.pgn").write_text(FELL)
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        library.add_all([legal(), elephant()])
    return tmp_path


def shell(at: Path, arguments: Sequence[str], around: str) -> subprocess.CompletedProcess[str]:
    """The command in a shell; ``around`` has ``@`` where it stands."""
    words = [word.format(at=at) for word in arguments]
    if words[0] not in ("--version", "--help") and "--db" not in words:
        words += ["--db", str(at / "library.sqlite")]
    quoted = " ".join(f"'{word}'" for word in [sys.executable, "-m", "trapline", *words])
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(at), "PYTHONPATH": str(ROOT)}
    variables |= {"TRAPLINE_MEASURE": "sequences", "TRAPLINE_TELL": "known"}
    return subprocess.run(
        ["bash", "-c", around.replace("@", quoted)], cwd=at, env=variables, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
@pytest.mark.parametrize(
    "around",
    ["@ >/dev/full", "@ >&-", "@ 2>&-", "@ 2>/dev/full", "@ >&- 2>&-", "@ <&-"],
    ids=["full-out", "no-out", "no-err", "full-err", "neither", "no-in"],
)
def test_streams_that_are_closed_or_full(around: str, arguments: Sequence[str], at: Path) -> None:
    before = {path.name for path in at.iterdir()}
    done = shell(at, arguments, around)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode in CODES, done
    if around == "@ >/dev/full":
        assert done.returncode == 4
        assert "no space" in done.stderr.lower()
        assert "trapline: " in done.stderr
    assert {path.name for path in at.iterdir()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["library", "list", "--db", "x.sqlite"],
        ["library", "init", "--empty", "--db", "x.sqlite"],
        ["library", "backup", "x"],
        ["library", "export", "-o", "x"],
        ["annotate", "in.pgn", "-o", "out.pgn"],
        ["index", "in.pgn"],
    ],
    ids=" ".join,
)
def test_a_working_folder_that_is_gone(arguments: Sequence[str], at: Path) -> None:
    gone = at / "gone"
    gone.mkdir()
    done = shell(at, arguments, "cd gone && rmdir ../gone && @")
    assert not gone.exists()
    assert "Traceback" not in done.stderr
    assert done.returncode in CODES - {0}, done
    assert done.stderr.count("\n") == 1
    assert {path.name for path in at.iterdir()} == {"in.pgn", "library.sqlite"}


def test_a_full_disk_leaves_the_library_as_it_was(at: Path, tmp_path: Path) -> None:
    full = tmp_path / "full.sqlite"
    shutil.copy(at / "library.sqlite", full)
    size = full.stat().st_size // 1024
    done = shell(
        at,
        ["library", "import", "{at}/in.pgn", "--db", str(full)],
        f"ulimit -f {size}; trap '' XFSZ; @",
    )
    assert "Traceback" not in done.stderr
    with open_library(full) as library:
        library.check_file()
        assert len(library.traps()) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["library", "init", "--db", "{at}/made.sqlite"],
        ["library", "export", "-o", "{at}/out.pgn"],
        ["library", "backup", "{at}/copy.sqlite"],
        ["index", "{at}/in.pgn"],
        ["annotate", "{at}/in.pgn", "-o", "{at}/out.pgn", "--tell", "similar"],
        ["query", "--fen", "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq -", "--similar", "2"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_without_a_umask_nothing_may_be_written_to_by_everybody(arguments: Sequence[str], at: Path) -> None:
    done = shell(at, arguments, "umask 0; @")
    assert done.returncode == 0, done.stderr
    open_to_all = [str(path) for path in at.rglob("*") if path.stat().st_mode & 0o002]
    assert not open_to_all
