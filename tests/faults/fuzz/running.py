"""How a fuzz target runs: first the corpus of what was found once, then mutations until its time is over."""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

SECONDS = float(os.environ.get("FUZZ_SECONDS", "2"))
"""Time of each target."""

SEED = int(os.environ.get("FUZZ_SEED", "1"))
"""Of the first try; each further one has the next number, so that the one that failed can be repeated alone."""

LEAST = 3
"""Tries of a target however slow the machine is."""


def corpus(target: str) -> list[Path]:
    """The files of what the target found once, by name."""
    return sorted((CORPUS / target).glob("*"))


def tries() -> Iterator[random.Random]:
    """A generator of chance for each try, until the time is over; a failure prints the seed that repeats it."""
    end = time.monotonic() + SECONDS
    seed = SEED
    while time.monotonic() < end or seed < SEED + LEAST:
        print(f"FUZZ_SEED={seed}")  # shown by pytest when the try fails
        yield random.Random(seed)
        seed += 1
