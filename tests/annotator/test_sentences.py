"""What is said of an event: what happened, what it cost, what was better; in percent, and nothing twice."""

from dataclasses import replace
from typing import Any

import pytest

from annotator.comments.commentary import annotations, remarks
from annotator.comments.pgn_insert import Layout
from annotator.comments.sentences import sentence
from annotator.events import EventProof, TrapEvent
from annotator.selection import hangs_on
from db.traps.terms import Event
from db.traps.wording import percent_of_chance
from tests.annotator.test_glyphs import THREAT
from tests.support.told_events import gain, legal, unlike
from tests.support.trap_games import LEGAL
from trapcore.proof.verdict import Verdict

NOT_MEASURED: dict[str, Any] = {"before": None, "after": None, "best": None, "best_san": None, "played_loss": None}


def said(event: TrapEvent) -> str:
    return "".join(sentence(event))


@pytest.mark.parametrize(
    ("chance", "words"), [(-1.0, "0 %"), (0.0, "50 %"), (0.24, "62 %"), (-0.64, "18 %"), (1.0, "100 %")]
)
def test_win_chances_are_percent(chance: float, words: str) -> None:
    assert percent_of_chance(chance) == words


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (legal(Event.SET), "Sets Légal's Mate: 5...Bxd1?? allows mate in 2 by 6.Bxf7+ (48 % to 0 %)."),
        (unlike(Event.SET), "Sets a trap: 5...Bxd1?? allows mate in 2 by 6.Bxf7+ (48 % to 0 %)."),
        (THREAT, "Threatens 6.Qxf7#."),
        (
            replace(THREAT, proof=EventProof(Verdict.PROVED, 3, 10, ""), killer_line_san=("Qxf7+", "Kd8", "Qf8#")),
            "Threatens 6.Qxf7+, mate in 3.",
        ),
        (
            legal(Event.SET, played_loss=0.5, before=0.4),
            "Sets Légal's Mate: 5...Bxd1?? allows mate in 2 by 6.Bxf7+ (70 % to 0 %). "
            "But 5...dxe5 is the answer: from 55 % to 30 %.",
        ),
        (
            legal(Event.FELL),
            "Falls into Légal's Mate: mate in 2 by 6.Bxf7+ Ke7 7.Nd5#, from 48 % to 0 %. Better 5...dxe5.",
        ),
        (legal(Event.FELL, **NOT_MEASURED), "Falls into Légal's Mate: mate in 2 by 6.Bxf7+ Ke7 7.Nd5#."),
        (
            unlike(Event.FELL),
            "5...Bxd1?? allows mate in 2 by 6.Bxf7+ Ke7 7.Nd5#: from 48 % to 0 %. Better 5...dxe5.",
        ),
        (
            gain(Event.FELL),
            "6.Nxd5?? loses by 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+: from 55 % to 20 %. Better 6.e3.",
        ),
        (
            gain(Event.FELL, before=0.9, after=0.4),  # which is far from lost
            "6.Nxd5?? allows 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+: from 95 % to 70 %. Better 6.e3.",
        ),
        (legal(Event.AVOIDED), "Avoids Légal's Mate: 5...Bxd1?? allows mate in 2 by 6.Bxf7+ (48 % to 0 %)."),
        (gain(Event.AVOIDED), "Avoids 6.Nxd5??, which loses to 6...Nxd5 (55 % to 20 %)."),
        (gain(Event.AVOIDED, before=0.9, after=0.4), "Avoids 6.Nxd5??, which allows 6...Nxd5 (95 % to 70 %)."),
        (legal(Event.SPRUNG), "Springs Légal's Mate: mate in 2 by 6.Bxf7+ Ke7 7.Nd5#."),
        (gain(Event.SPRUNG), "Punishes 6.Nxd5: 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+."),
        (legal(Event.MISSED, played_loss=1.1), "Misses 6.Bxf7+, mate in 2 (Légal's Mate): from 100 % to 45 %."),
        (unlike(Event.MISSED, played_loss=0.05), "Misses 6.Bxf7+, mate in 2."),
        (gain(Event.MISSED, played_loss=0.5), "Misses 6...Nxd5: from 80 % to 55 %."),
        (gain(Event.MISSED, **NOT_MEASURED), "Misses 6...Nxd5."),
    ],
)
def test_what_is_said(event: TrapEvent, words: str) -> None:
    assert said(event) == words


def test_a_long_mate_is_cut_short_and_says_so() -> None:
    line = ("Qe8+", "Kh7", "Qe4+", "g6", "Qe7+", "Kh6", "Qf8+", "Kh5", "Qh8#")
    long = unlike(Event.FELL, proof=EventProof(Verdict.PROVED, 5, 10, ""), killer_line_san=line)
    assert "mate in 5 by 6.Qe8+ Kh7 7.Qe4+ g6 8.Qe7+ ...: from" in said(long)


@pytest.mark.parametrize(
    ("similarity", "name", "head"),
    [
        (0.79, "Légal's Mate", "5...Bxd1?? allows"),
        (0.8, "Légal's Mate", "Like Légal's Mate: 5...Bxd1?? allows"),
        (0.99, "Lichess puzzle 08Hl2", "5...Bxd1?? allows"),
    ],
)
def test_a_similar_trap_is_named_where_that_means_something(similarity: float, name: str, head: str) -> None:
    alike = legal(Event.FELL, known=False, similarity=similarity, trap=replace(LEGAL, name=name))
    assert said(alike).startswith(head)
    for event in Event:
        words = said(legal(event, known=False, similarity=similarity, trap=replace(LEGAL, name=name)))
        assert "08Hl2" not in words
        assert "similarity" not in words


