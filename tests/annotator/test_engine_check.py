"""What the prover leaves open, a UCI engine decides; and what the user sees on the terminal meanwhile."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.trap_games import FELL, QUIET, annotated, game, make_library
from trapcore.errors import EngineError
from workshop.benchmarks.stockfish import STOCKFISH

pytestmark = pytest.mark.usefixtures("by_sequences")

#: The Elephant Trap with two moves of rook pawns inserted, which change nothing.
RESEMBLES_ELEPHANT = (
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5 6. h3 a6 7. Nxd5 Nxd5 8. Bxd8 Bb4+ 9. Qd2 Bxd2+ "
    "10. Kxd2 Kxd8 0-1\n"
)
#: With this pawn move the bait is a good move: there is no check on b4.
SOUND = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5 6. a3 a6 7. Nxd5 Nxd5 8. Bxd8 Kxd8 1-0\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library") / "library.sqlite")


@pytest.mark.slow
@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_an_engine_proves_what_the_prover_cannot(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAPLINE_ENGINE_NODES", "60000")
    monkeypatch.setenv("TRAPLINE_NODES", "8")
    report = tmp_path / "report.jsonl"
    text = game(RESEMBLES_ELEPHANT) + game(SOUND) + game(FELL)
    # So few nodes that the prover decides nothing about what resembles a trap.
    told = annotated(text, tmp_path, library, engine=STOCKFISH, report=str(report)).decode()
    first, second, _ = told.split("[Event")[1:]
    assert "7. Nxd5 $4 {" in first
    assert "7. Nxd5 $4" not in second
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    lines = [line for line in lines if line["game"] == 1 and not line["known"] and line["ply"] in (13, 14)]
    assert [line["event"] for line in lines] == ["fell", "sprung"]
    for line in lines:
        assert line["proof"]["verdict"] == "proved"
        assert line["proof"]["mate_in"] is None
        assert line["proof"]["by"].startswith("Stockfish")
        assert 0.3 <= line["proof"]["loss"] <= 2
    again = annotated(told, tmp_path, library, engine=STOCKFISH)
    assert again.decode() == told


@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_what_the_engine_refutes_is_told_only_as_unproved(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAPLINE_ENGINE_NODES", "20000")
    monkeypatch.setenv("TRAPLINE_NODES", "8")
    report = tmp_path / "report.jsonl"
    told = annotated(game(SOUND), tmp_path, library, engine=STOCKFISH, unproved=True, report=str(report)).decode()
    assert "7. Nxd5 { Unproved: resembles the Elephant Trap" in told
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    verdicts = [line["proof"] for line in lines if line["ply"] == 13 and not line["known"]]
    assert {proof["verdict"] for proof in verdicts} == {"refuted"}
    assert all(proof["by"].startswith("Stockfish") for proof in verdicts)


def test_an_engine_that_dies_again_and_again(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAPLINE_NODES", "8")
    engine = tmp_path / "engine"
    engine.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith(('go', 'quit')):\n"
        "        sys.exit(1)\n"
        "    answer = {'uci': 'uciok', 'isready': 'readyok'}.get(line.strip())\n"
        "    if answer:\n"
        "        print(answer, flush=True)\n"
    )
    engine.chmod(0o755)
    assert annotated(game(QUIET), tmp_path, library, engine=str(engine)) == game(QUIET).encode()
    with pytest.raises(EngineError, match="failed 2 times"):
        annotated(game(RESEMBLES_ELEPHANT), tmp_path, library, engine=str(engine))
