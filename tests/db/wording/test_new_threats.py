"""A move allows what is new, does not meet what was there before, and is told by what it costs.

The positions are from amateur games; the figures and lines are an engine's.
"""

from dataclasses import replace

from db.wording.effects.threats import answer_threatens
from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.languages.grammar import Verbosity
from db.wording.reasons import is_threat, was_there
from db.wording.sentences import Narrator
from tests.db.wording.test_better_moves import evidence

ADVANCE = evidence(
    "r2qkb1r/1p2pppp/p1bp1n2/2p5/4P3/1P3N2/PBPP1PPP/RN1QR1K1 b kq - 1 8",
    "g7g6 e4e5 d6e5 f3e5 d8d5 e5c6 d5c6 d1e2 e8c8 b1a3", "f6e4 Nxe4 d4 e6 dxc5 Nxc5", 0.1137, -0.1927,
    cause="capture_missed", cause_squares=("e4",), number=8,
)  # fmt: skip
NEW = evidence(
    "8/1p6/pkp5/8/5RP1/4K3/PPr5/8 w - - 0 39", "g4g5 c2g2 f4f5 c6c5 e3f3 g2g1 f3f4 g1g2 b2b3 b6b5", "f4f2 Rf2 Rc1",
    0.4437, 0.0423, cause="attacked", cause_squares=("g5", "g2"), number=39,
)  # fmt: skip
SKEWER = evidence(
    "1rb1k2r/4bppp/p1pp1n2/2p1p3/1q2P3/1PNPBQ2/P1P2PPP/2KR2NR w k - 1 12",
    "c3a4 b4a3 c1d2 c8g4 f3g3 g4d1 d2d1 a3a2 g1e2 b8b3", "g1e2 Nge2 Be6 Qg3 O-O Nb1", -0.2069, -0.5753,
    cause="skewer", cause_squares=("g4", "f3", "d1"), number=12,
)  # fmt: skip
FALSE_THREAT = evidence(
    "r2qk1nr/ppp2ppp/3bp3/6B1/2B3Q1/2N4P/PPn2PP1/R3R1K1 b kq - 1 12",
    "d8d7 e1e6 f7e6 c4e6 d6h2 g1h2 d7d6 h2g1 c2a1 c3d5", "g8f6 Nf6 Bxf6 Qxf6 Ne4 Qg6", 0.4926, -0.3983, cause="threat",
    number=12,
)  # fmt: skip
QUEEN_LEFT = evidence(
    "1r2k2r/4bpQp/2pp4/2p1P3/2P5/1PnKB3/4q1PP/6NR w k - 2 25",
    "d3c3 e2e3 c3c2 e3b3 c2d2 b3b2 d2e1 b2c3 e1f1 b8b1", "g1e2 Nxe2 Rf8 Kxc3 d5 Rd1", 0.7794, -1.0,
    cause="capture_missed", cause_squares=("e2",), number=25,
)  # fmt: skip


def fell(said: Evidence) -> str:
    return Narrator(ENGLISH, beside_move=True).fell(said)


def test_an_answer_that_was_there_before_is_not_met() -> None:
    assert was_there(ADVANCE, 1, [45])
    assert fell(ADVANCE).startswith("Does not meet 9.e5, which attacks the knight on f6. 8...Nxe4 takes the pawn on e4")
    german = Narrator(GERMAN, beside_move=True).fell(ADVANCE)
    assert german.startswith("Begegnet 9.e5 nicht; das greift den Springer auf f6 an. 8...Nxe4 schlägt den Bauern")


def test_an_answer_that_the_move_makes_possible_is_allowed() -> None:
    assert fell(NEW).startswith("Allows 39...Rg2, which attacks the pawn on g5. ")


def test_a_skewer_that_was_there_before_is_not_walked_into() -> None:
    assert fell(SKEWER).startswith("Loses the exchange: 12...Qa3+ 13.Kd2 Bg4 skewers queen and rook. ")
    # With the bishop at home on another square the same skewer is new.
    assert not was_there(replace(SKEWER, killer_line=("b4a3", "c1d2", "a3b3")), 3, [17])


