"""The wheel: what it holds, and that it works where nothing else is installed."""

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.layout.modules import PRODUCT, ROOT, python_files
from trapline.program import COMMANDS

pytestmark = pytest.mark.slow

MOST_MEGABYTES = 400
"""That an environment takes with the wheel, all that it needs, and pip."""

GAME = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive as a packager would."""
    out = tmp_path_factory.mktemp("dist")
    # Dependencies that are compiled already are used again; the project itself is compiled from the archive.
    # Without optimisation at link time, which takes most of a release build and does not change what the wheel holds.
    env = {
        **os.environ,
        "CARGO_TARGET_DIR": str(ROOT / "trapcore" / "native" / "target"),
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (found,) = out.glob("*.whl")
    return found


def test_the_wheel_holds_every_package_and_file_of_the_product(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {str(p.relative_to(ROOT)) for p in python_files(PRODUCT)}
    expected |= {"trapcore/_native.pyi", "trapcore/_native.abi3.so", "db/traps/openings.tsv"}
    expected |= {"db/formats/traps.toml", "db/formats/certificates.json", "db/patterns/bundled.tsv"}
    expected |= {"coach/practice/decoys.tsv"}
    expected |= {"db/wording/languages/german.toml"}
    expected |= {"trapcore/ranking/weights.bin", "trapcore/ranking/background_moves.tsv"}
    expected |= {
        str(p.relative_to(ROOT))
        for inner in ("coach/report/templates", "trapline/web/pages/templates", "trapline/web/pages/static")
        for p in (ROOT / inner).rglob("*.*")  # with the board and the engine of the pages, where npm could fetch them
        if p.is_file() and p.name != "package-lock.json"
    }
    expected |= {f"{package}/py.typed" for package in PRODUCT}
    assert expected - names == set()
    unexpected = {n for n in names - expected if ".dist-info/" not in n}
    assert unexpected == set()


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel alone, made where there is no compiler."""
    made = tmp_path_factory.mktemp("bare") / "env"
    venv.create(made, with_pip=True)
    empty = tmp_path_factory.mktemp("empty")
    subprocess.run(
        [made / "bin" / "python", "-m", "pip", "install", "--quiet", str(wheel)],
        env={**os.environ, "PATH": str(empty)},
        check=True,
    )
    return made


@pytest.fixture
def run(environment: Path, tmp_path: Path) -> Callable[..., str]:
    """Run the installed command in a folder of its own: standard output of a run that succeeds."""

    def run(*arguments: str) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
        program = environment / "bin" / "trapline"
        done = subprocess.run([program, *arguments], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_environment_is_small(environment: Path) -> None:
    used = sum(path.lstat().st_blocks * 512 for path in environment.rglob("*"))
    assert used / 2**20 < MOST_MEGABYTES


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, run: Callable[..., str]) -> None:
    assert "Usage" in run(command, "--help")


def test_the_bare_wheel_annotates(run: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "game.pgn").write_text(GAME)
    assert "annotate" in run("--help")
    run("annotate", "game.pgn", "-o", "annotated.pgn")
    text = (tmp_path / "annotated.pgn").read_text()
    assert "Falls into Legal's mate: 6.Bxf7+ Ke7 7.Nd5#" in " ".join(text.split())
    assert "[%cal " in text


def test_the_bare_wheel_keeps_a_library_and_answers_questions(run: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "game.pgn").write_text(GAME)
    fen = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"
    assert "mate in 2" in run("prove", fen, "--bait", "Bxd1")
    run("library", "init", "--db", "library.sqlite")
    run("index", "game.pgn", "--db", "library.sqlite")
    assert "legal-mate" in run("query", "--fen", fen, "--similar", "3", "--db", "library.sqlite")
