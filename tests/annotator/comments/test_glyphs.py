"""A glyph follows from what the move costs that carries it, and from nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from annotator.comments.glyphs import BLUNDERED, DUBIOUS, GOOD, INTERESTING, MISTAKEN, glyph
from annotator.comments.threats import is_threat
from annotator.events import EventProof, TrapEvent
from db.traps.terms import Event
from db.wording.moves import CONFIDENT
from tests.support.told_events import gain, legal, unlike
from trapcore.proof.verdict import Verdict

#: White has played 1.Qh5 or the like: the bait 1...a6 does nothing about the mate on f7.
THREAT = unlike(
    Event.SET,
    fen="r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3",
    bait="a7a6",
    bait_san="a6",
    killer_line=("h5f7",),
    killer_line_san=("Qxf7#",),
    proof=EventProof(Verdict.PROVED, 1, 10, "prover"),
    threat=True,
    best=None,
    best_san=None,
    best_line_san=(),
)


#: 5...Qg4 leaves the rook on h8 hanging; 5...Kd7 runs into a fork of king and rook that takes nothing.
TAKES_A_ROOK = unlike(
    Event.SPRUNG,
    fen="4k2r/8/8/8/3q4/8/6B1/1K5R b - - 0 5",
    bait="d4g4",
    bait_san="Qg4",
    killer_line=("h1h8",),
    killer_line_san=("Rxh8+",),
    proof=EventProof(Verdict.PROVED, None, 10, "search"),
    only_move=True,
)
FORKS = replace(
    TAKES_A_ROOK,
    fen="r3k3/8/8/3N4/8/8/8/1K6 b - - 0 5",
    bait="e8d7",
    bait_san="Kd7",
    killer_line=("d5b6",),
    killer_line_san=("Nb6+",),
)
MATES_AT_ONCE = legal(Event.SPRUNG, only_move=True, proof=EventProof(Verdict.PROVED, 1, 10, "prover"))


def of(*events: TrapEvent) -> int | None:
    """The glyph of a move of which everything is told."""
    return glyph(events, events)


@pytest.mark.parametrize("event", [Event.FELL, Event.MISSED, Event.SET])
@pytest.mark.parametrize(
    ("loss", "expected"),
    [(0.3, BLUNDERED), (1.5, BLUNDERED), (0.29, MISTAKEN), (0.2, MISTAKEN), (0.19, DUBIOUS), (0.1, DUBIOUS)],
)
def test_what_a_move_costs_comes_first(event: Event, loss: float, expected: int) -> None:
    # Also where the event alone would be to the mover's credit.
    assert of(legal(event, played_loss=loss, only_move=True)) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"probability": CONFIDENT}, BLUNDERED),
        ({"probability": 0.89}, MISTAKEN),
        ({"probability": None}, BLUNDERED),  # an engine decided
        ({"probability": 0.5, "known": True}, BLUNDERED),
        ({"probability": 0.5, "proof": EventProof(Verdict.PROVED, 2, 10, "prover")}, BLUNDERED),
        ({"probability": 0.5, "event": Event.MISSED}, BLUNDERED),  # it is the bait's, and this is the answer
        ({"probability": 0.5, "played_loss": 0.15}, DUBIOUS),
    ],
)
def test_a_search_alone_gives_no_blunder_that_it_holds_unlikely(changes: dict[str, Any], expected: int) -> None:
    assert of(replace(gain(Event.FELL, known=False, played_loss=0.4), **changes)) == expected


@pytest.mark.parametrize("event", list(Event))
def test_what_is_not_proved_gives_no_glyph(event: Event) -> None:
    open_ = replace(legal(event, played_loss=0.9), proof=EventProof(Verdict.UNDECIDED, None, 8, ""))
    assert of(open_) is None


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (legal(Event.AVOIDED, only_move=True, played="Be6"), GOOD),
        (unlike(Event.AVOIDED, only_move=True, played="Be6"), GOOD),  # the bait takes a queen
        (legal(Event.AVOIDED, only_move=True, played="dxe5"), None),  # it takes back
        (legal(Event.AVOIDED), None),
        (unlike(Event.AVOIDED, only_move=True, bait="h7h6"), None),  # which tempts nobody
        (legal(Event.SPRUNG, only_move=True), GOOD),
        (legal(Event.SPRUNG), None),
        (gain(Event.SPRUNG, only_move=True), None),  # the killer takes back
        (MATES_AT_ONCE, None),
        (TAKES_A_ROOK, None),
        (FORKS, GOOD),
        (legal(Event.FELL, only_move=True), None),
        (legal(Event.MISSED, only_move=True, played_loss=0.02), DUBIOUS),  # a mate was let go
        (legal(Event.MISSED, only_move=True), None),  # it mates later
        (legal(Event.SET, only_move=True), INTERESTING),
    ],
)
def test_a_good_move_is_the_only_one_where_that_is_hard_to_see(event: TrapEvent, expected: int | None) -> None:
    assert of(event) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (legal(Event.SET), INTERESTING),
        (unlike(Event.SET), INTERESTING),
        (legal(Event.SET, played_loss=0.09), INTERESTING),
        (legal(Event.SET, played_loss=0.1), DUBIOUS),
        (THREAT, None),
        (replace(THREAT, known=True), None),  # a known trap, but nothing is offered
    ],
)
def test_an_interesting_move_sets_a_trap_and_costs_little(event: TrapEvent, expected: int | None) -> None:
    assert of(event) == expected


def test_a_move_is_not_blamed_for_what_its_comment_does_not_tell() -> None:
    assert of(legal(Event.AVOIDED, played_loss=0.4)) is None
    assert glyph([], [legal(Event.FELL, played_loss=0.4)]) is None
    assert glyph([], [legal(Event.SPRUNG, only_move=True)]) == GOOD


@pytest.mark.parametrize("event", list(Event))
def test_there_is_no_glyph_where_the_cost_is_not_known(event: Event) -> None:
    assert of(legal(event, played_loss=None, only_move=True)) is None


def test_a_threat_would_come_after_any_move_and_its_bait_wins_nothing() -> None:
    assert is_threat(THREAT)
    assert not is_threat(replace(THREAT, threat=False))
    assert not is_threat(unlike(Event.SET, threat=True))  # 5...Bxd1 wins the queen, at first sight
