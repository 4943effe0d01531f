"""Values of the positions of games: the events of a game take all their figures from one table."""

from collections.abc import Iterable
from dataclasses import replace

from annotator.events import TrapEvent
from db.traps.position_value import PositionValue, Values
from db.traps.terms import Event
from trapcore import _native
from trapcore.proof.trap_test import TOLD
from trapcore.proof.verdict import Verdict

_AGREES = 0.15
"""Two searches agree where their win chances differ by less."""

_BEST_PLIES = 5
"""Plies of the better line that are shown."""


def values_of(game: _native.GameFindings) -> dict[str, PositionValue]:
    """Values that our own search found for the positions of a game's events, by EPD."""
    return {
        found.fen: PositionValue(found.chance, found.nodes, tuple(found.line), _native.TESTER_VERSION)
        for found in game.judged
    }


def valued(events: Iterable[TrapEvent], values: Values) -> list[TrapEvent]:
    """The events with the figures of this table; an event of whose positions it has none stays as it is."""
    return [_valued(event, values) for event in events]


def _valued(event: TrapEvent, values: Values) -> TrapEvent:
    origin, reached = values.get(event.origin), values.get(event.reached)
    if reached is not None:
        event = replace(event, reached_chance=-reached.chance)
    if origin is not None and reached is not None:
        event = replace(event, played_loss=max(0.0, origin.chance + reached.chance))
    before, after = values.get(_native.epd(event.fen)), values.get(event.baited)
    if before is None or after is None or event.before is None:
        return event
    return _answered(_with_bait(event, before, after))


def _with_bait(event: TrapEvent, value: PositionValue, baited: PositionValue) -> TrapEvent:
    """The event with what the bait costs by the values of the positions before it and after it."""
    before, after = value.chance, -baited.chance
    assert event.before is not None
    if event.known and before - after < TOLD:
        # The library vouches for the trap, and no figure of ours bears it out.
        return replace(event, before=None, after=None, proof=replace(event.proof, loss=None))
    near = [abs(was - now) < _AGREES for was, now in ((event.before, before), (event.after, after)) if was is not None]
    event = replace(
        event,
        before=before,
        after=after,
        settled=event.settled and all(near),
        proof=replace(event.proof, loss=None if event.proof.loss is None else before - after),
    )
    if value.best is None or value.best == event.bait:
        return event
    sans = tuple(_native.sans(event.fen, value.line[:_BEST_PLIES]))
    return replace(event, best=value.best, best_san=sans[0], best_line_san=sans)


def _answered(event: TrapEvent) -> TrapEvent:
    """The event of an answer that gives back too little to have missed the killer springs the trap."""
    is_claim = event.event is Event.MISSED and event.proof.verdict is Verdict.PROVED and event.proof.mate_in is None
    if is_claim and event.played_loss is not None and event.played_loss < TOLD:
        return replace(event, event=Event.SPRUNG)
    return event
