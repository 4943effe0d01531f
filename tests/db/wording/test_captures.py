"""Captures in words: what a move leaves, what is taken though it is guarded, and what simply can be taken.

The positions are from games that people played; the figures and lines are our own search's.
"""

from dataclasses import replace

import chess

from db.wording.effects.captures import guarded_capture, simplest
from db.wording.effects.finding import effects_of
from db.wording.effects.later import won_in_the_end
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.sentences import Narrator
from db.wording.stands import exchanged
from tests.db.wording.test_better_moves import evidence

BESIDE = Narrator(ENGLISH, beside_move=True)

LEAVES_A_PAWN = evidence(
    "5rk1/p2n1pp1/1qp1p1b1/3pP2p/3P2PP/1N1B1P2/Pr3N2/2RQK2R b K - 3 19",
    "c6c5 d4c5 d7c5 b3c5 f8b8 d3c2 b6c7 c5d3 c7e5 e1f1", "d7e5 Nxe5 Be2 Qb4+ Kf1 Nc4", 0.06, -0.16, number=19,
)  # fmt: skip


def test_what_is_guarded_is_taken_for_a_reason_that_is_named() -> None:
    said = "19...Nxe5 takes the pawn on e5, since 20.dxe5 is met by 20...Qxf2#"
    assert said in BESIDE.slip(LEAVES_A_PAWN)
    assert "denn auf 20.dxe5 folgt 20...Qxf2#" in Narrator(GERMAN, beside_move=True).slip(LEAVES_A_PAWN)


