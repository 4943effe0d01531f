"""What is told of the events of a game: what happened, what it cost, what was better; in percent, and nothing twice."""

from dataclasses import replace
from typing import Any

import pytest

from annotator.comments.commentary import Commentator
from annotator.comments.own_comments import unmarked
from annotator.comments.pgn_insert import Layout, spliced
from annotator.comments.style import Style
from annotator.comments.telling import Said, chosen, words
from annotator.events import EventProof, TrapEvent
from annotator.selection import hangs_on
from db.traps.terms import Event
from db.wording.languages.available import LANGUAGES, Language
from db.wording.languages.grammar import Verbosity
from db.wording.sentences import Narrator
from tests.annotator.comments.test_glyphs import THREAT
from tests.support.told_events import after, anchor_of, gain, legal, unlike
from tests.support.trap_games import LEGAL
from trapcore.proof.verdict import Verdict

NOT_MEASURED: dict[str, Any] = {"before": None, "after": None, "best": None, "best_san": None, "played_loss": None}


def comment(event: TrapEvent, verbosity: Verbosity = Verbosity.NORMAL, language: Language = Language.EN) -> str:
    return words(event, Narrator(LANGUAGES[language], verbosity))


CASES = [
    (
        legal(Event.SET),
        "Sets Légal's Mate: the queen on d1 can be taken, but 5...Bxd1?? 6.Bxf7+ Ke7 7.Nd5#. "
        "Black can simply take with 5...dxe5.",
        "Stellt eine Falle (Légal's Mate): die Dame auf d1 kann genommen werden, doch 5...Bxd1?? 6.Bxf7+ Ke7 7.Nd5#. "
        "Schwarz kann einfach mit 5...dxe5 schlagen.",
    ),
    (
        legal(Event.SET, played_loss=0.5, before=0.4),
        "Sets Légal's Mate: the queen on d1 can be taken, but 5...Bxd1?? 6.Bxf7+ Ke7 7.Nd5#. "
        "But 5...dxe5 is a good answer (55 % → 30 %).",
        "Stellt eine Falle (Légal's Mate): die Dame auf d1 kann genommen werden, doch 5...Bxd1?? 6.Bxf7+ Ke7 7.Nd5#. "
        "Aber 5...dxe5 ist eine gute Antwort (55 % → 30 %).",
    ),
    (THREAT, "Threatens 6.Qxf7#.", "Droht 6.Qxf7#."),
    (
        legal(Event.FELL),
        "Falls into Légal's Mate: 6.Bxf7+ Ke7 7.Nd5#. 5...dxe5 stops the mate (48 % → 0 %).",
        "Fällt herein auf eine Falle (Légal's Mate): 6.Bxf7+ Ke7 7.Nd5#. 5...dxe5 verhindert das Matt (48 % → 0 %).",
    ),
    (
        legal(Event.FELL, **NOT_MEASURED),
        "Falls into Légal's Mate: 6.Bxf7+ Ke7 7.Nd5#.",
        "Fällt herein auf eine Falle (Légal's Mate): 6.Bxf7+ Ke7 7.Nd5#.",
    ),
    (
        unlike(Event.FELL),
        "5...Bxd1?? allows mate in 2: 6.Bxf7+ Ke7 7.Nd5#. 5...dxe5 stops the mate (48 % → 0 %).",
        "5...Bxd1?? erlaubt Matt in 2: 6.Bxf7+ Ke7 7.Nd5#. 5...dxe5 verhindert das Matt (48 % → 0 %).",
    ),
    (
        legal(Event.FELL, known=False, similarity=0.8, trap=replace(LEGAL, family="legal")),
        "5...Bxd1?? allows mate in 2, the same idea as Légal's mate: 6.Bxf7+ Ke7 7.Nd5#. "
        "5...dxe5 stops the mate (48 % → 0 %).",
        "5...Bxd1?? erlaubt Matt in 2, nach demselben Muster wie Légals Matt: 6.Bxf7+ Ke7 7.Nd5#. "
        "5...dxe5 verhindert das Matt (48 % → 0 %).",
    ),
    (
        gain(Event.FELL),
        "6.Nxd5?? loses a knight for a pawn: 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+ 9.Kxd2 Kxd8. "
        "6.e3 keeps the balance (55 % → 20 %).",
        "6.Nxd5?? verliert einen Springer für einen Bauern: 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+ 9.Kxd2 Kxd8. "
        "6.e3 hält das Gleichgewicht (55 % → 20 %).",
    ),
    (
        gain(Event.AVOIDED),
        "Rightly avoids 6.Nxd5??, which loses a knight for a pawn after 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+ 9.Kxd2 Kxd8.",
        "Vermeidet zu Recht 6.Nxd5??, weil das einen Springer für einen Bauern verliert: 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 "
        "Bxd2+ 9.Kxd2 Kxd8.",
    ),
    (
        legal(Event.AVOIDED),
        "Avoids Légal's Mate, where 5...Bxd1?? allows mate in 2 after 6.Bxf7+ Ke7 7.Nd5#.",
        "Vermeidet eine Falle (Légal's Mate): 5...Bxd1?? erlaubt Matt in 2: 6.Bxf7+ Ke7 7.Nd5#.",
    ),
    (
        legal(Event.SPRUNG),
        "Springs Légal's Mate: 6.Bxf7+ Ke7 7.Nd5#.",
        "Nutzt eine Falle (Légal's Mate): 6.Bxf7+ Ke7 7.Nd5#.",
    ),
    (
        legal(Event.MISSED, played_loss=1.1),
        "White does not spring Légal's Mate: 6.Bxf7+ is mate in 2 (100 % → 45 %).",
        "Weiß nutzt eine Falle (Légal's Mate) nicht: 6.Bxf7+ ist Matt in 2 (100 % → 45 %).",
    ),
    (
        unlike(Event.MISSED, played_loss=0.05),
        "White misses 6.Bxf7+, a mate in 2.",
        "Weiß übersieht 6.Bxf7+, Matt in 2.",
    ),
    (
        gain(Event.MISSED, played_loss=0.5),
        "Black misses 6...Nxd5, winning the knight (80 % → 55 %).",
        "Schwarz übersieht 6...Nxd5; das gewinnt den Springer (80 % → 55 %).",
    ),
]


