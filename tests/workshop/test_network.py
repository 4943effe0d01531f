"""The training of the network: labels of a real engine, and a small training from them."""

import subprocess
import sys
from pathlib import Path

import pytest

from trapcore.errors import InputError, UsageError
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.native import _core
from workshop.network.label import Sampling, label
from workshop.network.train import Training, train

GAMES = Path("examples/games.pgn")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if STOCKFISH is None:
        pytest.skip("Stockfish is not installed")
    folder = tmp_path_factory.mktemp("records")
    label([GAMES], folder, Sampling(STOCKFISH, 0.3), 1, lambda _: None)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_labels_are_whole_records_and_not_asked_for_twice(records: Path) -> None:
    first = contents(records)
    assert first
    assert all(len(data) % _core.RECORD_BYTES == 0 and data for data in first.values())
    said: list[str] = []
    # An engine that does not exist would be an error if it was started.
    label([GAMES], records, Sampling("/nowhere/engine", 0.3), 1, said.append)
    assert contents(records) == first
    assert not said


def test_games_that_are_held_out_are_others(records: Path, tmp_path: Path) -> None:
    assert STOCKFISH is not None
    label([GAMES], tmp_path, Sampling(STOCKFISH, 0.3, held_out=True), 1, lambda _: None)
    size = _core.RECORD_BYTES

    def positions(folder: Path) -> set[bytes]:
        data = b"".join(contents(folder).values())
        return {data[at : at + 24] for at in range(0, len(data), size)}

    ours, theirs = positions(records), positions(tmp_path)
    # Openings are the same in many games.
    assert len(ours & theirs) < 0.2 * len(theirs)


def test_a_training_lowers_the_loss_and_is_the_same_twice(records: Path, tmp_path: Path) -> None:
    options = Training(rounds=6, batch=64, rate=0.003)
    found = train(records, records, tmp_path / "a", options, lambda _: None)
    untrained = _core.NetworkTrainer([b""], options.seed).loss(b"".join(contents(records).values()), 1)
    assert found.held_out_loss is not None
    assert found.held_out_loss < 0.6 * untrained
    train(records, None, tmp_path / "b", options, lambda _: None)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no records"):
        train(tmp_path, None, tmp_path / "w", Training(), lambda _: None)
    (tmp_path / "00-00000.records").write_bytes(b"\xff" * 64)
    with pytest.raises(InputError, match="no training records"):
        train(tmp_path, None, tmp_path / "w", Training(), lambda _: None)
    (tmp_path / "00-00000.records").write_bytes(b"")
    with pytest.raises(UsageError, match="fewer than a batch"):
        train(tmp_path, None, tmp_path / "w", Training(), lambda _: None)


def test_the_command_labels_and_trains(tmp_path: Path) -> None:
    if STOCKFISH is None:
        pytest.skip("Stockfish is not installed")
    command = [sys.executable, "-m", "trapline", "research", "network", str(GAMES), "--records", str(tmp_path / "r")]
    command += [
        "--engine",
        STOCKFISH,
        "--share",
        "0.9",
        "--rounds",
        "1",
        "--batch",
        "512",
        "--output",
        str(tmp_path / "w"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "w").stat().st_size > 400_000
    assert "mean squared error" in done.stdout
