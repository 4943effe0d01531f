"""The training of the network: what a real engine's network says, and a small training from it."""

import subprocess
from pathlib import Path

import chess
import pytest

from trapcore.errors import EngineError, InputError
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.native import _core
from workshop.network.teacher import network_of
from workshop.network.train import Training, train

GAMES = Path("examples/games.pgn")
GAME = (1, None, b"")


@pytest.fixture(scope="module")
def teacher() -> bytes:
    if STOCKFISH is None:
        pytest.skip("Stockfish is not installed")
    return network_of(STOCKFISH)


def test_the_teacher_says_what_the_engine_says(teacher: bytes) -> None:
    assert STOCKFISH is not None
    trainer = _core.NetworkTrainer([GAME], [GAME], teacher, 1)
    fens = [
        chess.STARTING_FEN,
        "r2q1rk1/pp1nbppp/2p1pn2/8/3P1B2/2N1PN2/PPQ2PPP/R4RK1 b - - 0 1",
        "8/5k2/3p4/1P1P4/8/2K5/8/8 w - - 0 1",
        "6k1/5p2/6p1/8/7p/8/6PP/6K1 b - - 0 1",
    ]
    asked = "".join(f"position fen {fen}\neval\n" for fen in fens)
    said = subprocess.run([STOCKFISH], input=f"{asked}quit\n", text=True, capture_output=True, check=True).stdout
    values = [float(line.split()[2]) for line in said.splitlines() if line.startswith("Final evaluation")]
    for fen, value in zip(fens, values, strict=True):
        for_white = trainer.taught(fen) * (1 if chess.Board(fen).turn else -1)
        # The engine rounds in the middle, and shows whole centipawns.
        assert for_white / 100 == pytest.approx(value, abs=0.03)


def test_a_training_lowers_the_error_and_is_the_same_twice(teacher: bytes, tmp_path: Path) -> None:
    options = Training(positions=300 * 128, batch=128, rate=0.02)
    found = train([GAMES], teacher, tmp_path / "a", options, lambda _: None)
    assert found.after < 0.8 * found.before
    train([GAMES], teacher, tmp_path / "b", options, lambda _: None)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_cannot_be_learned_from_is_refused(teacher: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another kind"):
        train([GAMES], teacher[:-1], tmp_path / "a", Training(), lambda _: None)
    with pytest.raises(EngineError, match="writes no network"):
        network_of("true")
