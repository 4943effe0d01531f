"""What is said of a slip and of the better move: mate first, then what the board shows, or nothing.

The positions are from amateur games; the figures and lines are an engine's.
"""

from typing import Any

from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.sentences import Narrator


def evidence(fen: str, line: str, better: str, before: float, after: float, **more: Any) -> Evidence:
    """``line`` is UCI and begins with the move; ``better`` is SAN behind the move in UCI."""
    bait, *killer = line.split()
    best, *sans = better.split()
    half_move = 2 * int(more.pop("number", 20)) + (" b " in fen)
    return Evidence(
        fen=fen, half_move=half_move, bait=bait, killer_line=tuple(killer), before=before, after=after, best=best,
        best_line=tuple(sans), **more,
    )  # fmt: skip


def slip(said: Evidence) -> tuple[str, str]:
    """In English and German."""
    return Narrator(ENGLISH).slip(said), Narrator(GERMAN).slip(said)


def fell(said: Evidence) -> str:
    return Narrator(ENGLISH).fell(said)


BISHOP_LEFT = (
    "rn1k1b2/ppp3p1/5np1/1r6/7K/BPP5/P2P4/R1R5 b - - 1 49", "b5a5 a3f8 b8d7 f8g7 d8e7 c1f1 e7f7 g7f6 d7f6",
    "f8a3 Bxa3 Rg1 Rh5+ Kg3 Bd6+", 0.8966, 0.7512,
)  # fmt: skip


def test_a_slip_that_allows_mate_says_so_first() -> None:
    mated = evidence(
        "8/5k2/1r2p3/3pPp2/p1pP1P1p/2P4q/P5R1/5R1K w - - 2 43", "g2h2 h3f1", "h1g1 Kg1 Qe3+ Kh2 h3 Rgf2",
        -0.7676, -1.0, mate_in=1, number=43,
    )  # fmt: skip
    english, german = slip(mated)
    assert english.startswith("43.Rh2? allows mate: 43...Qxf1#.")
    assert german.startswith("43.Rh2? erlaubt Matt: 43...Qxf1#.")


def test_a_slip_whose_line_loses_material_has_the_reason_of_a_losing_move() -> None:
    said = evidence(*BISHOP_LEFT, cause="threat", cause_squares=("f8",), number=49)
    assert slip(said)[0].startswith("49...Ra5?! does not save the bishop on f8: 50.Bxf8. 49...Bxa3 takes the bishop")


def test_a_better_move_that_takes_with_profit_takes_unless_the_played_one_takes_it_later() -> None:
    english, german = slip(evidence(*BISHOP_LEFT))
    assert "takes the bishop on a3" in english
    assert "schlägt den Läufer auf a3" in german
    assert "safety" not in english
    rook = evidence(
        "rn1qkb1r/4pppp/p7/1PpP4/2B4B/2N5/1P3PbP/R2QK1NR b KQkq - 0 11", "b8d7 b5a6 g2h1 g1f3 h7h6 c3b5",
        "g2h1 Bxh1 bxa6 g5 Nf3 Bg7", -0.3048, -0.4884,
    )  # fmt: skip
    assert "h1" not in slip(rook)[0]


def test_a_pawn_that_promotes_takes_nothing() -> None:
    said = evidence(
        "6r1/1P6/3B1k1p/2K5/5P2/8/8/8 w - - 1 63", "c5c6 g8b8 d6b8", "b7b8q b8=Q Rxb8 Bxb8", 0.9, 0.0, number=63
    )
    assert fell(said).endswith(" 63.b8=Q promotes the pawn (95 % → 50 %).")


