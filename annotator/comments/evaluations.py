"""Evaluations of moves as lichess writes them into a PGN: ``[%eval 0.35]``, ``[%eval #-2]``, of White."""

import math
from collections.abc import Iterable

from annotator.events import TrapEvent
from db.traps.terms import Event
from trapcore import _native

_CERTAIN = 0.9999
"""A win chance beyond this stands for a mate, whose distance has to be known."""


def evaluation(events: Iterable[TrapEvent]) -> str:
    """The command for the move that carries all these events; empty if nothing was measured."""
    for event in sorted(events, key=lambda event: event.event is not Event.FELL):
        found = _mate(event) or _pawns(event)
        if event.proved and found:
            return f"[%eval {found}]"
    return ""


def _mate(event: TrapEvent) -> str:
    if event.event is not Event.FELL or event.proof.mate_in is None:
        return ""
    return f"#{'-' if event.mover == 'white' else ''}{event.proof.mate_in}"


def _pawns(event: TrapEvent) -> str:
    chance = event.reached_chance
    if chance is None or abs(chance) >= _CERTAIN:
        return ""
    centipawns = math.log((1 + chance) / (1 - chance)) / _native.WIN_CHANCE_SCALE
    value = centipawns / 100 * (1 if event.mover == "white" else -1)
    return f"{value:.2f}".replace("-0.00", "0.00")
