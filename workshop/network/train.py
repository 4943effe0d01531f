"""Training of the network by gradient descent on labelled positions.

The rate rises for some steps and then falls along a cosine; `workshop/native/src/trainer.rs` does
everything else.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trapcore.errors import InputError, UsageError
from trapcore.io.atomic_write import replacing
from workshop.native import _core

_RISE = 200
"""Steps until the rate is at its peak."""
_LEAST = 0.005
"""Share of the peak that is left in the end."""
_REPORT = 250
"""Steps between two reports."""


@dataclass(frozen=True, slots=True)
class Training:
    """Options of a training."""

    rounds: float = 8.0
    """How often each record is used, more than 0."""
    batch: int = 16_384
    """Records of a step."""
    rate: float = 0.002
    """Peak of Adam's rate."""
    threads: int = 1
    seed: int = 1
    start: Path | None = None
    """Weights to begin with, in the place of random ones."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Result of a training."""

    records: int
    steps: int
    loss: float
    """Mean squared error of the win chance (0..1) in the last steps."""
    held_out_loss: float | None
    """The same on records of games that were left out; None without any."""


def train(folder: Path, held_out: Path | None, output: Path, training: Training, say: Callable[[str], None]) -> Trained:
    """Train on the quiet records of ``folder`` and write the rounded weights to ``output``.

    The same records, options and number of threads give the same weights. Raises ``InputError`` without records or
    for files that are none, and ``UsageError`` for fewer records than a batch.
    """
    try:
        weights = None if training.start is None else training.start.read_bytes()
        trainer = _core.NetworkTrainer(_read(folder), training.seed, weights)
    except (OSError, ValueError) as error:
        given = folder if training.start is None else f"{folder}, {training.start}"
        raise InputError(f"{given}: {error}") from error
    if trainer.records < training.batch:
        raise UsageError(f"{folder}: {trainer.records:,} records are fewer than a batch of {training.batch:,}")
    others = b"".join(_read(held_out)) if held_out is not None else None
    steps = max(1, round(training.rounds * trainer.records / training.batch))
    loss = 0.0
    for start in range(0, steps, _REPORT):
        # The rate changes slowly, so that it may stand for some steps.
        done, losses = start, []
        while done < min(start + _REPORT, steps):
            count = min(25, steps - done)
            losses.append(
                (trainer.train(count, training.batch, _rate(done, steps) * training.rate, training.threads), count)
            )
            done += count
        loss = sum(value * count for value, count in losses) / sum(count for _, count in losses)
        say(f"step {done:,} of {steps:,}: loss {loss:.6f}")
    with replacing(output) as path:
        path.write_bytes(trainer.network())
    held_out_loss = None if others is None else trainer.loss(others, training.threads)
    return Trained(trainer.records, steps, loss, held_out_loss)


def _read(folder: Path) -> list[bytes]:
    parts = sorted(folder.glob("*.records"))
    if not parts:
        raise InputError(f"{folder}: there are no records; label positions first")
    return [part.read_bytes() for part in parts]


def _rate(step: int, steps: int) -> float:
    """Share of the peak at a step."""
    rise = min(1.0, (step + 1) / _RISE)
    return rise * (_LEAST + (1 - _LEAST) * (1 + math.cos(math.pi * step / steps)) / 2)
