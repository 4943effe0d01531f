"""The rules of the house: floors, file sizes, names, and what the wheel holds."""

import ast
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: A file imports from its own floor or from below.
FLOORS = {
    "trapcore": 0,
    "lichess": 1,
    "db": 1,
    "research": 2,
    "annotator": 2,
    "bot": 3,
    "web": 3,
    "service": 3,
    "trapline": 4,
}
LONGEST = 450


def packages() -> list[Path]:
    """Every Python file of the product."""
    return [f for room in FLOORS for f in sorted((ROOT / room).rglob("*.py"))]


def imported(tree: ast.AST) -> set[str]:
    """Top-level names that a module imports, wherever in it the import stands."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("path", packages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_only_go_down_the_floors(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0].removesuffix(".py")
    # Rooms on one floor do not know each other either.
    found = imported(ast.parse(path.read_text("utf-8"))) - {room}
    above = {n for n in found if FLOORS.get(n, -1) >= FLOORS[room]}
    assert not above, f"{path.name} imports from a floor above or a room beside: {above}"


def test_the_front_door_imports_no_room_before_it_is_used() -> None:
    heavy = "('db', 'annotator', 'sqlalchemy', 'chess')"
    code = f"import sys, trapline.__main__; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_files_are_short_and_rooms_have_no_drawers() -> None:
    sources = [*packages(), *ROOT.glob("tests/**/*.py"), *ROOT.glob("trapcore/native/src/**/*.rs")]
    lengths = {p.relative_to(ROOT): len(p.read_text("utf-8").splitlines()) for p in sources}
    assert {p: n for p, n in lengths.items() if n > LONGEST} == {}
    drawers = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert [p for p in lengths if drawers & set(p.with_suffix("").parts)] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive as a packager would."""
    out = tmp_path_factory.mktemp("dist")
    # Dependencies that are compiled already are used again; the project itself is compiled from the archive.
    env = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "trapcore" / "native" / "target")}
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
    expected = {str(p.relative_to(ROOT)) for p in packages()}
    expected |= {"trapcore/_native.pyi", "trapcore/_native.abi3.so", "db/formats/traps.toml", "db/traps/openings.tsv"}
    expected |= {"db/storage/migrations/script.py.mako"}
    expected |= {"trapcore/ranking/weights.bin", "trapcore/ranking/background_moves.tsv"}
    expected |= {
        str(p.relative_to(ROOT))
        for inner in ("db/report/templates", "web/pages/templates", "web/pages/static")
        for p in (ROOT / inner).glob("*.*")
    }
    expected |= {f"{room}/py.typed" for room in FLOORS}
    assert expected - names == set()
    strangers = {n for n in names - expected if ".dist-info/" not in n}
    assert strangers == set()


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
        "evaluate",
        "experiment",
        "dynamics",
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
    assert ".772" in run("experiment", "figure-1", "table-1", "--out", "found")
    run("annotate", "game.pgn", "-o", "annotated.pgn")
    text = (tmp_path / "annotated.pgn").read_text()
    assert "Falls into" in text
    assert "[%cal " in text