def test_no_figure_is_said_that_was_not_measured() -> None:
    for event in Event:
        words = said(unlike(event, **NOT_MEASURED))
        assert "%" not in words
        assert "??" not in words
        assert "Better" not in words


def test_a_gain_of_the_library_is_told_in_points() -> None:
    measured = replace(LEGAL, gain=0.82, mate_in=None)
    known = gain(Event.FELL, **NOT_MEASURED, known=True, trap=measured, proof=EventProof(Verdict.PROVED, None, 0, ""))
    assert "at a cost of 41 percentage points." in said(known)


def test_what_is_not_proved_says_so() -> None:
    open_ = EventProof(Verdict.UNDECIDED, None, 8, "")
    assert said(gain(Event.FELL, proof=open_, probability=0.72)) == (
        "Unproved: 6.Nxd5 may be answered by 6...Nxd5 (probability 72 %); not proved."
    )
    assert said(legal(Event.FELL, proof=open_)).startswith("Unproved: the position of Légal's Mate;")


# Nothing twice ------------------------------------------------------------------------------------------------------


def text_of(*events: TrapEvent) -> str:
    """All that is inserted for the events of a game."""
    inserted = annotations(events, b" " * 500, Layout(False, "\n", "utf-8"))
    return " ".join(text.decode() for _, text in inserted)


def test_who_springs_says_nothing_that_was_said() -> None:
    assert text_of(legal(Event.FELL), legal(Event.SPRUNG)).count("Nd5#") == 1
    assert "Springs" not in text_of(legal(Event.FELL), legal(Event.SPRUNG))
    assert "$1" in text_of(legal(Event.FELL), legal(Event.SPRUNG, only_move=True))
    assert "Springs Légal's Mate: mate in 2 by 6.Bxf7+ Ke7 7.Nd5#." in text_of(legal(Event.SPRUNG))


def test_the_line_is_shown_where_it_was_missed() -> None:
    text = text_of(legal(Event.FELL), legal(Event.MISSED, played_loss=1.1))
    assert "mate in 2 by 6.Bxf7+, from" in text
    assert text.count("Nd5#") == 1
    assert "( 6. Bxf7+ Ke7 7. Nd5# )" in text


def test_what_was_set_is_not_told_again_where_it_is_avoided() -> None:
    text = text_of(legal(Event.SET), legal(Event.AVOIDED))
    assert "{ Avoids Légal's Mate. }" in text
    assert text.count("(48 % to 0 %)") == 1
    assert "( 5... Bxd1 6. Bxf7+ Ke7 7. Nd5# )" in text
    assert "which loses to" in text_of(replace(THREAT, event=Event.SET), gain(Event.AVOIDED))


def answered(**changes: Any) -> TrapEvent:
    """The move 6.Nxd1, which misses the mate, as one that loses itself."""
    moved: dict[str, Any] = {"ply": 11, "trap_ply": 11, "number": 6, "mover": "white", "bait_san": "Nxd1"}
    return unlike(
        Event.FELL, **{**moved, "bait": "c3d1", "proof": EventProof(Verdict.PROVED, None, 9, "", 0.9), **changes}
    )


def test_a_move_that_loses_and_misses_is_one_slip() -> None:
    missed = legal(Event.MISSED, played_loss=0.9)
    lost, enough = answered(before=1.0, after=-0.5), answered(before=1.0, after=0.1)
    assert [event.event for event in remarks([lost, missed])] == [Event.FELL]
    assert [event.event for event in remarks([enough, missed])] == [Event.MISSED]
    text = text_of(lost, missed)
    assert "6.Nxd1?? loses by" in text
    assert "Better 6.Bxf7+, mate in 2." in text
    assert "Misses" not in text
    assert text.count("{ ") == 2  # shapes, words


def test_one_move_has_one_comment() -> None:
    text = text_of(legal(Event.AVOIDED), replace(THREAT, ply=10, trap_ply=11, number=5, mover="black"))
    assert text.count("{ ") == 2
    assert "(48 % to 0 %). Threatens" in text


def test_the_same_slip_in_the_same_position_is_told_once() -> None:
    again = legal(Event.FELL, ply=14, trap_ply=14, number=7)
    assert text_of(legal(Event.FELL), again).count("Falls into") == 1
    elsewhere = replace(again, fen=again.fen.replace("ppp", "1pp", 1))
    assert text_of(legal(Event.FELL), elsewhere).count("Falls into") == 2


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (legal(Event.FELL), True),
        (unlike(Event.FELL, before=-0.8), False),  # lost anyway
        (legal(Event.FELL, before=-0.8), True),
        (unlike(Event.FELL, **NOT_MEASURED), True),
        (unlike(Event.MISSED, before=-0.8), True),
        (gain(Event.MISSED, before=-0.4), False),
        (legal(Event.AVOIDED), True),
        (unlike(Event.AVOIDED, played="Qf6#", fen="4k3/8/8/8/8/8/8/4K3 b - - 0 1"), False),
        (
            unlike(Event.AVOIDED, played="Nf6", fen="rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
            False,  # Petrov's Defence
        ),
    ],
)
def test_nothing_is_told_where_nothing_hung_on_it(event: TrapEvent, expected: bool) -> None:
    assert hangs_on(event) is expected
