"""Events take their figures from one table of values."""

from dataclasses import replace

import pytest

from annotator.comments.evaluations import evaluation
from annotator.events import TrapEvent, explained, valued
from annotator.selection import hangs_on
from db.traps.position_value import PositionValue, Values, deepest
from db.traps.terms import Event
from tests.support.told_events import gain
from trapcore import _native
from trapcore.trees.chess_game import epd_after, parse_position


def value(chance: float, effort: int = 16_000, *line: str) -> PositionValue:
    return PositionValue(chance, effort, line, "a search")


def placed(event: Event, **changes: object) -> TrapEvent:
    """An event with the positions before and after its move."""
    made = gain(event, **changes)  # type: ignore[arg-type]
    board = parse_position(made.fen)
    before = _native.epd(board.fen())
    board.push_uci(made.bait)
    baited = _native.epd(board.fen())
    if event is Event.FELL:
        return replace(made, origin=before, baited=baited, reached=baited)
    board.push_san(made.played)
    return replace(made, origin=baited, baited=baited, reached=_native.epd(board.fen()))


def with_values(event: TrapEvent, before: float, after: float, reached: float = 0.0) -> TrapEvent:
    """The event by the win chances of the victim before and after the bait, and of who is to move at the end."""
    table = {event.reached: value(reached), event.baited: value(-after), _native.epd(event.fen): value(before)}
    (found,) = valued([event], table)
    return found


def test_a_losing_move_costs_the_difference_of_two_positions() -> None:
    found = with_values(placed(Event.FELL), 0.3, -0.4)
    assert (found.before, found.after) == (0.3, -0.4)
    assert found.played_loss == pytest.approx(0.7)
    assert found.reached_chance == -0.4
    assert found.loss == pytest.approx(0.7)
    assert evaluation([found], None, {}) != ""


def test_a_known_trap_stays_without_figures_that_deny_it() -> None:
    found = with_values(placed(Event.FELL, known=True), 0.1, 0.0)
    assert (found.known, found.before, found.after, found.proof.loss) == (True, None, None, None)


def test_the_figures_of_a_deeper_search_are_told_however_much_it_differs() -> None:
    event = placed(Event.FELL, before=0.3, after=-0.4)
    found = with_values(event, 0.6, -0.4)
    assert (found.before, found.settled) == (0.6, True)
    assert not with_values(replace(event, settled=False), 0.3, -0.4).settled


def test_a_mate_that_the_line_comes_to_is_proved() -> None:
    fen = "1r2r1k1/5p1p/2p3p1/8/1q1pQ2P/1P1B4/1KP2R2/5R2 w - - 1 30"
    baited = epd_after(fen, "e4h1")
    line = ("b4c3", "b2b1", "b8a8", "d3a6", "a8a6")
    event = placed(Event.FELL, fen=fen, bait="e4h1", baited=baited, before=0.0, after=-1.0, best="e4c6")
    event = replace(event, killer_line=line, killer_line_san=tuple(_native.sans(baited, line)), best_line_san=("Qxc6",))
    (found,) = explained([event])
    assert found.proof.mate_in == 4
    assert found.killer_line_san[-1].endswith("#")
    assert found.killer_line_san[0] == event.killer_line_san[0]
    (open_,) = explained([replace(event, after=-0.5)])
    assert open_.proof.mate_in is None, "nobody looks for a mate where the player is not lost"


@pytest.mark.parametrize(("reached", "event"), [(-0.4, Event.SPRUNG), (0.1, Event.MISSED)])
def test_an_answer_has_missed_the_killer_only_if_it_gives_enough_back(reached: float, event: Event) -> None:
    found = with_values(placed(Event.MISSED), 0.2, -0.4, reached)
    assert found.event is event
    assert found.played_loss == pytest.approx(0.4 + reached)


def test_the_better_move_is_that_of_the_deepest_search() -> None:
    event = placed(Event.FELL)
    epd = _native.epd(event.fen)
    (best,) = [move for move in _legal(epd) if move != event.bait][:1]
    tables: list[Values] = [{epd: value(0.2, 4_000)}, {epd: value(0.3, 64_000, best), event.baited: value(0.4)}]
    (found,) = valued([event], deepest(tables))
    assert (found.before, found.best, len(found.best_line_san)) == (0.3, best, 1)


def _legal(epd: str) -> list[str]:
    return [move.uci() for move in parse_position(epd).legal_moves]


def test_a_claim_goes_with_what_it_costs() -> None:
    event = placed(Event.FELL, known=False)
    assert hangs_on(with_values(event, 0.3, -0.4))
    assert not hangs_on(with_values(event, 0.1, 0.0))
