"""The training of the network: labels of a real engine, and a small training from them."""

from pathlib import Path

import pytest

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


def test_a_training_lowers_the_loss_and_is_the_same_twice(records: Path, tmp_path: Path) -> None:
    options = Training(rounds=6, batch=64, rate=0.003)
    found = train(records, records, tmp_path / "a", options, lambda _: None)
    untrained = _core.NetworkTrainer([b""], options.seed).loss(b"".join(contents(records).values()), 1)
    assert found.held_out_loss is not None
    assert found.held_out_loss < 0.6 * untrained
    train(records, None, tmp_path / "b", options, lambda _: None)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
