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


def test_a_reply_that_every_move_leaves_is_no_point_of_the_better_one() -> None:
    said = evidence(
        "1r1r2k1/p4ppp/3Nb3/q1p1Pp2/8/1P3Q2/P4PPP/2RR2K1 w - - 1 23", "a2a4 b8b3 f3c6 b3c3 c1c3 a5c3 c6c7",
        "c1c2 Rc2 Qb4 Rdc1 Qd4 Rxc5", 0.1372, -0.2016, cause="square", cause_squares=("b3", "a2"), number=23,
    )  # fmt: skip
    assert "meets" not in BESIDE.fell(said)


def test_a_queen_that_a_knight_attacks_is_not_lost_for_a_guard() -> None:
    said = evidence(
        "3nk3/p1p4p/2q1p1p1/1p2N3/8/1P3P2/P1P1Q2P/7K b - - 1 24", "d8f7 e5c6 e8f8 e2e6 g6g5 c6b8 h7h6",
        "c6d5 Qd5 Kg2 Nf7 Ng4 Ke7", 0.1749, -0.9554, cause="square", cause_squares=("c6", "d8"), number=24,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("Does not save the queen on c6: 25.Nxc6.")


def test_a_king_that_nobody_checks_does_not_lack_cover() -> None:
    said = evidence(
        "r4rk1/b4ppp/p3b3/1p1pPpq1/1P6/P2N1BP1/4QP1P/R1R3K1 b - - 2 21", "f7f6 d3f4 a8c8 c1c8 e6c8 f3d5 g8h8 e5e6",
        "a8c8 Rac8 Nf4 Rc4 Rxc4 dxc4", 0.1245, -0.5306, cause="cover", cause_squares=("d5", "g8"), number=21,
    )  # fmt: skip
    assert "cover" not in BESIDE.fell(replace(said, killer_line=said.killer_line[:5]))


def test_a_mate_that_is_threatened_goes_before_an_attack() -> None:
    said = evidence(
        "8/1q3p1k/5Q1b/5P2/1p1p1p2/1P5P/2P4K/r4BR1 b - - 6 45", "a1d1 g1g6 b7h1 h2h1 d1f1 g6g1 f1g1 h1g1",
        "f4f3 f3 Qxd4 Qb8+ Kh1 Qa8", 0.0, -0.9878, cause="threat", number=45,
    )  # fmt: skip
    assert "46.Rg6, which threatens mate" in BESIDE.fell(said)


def test_a_trade_into_a_lost_ending_is_named() -> None:
    answer_trades = evidence(
        "8/p1p3pk/3q3p/4Q3/P4K2/4P1P1/7P/8 b - - 4 36", "d6b4 e5e4 b4e4 f4e4 h7g6 e4d5 g6f6 a4a5 h6h5 d5c6",
        "d6a6 Qa6 Qe4+ Kh8 Qe8+ Kh7", 0.0, -0.627, cause="attacked", cause_squares=("b4", "e4"), number=36,
    )  # fmt: skip
    assert BESIDE.fell(answer_trades).startswith("Allows a trade into a lost ending: 37.Qe4+ Qxe4+ 38.Kxe4")
    player_trades = evidence(
        "5k2/ppp5/6pp/3Pp3/4Pq2/P7/KP3QP1/8 w - - 2 26", "f2f4 e5f4 a2b3 h6h5 b3c2 f4f3 g2f3 h5h4 c2d1 h4h3",
        "f2a7 Qxa7 Qc1 Qxb7 Qc4+ Qb3", 0.378, -0.597, cause="capture_missed", cause_squares=("a7",), number=26,
    )  # fmt: skip
    assert BESIDE.fell(player_trades).startswith("Trades into a lost ending: 26...exf4")
    held = replace(answer_trades, after=-0.3)
    assert "ending" not in BESIDE.fell(held)


def test_an_attack_is_shown_until_something_falls() -> None:
    said = evidence(
        "2kr4/ppp2ppp/4pn2/8/q1BQ4/P1B4P/1PP2PP1/2K4R w - - 1 17", "d4f4 f6d5 f4d4 d5b6 d4g7 a4c4 c1b1 c4c5 b1a2 c5c6",
        "c4e6 Bxe6+ fxe6 Qxa4 a6 Bxf6", 0.9507, 0.3346, cause="capture_missed", cause_squares=("a4",), number=17,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("Allows 17...Nd5 18.Qd4 Nb6 19.Qxg7 Qxc4, which takes the bishop on c4.")
    shorter = replace(said, killer_line=said.killer_line[:4])
    assert "takes the bishop" not in BESIDE.fell(shorter), "nothing is said of what the line does not show"


def test_a_line_counts_to_where_something_is_given_away() -> None:
    given = evidence(
        "r1b1k2r/pp2qpp1/n1pbpn1p/8/3P4/P1NBBQ1N/1PP3PP/2KR3R b kq - 2 11",
        "d6a3 b2a3 f6d5 c3d5 e6d5 c1b2 a6c5 d4c5", "a6c7 Nc7 Nf2 Ncd5 Bd2 Nxc3", -0.0129, -0.5064, number=11,
    )  # fmt: skip
    assert BESIDE.fell(given).startswith("Allows 12.bxa3 Nd5 13.Nxd5 exd5 14.Kb2, which wins a bishop for a pawn.")
    takes = evidence(
        "1k1r1b2/ppp1p3/3q3r/3pQ1p1/2P1n3/1P2P3/PB2BP1P/RN1R2K1 b - - 0 20",
        "d6e5 b2e5 h6e6 e5b2 e6h6 b1d2 e4f2 g1f2 h6h2 f2e1", "e7e6 e6 Nd2 Nxd2 Rxd2 Qe7", -0.5514, -0.8022, number=20,
    )  # fmt: skip
    assert "wins a knight" not in BESIDE.slip(takes)
    gambit = evidence(
        "rnb1k1nr/pppp1ppp/5q2/2b1p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 4 4",
        "f1c4 g8e7 e1g1 d7d6 d2d4 c5d4 f3d4 e5d4 c3b5 b8a6 b5d4 e8g8", "c3d5 Nd5 Qd8 Nxe5 d6 Nf3", 0.3329, 0.166,
        number=4,
    )  # fmt: skip
    assert "oses a pawn" not in BESIDE.slip(gambit)


def test_what_the_answer_takes_in_the_end_is_named_where_nothing_else_is() -> None:
    castles = evidence(
        "r3k2r/pppb3p/2n1ppp1/1B1p4/3P4/2R2N2/PPP2PPP/2K1R3 b kq - 1 14", "e8c8 b5c6 d7c6 e1e6 h8f8 c3e3 c6b5 b2b3",
        "c6d8 Nd8 Bd3 Rc8 h4 Kf7", 0.1803, -0.139, number=14,
    )  # fmt: skip
    assert BESIDE.fell(castles).startswith("Does not meet 15.Bxc6 Bxc6 16.Rxe6, which ")


def test_both_pieces_that_a_fork_attacks_are_named_where_one_falls() -> None:
    board = chess.Board("4r1k1/p4ppp/4q3/3n4/8/P2Rp2P/1PP1Q1P1/4R2K b - - 2 28")
    effects = effects_of(board, ["d5f4", "e2e3", "f4d3", "e3e6", "f7e6", "c2d3"], 57)
    (attack,) = (each for each in effects if each.does == "attack")
    assert attack.targets == ((chess.QUEEN, chess.E2), (chess.ROOK, chess.D3))


def test_an_attack_that_leaves_no_safe_square_traps() -> None:
    board = chess.Board("q4rk1/p3bp1p/1n1p2p1/1PpPp2b/4P3/5N1P/1PQB1PP1/R3R1K1 w - - 0 20")
    effects = effects_of(board, ["g2g4", "a8c8", "f3h2", "f7f5", "e4f5", "g6f5", "g4h5"], 40)
    assert [each.targets for each in effects if each.does == "trap"] == [((chess.BISHOP, chess.H5),)]


def test_a_piece_for_which_as_much_is_given_is_not_said_to_be_taken() -> None:
    trades = evidence(
        "r1bqk2r/p1p2ppp/2p2n2/2bpP3/2B5/8/PPP2PPP/RNBQK2R w KQkq d6 0 8",
        "c4b3 f6g4 e1g1 d8h4 h2h3 g4f2 f1f2 h4f2", "e5f6 exf6 dxc4 Qxd8+ Kxd8 fxg7 Re8+ Be3 Bxe3 fxe3", 0.24, -0.6,
        number=8,
    )  # fmt: skip
    assert "takes the knight" not in BESIDE.fell(trades)


def test_a_guard_of_more_than_what_takes_is_idle() -> None:
    said = evidence(
        "r2qkb1r/ppp1p1pp/4pnb1/3p4/8/3BPQ2/PPP2PPP/RNB2RK1 w kq - 2 10", "f1d1 g6h5 b1d2 h5f3 d2f3 d8d6",
        "b1d2 Nd2 Bh5 Qh3 Qd6 f4", 0.06, -0.5, number=10,
    )  # fmt: skip
    assert "guards the queen" not in BESIDE.fell(said)


def test_a_threat_that_the_move_makes_possible_is_none_that_it_does_not_meet() -> None:
    castles = evidence(
        "r1q1k2r/pp3ppp/2p1pb2/8/3P4/3B1Q2/PPP3PP/R4RK1 b kq - 1 16",
        "e8g8 f3e4 f8d8 c2c3 c8d7 e4h7 g8f8 a2a4 f8e7 h7e4", "f6d4 Bxd4+ Kh1 Qc7 Rae1 Bxb2 Qh5 g6 Rxe6+ fxe6",
        0.5253, -0.0808, number=16,
    )  # fmt: skip
    assert BESIDE.fell(castles).startswith("Allows 17.Qe4, which threatens mate. 16...Bxd4+ takes the pawn on d4")


def test_a_pawn_that_can_be_taken_back_is_not_said_to_be_won() -> None:
    said = evidence(
        "rnbqkbnr/ppp2ppp/8/3pp3/4P3/1P6/P1PP1PPP/RNBQKBNR w KQkq - 0 3",
        "g1f3 d5e4 f3e5 d8d4 f1b5 c7c6 e5f7 e8f7 b5c4 f7e8 b1c3 g8f6 c1b2",
        "e4d5 exd5 Nf6 Bb5+ Nbd7 Nc3 Bc5 Bb2 O-O Qe2", -0.0147, -0.3764, cause="fork",
        cause_squares=("d4", "a1", "e5"), number=3,
    )  # fmt: skip
    words = BESIDE.fell(said)
    assert "wins a pawn" not in words
    assert "fork" not in words, "the moves that are shown have none"


def test_a_piece_that_falls_or_takes_next_is_not_driven_away() -> None:
    def driven(fen: str, line: str) -> bool:
        return any(each.drives for each in effects_of(chess.Board(fen), line.split(), 2))

    pinned = "r1b1kb1r/pp3ppp/2n1p3/q2p4/2P5/2N5/PP1Q1PPP/R3KBNR b KQkq - 0 12"
    assert not driven(pinned, "d5d4 c3d5 a5d2 e1d2 e6d5")
    takes = "1r2kb1r/2pqp3/p6p/6p1/2nPPp2/2N5/PP3QPP/2KR2NR w k - 2 20"
    assert not driven(takes, "b2b3 c4e3 g1f3 e3d1 h1d1")
    assert driven(takes, "b2b3 c4d6 g1f3 f8g7 h1e1")


def test_a_guard_that_is_pinned_guards_nothing() -> None:
    said = evidence(
        "1r3rk1/5ppp/2p5/4p3/pqBPQ3/1P5P/PKP2R2/5R2 b - - 0 26", "a4b3 c4b3 e5d4 e4c6 f8c8",
        "b4c4 Qxc4 Qxe5 Rb5 Qe3 h6", 0.02, -0.6, number=26,
    )  # fmt: skip
    assert BESIDE.fell(said) == "Does not take the bishop on c4: 26...Qxc4 (51 % → 20 %)."


def test_a_queen_for_which_the_queen_is_taken_is_a_trade() -> None:
    board = chess.Board("rnb2rk1/ppp2pbp/6p1/5pq1/3Pp2P/2N2Q2/PPP2PP1/1K1R1BNR w - - 0 11")
    effects = [each.does for each in effects_of(board, ["h4g5", "e4f3", "c3d5"], 22)]
    assert "trade" in effects
    assert not {"win", "take"} & set(effects)
    said = evidence(
        board.fen(), "f3h3 g5h6 c3d5 b8c6 g1e2 f8d8 d5c7 f5f4 h3h2 a8b8", "h4g5 hxg5 exf3 Nd5 fxg2 Bxg2 Nc6 Nxc7",
        0.1498, -0.1552, number=11,
    )  # fmt: skip
    assert "11.hxg5 trades queens" in BESIDE.slip(said)
