"""Moves and lines of an event with their numbers, as SAN."""

from collections.abc import Iterable

from annotator.events import TrapEvent

LINE_PLIES = 5
"""So much is shown of a line that a search found, of the best line, and of a long mate."""

_MATE_PLIES = 7
"""A mate is shown to its end if its line is no longer."""


def half_moves(event: TrapEvent, ply: int) -> int:
    """Twice the full-move number of the move at ``ply``, plus one if it is Black's."""
    return 2 * event.number + (event.mover == "black") + ply - event.ply


def number(half_move: int, space: str) -> str:
    """``5.`` or ``5...``, and ``space`` behind it."""
    return f"{half_move // 2}{'...' if half_move % 2 else '.'}{space}"


def line(sans: Iterable[str], half_move: int, space: str = "") -> str:
    """Moves with their numbers: ``5...Bxd1 6.Bxf7+``, or ``5... Bxd1 6. Bxf7+`` with a space."""
    words = []
    for count, san in enumerate(sans):
        black = (half_move + count) % 2 == 1
        words.append(san if black and count else number(half_move + count, space) + san)
    return " ".join(words)


def bait(event: TrapEvent) -> str:
    """``5...Bxd1``."""
    return line([event.bait_san], half_moves(event, event.trap_ply))


def killer(event: TrapEvent) -> str:
    """``6.Bxf7+``."""
    return line(event.killer_line_san[:1], half_moves(event, event.trap_ply + 1))


def shown_line(event: TrapEvent) -> tuple[str, ...]:
    """The killer line in SAN, as far as it says something: what a search found for material is partly guesswork."""
    whole = event.killer_line_san
    return whole if event.proof.mate_in is not None and len(whole) <= _MATE_PLIES else whole[:LINE_PLIES]


def killer_line(event: TrapEvent) -> str:
    """``6.Bxf7+ Ke7 7.Nd5#``, with dots behind it where it is cut short before its mate."""
    shown = shown_line(event)
    cut = event.proof.mate_in is not None and len(shown) < len(event.killer_line_san)
    return line(shown, half_moves(event, event.trap_ply + 1)) + (" ..." if cut else "")


def best(event: TrapEvent) -> str:
    """The best other move in place of the bait, ``5...dxe5``; empty where none is known."""
    return "" if event.best_san is None else line([event.best_san], half_moves(event, event.trap_ply))