def test_who_misses_what_was_told_reads_what_it_does() -> None:
    allows = evidence(
        "2k4r/ppp3p1/5p2/4p2r/1bPpP3/1P1P1NP1/P4P2/1R3RK1 w - - 0 23", "g3g4 h5h3 g1g2 c8d7", "g1g2 Kg2 Kd7 a3",
        -0.052, -0.184, number=23,
    )  # fmt: skip
    misses = evidence(
        "2k4r/ppp3p1/5p2/4p2r/1bPpP1P1/1P1P1N2/P4P2/1R3RK1 b - - 0 23", "c8d7 f3h4", "h5h3 Rh3 Kg2 Kd7",
        0.184, -0.116, number=23,
    )  # fmt: skip
    narrator = Narrator(ENGLISH, beside_move=True)
    assert "23...Rh3, which attacks the knight on f3" in narrator.fell(allows)
    assert narrator.slip(misses, answered=allows) == (
        "Black misses 23...Rh3, which attacks the knight on f3 (59 % → 44 %)."
    )


def test_a_fork_that_was_missed_is_told_by_what_it_wins() -> None:
    allows = evidence(
        "5r2/p1q1p1kp/3p1pp1/2pPn3/4PQ2/6R1/Pr2BPPP/2R3K1 w - - 0 22", "e2f3 e5d3 f4h4 d3c1 g3h3 h7h5",
        "f4e3 Qe3 Qa5 f4 Qxa2 Bf1", -0.401, -0.789, cause="square", cause_squares=("d3", "e2"), number=22,
    )  # fmt: skip
    misses = evidence(
        "5r2/p1q1p1kp/3p1pp1/2pPn3/4PQ2/5BR1/Pr3PPP/2R3K1 b - - 0 22", "f8b8 g3h3 e5f7 f3d1 b2a2 f4h4",
        "e5d3 Nd3 Qh4 Nxc1 Rh3 h5", 0.789, 0.523, number=22,
    )  # fmt: skip
    narrator = Narrator(ENGLISH, beside_move=True)
    assert "22...Nd3 forks queen and rook" in narrator.fell(allows)
    assert narrator.slip(misses, answered=allows) == "Black misses 22...Nd3, winning a rook (89 % → 76 %)."


def test_a_quiet_inaccuracy_has_no_words_and_a_mistake_has_the_better_move() -> None:
    opening = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    for after, expected in ((-0.03, ""), (-0.13, "1.h3 is better (54 % → 44 %).")):
        quiet = evidence(opening, "f2f3 g8f6 e2e4", "h2h3 h3 d5", 0.08, after, number=1)
        assert slip(quiet)[0] == expected


def test_what_is_won_is_the_net_of_the_line() -> None:
    # The queen falls, and White gets more than the bishop for it.
    queen = evidence(
        "r4rk1/1pqNppbp/p1p3p1/5b1n/3P1B2/2N3QP/PPP2PP1/2KR1B1R b - - 0 13", "c7d7 g3e3 h5f4",
        "g7h6 Bh6 Bxh6 Nxg3 fxg3 Bxd7", 0.4273, 0.1588, number=13,
    )  # fmt: skip
    assert "the queen for a bishop" not in slip(queen)[0]


def test_a_reason_that_holds_for_the_better_move_as_well_is_none() -> None:
    bishop = evidence(
        "r1bq1rk1/pp3ppp/4p3/3p2B1/3N2n1/P1NQ4/1PP2PPK/R4R2 w - - 1 14", "h2g1 d8g5 d3g3 c8d7 a1e1 g5g6 f2f3",
        "h2g3 Kg3 Qxg5 f4 Qf6 Kxg4", -0.1714, -0.4525, cause="threat", cause_squares=("g5",), number=14,
    )  # fmt: skip
    assert "bishop" not in fell(bishop)
    pawn = evidence(
        "5rk1/p1q3pn/4p3/1p2p1B1/3pP3/3P2Q1/PPP3PP/2R4K w - - 0 20", "g5d2 c7c2 g3e1", "g5h4 Bh4 Qf7 h3 Qf4 Qe1",
        0.288, -0.2453, cause="threat", cause_squares=("c2",),
    )  # fmt: skip
    assert "save" not in fell(pawn)