@pytest.mark.parametrize(("event", "english", "german"), CASES)
def test_what_is_said(event: TrapEvent, english: str, german: str) -> None:
    assert comment(event) == english
    assert comment(event, language=Language.DE) == german


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (unlike(Event.FELL), "Allows mate in 2: 6.Bxf7+ Ke7 7.Nd5#."),
        (
            gain(Event.FELL),
            "Loses a knight for a pawn: 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+ 9.Kxd2 Kxd8.",
        ),
        (legal(Event.FELL), "Falls into Légal's Mate: 6.Bxf7+ Ke7 7.Nd5#."),
        (unlike(Event.MISSED, played_loss=1.1), "White misses 6.Bxf7+, a mate in 2 (100 % → 45 %)."),
    ],
)
def test_the_brief_form_says_what_happened_and_why(event: TrapEvent, expected: str) -> None:
    assert comment(event, Verbosity.BRIEF) == expected


def test_a_long_mate_is_cut_short_and_says_so() -> None:
    fen = "7k/8/5K2/8/8/8/8/R7 b - - 0 1"
    line = ("f6f7", "h7h6", "a1h1", "h6g5", "h1g1", "g5f4", "g1g6", "f4e5", "g6h6")
    long = unlike(
        Event.FELL, fen=fen, bait="h8h7", bait_san="Kh7", killer_line=line, proof=EventProof(Verdict.PROVED, 9, 10, ""),
        best=None, best_san=None, best_line_san=(),
    )  # fmt: skip
    assert comment(long).startswith("5...Kh7?? allows mate in 9: 6.Kf7 Kh6 7.Rh1+ Kg5 8.Rg1+ ...")


@pytest.mark.parametrize("name", ["Légal's Mate", "Lichess puzzle 08Hl2"])
def test_a_similar_trap_is_never_named_by_its_opening_or_number(name: str) -> None:
    for event in Event:
        text = comment(legal(event, known=False, similarity=0.99, trap=replace(LEGAL, name=name, family="london")))
        assert name not in text
        assert "similar" not in text


def test_no_figure_is_said_that_was_not_measured() -> None:
    for event in Event:
        text = comment(unlike(event, **NOT_MEASURED))
        assert "%" not in text
        assert "??" not in text
        assert "kept" not in text


