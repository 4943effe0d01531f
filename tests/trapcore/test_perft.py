"""Perft: the legal move tree has the known number of leaves, for thousands of positions of both kinds of chess."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.public_data import DATA, skip_without
from trapcore import _native

PERFT = DATA / "perft"
MOST_LEAVES = 5_000_000
"""Deeper lines are left out, so that the whole takes a minute and not an hour."""


def cases(path: Path) -> Iterator[tuple[str, int, int]]:
    """Position, depth and number of leaves."""
    epd = ""
    for line in path.read_text("ascii").splitlines():
        match line.split(maxsplit=1):
            case ["epd", position]:
                epd = position
            case ["perft", numbers]:
                depth, leaves = map(int, numbers.split())
                if leaves <= MOST_LEAVES:
                    yield epd, depth, leaves


@pytest.mark.parametrize(
    ("name", "lines"), [("tricky", 35), ("chess960", 1929), pytest.param("random", 15116, marks=pytest.mark.slow)]
)
def test_perft(name: str, lines: int) -> None:
    path = PERFT / f"{name}.perft"
    skip_without(path)
    found = list(cases(path))
    assert len(found) == lines
    with ThreadPoolExecutor() as pool:
        counted = list(pool.map(lambda case: _native.perft(case[0], case[1]), found))
    wrong = [(*case, leaves) for case, leaves in zip(found, counted, strict=True) if case[2] != leaves]
    assert wrong == []
