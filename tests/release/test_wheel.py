"""The wheel: what it holds, and that it works where nothing else is installed."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.layout.modules import PACKAGES, ROOT, python_files

pytestmark = pytest.mark.slow


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
    expected = {str(p.relative_to(ROOT)) for p in python_files()}
    expected |= {"trapcore/_native.pyi", "trapcore/_native.abi3.so", "db/formats/traps.toml", "db/traps/openings.tsv"}
    expected |= {"db/storage/migrations/script.py.mako"}
    expected |= {"trapcore/ranking/weights.bin", "trapcore/ranking/background_moves.tsv"}
    expected |= {
        str(p.relative_to(ROOT))
        for inner in ("db/report/templates", "web/pages/templates", "web/pages/static")
        for p in (ROOT / inner).glob("*.*")
    }
    expected |= {f"{package}/py.typed" for package in PACKAGES}
    assert expected - names == set()
    unexpected = {n for n in names - expected if ".dist-info/" not in n}
    assert unexpected == set()


def test_the_bare_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    trapline = tmp_path / "env" / "bin" / "trapline"
    (tmp_path / "game.pgn").write_text(
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
    )
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [trapline, *arguments], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "annotate" in run("--help")
    for command in (
        "annotate",
        "library",
        "index",
        "query",
        "similarity",
        "match",
        "propose",
        "prove",
        "research",
        "bot",
        "service",
        "jobs",
        "follow",
        "report",
        "query",
        "explore",
        "mine",
        "serve",
    ):
        assert "Usage" in run(command, "--help")
    # The paper's own examples need nothing that the bare wheel does not bring.
    assert ".772" in run("research", "paper", "figure-1", "table-1", "--output", "found")
    run("annotate", "game.pgn", "-o", "annotated.pgn")
    text = (tmp_path / "annotated.pgn").read_text()
    assert "Falls into" in text
    assert "[%cal " in text