def test_what_is_not_proved_says_so() -> None:
    open_ = EventProof(Verdict.UNDECIDED, None, 8, "")
    assert comment(gain(Event.FELL, proof=open_)) == "Unproved: 6.Nxd5 may be answered by 6...Nxd5; not proved."
    assert comment(legal(Event.FELL, proof=open_)) == (
        "Unproved: the position of Légal's Mate; 5...Bxd1 was not proved to lose to 6.Bxf7+."
    )


# Nothing twice ------------------------------------------------------------------------------------------------------


def text_of(*events: TrapEvent, commentator: Commentator | None = None, **style: Any) -> str:
    """All that is inserted for the events of a game."""
    commentator = commentator or Commentator.of(Style(**style))
    written = commentator.comment(events, b" " * 500, Layout(False, "\n", "utf-8"), set())
    return unmarked(spliced(b" " * 500, written.edits)).decode().strip()


def test_a_known_trap_is_news_once_in_a_file() -> None:
    commentator = Commentator.of(Style())
    first, second, third = (
        text_of(legal(Event.SET), legal(happened), commentator=commentator)
        for happened in (Event.AVOIDED, Event.AVOIDED, Event.FELL)
    )
    assert "Sets Légal's Mate" in first
    assert second == ""
    assert "Sets Légal's Mate" in third
    assert "Takes the bait" in third
    full = Commentator.of(Style(verbosity=Verbosity.FULL))
    for _ in range(2):
        assert "Sets Légal's Mate" in text_of(legal(Event.SET), legal(Event.AVOIDED), commentator=full)


def test_threats_and_what_was_left_alone_are_told_in_full_only() -> None:
    for events in ([THREAT], [gain(Event.AVOIDED)]):
        assert text_of(*events, verbosity=Verbosity.NORMAL) == ""
        assert text_of(*events, verbosity=Verbosity.BRIEF) == ""
        assert text_of(*events, verbosity=Verbosity.FULL) != ""
    quiet = replace(THREAT, kind="quiet")
    assert text_of(quiet, verbosity=Verbosity.FULL) == "", "a move like castling threatens nothing that one sees"
    hard = text_of(unlike(Event.AVOIDED, only_move=True, played="Be6"))  # the bait takes the queen
    assert hard.startswith("$1")
    # What follows stands beside it, as a variation, and so once.
    assert "{ Rightly avoids 5...Bxd1??, which allows mate in 2: 6.Bxf7+. } ( 5... Bxd1 6. Bxf7+ Ke7 7. Nd5# )" in hard


def test_nobody_is_praised_for_a_queen_that_is_not_left_hanging() -> None:
    fen = "r3r1k1/p4p1p/1pq3p1/4P2n/3p4/B1P3P1/PP3PBP/R4QK1 b - - 0 19"
    left = gain(Event.AVOIDED, fen=fen, bait="d4c3", bait_san="dxc3", killer_line=("g2c6",), killer_line_san=("Bxc6",))
    assert text_of(replace(left, mover="black", played="Qd7"), verbosity=Verbosity.FULL) == ""


def test_a_move_that_the_game_itself_calls_bad_is_not_praised() -> None:
    for sign in ("?", "??", "?!", " $6"):
        judged = anchor_of(f"1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 dxe5{sign} *\n", 1)
        assert text_of(unlike(Event.AVOIDED, only_move=True, anchor=judged)) == "", sign
    praised = anchor_of("1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 dxe5! *\n", 1)
    assert "Rightly avoids" in text_of(unlike(Event.AVOIDED, only_move=True, anchor=praised))


def answered(**changes: Any) -> TrapEvent:
    """The move 6.Nxd1, which misses the mate, as one that loses itself."""
    board = LEGAL.board()
    board.push_uci(LEGAL.bait)
    moved: dict[str, Any] = {"ply": 11, "trap_ply": 11, "number": 6, "mover": "white", "bait_san": "Nxd1"}
    line: dict[str, Any] = {"killer_line": ("d6e5",), "killer_line_san": ("dxe5",), "fen": board.fen()}
    best: dict[str, Any] = {"best": "c4f7", "best_san": "Bxf7+", "best_line_san": ("Bxf7+", "Ke7", "Nd5#")}
    proof = EventProof(Verdict.PROVED, None, 9, "", 0.9)
    return unlike(Event.FELL, **{**moved, **line, **best, "bait": "c3d1", "proof": proof, **changes})


