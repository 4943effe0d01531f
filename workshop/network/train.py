"""Training of the network by gradient descent.

The rate rises for some steps and then falls along a cosine; `workshop/native/src/trainer/` does everything else.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trapcore import _native
from trapcore.errors import InputError
from trapcore.io.atomic_write import replacing
from trapcore.io.game_batches import game_batches
from workshop.native import _core

_RISE = 300
"""Steps until the rate is at its peak."""
_LEAST = 0.005
"""Share of the peak that is left in the end."""
_REPORT = 250
"""Steps between two reports."""
_MEASURED = 300_000
"""Positions that the error on games left out is measured on."""

NumberedGame = tuple[int, str | None, bytes]
"""Number in its file, start (None for the usual one) and moves as in `trapcore._native.GameRecord`."""


@dataclass(frozen=True, slots=True)
class Training:
    """Options of a training."""

    positions: int = 700_000_000
    """How many are learned from; each is used once."""
    batch: int = 16_384
    """Positions of a step."""
    rate: float = 0.001
    """Peak of Adam's rate."""
    threads: int = 1
    seed: int = 1
    start: Path | None = None
    """Weights to begin with, in the place of random ones."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Result of a training. The errors are mean squared ones of the win chance (0..1)."""

    steps: int
    before: float
    """Error of the weights that it began with, on positions of games left out."""
    after: float
    """The same of the weights that it wrote."""


def train(
    files: Sequence[Path], teacher: bytes, output: Path, training: Training, say: Callable[[str], None]
) -> Trained:
    """Learn the values of ``teacher``, a file of Stockfish 15.1's network, and write the rounded weights to ``output``.

    Learns from the games with an odd number and measures on those with an even one. The same games, options and number
    of threads give the same weights. Writes at each report, so that an interrupted run leaves what it had learned.
    Raises ``InputError`` for files that cannot be read or hold too few games, and for a teacher or weights that are
    none.
    """
    games = [game for file in files for game in _games(file)]
    learned, left_out = ([game for game in games if game[0] % 2 == odd] for odd in (1, 0))
    try:
        start = None if training.start is None else training.start.read_bytes()
        trainer = _core.NetworkTrainer(learned, left_out, teacher, training.seed, start)
    except (OSError, ValueError) as error:
        raise InputError(f"{', '.join(map(str, files))}: no training: {error}") from error
    before = trainer.loss(_MEASURED, training.threads)
    steps = max(1, round(training.positions / training.batch))
    for start_step in range(0, steps, _REPORT):
        # The rate changes slowly, so that it may stand for some steps.
        done, losses = start_step, []
        while done < min(start_step + _REPORT, steps):
            count = min(25, steps - done)
            rate = _rate(done, steps) * training.rate
            losses.append((trainer.train(count, training.batch, rate, training.threads), count))
            done += count
        loss = sum(value * count for value, count in losses) / sum(count for _, count in losses)
        with replacing(output) as path:
            path.write_bytes(trainer.network())
        say(f"step {done:,} of {steps:,}: error {loss:.6f}")
    return Trained(steps, before, trainer.loss(_MEASURED, training.threads))


def _games(file: Path) -> list[NumberedGame]:
    return [
        (record.game, record.start_fen, record.moves)
        for batch in game_batches(file)
        for record in _native.read_records(batch).records
        if not record.chess960 and record.moves
    ]


def _rate(step: int, steps: int) -> float:
    """Share of the peak at a step."""
    rise = min(1.0, (step + 1) / _RISE)
    return rise * (_LEAST + (1 - _LEAST) * (1 + math.cos(math.pi * step / steps)) / 2)