def test_who_could_mate_by_force_reads_that_and_no_other_reason() -> None:
    said = evidence(
        "8/p1Q3pp/1p3rk1/8/3q3P/1P6/P4P1K/R4R2 w - - 4 35", "a1d1 d4h4 h2g1 f6f4 c7c6 f4f6 c6g2 g6h5 d1d5 h5h6",
        "f1g1 Rg1+ Kf5 Rg5+ Ke4 Re1+", 1.0, 0.711, cause="threat", cause_squares=("h4",), number=35,
    )  # fmt: skip
    assert fell(said).startswith("35.Rad1?: 35.Rg1+ mates by force ")
    assert "pawn" not in fell(said)


def test_the_piece_that_moves_walks_into_what_was_no_threat() -> None:
    said = evidence(
        "rnb1k1nr/ppp1bppp/2q5/3p4/3Np3/4P3/PPPPBPPP/RNBQK2R b KQkq - 9 8", "c6a4 e2b5 a4b5 d4b5 b8a6 e1g1",
        "c6g6 Qg6 Bf1 Nf6 Ne2 O-O", 0.2505, -0.6923, cause="threat", number=8,
    )  # fmt: skip
    assert fell(said).startswith("8...Qa4?? walks into 9.Bb5+, which forks king and queen.")
    german = Narrator(GERMAN).fell(said)
    assert german.startswith("8...Qa4?? läuft in 9.Bb5+; das greift König und Dame zugleich an.")


def test_a_king_that_moves_into_a_fork_walks_into_it() -> None:
    said = evidence(
        "rn1k1B2/pp4p1/8/4r3/1PP5/8/P4nK1/R1R5 w - - 5 60", "g2f2 e5f5 f2e3 f5f8 c1g1 f8f7 a1f1 f7e7 e3d2 b8d7",
        "f8d6 Bd6 Rf5 Re1 Nd3 Re4", -0.2522, -0.5666, cause="threat", number=60,
    )  # fmt: skip
    assert fell(said).startswith("60.Kxf2?? walks into 60...Rf5+, which forks king and bishop.")


def test_a_free_pawn_is_not_let_go_but_not_taken() -> None:
    said = evidence(
        "r2qkb1r/pp1bpppp/2np1n2/1Bp5/4P3/1P3N2/PBPP1PPP/RN1Q1RK1 b kq - 6 6",
        "a7a6 b5c6 d7c6 e4e5 d6e5 f3e5 d8d5", "f6e4 Nxe4 Qe2 Nf6", 0.1749, -0.0753,
        cause="capture_missed", cause_squares=("e4",), number=6,
    )  # fmt: skip
    assert fell(said) == "6...a6? does not take the free pawn on e4: 6...Nxe4 (59 % → 46 %)."


def test_an_answer_that_was_told_is_missed_with_what_it_does() -> None:
    before = evidence(
        "rn1k1b2/ppp3p1/5np1/1r6/7K/1PP5/PB1P4/R1R5 w - - 0 49", "b2a3 f8a3", "h4g3 Kg3", -0.2, -0.3, number=49
    )
    said = Narrator(ENGLISH).slip(evidence(*BISHOP_LEFT[:3], 0.3, 0.1, number=49), answered=before)
    assert said == "Black misses 49...Bxa3, which takes the bishop on a3 (65 % → 55 %)."


FORKED = evidence(
    "rnb1k2r/pp3ppp/8/q1bN4/3Np3/2P1P3/PP3PPP/R2QKB1R b KQkq - 0 11", "b8d7 b2b4 c5b4 d5b4 e8g8 f1e2 a5g5 e1g1 d7f6",
    "a5d8 Qd8", -0.4258, -0.7305, cause="fork", cause_squares=("b4", "a5", "c5"), number=11,
)  # fmt: skip


def test_a_better_move_steps_out_of_the_fork() -> None:
    assert fell(FORKED).endswith(" 11...Qd8 steps out of the fork (29 % → 13 %).")
    assert Narrator(GERMAN).fell(FORKED).endswith(" 11...Qd8 weicht der Gabel aus (29 % → 13 %).")


UNPINNED = evidence(
    "r2q1rk1/pb1nbppp/1p6/n1p1NP2/3PpB2/2P3Q1/P2NB1PP/3R1RK1 b - - 9 17", "f8e8 f4h6 e7f8", "g8h8 Kh8 Ndc4 cxd4 cxd4",
    -0.1046, -0.7279, number=17,
)  # fmt: skip