def test_what_the_attacker_would_not_have_played_is_no_threat() -> None:
    # The queen guarded the bishop until she left.
    guarded = evidence(
        "1q3rk1/6pp/8/8/8/5B2/P4P2/3Q2K1 w - - 0 30", "d1d2 f8f3 g1g2", "d1d5 Qd5+ Kh8 Kg2", 0.0, -0.5, cause="threat",
        number=30,
    )  # fmt: skip
    assert not is_threat(guarded)
    assert fell(guarded).startswith("Loses the bishop: 30...Rxf3. ")
    assert "threat" not in fell(FALSE_THREAT)


def test_an_answer_is_told_by_what_it_threatens() -> None:
    said = evidence(
        "r2qk2r/2p1b2p/p1np2pn/1p2p1N1/4P1bP/2NP2Q1/PPP2PP1/R1B2RK1 w - - 0 12",
        "c3d5 c6d4 g1h1 d4e2 g3e3 c7c6 d5e7 d8e7 e3b6 g4d7", "f2f3 f3 Bc8 Nxh7 Kf7 Ng5+", -0.0991, -0.4318, number=12,
    )  # fmt: skip
    # A line that ends where the pawn is taken has nothing to take back.
    pawn = replace(said, bait="c1d2", killer_line=("d6d5", "e4d5"))
    assert answer_threatens(pawn) is None
    threat = answer_threatens(said)
    assert threat is not None
    assert threat.san == "Ne2+"
    assert fell(said).startswith("Allows 12...Nd4, which threatens 13...Ne2+. 12.f3 ")


def test_a_pawn_is_not_the_reason_where_much_more_is_lost() -> None:
    said = evidence(
        "6r1/pp1Q2rk/3p1p1q/2pPp1p1/2P4p/1P1P3P/P4PR1/1K4R1 w - - 9 29",
        "d7b5 h6g6 b1c2 g6f5 b3b4 g8c8 b5a4 f5h3 b4c5 c8c5", "d7d6 Qxd6 Qg6 Kc2 b6 Qe6", -0.1064, -0.5372,
        cause="capture_missed", cause_squares=("d6",), number=29,
    )  # fmt: skip
    assert "free" not in fell(said)
    assert fell(replace(said, after=-0.3)).startswith("Does not take the free pawn on d6: 29.Qxd6 ")


def test_what_the_line_shows_is_told_where_no_cause_is() -> None:
    said = evidence(
        "r1b2rk1/ppq1bppp/2Pp1n2/2n1p3/Q1P5/2NP2P1/P3PPBP/R1B1K1NR w KQ - 1 10",
        "c6b7 c8b7 g2b7 c5a4 b7a8 f8a8 c3a4 c7a5 e1f1 a5a4 a1b1", "a4c2 Qc2 bxc6 Nf3 d5 O-O", -0.06, -0.83, number=10,
    )  # fmt: skip
    shown = (
        "Allows 10...Bxb7 11.Bxb7 Nxa4 12.Bxa8 Rxa8 13.Nxa4 Qa5+ 14.Kf1 Qxa4, which wins the queen for a rook. 10.Qc2 "
    )
    assert fell(said).startswith(shown)


def test_a_missed_answer_is_told_by_what_it_does_and_by_what_falls_instead() -> None:
    before = evidence(
        "1r2k2r/4bpQp/2pp4/2p1P3/2P5/1PnKB3/q5PP/6NR b k - 1 24", "a2e2 g1e2", "a2b1 Qb1+ Kxc3 Rxb3+", 1.0, -0.7794,
        number=24,
    )  # fmt: skip
    narrator = Narrator(ENGLISH, beside_move=True)
    said = narrator.fell(QUEEN_LEFT, answered=before)
    assert said == (
        "Does not save the bishop on e3: 25...Qxe3+. White misses 25.Nxe2, which takes the queen on e2 (89 % → 0 %)."
    )
    again = narrator.fell(QUEEN_LEFT, answered=before, misses_again=True)
    assert again.endswith(" White misses 25.Nxe2 again (89 % → 0 %).")


