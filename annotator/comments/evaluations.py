"""Evaluations of moves as lichess writes them into a PGN: ``[%eval 0.35]``, ``[%eval #-2]``, of White."""

import math
from collections.abc import Iterable

import chess.pgn

from annotator.events import TrapEvent
from db.traps.position_value import Values
from db.traps.terms import Event
from trapcore import _native
from trapcore.engines.uci_engine import chance_of

_CERTAIN = 0.9999
"""A win chance beyond this is written as this one: the distance of the mate is not known."""


def evaluation(events: Iterable[TrapEvent], value: _native.MoveValue | None, known: Values) -> str:
    """The command for a move with these events and this value; empty if nothing was measured.

    ``known`` are the values of the game's positions.
    """
    for event in sorted(events, key=lambda event: event.event is not Event.FELL):
        found = _mate(event) or _reached(event)
        if event.proved and found:
            return f"[%eval {found}]"
    return "" if value is None else f"[%eval {_of_value(value, known)}]"


def stated_chance(node: chess.pgn.GameNode) -> float | None:
    """White's win chance, -1..1, by the evaluation in the comment of a move; None without one that can be read."""
    try:
        value = node.eval()
    except ValueError:  # a number with thousands of digits
        return None
    return None if value is None else chance_of(value.white())


def _of_value(value: _native.MoveValue, known: Values) -> str:
    """Black is to move after a move of White's."""
    turn = -1 if value.half_move % 2 == 0 else 1
    if value.mate_in is not None:
        return f"#{turn * value.mate_in}"
    return _pawns(turn * known[value.fen].chance)


def _mate(event: TrapEvent) -> str:
    if event.event is not Event.FELL or event.proof.mate_in is None:
        return ""
    return f"#{'-' if event.mover == 'white' else ''}{event.proof.mate_in}"


def _reached(event: TrapEvent) -> str:
    chance = event.reached_chance
    if chance is None or abs(chance) >= _CERTAIN:
        return ""
    return _pawns(chance if event.mover == "white" else -chance)


def _pawns(chance: float) -> str:
    """A win chance of White's in pawns."""
    chance = max(-_CERTAIN, min(_CERTAIN, chance))
    value = math.log((1 + chance) / (1 - chance)) / _native.WIN_CHANCE_SCALE / 100
    return f"{value:.2f}".replace("-0.00", "0.00")