def test_a_move_that_loses_and_misses_is_one_slip() -> None:
    missed = unlike(Event.MISSED, played_loss=0.9)
    lost, enough = answered(before=1.0, after=-0.5), answered(before=1.0, after=0.1)
    assert [event.event for event in chosen([lost, missed])] == [Event.FELL]
    assert [event.event for event in chosen([enough, missed])] == [Event.FELL]
    text = text_of(lost, missed)
    assert "{ 6.Bxf7+ is mate in 2 (100 % -> 25 %). }" in text
    assert "Misses" not in text
    assert text.count("{ ") == 2  # shapes, words


def test_the_same_slip_in_the_same_position_is_told_once() -> None:
    again = legal(Event.FELL, ply=14, trap_ply=14, number=7)
    assert text_of(legal(Event.FELL), again).count("Falls into") == 1
    still = after(legal(Event.FELL), "h2h3", "h7h6")
    assert "Still allows 7.Bxf7+." in text_of(legal(Event.FELL), still)


def test_the_same_slip_a_move_later_is_told_as_the_same() -> None:
    first = gain(Event.FELL)
    better: dict[str, Any] = {"best": "d5f6", "best_san": "Nxf6+", "best_line_san": ("Nxf6+", "Nxf6")}
    text = text_of(first, after(first, "a7a6", "h2h3", **better))
    assert text.count("Loses a knight for a pawn") == 1
    assert "Still allows 7...Nxd5. 7.Nxf6+ " in text


def test_what_was_not_there_all_the_time_is_not_still_there() -> None:
    first = gain(Event.FELL)
    # The piece that is taken comes to the square only now.
    elsewhere = replace(first, ply=13, trap_ply=13, number=7, fen=first.fen.replace("/PP2PPPP/", "/P3PPPP/", 1))
    assert "Still" not in text_of(first, elsewhere)
    # Between the two moves was another, after which nobody knows.
    later = after(first, "a7a6", "e2e3")
    assert "Still" not in text_of(first, replace(later, ply=15, trap_ply=15))
    # The better move allows the same answer.
    same: dict[str, Any] = {"best": "h2h3", "best_san": "h3", "best_line_san": ("h3", "Nxd5")}
    assert "Still" not in text_of(first, after(first, "a7a6", "e2e3", **same))


@pytest.mark.parametrize(
    ("event", "english", "german"),
    [
        # Another move than the killer mates only where a mate was proved.
        (gain(Event.SPRUNG, played="Kf8"), "Punishes 6.Nxd5??, which loses a knight for a pawn.",
         "Bestraft 6.Nxd5??; das verliert einen Springer für einen Bauern."),
        (unlike(Event.SPRUNG, played="Nxd1"), "6.Nxd1 mates as well as 6.Bxf7+.",
         "6.Nxd1 setzt ebenso matt wie 6.Bxf7+."),
        (legal(Event.SPRUNG, played="Nxd1"), "Springs Légal's Mate: 6.Nxd1 mates as well as 6.Bxf7+.",
         "Nutzt eine Falle (Légal's Mate): 6.Nxd1 setzt ebenso matt wie 6.Bxf7+."),
        (gain(Event.SPRUNG, played="Kf8", trap=LEGAL, known=True),
         "Springs Légal's Mate in another way than 6...Nxd5.",
         "Nutzt eine Falle (Légal's Mate) auf andere Weise als mit 6...Nxd5."),
        # The killer was played: what it does is told, and the line where more than one move does it.
        (gain(Event.SPRUNG), "Punishes 6.Nxd5??, which loses a knight for a pawn: 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+ "
         "9.Kxd2 Kxd8.", "Bestraft 6.Nxd5??; das verliert einen Springer für einen Bauern: 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 "
         "Bxd2+ 9.Kxd2 Kxd8."),
        (unlike(Event.SPRUNG), "Punishes 5...Bxd1??, which allows mate in 2: 6.Bxf7+ Ke7 7.Nd5#.",
         "Bestraft 5...Bxd1??; das erlaubt Matt in 2: 6.Bxf7+ Ke7 7.Nd5#."),
        (gain(Event.SPRUNG, killer_line=("d7b6",), killer_line_san=("Nb6",), played="Nb6"), "Punishes 6.Nxd5??.",
         "Bestraft 6.Nxd5??."),
    ],
)  # fmt: skip
def test_who_finds_the_answer_reads_what_it_wins(event: TrapEvent, english: str, german: str) -> None:
    assert comment(event) == english
    assert comment(event, language=Language.DE) == german