def test_a_queen_that_is_given_away_is_told_beside_the_mate_that_was_missed() -> None:
    said = evidence(
        "1r2k2r/4bpQp/2pp4/2p1P3/2P5/1PnKB3/q5PP/6NR b k - 1 24",
        "a2e2 g1e2 h8f8 d3c3 d6d5 g7h6 d5d4 c3b2 f7f6 h1a1",
        "a2b1 Qb1+ Kxc3 Rxb3+ Kd2 Rb2+", 1.0, -0.7794, cause="taken", cause_squares=("e2",), number=24,
    )  # fmt: skip
    assert fell(said).startswith(
        "Loses the queen and a knight: 25.Nxe2 Rf8 26.Kxc3. Black misses 24...Qb1+, a mate in 4"
    )


def test_a_piece_that_the_player_is_behind_is_won_back() -> None:
    said = evidence(
        "r2qk1nr/ppp2ppp/2np4/2b1p3/2b1P3/2NPBN2/PPP2PPP/R2QK2R w KQkq - 0 7",
        "d1d2 c5e3 f2e3 c4e6 d3d4 e6d7 e1c1 f7f6 h2h3 g8h6", "e3c5 Bxc5 dxc5 dxc4 Nf6 O-O", 0.0147, -0.7083, number=7,
    )  # fmt: skip
    assert fell(said).endswith(" 7.Bxc5 wins back a bishop (51 % → 15 %).")
    assert Narrator(GERMAN).fell(said).endswith(" 7.Bxc5 gewinnt einen Läufer zurück (51 % → 15 %).")


def test_in_a_pawn_ending_the_opposition_is_named() -> None:
    said = evidence("4k3/8/8/8/3KP3/8/8/8 b - - 0 58", "e8e7 d4e5 e7d7 e5f6 d7d6 e4e5", "e8d8 Kd8 Ke5 Ke7", 0.0, -0.84,
                    number=58)  # fmt: skip
    assert Narrator(ENGLISH).missed(said, 0.8) == "White misses 59.Ke5, which takes the opposition (92 % → 52 %)."


def test_a_short_sentence_about_a_missed_win_shows_the_answer() -> None:
    said = evidence(
        "r2qk2r/2p1b1pp/p1np3n/1p2p1N1/4P1bP/2NP2Q1/PPP2PP1/R1B2RK1 b - - 0 11",
        "g7g6 f2f3 g4c8 g5h7 e8f7 h7g5 f7g7 c3d5 c6d4 f1f2", "c6d4 Nd4 Be3 Nxc2 Nd5 Nxa1", 0.4884, 0.0991,
        cause="win_missed", cause_squares=("a1",), number=11,
    )  # fmt: skip
    brief = Narrator(ENGLISH, Verbosity.BRIEF, beside_move=True)
    assert brief.fell(said) == "Throws the advantage away: 12.f3 attacks the bishop on g4."


def test_a_threat_of_mate_that_is_parried_is_not_ignored() -> None:
    said = evidence(
        "r2q1rk1/pp1nbppp/2n5/4P3/3PQB2/3B3P/PP1N2P1/R4RK1 b - - 2 16",
        "f7f6 e4h7 g8f7 d3c4 f7e8 h7g6 f8f7 g6f7", "f7f5 f5 exf6 Nxf6", -0.28, -1.0,
        cause="threat", cause_squares=("h7",), mate_in=4, number=16,
    )  # fmt: skip
    assert fell(said).startswith("Allows mate in 4: 17.Qxh7+")


def test_a_pawn_says_more_than_a_verdict() -> None:
    said = evidence(
        "2rr2k1/4bpp1/2n1q2p/ppp5/3p4/PP1PPN2/1B1Q1PPP/2RR2K1 w - - 0 19", "e3e4 e6b3 c1b1 b3e6 b2c1 b5b4 d2b2 c8a8",
        "e3d4 exd4 cxd4 Re1 Qd7 Re4", -0.059, -0.532, number=19,
    )  # fmt: skip
    assert fell(said).startswith("Does not save the pawn on b3: 19...Qxb3. 19.exd4 ")
