"""Moves and lines with their numbers, in English SAN whatever the language, as PGN has it."""

from collections.abc import Iterable

from trapcore.proof.search import BLUNDER, INACCURACY, MISTAKE

SIGNS = ((BLUNDER, "??"), (MISTAKE, "?"), (INACCURACY, "?!"))
"""What stands behind a move that costs so much win chance or more, on lichess's borders."""


def number(half_move: int, space: str = "") -> str:
    """``5.`` or ``5...``, and ``space`` behind it; ``half_move`` is twice the move number, plus one if Black moves."""
    return f"{half_move // 2}{'...' if half_move % 2 else '.'}{space}"


def line(sans: Iterable[str], half_move: int, space: str = "") -> str:
    """Moves with their numbers: ``5...Bxd1 6.Bxf7+``, or ``5... Bxd1 6. Bxf7+`` with a space."""
    words = []
    for count, san in enumerate(sans):
        black = (half_move + count) % 2 == 1
        words.append(san if black and count else number(half_move + count, space) + san)
    return " ".join(words)


def sign(cost: float | None) -> str:
    """``??``, ``?``, ``?!`` or nothing behind a move that costs so much (0..2; None where nothing was measured)."""
    return "" if cost is None else next((text for least, text in SIGNS if cost >= least), "")