def test_what_is_missed_again_is_told_as_the_same() -> None:
    def missed(fell: TrapEvent) -> TrapEvent:
        return replace(fell, event=Event.MISSED, ply=fell.ply + 1, played="a6", mover="black", played_loss=0.5)

    first = gain(Event.FELL)
    still = after(first, "a7a6", "h2h3")
    text = text_of(first, missed(first), still, missed(still))
    assert text.count("Black misses 6...Nxd5, winning the knight (80 % -> 55 %).") == 1
    assert "Still allows 7...Nxd5." in text
    assert text.count("Black misses 7...Nxd5 again (80 % -> 55 %).") == 1


def test_a_move_does_not_lose_all_its_words_because_an_earlier_one_has_them() -> None:
    said = Said()
    again = ("exf3", lambda: "Black misses 12...exf3 again (77 % → 45 %).")
    assert said.once(3, lambda: "Black misses 11...exf3 again.") == "Black misses 11...exf3 again."
    assert said.once(5, lambda: "Black misses 12...exf3, winning the knight.", again).startswith("Black misses 12")
    told = said.once(7, lambda: "Black misses 12...exf3 again (77 % → 45 %).", again)
    assert told == "Black misses 12...exf3 again (77 % → 45 %)."


@pytest.mark.parametrize("event", [gain(Event.FELL), unlike(Event.FELL), legal(Event.FELL)])
@pytest.mark.parametrize("language", list(Language))
def test_an_ending_of_few_pieces_has_no_figures(event: TrapEvent, language: Language) -> None:
    settled, unsettled = comment(event, language=language), comment(replace(event, settled=False), language=language)
    assert "%" in settled
    assert "%" not in unsettled
    assert not any(word in unsettled for word in ("balance", "Gleichgewicht"))
    assert unsettled.startswith(settled.partition(":")[0])
    missed = replace(event, event=Event.MISSED, played_loss=0.6)
    assert "%" in comment(missed, language=language)
    assert "%" not in comment(replace(missed, settled=False), language=language)


@pytest.mark.parametrize(
    ("event", "command"),
    [
        (unlike(Event.FELL), "[%eval #2]"),
        (gain(Event.FELL, reached_chance=-0.6), "[%eval -3.76]"),
        (gain(Event.SET, reached_chance=-0.1), "[%eval 0.54]"),
        (gain(Event.SPRUNG, reached_chance=0.6), "[%eval -3.76]"),
        (gain(Event.FELL), ""),
    ],
)
def test_evaluations_are_written_where_they_are_asked_for(event: TrapEvent, command: str) -> None:
    assert "%eval" not in text_of(event)
    text = text_of(event, evaluations=True)
    assert command in text if command else "%eval" not in text


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (legal(Event.FELL), True),
        (unlike(Event.FELL, before=-0.8), False),  # lost anyway
        (legal(Event.FELL, before=-0.8), True),
        (unlike(Event.FELL, **NOT_MEASURED), True),
        (unlike(Event.MISSED, before=-0.8), True),
        (gain(Event.MISSED, before=-0.35), True),
        (gain(Event.MISSED, before=-0.45), False),
        (gain(Event.FELL, before=0.0, after=-0.15), False),
        (gain(Event.FELL, before=0.0, after=-0.25), True),
        (gain(Event.FELL, before=-0.6, after=-0.85), False),  # lost anyway
        (gain(Event.FELL, before=-0.6, after=-0.95), True),
        (legal(Event.AVOIDED), True),
        (legal(Event.AVOIDED, played_loss=0.09), True),
        (legal(Event.AVOIDED, played_loss=0.11), False),  # who avoids it gives something away
        (unlike(Event.AVOIDED, played="Qf6#", fen="4k3/8/8/8/8/8/8/4K3 b - - 0 1"), False),
        (
            unlike(Event.AVOIDED, played="Nf6", fen="rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
            False,  # Petrov's Defence
        ),
    ],
)
def test_nothing_is_told_where_nothing_hung_on_it(event: TrapEvent, expected: bool) -> None:
    assert hangs_on(event) is expected
