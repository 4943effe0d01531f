"""Words for causes, mechanisms and places: every key has a name, and a sentence says no more than the board."""

import pytest

from db.wording.causes import CAUSE_NAMES, cause_name, mechanism_name, place_name
from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.languages.grammar import Grammar
from db.wording.sentences import Narrator
from trapcore.proof.causes import CAUSES


def sentence_of(language: Grammar, cause: str, squares: str, fen: str, line: str, mate_in: int | None = None) -> str:
    bait, *killer = line.split()
    evidence = Evidence(
        fen=fen, half_move=3 if " b " in fen else 2, bait=bait, killer_line=tuple(killer), mate_in=mate_in,
        before=0.1, after=-0.7, cause=cause, cause_squares=tuple(squares.split()),
    )  # fmt: skip
    return Narrator(language).fell(evidence).partition(" It costs")[0].partition(" Das kostet")[0]


LEFT = "1r5k/p1p3pp/3p2n1/3B4/1q2NP2/7b/PPPQ1P2/2KR4 w - - 5 25"
BACK_RANK = "2r1r3/6bk/1p3ppp/qP2p3/P7/1Q4RN/5PPP/3R2K1 w - - 1 29"


def test_a_cause_replaces_vaguer_words() -> None:
    sentence = sentence_of(ENGLISH, "leaves", "e4 d5", LEFT, "d5b3 b4e4 d2c3 e4f4")
    assert sentence.startswith("1.Bb3?? no longer guards the knight on e4: 1...Qxe4")
    assert sentence_of(GERMAN, "leaves", "e4 d5", LEFT, "d5b3 b4e4 d2c3 e4f4").startswith(
        "1.Bb3?? deckt den Springer auf e4 nicht mehr: 1...Qxe4"
    )


def test_a_mate_is_told_with_its_cause() -> None:
    sentence = sentence_of(ENGLISH, "back_rank", "e1 g1", BACK_RANK, "d1d7 a5e1", 1)
    assert sentence.startswith("1.Rd7?? opens the back rank and allows mate: 1...Qe1#.")


def test_a_piece_that_is_not_the_one_lost_is_not_named() -> None:
    sentence = sentence_of(ENGLISH, "threat", "a2", LEFT, "d5b3 b4e4 d2c3 e4f4")
    assert sentence.startswith("1.Bb3?? loses the knight: 1...Qxe4")


#: A capture that was missed has the sentences of a piece that is left, and an attack those of the answer. The sentence
#: about the better move says what that wins.
UNSAID = ("capture_missed", "attacked", "win_missed")


def test_every_cause_has_a_name_and_a_sentence() -> None:
    assert CAUSE_NAMES.keys() == set(CAUSES)
    for language in (ENGLISH, GERMAN):
        assert len({cause_name(cause, language) for cause in CAUSES}) == len(CAUSES)
    sentences = {key.removesuffix("_mate") for key in ENGLISH.sentences if key.startswith("cause_")}
    assert sentences == {f"cause_{cause}" for cause in CAUSES if cause not in UNSAID} | {"cause_threat_line"}


@pytest.mark.parametrize(
    ("key", "english", "german"),
    [
        ("fork:N:KR", "a knight forks king and rook", "ein Springer gabelt König und Turm"),
        ("pin:B:NK", "a bishop pins the knight to the king", "ein Läufer fesselt den Springer an den König"),
        ("discoveredAttack:R:Q", "a discovered attack wins the queen", "ein Abzug gewinnt die Dame"),
        ("taken::N", "the knight moves and is taken", "der Springer zieht und wird geschlagen"),
        ("backRankMate:R:K", "a back-rank mate", "ein Grundreihenmatt"),
        ("promotion:P:", "a pawn promotes", "ein Bauer wandelt sich um"),
        ("mateIn1:Q:K", "a queen mates at once", "eine Dame setzt sofort matt"),
        (
            "missed-fork:N:KR",
            "missed chance (a knight forks king and rook)",
            "verpasste Chance (ein Springer gabelt König und Turm)",
        ),
    ],
)
def test_mechanisms_are_named(key: str, english: str, german: str) -> None:
    assert (mechanism_name(key), mechanism_name(key, GERMAN)) == (english, german)


@pytest.mark.parametrize(
    ("key", "white", "black"),
    [
        ("fork:N@c2,Ke1", "knight fork on c2, king on e1", "knight fork on c7, king on e8"),
        ("taken:@d3,Nd3", "knight taken on d3", "knight taken on d6"),
        ("mate:Q@h2,Kg1", "queen mate on h2, king on g1", "queen mate on h7, king on g8"),
        ("captured:Q@b2,Pb2", "queen takes pawn on b2", "queen takes pawn on b7"),
        ("won:B@h1,Rh1", "bishop wins rook on h1", "bishop wins rook on h8"),
        (
            "missed-fork:N@c2,Ke1",
            "missed chance (knight fork on c2, king on e1)",
            "missed chance (knight fork on c7, king on e8)",
        ),
        ("mateIn1:Q@h2,Kg1", "queen mate at once on h2, king on g1", "queen mate at once on h7, king on g8"),
        ("promotion:Q@b1", "queen promotion on b1", "queen promotion on b8"),
    ],
)
def test_places_are_named_for_both_colours(key: str, white: str, black: str) -> None:
    assert (place_name(key), place_name(key, ENGLISH, "black")) == (white, black)