def test_a_better_move_says_how_it_meets_the_same_answer() -> None:
    assert fell(UNPINNED) == (
        "17...Re8?? allows 18.Bh6, which threatens mate. 17...Kh8 meets 18.Bh6 with 18...gxh6 (45 % → 14 %)."
    )
    # The answer takes the piece that has moved: after another move it is none.
    taken = evidence(
        "rn2k2r/pp3ppp/2p5/q2n4/1b1P4/5PB1/PP1N1P1P/R2QKB1R w KQkq - 4 11", "g3f4 d5f4 d1e2", "a2a3 a3 Bxd2+ Qxd2",
        0.0158, -0.8328, number=11,
    )  # fmt: skip
    assert "meets" not in fell(taken)


def test_a_missed_answer_wins_what_falls_from_then_on() -> None:
    # The queen that is missed costs a pawn; the rook that was taken a move before is not given for it.
    allows = evidence(
        "4r1k1/5ppp/2p1r3/pp6/8/P4PQ1/1P2R1PP/3qR2K b - - 0 30", "e6e2 e1d1", "d1e1 Qxe1+ Qxe1 Rxe2 Qg1 Re1",
        0.9262, -0.7464, number=30,
    )  # fmt: skip
    misses = evidence(
        "4r1k1/5ppp/2p5/pp6/8/P4PQ1/1P2r1PP/3qR2K w - - 0 31", "e1g1 e2e1 g3f2 e1g1 f2g1", "e1d1 Rxd1 c5 h4 c4 Kh2",
        0.7464, -1.0, cause="attacked", cause_squares=("g1", "e1"), number=31,
    )  # fmt: skip
    told = Narrator(ENGLISH).fell(misses, missed=allows, answered=allows)
    assert told.endswith("White misses 31.Rxd1, winning the queen for a pawn (87 % → 0 %).")


def test_a_queen_that_falls_next_says_more_than_a_pawn_that_is_taken() -> None:
    said = evidence(
        "2r2n1k/1bR4p/ppppQ1nB/8/3P4/2Np4/PPP4P/1K6 b - - 0 23", "c8c7 h6f8 g6f8 e6d6 d3c2 b1c2 c7f7 d6e5 h8g8",
        "d3c2 dxc2+ Kxc2 Nxe6 Rxb7 Nxd4+", 0.0184, -0.756, number=23,
    )  # fmt: skip
    assert "23...dxc2+ 24.Kxc2 Nxe6 takes the queen on e6" in fell(said)


def test_what_the_least_reply_leaves_is_called_so() -> None:
    said = evidence(
        "r3brk1/p3Rnpp/5q2/5p2/1P1N1P2/1B2P3/6RP/3Q2K1 w - - 5 27", "e7c7 a8d8 d1c1 e8d7 c7a7 g8h8",
        "e7e6 Re6 Kh8 Rxf6 gxf6 Nxf5", 0.8899, 0.4182, number=27,
    )  # fmt: skip
    assert "27.Re6 wins at least a knight and a pawn" in fell(said)


def test_a_bait_is_avoided_for_what_its_answer_does() -> None:
    forks = evidence(
        "5r2/4r1k1/3p2p1/1pn1p1Rp/4P2P/1P3NP1/P4R1K/8 w - - 0 41", "f3e5 e7e5 g5e5 c5e4", "f3g1", 0.0, -0.6, number=41
    )
    assert Narrator(ENGLISH).avoided(forks).startswith("Rightly avoids 41.Nxe5??")
    aimless = evidence(
        "r2qk2r/p1p2pp1/5n1p/2p5/8/1P1P1b1P/PBP2PP1/R2Q1RK1 w kq - 0 16", "g2f3 e8g8 f3f4 d8d6", "f1e1 Re1+ Kd7 Qxf3",
        0.55, 0.25, number=16,
    )  # fmt: skip
    assert Narrator(ENGLISH).avoided(aimless) == ""


