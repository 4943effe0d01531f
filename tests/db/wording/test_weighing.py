"""Of several things that a line does the one that matters is told. The positions are from games that people played; the
figures and lines are our own search's or Stockfish's.
"""

from dataclasses import replace

from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.sentences import Narrator
from tests.db.wording.test_better_moves import evidence

BESIDE = Narrator(ENGLISH, beside_move=True)

LEAVES_A_PAWN = evidence(
    "rnbqkb1r/pppp1ppp/5n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3", "f8c5 f3e5 e8g8 d2d4 c5b6",
    "f6e4 Nxe4 d3 Nc5 Nc3 c6 Nxe5 d5 d4 dxc4", 0.0881, -0.2418, cause="threat", cause_squares=("e5",), number=3,
)  # fmt: skip

GUARDS_AS_WELL = evidence(
    "rnbqk2r/ppp1b1pp/4pn2/1N6/2PpP3/5N2/PPQ2PPP/R1B1KB1R b KQkq - 1 8", "c7c5 c1f4 e8g8 f4c7 d8d7",
    "e6e5 e5 c5 Nc6 Bc4 a6 Na3 Nd7 Rb1 Bxc5", 0.2209, -0.1064, number=8,
)  # fmt: skip


def test_a_pawn_that_is_taken_is_named_and_not_the_attack_after_it() -> None:
    assert BESIDE.fell(LEAVES_A_PAWN) == (
        "Hands White the advantage: 4.Nxe5 takes the pawn on e5. 3...Nxe4 takes the pawn on e4 (54 % → 38 %)."
    )


