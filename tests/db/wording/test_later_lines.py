"""What lines do later than at once is told; what both moves do, or what a line does not show, is not. The positions are
from games that people played; the figures and lines are our own search's.
"""

from dataclasses import replace

import chess

from db.wording.effects.finding import effects_of
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.sentences import Narrator
from tests.db.wording.test_better_moves import evidence

BESIDE = Narrator(ENGLISH, beside_move=True)

CHECKS_FIRST = evidence(
    "2k2r1r/p1q5/3p3b/4p1p1/4P3/1QP3P1/PP2n1PP/R2R3K b - - 10 28", "f8f2 d1d3 h6f8 h2h3 g5g4 b3e6 c7d7 e6d5 c8d8",
    "e2g3 Nxg3+ Kg1 Qc5+ Rd4 exd4 Qe6+ Kb8 h3 d3+", 0.976, 0.7218, number=28,
)  # fmt: skip

GIVES_A_BISHOP = evidence(
    "b5k1/2q1bp2/1p2p1p1/2pnP2p/3P3P/2PB1NQ1/3B1PP1/6K1 b - - 1 23", "a8c6 d3g6 f7g6 g3g6 g8h8 g6h5 h8g7 d2h6",
    "e7f8 Bf8 dxc5", -0.0184, -0.7865, number=23,
)  # fmt: skip


def test_a_better_move_is_shown_until_it_takes_something() -> None:
    assert BESIDE.fell(CHECKS_FIRST) == (
        "Black misses 28...Nxg3+ 29.Kg1 Qc5+ 30.Rd4 exd4, which takes the rook on d4 (99 % → 86 %)."
    )
    at_once = replace(CHECKS_FIRST, best_line=CHECKS_FIRST.best_line[:4])
    assert "exd4" not in BESIDE.fell(at_once), "nothing is said of what the line does not show"


def test_what_the_other_side_gives_up_first_is_not_what_a_move_takes() -> None:
    said = evidence(
        "r1b1kb1r/pppp1ppp/2n2n2/4p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R b KQkq - 0 4", "d7d5 e4d5 f6d5 c4d5",
        "f6e4 Nxe4 Bxf7+ Kxf7 Nxe4 d5", 0.04, -0.12, number=4,
    )  # fmt: skip
    assert "Kxf7" not in BESIDE.slip(said)


def test_a_piece_that_is_given_up_for_the_king_is_shown_with_the_check() -> None:
    assert BESIDE.fell(GIVES_A_BISHOP).startswith(
        "Allows 24.Bxg6 fxg6 25.Qxg6+, which breaks open the king's position."
    )
    assert "das reißt die Königsstellung auf" in Narrator(GERMAN, beside_move=True).fell(GIVES_A_BISHOP)
    drawn = evidence(
        "r1bq1rk1/p4pp1/2p1pn2/2bp3p/4P3/2N3P1/PPP2PBP/R1BQR1K1 w - - 0 11", "e4e5 c5f2 g1f2 f6g4 f2g1 d8b6 c1e3 g4e3",
        "c3a4 Na4 Be7 e5 Nd7 b3", 0.1444, -0.3921, number=11,
    )  # fmt: skip
    assert BESIDE.fell(drawn).startswith("Does not meet 11...Bxf2+ 12.Kxf2 Ng4+, which draws the king to f2.")


def test_a_pawn_that_a_guard_takes_on_its_way_is_named() -> None:
    said = evidence(
        "8/1r1rk1pp/1R1p1p2/4pP2/2P1P3/1P3K1P/3R2P1/8 w - - 5 45", "b6b7 d7b7 d2d3 b7a7 d3d5 g7g6 g2g3",
        "d2d6 Rdxd6 Rxb6 Rxb6 Rd3+ Ke2", 0.699, 0.2964, cause="capture_missed", cause_squares=("d6",), number=45,
    )  # fmt: skip
    assert "45.Rdxd6, which takes the pawn on d6 and guards the rook on b6" in BESIDE.fell(said)


def test_nobody_steps_out_of_a_fork_that_the_losing_move_has_made() -> None:
    said = evidence(
        "r1b2rk1/pp2npbp/q5p1/1Npp4/2P5/4P1PN/PP3PQP/R1B1K2R w KQ - 0 14", "b5c7 a6a5 c1d2 a5c7 c4d5 e7d5 e1g1",
        "e1g1 O-O Qc6 a4 a6 Nc3", -0.4197, -0.8524, cause="fork", cause_squares=("a5", "e1", "c7"), number=14,
    )  # fmt: skip
    assert BESIDE.fell(said) == (
        "Walks into a fork: 14...Qa5+ forks king and knight. 14.O-O is the better defence (29 % → 7 %)."
    )


def test_a_square_that_the_better_move_leaves_as_well_is_no_reason() -> None:
    said = evidence(
        "rnb2rk1/ppp2ppp/7q/4P3/2P2B2/P2B1Q2/2P2P2/R4RK1 b - - 4 19", "h6b6 f3h5 g7g6 h5h6 f8e8 a1e1 b8c6",
        "h6e6 Qe6 Qg3 Na6 Be3 Qh3", 0.0735, -0.1426, cause="square", cause_squares=("h5", "h6"), number=19,
    )  # fmt: skip
    assert "covers h5" not in BESIDE.slip(said)


def test_an_attack_names_the_pawn_that_it_hits_as_well() -> None:
    board = chess.Board("r1b1kb1r/pp1p1ppp/1qn5/2pQ4/8/4P1PN/PPP2P1P/RNB1K2R b KQkq - 0 8")
    effects = effects_of(board, ["c6b4", "d5g5", "b4c2"], 17)
    (attack,) = (each for each in effects if each.does == "attack")
    assert attack.targets == ((chess.QUEEN, chess.D5), (chess.PAWN, chess.C2))
    assert attack.on_pieces.targets == attack.targets[:1]


def test_the_only_good_answer_says_what_it_does() -> None:
    said = evidence(
        "8/1R6/6kp/8/1p2P1p1/2r3P1/1K6/8 b - - 0 40", "c3c8 b7b4", "c3d3 Rd3 Rxb4", 0.0, -0.5, number=40,
    )  # fmt: skip
    assert BESIDE.only_good(said) == "The only good move: it takes the pawn on b4."
    assert replace(BESIDE, before="Loses a pawn: 41.Rxb4.").only_good(said) == "", "it was told of the move before"
    assert BESIDE.only_good(replace(said, mate_in=3)) == ""