def test_a_better_move_that_takes_the_square_of_the_answer_keeps_it_out() -> None:
    said = evidence(
        "r2q1rk1/1Q2b1p1/B2p1n1p/4pb2/8/2N4P/PPP2PP1/R1B2RK1 b - - 2 14", "e5e4 c3d5", "d6d5 d5 Rd1 d4 Bd3 Bxd3",
        0.0092, -0.3716, number=14,
    )  # fmt: skip
    assert fell(said).endswith(" 14...d5 keeps the knight out of d5 (50 % → 31 %).")


def test_a_line_that_is_opened_says_what_comes_along_it() -> None:
    said = evidence(
        "r1bqk1nr/pppp1ppp/2n5/2b1p3/8/1P2PN2/PBPP1PPP/RN1QKB1R b KQkq - 2 4",
        "e5e4 b2g7 e4f3 d1f3 d7d5 f1b5 g8e7 g7h8 d5d4 h2h3", "d8e7 Qe7 Bb5 Bd6 d4 e4", -0.057, -0.653,
        cause="line", cause_squares=("b2", "e5"), number=4,
    )  # fmt: skip
    assert fell(said).startswith(
        "4...e4?? opens a line for the bishop on b2: 5.Bxg7 takes the pawn on g7 and traps the rook on h8."
    )


def test_a_piece_that_was_not_taken_says_more_than_a_pawn_that_falls() -> None:
    said = evidence(
        "2r1k2r/1bqnnNbp/pppp4/8/3Pp3/2NBB3/PPP1Q2P/1K1R1R2 b k - 0 16", "e8g8 c3e4 e7d5 e3h6 d7f6 e4f6 d5f6 h6g7",
        "e4d3 exd3 Qxd3 O-O Ne4 c5", -0.1856, -0.7941, cause="threat", cause_squares=("e4",), number=16,
    )  # fmt: skip
    assert Narrator(ENGLISH, beside_move=True).fell(said) == "16...exd3 takes the bishop on d3 (41 % → 10 %)."


def test_castling_takes_the_rook_away_and_guards_nothing() -> None:
    said = evidence(
        "r3k1r1/p4p1p/2q2p2/4p3/3p4/P1PQ2P1/2P2P1P/R3K2R w KQq - 0 17", "c3d4 c6h1 e1d2 h1d5 c2c4 d5d4 d3d4 e5d4",
        "e1g1 O-O Qxc3 Qxc3 dxc3 Rab1", -0.09, -0.8022, cause="threat", cause_squares=("h1",), number=17,
    )  # fmt: skip
    assert fell(said).endswith(" 17.O-O takes the rook to safety (46 % → 10 %).")


def test_a_piece_that_another_reply_saves_is_not_trapped() -> None:
    said = evidence(
        "r2qkb1r/1p2pppp/p1n2n2/3p4/3P1Bb1/1QNBP3/PP3PPP/R3K1NR b KQkq - 3 8",
        "c6b8 b3b7 g7g5 b7a8 g5f4 d3a6 b8a6 a8a6 f4e3 f2e3 f8h6", "c6a5 Na5 Qc2 e6 Nge2 Rc8", -0.0294, -0.5753,
        cause="trap", cause_squares=("b7", "a8"), number=8,
    )  # fmt: skip
    assert "rook" not in fell(said).partition(". ")[0].replace("attacks the rook", "")
    assert "trap" not in fell(said)


def test_a_queen_that_is_traded_is_not_lost() -> None:
    said = evidence(
        "rn1qk2r/pp3ppp/2pb1n2/3p2B1/6b1/1B1P1Q2/PPP2PPP/RN2K1NR w KQkq - 3 8",
        "g5f6 g4f3 f6d8 f3g2 d8h4 e8g8 b3d5 c6d5 h4g3 f8e8 g1e2", "f3g4 Qxg4 Nxg4 Bxd8 Kxd8 h3", -0.1408, -0.6111,
        cause="threat", number=8,
    )  # fmt: skip
    assert "save the queen" not in fell(said)