def test_a_line_stops_where_a_piece_has_fallen() -> None:
    said = evidence(
        "4qk2/1p4r1/p4pB1/2p1p3/4Q3/6P1/PPP2P1P/6K1 b - - 4 36", "g7e7 g6e8 e7f7 e4g6 f8e8 g6h5 e8d8 h5h6 d8c7",
        "e8g6 Qxg6 Qd5 Qe8 Qxc5+ Qe7 Qc8+ Kf7 c3 a5", 0.6583, -0.7728, cause="threat", cause_squares=("e8",), number=36,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("Does not save the queen on e8: 37.Bxe8. ")


def test_an_attack_is_not_told_where_the_better_move_is_the_only_one() -> None:
    said = evidence(
        "r4k1r/1pbbq1p1/p3ppB1/2p5/8/5QP1/PPP2P1P/R1BR2K1 w - - 3 21", "c1f4 d7c6 g6e4 c6e4 f3e4 c7f4 e4f4 f8f7",
        "f3b7 Qxb7 Rc8 h4 Bd6 Qxa6 Be5 Be3", 0.5591, 0.1137, cause="capture_missed", cause_squares=("b7",), number=21,
    )  # fmt: skip
    assert BESIDE.fell(said) == (
        "21.Qxb7 takes the pawn on b7 and attacks the rook on a8 and the bishop on c7 (78 % → 56 %)."
    )


def test_what_the_move_does_as_well_it_does_not_miss() -> None:
    before = evidence(
        "rnbqk2r/ppp1b1pp/4pn2/8/2PpP3/2N2N2/PPQ2PPP/R1B1KB1R w KQkq - 0 8", "c3b5 e6e5 f1e2 e8g8",
        "e4e5 e5 dxc3 exf6 Bxf6", 0.1336, -0.2209, number=8,
    )  # fmt: skip
    assert BESIDE.fell(GUARDS_AS_WELL, answered=before) == "Black misses 8...e5 (61 % → 45 %)."
    moved = replace(GUARDS_AS_WELL, bait="e8g8", killer_line=("b5d4",))
    assert "8...e5, which guards the pawn on d4" in BESIDE.fell(moved, answered=before)


def test_a_trade_of_queens_is_what_a_better_move_is_for() -> None:
    said = evidence(
        "4k3/2pbqp2/3p1Q2/2pR1p2/8/4P2P/PP3PP1/2K5 w - - 5 31", "f6g7 e7e4 d5d2 d7e6 b2b3 f5f4 c1b2 f4e3",
        "f6h8 Qh8+ Qf8 Qxf8+ Kxf8 Rd3 Ke7 h4 Bc6 g3", 0.8573, 0.487, number=31,
    )  # fmt: skip
    assert BESIDE.fell(said).endswith(" 31.Qh8+ Qf8 32.Qxf8+ trades queens (93 % → 74 %).")
    traded = replace(said, killer_line=("e7e5", "g7e5", "d6e5"))
    assert "trades queens" not in BESIDE.fell(traded).split(". ", 1)[1], "that happens after the losing move as well"


def test_a_later_threat_says_more_than_a_line() -> None:
    said = evidence(
        "2rk3r/1p3pp1/1P6/pQ1P4/P3q1p1/4P1P1/4KP2/R3R3 w - - 0 29", "b5d3 c8c2 d3d2 h8h2 e1f1 e4f3 e2e1 c2d2 e1d2",
        "a1d1 Rad1 Rh2 Rf1 Qf3+ Kd3 Rh5 Rd2", -0.3181, -0.9222, cause="pin", cause_squares=("c2", "d2"), number=29,
    )  # fmt: skip
    assert "29...Rc2+ 30.Qd2 Rh2 threatens 31...Rxf2+." in BESIDE.fell(said)


def test_a_knight_that_is_driven_away_has_its_only_square_named() -> None:
    said = evidence(
        "r2qk2r/pbp2pp1/1pn1p3/1N1pP3/3P3P/2P5/PP3P2/R1BQK2R b KQkq - 0 13", "h8h4 b5c7 d8c7 h1h4 e8c8 d1f3",
        "a7a6 a6 Na3 Rxh4 Rg1 f6 Qd3 Qe7", 0.2, -0.34, number=13,
    )  # fmt: skip
    told = "drives the knight from b5 to a3, its only safe square"
    assert told in BESIDE.fell(said)
    assert "nach a3, dem einzigen sicheren Feld" in Narrator(GERMAN, beside_move=True).fell(said)


def test_a_line_in_which_nothing_happens_is_not_told_beside_a_better_move_with_a_reason() -> None:
    said = evidence(
        "rnbq1rk1/p2pn1bp/1pp1ppp1/4P3/2PP3N/4B1P1/PP3PBP/RN1QK2R b KQ - 1 9",
        "f6f5 e3g5 d7d5 e5d6 d8d6 e1g1 a7a5", "f6e5 fxe5 dxe5 Bxe5 Nc3 Ba6", 0.1, -0.28, number=9,
    )  # fmt: skip
    assert BESIDE.fell(said) == "9...fxe5 10.dxe5 Bxe5 wins a pawn (55 % → 36 %)."
    assert "hands White the advantage" in Narrator(ENGLISH).fell(said), "away from the move it must be named"


def test_a_piece_that_the_attacked_one_guards_is_attacked_as_well() -> None:
    said = evidence(
        "r4r1k/p4p1p/2b5/3N1P2/3pP3/1B5P/PPPb3B/1K1R2n1 w - - 0 31", "d1d2 g1f3 d2e2 f3h2 e2h2 a8e8",
        "d1g1 Rxg1 Rfe8 Nf6 Be3 Rg4 h5 Rh4 Kg7 Nxe8+", 0.4652, -0.0627, number=31,
    )  # fmt: skip
    assert "31...Nf3, which attacks the rook on d2 and the bishop on h2" in BESIDE.fell(said)


def test_a_threat_that_begins_with_a_check_is_called_mate_if_it_mates() -> None:
    said = evidence(
        "4r3/6p1/8/5k1p/5P2/3R1K1P/6P1/8 w - - 0 52", "d3d5 f5f6 f3g3 e8e3 g3h4 g7g6",
        "d3d6 Rd6 h4 Rd5+ Kg6 Rg5+ Kf6", 0.9, 0.2, number=52,
    )  # fmt: skip
    assert "52.Rd6 threatens mate" in BESIDE.fell(said) or "52.Rd6, which threatens mate" in BESIDE.fell(said)
