"""What is said where the board shows less than it seems to: guards that are taken, captures that are paid back, and
chances that are missed. The positions are from amateur games; the figures and lines are our own search's.
"""

from dataclasses import replace

from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.sentences import Narrator
from tests.db.wording.test_better_moves import evidence

BESIDE = Narrator(ENGLISH, beside_move=True)

KNIGHT_TAKES = evidence(
    "r2qr1k1/ppp1b1pp/2n2n2/4P3/3P4/2N1BQ2/PPP3PP/R3K2R b KQ - 2 13",
    "f6d7 e1g1 d7b6 f3g4 e8f8 f1f8 e7f8 a1f1", "c6d4 Nxd4 Qd1 Nf5 Bd2 Bb4", 0.7504, 0.1945, number=13,
)  # fmt: skip


def test_a_player_who_only_misses_a_chance_is_told_that_alone() -> None:
    said = "Black misses 13...Nxd4, which takes the pawn on d4 and attacks the queen on f3 (88 % → 60 %)."
    assert BESIDE.fell(KNIGHT_TAKES) == said
    assert Narrator(GERMAN, beside_move=True).fell(KNIGHT_TAKES).startswith("Schwarz übersieht 13...Nxd4; das schlägt")
    worse = replace(KNIGHT_TAKES, after=-0.3)
    assert "misses" not in BESIDE.fell(worse), "who is worse afterwards did more than miss something"
    assert Narrator(ENGLISH).fell(KNIGHT_TAKES).startswith("13...Nd7??"), "away from the move it is named"


