"""Moves and lines with their numbers, in English SAN for every language, as PGN has it."""

from collections.abc import Iterable

from trapcore.win_chance import BLUNDER, INACCURACY, MISTAKE

SIGNS = ((BLUNDER, "??"), (MISTAKE, "?"), (INACCURACY, "?!"))
"""The sign behind a move that costs this much win chance or more, on lichess's borders."""

CONFIDENT = 0.9
"""From this probability on that a move costs `BLUNDER` or more it has ``??`` where a search alone says so: of 443 such
moves, in games left out of its fit, 19 cost less than `MISTAKE` by a strong engine, and 2 of the 283 with this
probability."""

_NAGS = {"??": 4, "?": 2, "?!": 6}


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


def sign(cost: float | None, probability: float | None = None) -> str:
    """``??``, ``?``, ``?!`` or nothing behind a move that costs this much (0..2; None if nothing was measured).

    ``probability`` (0..1) is that of a cost of `BLUNDER` or more where only a search says so, and it may be wrong.
    """
    found = "" if cost is None else next((text for least, text in SIGNS if cost >= least), "")
    return "?" if found == "??" and probability is not None and probability < CONFIDENT else found


def nag(cost: float | None, probability: float | None = None) -> int | None:
    """The `sign` of a move in PGN, 4, 2 or 6; None where it has none."""
    return _NAGS.get(sign(cost, probability))