def test_a_trade_is_no_capture_that_needs_a_reason() -> None:
    trade = chess.Board("rn1qkbnr/ppp1pppp/8/3p1b2/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 0 3")
    assert guarded_capture(trade, "f5b1", 0.0) is None
    free = chess.Board("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    assert guarded_capture(free, "e4d5", 0.9) is None


def test_a_piece_that_was_not_taken_back_is_left_though_it_gives_itself_for_another() -> None:
    said = evidence(
        "r1bqk2r/pp2bppp/2B2n2/2pp4/3P4/2P2N2/PP1N1PPP/R1BQK2R b KQkq - 0 8",
        "c8d7 c6d7 d8d7 e1g1 e8g8 f1e1 e7d6", "b7c6 bxc6 O-O O-O dxc5", 0.04, -0.82, number=8,
    )  # fmt: skip
    assert BESIDE.fell(said) == "Does not take the bishop on c6: 8...bxc6 (52 % → 9 %)."


def test_a_piece_that_can_be_taken_is_taken_and_nothing_else_first() -> None:
    lost = evidence(
        "4Qrk1/pp5p/2n3pP/1q1p4/3P2b1/2B5/P1B5/2K4R w - - 3 34", "e8d7 f8f1 h1f1 b5f1 c1b2 g4d7",
        "e8e1 Qe1 Qe2 Qxe2 Bxe2 Bb3", -0.4, -0.96, number=34,
    )  # fmt: skip
    assert simplest(lost).killer_line[0] == "g4d7"
    assert "34...Bxd7" in BESIDE.fell(lost)
    assert "Rf1" not in BESIDE.fell(lost).partition(".")[0]
    assert simplest(LEAVES_A_PAWN) is LEAVES_A_PAWN


def test_pieces_of_one_kind_that_take_each_other_are_traded_in_a_line_as_well() -> None:
    said = evidence(
        "r2q2k1/1p2r1pp/p4p2/4p3/1Pbp2Q1/P1N1P1RP/6P1/2R3K1 w - - 2 29", "e3d4 d8d4 g4d4 e5d4 c3a4 b7b6",
        "c3e4 Ne4 Be6 Qh5 d3", -0.28, -0.64, number=29,
    )  # fmt: skip
    assert "takes the queen" not in BESIDE.fell(said)
    assert "30.Qxd4 exd4, which trades queens and drives the knight from c3" in BESIDE.fell(said)


def test_a_pinned_piece_that_is_attacked_is_called_so() -> None:
    shields = chess.Board("4k2r/pb3ppp/1qprp3/3n4/8/2P2B2/PP3PPP/R1BQ1RK1 w k - 0 14")
    (attack,) = (each for each in effects_of(shields, ["c3c4", "e8g8", "c4d5"], 28) if each.does == "attack")
    assert (attack.targets, attack.pinned) == (((chess.KNIGHT, chess.D5),), True)
    free = shields.copy()
    free.remove_piece_at(chess.D6)
    attacks = [each for each in effects_of(free, ["c3c4", "e8g8", "c4d5"], 28) if each.does == "attack"]
    assert [each.pinned for each in attacks] == [False]


def test_a_trapped_piece_is_named_and_not_what_is_given_up_first() -> None:
    said = evidence(
        "r1bqr1k1/p2n1pp1/2pp3p/4N3/4PB2/3P4/PPP3PP/R2QK2R w KQ - 0 14", "e5c6 d8b6 f4h6 g7h6 d1g4 g8f8 g4h5 b6c6",
        "e5d7 Nxd7 Bxd7 O-O Qb6+ Kh1 Qxb2", 0.18, -0.5, number=14,
    )  # fmt: skip
    assert "14...Qb6 traps the knight on c6." in BESIDE.fell(said)


def test_a_guard_is_taken_away_before_the_capture() -> None:
    said = evidence(
        "r2q1rk1/pb2p1bp/2p1R1p1/1pn2n2/5B2/2NB1N1P/PPPQ1PP1/4R1K1 w - - 3 16", "e6e7 f5e7 h3h4 c5d3",
        "d3f5 Bxf5 Rxf5 Qxd8+ Rxd8 Rxe7", 0.34, -0.36, number=16,
    )  # fmt: skip
    assert "16.Bxf5 takes the knight that guards e7" in BESIDE.fell(said)


def test_a_check_that_is_none_after_the_better_move_is_called_so() -> None:
    said = evidence(
        "8/8/7p/4B1k1/3N2p1/2r3P1/r6P/5RK1 b - - 5 41", "h6h5 d4e6 g5h6 e5c3 h5h4 e6f4", "g5h5 Kh5 Nf5 Rf3 Rxf3 gxf3",
        -0.2, -0.94, cause="threat", cause_squares=("c3",), number=41,
    )  # fmt: skip
    assert "41...Kh5 makes 42.Ne6+ no check" in BESIDE.fell(said)


def test_a_pawn_that_cannot_go_on_is_kept_out() -> None:
    said = evidence(
        "q5k1/5p2/6p1/3p1r2/1Q6/1N2P1P1/P4PK1/8 w - - 3 39", "f2f4 d5d4 g2f2 d4e3 f2e3 a8g2", "b3d4 Nd4 Rh5 g4 Rh4 Kg3",
        -0.3, -0.8, number=39,
    )  # fmt: skip
    assert "39.Nd4 keeps the pawn out of d4" in BESIDE.fell(said)


def test_what_a_better_line_wins_is_said_where_the_move_only_trades() -> None:
    line = evidence(
        "r1bq1rk1/pppp1ppp/2n5/8/3Pn3/5N2/PP2BPPP/RNBQ1RK1 b - - 0 8", "f8e8 d4d5 c6e5 f3e5",
        "d7d5 d5 Nc3 Nxc3 bxc3", 0.1, -0.5, number=8,
    )  # fmt: skip
    assert won_in_the_end(line) is None, "nobody has won anything"
    wins = evidence(
        "r1bqk2r/pp1n1ppp/8/3pp3/1b5P/2N3P1/PPPP1P2/R1BQKBNR w KQkq - 0 8", "f1g2 e8g8 g1e2 d7f6 e1g1",
        "a2a3 a3 O-O axb4 d4 Nce2", 0.5, -0.1, number=8,
    )  # fmt: skip
    found = won_in_the_end(wins)
    assert found is not None
    assert (found.lost, found.gained, found.line) == ((chess.BISHOP,), (), ("a3", "O-O", "axb4"))


def test_a_queen_that_takes_a_piece_is_shown_until_it_is_taken_back() -> None:
    board = chess.Board("r3k1nr/p4ppp/b1p1p3/1q1pP3/3P4/2B5/PP2NPPP/R2Q1RK1 b kq - 2 12")
    assert exchanged(board, ["b5e2", "d1e2", "a6e2"], 1) == 3
    assert exchanged(board, ["b5e2", "h2h3", "a6d3"], 1) == 1


def test_a_move_that_goes_on_giving_check_is_called_so() -> None:
    said = evidence(
        "8/3Q4/p2Pp3/3qk1p1/8/P1P5/1P4PP/1K6 b - - 12 46", "d5d3 b1c1 d3f1 c1c2 f1g2 c2b3",
        "d5d1 Qd1+ Ka2 Qd5+ c4 Qxc4+ Kb1", 0.0, -0.6, number=46,
    )  # fmt: skip
    assert "46...Qd1+ keeps giving check" in BESIDE.fell(said)


def test_checks_that_go_on_are_what_a_move_allows() -> None:
    said = evidence(
        "4k3/2pb1p2/3pq3/2pR1pQ1/8/4P2P/PP3PP1/2K5 w - - 11 34", "d5d2 e6c4 c1d1 c4f1 d1c2 f1c4 c2d1",
        "e3e4 e4 fxe4 b3 f5 Qh5+", 0.34, 0.0, number=34,
    )  # fmt: skip
    assert BESIDE.fell(said).startswith("Allows")
    assert "check" in BESIDE.fell(said)
    cut = replace(said, killer_line=said.killer_line[:5])
    assert BESIDE.fell(cut).startswith("Allows 34...Qc4+, which keeps giving check.")


def test_a_pin_that_the_line_does_not_show_is_no_reason() -> None:
    said = evidence(
        "rn1qkb1r/pQp1pppp/5n2/8/6b1/2NBB3/PPP3PP/R3K1NR b KQkq - 0 8", "b8c6 b7c6 f6d7 h2h3 e7e6",
        "b8d7 Nbd7 h3 Be6 Nf3 g6", -0.2, -0.7, cause="pin", cause_squares=("c6",), number=8,
    )  # fmt: skip
    assert "pin" not in BESIDE.fell(said)