def test_a_rook_that_is_paid_for_was_not_left() -> None:
    said = evidence(
        "rnr5/p3qpkp/2p1p1p1/1RN5/3P4/2P2Q2/P4PPP/5RK1 b - - 0 19",
        "b8d7 b5b7 c8d8 f3c6 a8c8 b7d7 e7d7 c6d7 d8d7 c5d7", "c6b5 cxb5 Qxa8 Qc7 Qf3 Nd7", 0.0827, -0.756, number=19,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("Allows 20.Rb7, which attacks the knight on d7.")


def test_a_pawn_that_promotes_a_move_later_was_brought_through() -> None:
    said = evidence(
        "6k1/6p1/p5rp/3pRQ2/8/P4P2/2p3PP/3q2BK b - - 0 38", "d1g1 h1g1 c2c1q g1f2 c1d2 e5e2 g6g2 f2g2",
        "c2c1q c1=Q Re1 Qxe1 Qxd5+ Kh7", 0.9923, 0.1046, cause="promotion_missed", cause_squares=("c1",), number=38,
    )  # fmt: skip
    assert "bring the pawn through" not in BESIDE.fell(said)
    held = replace(said, killer_line=("h1g1", "g6c6", "f5c2", "c6c2"))
    assert "bring the pawn through" in BESIDE.fell(held)


def test_the_wrong_pawn_takes_only_where_another_pawn_could() -> None:
    said = evidence(
        "5r2/rbqn1pQ1/pb6/1p2P2k/2p3p1/1PPp3P/P2P3K/R1B5 w - - 0 26",
        "h3g4 h5h4 g7h6 h4g4 h6h3 g4f4 c1a3 f4e5 a1f1 e5d5", "g7g4 Qxg4+ Kh6 Qh4+ Kg7 Qg5+", 0.0, -0.9344, number=26,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("Takes with the wrong piece: 26...Kh4")


def test_a_guard_that_is_taken_at_once_guards_nothing() -> None:
    said = evidence(
        "1k1r3r/p1pn2q1/2QbR1p1/6N1/3P2pp/7P/PPP2P2/R1B3K1 w - - 0 20",
        "c1d2 g7d4 c6b5 d7b6 d2e3 d4c4 b5c4 b6c4 g5f7 d8e8", "e6d6 Rxd6 cxd6 Qxd6+ Kb7 Qd5+", 0.8387, 0.2762,
        cause="threat", cause_squares=("d4",), number=20,
    )  # fmt: skip
    told = BESIDE.fell(said)
    assert "guards" not in told
    assert "21.Rxd4" not in told


def test_what_stands_behind_an_attacked_queen_is_named() -> None:
    said = evidence(
        "1k1r3r/p1pn4/2QbR1p1/8/3qN1pp/7P/PPPB1P2/R5K1 b - - 1 21",
        "g4h3 d2c3 d4b6 c6b6 a7b6 c3h8 d8h8 e4d6 c7d6 e6d6", "d7e5 Ne5 Qb5+ Kc8 Nxd6+ Rxd6", -0.1027, -0.6971,
        cause="threat", number=21,
    )  # fmt: skip
    assert "22.Bc3 attacks the queen on d4 and the rook on h8." in BESIDE.fell(said)


def test_an_answer_that_the_better_move_meets_is_allowed() -> None:
    said = evidence(
        "r3r1k1/3qnpp1/b1pb3p/p2p4/3N4/P3QN1P/1PPB1PP1/R3R1K1 w - - 1 18",
        "e3c3 c6c5 d4b3 d5d4 c3a5 a6b5 a5b6 e8b8 b3c5", "b2b4 b4 Ng6 Qc3 Bc4 Nb3", -0.046, -0.5105, number=18,
    )  # fmt: skip
    assert BESIDE.fell(said) == "Allows 18...c5, which drives the knight from d4. 18.b4 prevents 18...c5 (48 % → 24 %)."


def test_a_line_that_begins_with_a_trade_is_shown_to_what_it_wins() -> None:
    said = evidence(
        "rn3rk1/pp3pbp/3p2p1/q2Pp3/4n1b1/P3BN2/1P1NBPPP/R2QK2R w KQ - 0 12",
        "f3g5 g4e2 d1e2 e4g5 e3g5 a5d5 e1g1 b8c6 f1d1 d5e6", "a1c1 Rc1 Nd7 b4 Qxd5 Nxe4", -0.1408, -0.5753,
        cause="line", cause_squares=("g4", "f3"), number=12,
    )  # fmt: skip
    assert "12...Bxe2 13.Qxe2 Nxg5 14.Bxg5 Qxd5." in BESIDE.fell(said)


def test_a_bait_whose_answer_only_attacks_a_queen_that_can_go_is_no_news() -> None:
    said = evidence(
        "r3r2k/pppqb1pp/2n5/4P3/3PN3/1Q6/PPP3PP/1K1R3R w - - 3 19",
        "b3b7 e8b8 b7a6 c6d4 a6c4 b8b4 c4d3 a8b8 b2b3 d7b5", "e5e6 e6 Qd8 d5 Ne5 a3", -0.0405, -0.4348, number=19,
    )  # fmt: skip
    assert BESIDE.avoided(said) == ""


def test_a_piece_that_moves_to_where_it_falls_could_have_been_guarded_where_it_stood() -> None:
    said = evidence(
        "8/6p1/kp1Nr2p/8/6r1/8/P4RP1/R5K1 w - - 2 30", "d6c4 g4c4 a1b1 e6g6 f2b2 a6a7",
        "a1d1 Rd1 Ka5 Rb2 Reg6 Rdd2", 0.6225, -0.2383, cause="taken", cause_squares=("c4",), number=30,
    )  # fmt: skip
    assert BESIDE.fell(said).endswith(" 30.Rd1 guards the knight on d6 (81 % → 38 %).")


def test_an_answer_that_is_met_has_the_sign_of_a_check_only_where_it_is_one() -> None:
    said = evidence(
        "1r4k1/5p1p/1PR1p1p1/4P3/r3PPP1/7P/8/2R3K1 b - - 0 30",
        "a4e4 c6c8 b8c8 c1c8 g8g7 b6b7 e4b4 b7b8q b4b8 c8b8", "g8g7 Kg7 f5 Rxe4 fxe6 Rxe5", -0.4728, -0.9117, number=30,
    )  # fmt: skip
    told = BESIDE.fell(said)
    assert told.startswith("Does not meet 31.Rc8+, which brings the pawn on b6 to promotion.")
    assert "30...Kg7 meets 31.Rc8 with 31...Rxb6" in told


def test_a_rook_that_loses_its_guard_says_more_than_the_back_rank() -> None:
    said = evidence(
        "2r3qk/p4B2/1r5p/2p1pQ2/3b4/1P5P/P4PP1/2R2RK1 b - - 2 28", "g8g7 f5c8 h8h7 f7d5 h6h5 c1c5 d4c5 c8c5",
        "c8f8 Rf8 Bxg8 Rxf5 Bd5 Rd6", -0.1998, -0.9273, cause="back_rank", cause_squares=("c8", "h8"), number=28,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("No longer guards the rook on c8: 29.Qxc8+.")


def test_a_queen_that_takes_back_takes_nothing() -> None:
    said = evidence(
        "r2q1rk1/pppb1ppp/5n2/2b3B1/4P3/2PP4/PP4PP/RN1QKB1R w KQ - 0 10", "g5f6 d8f6 d1f3 f6g6",
        "d1f3 Qf3 Be7 h3 Bc6 Be2", 0.2, -0.1, number=10,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("Allows 10...Qxf6, which threatens mate.")


def test_a_rook_that_both_moves_take_back_is_not_won_by_the_answer() -> None:
    allows = evidence(
        "5Rk1/ppp5/6pp/2qPp3/4P3/8/PP1Q2PP/1K6 b - - 0 22",
        "g8f8 d2h6 f8e7 h6g6 c5g1 b1c2 g1c5 c2d1 c5d4 d1e2 d4b2", "c5f8 Qxf8 Qd3 a6 Qc4 Qd6", -0.0643, -0.4467,
        number=22, settled=False,
    )  # fmt: skip
    misses = evidence(
        "5k2/ppp5/6pp/2qPp3/4P3/8/PP1Q2PP/1K6 w - - 0 23", "a2a3 f8g7 d2c2 c5d6 c2a4 a7a6 a4e8 h6h5 e8c8",
        "d2h6 Qxh6+ Ke7 Qxg6 Qg1+ Kc2", 0.4467, 0.0074, cause="capture_missed", cause_squares=("h6",), number=23,
        settled=False,
    )  # fmt: skip
    assert BESIDE.fell(misses, missed=allows, answered=allows) == "White misses 23.Qxh6+, winning two pawns."


def test_a_bishop_that_attacks_a_queen_and_a_guarded_rook_forks_them() -> None:
    said = evidence(
        "3r1rk1/pp2bppp/1q2bn2/2pp4/5B2/NPPP2QP/1P1N1PP1/R4RK1 b - - 0 15",
        "d5d4 f4c7 b6c6 c7d8 e7d8 f1e1 d8c7 g3h4 e6d5 c3d4", "f6h5 Nh5 Qf3 Nxf4 Qxf4 Bd6", 0.2897, -0.1552,
        cause="threat", cause_squares=("d8",), number=15,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("Ignores a threat: 16.Bc7 forks queen and rook.")
