"""A reason is true on the board, and is not one of the better move as well.

The positions are from amateur games; the figures and lines are an engine's.
"""

import pytest

from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.sentences import Narrator
from tests.db.wording.test_better_moves import evidence

ATTACKED = evidence(
    "rn1q1kn1/ppp1p1p1/5p1r/7p/8/2NP4/PPP1QPPP/R1B1K2R b KQ - 0 10", "h6g6 e2h5 f8f7 c3e2 e7e6 e2f4 g8e7 f4g6",
    "h6h8 Rh8 Be3 Nc6", -0.235, -0.601, cause="square", cause_squares=("h5", "h6"), number=10,
)  # fmt: skip
LONGER_MATE = evidence(
    "4q3/4n1p1/4Qpr1/4p1k1/8/3P2P1/2P3PP/2R2R1K b - - 0 32", "g5h6 e6h3 h6g5 h3h4", "g6h6 Rh6 Rce1 Kg6 g4 Rh8",
    -0.761, -1.0, cause="mating_net", cause_squares=("h6",), mate_in=2, number=32,
)  # fmt: skip
CASTLING = evidence(
    "r2qkb1r/ppp2ppp/2n2p2/8/2B3b1/5N2/PPPP1PPP/R1BQK2R w KQkq - 0 7", "d1e2 f8e7 h2h3 g4h5 g2g4",
    "e1g1 O-O Bd6 Re1+ Ne7 Be2", 0.004, -0.103, number=7,
)  # fmt: skip
PAWN_WON = evidence(
    "2kr2nr/pp4pp/5p2/4pb2/1n6/N3PNP1/PP3PBP/R3K2R b KQ - 0 15", "a7a6 e1g1 g8e7 a3c4 c8b8 f1c1 f5e6 f3e1 d8c8 c4d6",
    "b4d3 Nd3+ Ke2 Nxb2 Rhc1+ Kb8", 0.365, 0.152, number=15,
)  # fmt: skip
GUARDED = evidence(
    "r2q1rk1/ppp1ppbp/2np1np1/8/3PPBb1/2NB1N2/PPPQ1PPP/R3K2R w KQ - 0 8",
    "e1c1 g4f3 g2f3 c6d4 h2h4 f6h5 f4g5 d4f3 d2e3 f3g5", "f4e3 Be3 e5 dxe5 dxe5 O-O-O", -0.029, -0.244, number=8,
)  # fmt: skip
TAKEN_BACK = evidence(
    "5rk1/7p/4p1p1/1rNnPp2/3Q1b1q/5R1P/6PB/2R3K1 w - - 0 32", "f3f4 d5f4 h2f4 f8c8 g2g3",
    "h2f4 Bxf4 Rb4 Rc4 Rxc4 Qxc4", 0.427, 0.077, number=32,
)  # fmt: skip
PASSED_PAWN = evidence(
    "8/kpR5/4p3/4P3/p1PK4/7r/8/8 w - - 0 43", "c7e7 a4a3 e7f7 a3a2 f7f1 h3a3 d4c5 a2a1q f1a1 a3a1", "c7c5 Rc5 b6",
    -0.29, -0.747, number=43,
)  # fmt: skip
GUARD_LEFT = evidence(
    "r2b1rk1/2qbn1pp/p1n1p3/1p1pP3/8/P1N2NB1/1P2BPPP/R2Q1RK1 b - - 0 16",
    "e7g6 c3d5 c7a7 d5c3 d8b6 e2d3 a8d8 d3g6 h7g6", "e7f5 Nf5 Rc1 Be8 a4 b4", 0.09, -0.266, number=16,
)  # fmt: skip
FREE_REPLY = evidence(
    "r4rk1/2qb2pp/p3pb2/1p1pn3/6B1/P1N3B1/1P3PPP/R2QR1K1 w - - 0 20", "g4h3 a8c8 d1h5 g7g6 h5e2 d5d4 c3e4 f6g7",
    "d1e2 Qe2 d4 Na2 Qc4 Bxe5", 0.365, 0.164, cause="win_missed", cause_squares=("e5",), number=20,
)  # fmt: skip
COVERED = evidence(
    "r5k1/pp3pp1/2p4p/4n3/8/8/P4PPP/2R1R1K1 w - - 0 30", "a2a3 e5d3", "e1d1 Red1 Kf8 h3", 0.3, 0.1, number=30,
)  # fmt: skip
TRADE = evidence(
    "2k4r/ppp3p1/5p2/4p3/2PpP1P1/1P1r4/P4P2/3R1RK1 b - - 0 26", "h8h3 d1d3 h3d3 g1g2 d3d2 f1h1 d2e2 h1h8 c8d7",
    "d3h3 Rdh3 g5 fxg5 Kg2 g4", 0.675, 0.502, cause="attacked", cause_squares=("h3", "d3"), number=26,
)  # fmt: skip
OPENED = evidence(
    "3rk2r/pp1nppbp/3p2p1/8/Q1Pq4/2N2RP1/PP2B1PP/R6K w k - 0 15", "c3b5 d7c5 a4a5 d4b2 b5c7 e8f8 a1f1 b2e2 f3f7",
    "a1d1 Rd1 Qc5 b4 Qc8", -0.086, -0.341, cause="line", cause_squares=("d4", "c3"), number=15,
)  # fmt: skip
RECAPTURE = evidence(
    "1r2k2r/1p1b1ppp/p2q2n1/P2pp2Q/3P4/3B2N1/2P2PPP/1R3RK1 w k - 0 20", "d3g6 f7g6 b1b6 g6h5 b6d6 h5h4 g3e2 e5e4",
    "d4e5 dxe5 Qc7 f4 O-O f5", 0.398, 0.044, number=20,
)  # fmt: skip

DISCOVERED_CHECK = evidence(
    "r4rk1/1p4pp/p1p1R1n1/8/P1BP1q2/2PQ4/5PPP/R5K1 w - - 1 19", "e6e3 g8h8 e3f3 f4g5", "e6f6 Rf6+ Kh8 Rxf4 Nxf4 Qd1",
    0.71, 0.45, number=19,
)  # fmt: skip
SAME_PAWN = evidence(
    "r4br1/1kpRnN1p/p1n1P3/1p4p1/5B2/8/PPP2PPP/2K3NR w - - 0 15", "d7c7 b7b6 f4g3 e7f5",
    "f4c7 Bxc7 a5 Nf3 Rg6 N7xg5", 0.745, 0.573, number=15,
)  # fmt: skip
ROOK = evidence(
    "r2qk1nr/p2nppbp/2Q1b1p1/1N6/2pP4/5N2/PP2PPPP/R1B1KB1R b KQkq - 1 8", "d8c8 c6a8 c8a8 b5c7 e8d8 c7a8",
    "a8c8 Rc8 Qa6 Ngf6 e3 Ne4", -0.14, -0.78, number=8,
)  # fmt: skip
QUEENS = evidence(
    "1r2r3/2qb1pkp/5Np1/2b3P1/1pNp1n2/1P1B2QP/2P2P2/R3R1K1 b - - 4 31", "f4h3 g1h2 c7g3 f2g3 h3g5 f6e8",
    "e8e3 Re3 Rxe3 dxe3", -0.2, -0.5, number=31,
)  # fmt: skip
CASTLING_LOST = evidence(
    "rnbqkbnr/ppp1pppp/8/3p4/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2", "e7e5 d4e5 d5e4 d1d8 e8d8 b1c3",
    "d5e4 dxe4 f3 e5 dxe5 Qxd1+", 0.16, -0.26, number=2,
)  # fmt: skip


def slip(said: Evidence) -> str:
    return Narrator(ENGLISH, beside_move=True).slip(said)


@pytest.mark.parametrize(
    ("said", "english", "german"),
    [
        pytest.param(
            ATTACKED, "takes the pawn on h5 and attacks the rook on g6",
            "schlägt den Bauern auf h5 und greift den Turm auf g6 an", id="a capture that attacks",
        ),
        pytest.param(LONGER_MATE, "32...Rh6 stops the mate", "32...Rh6 verhindert das Matt", id="a mate in two"),
        pytest.param(CASTLING, "7.O-O brings the king to safety", "O-O bringt den König in Sicherheit", id="castling"),
        pytest.param(PAWN_WON, "15...Nd3+ wins a pawn", "15...Nd3+ gewinnt einen Bauern", id="a pawn that falls later"),
        pytest.param(GUARDED, "8.Be3 guards the pawn on d4", "8.Be3 deckt den Bauern auf d4", id="what falls later"),
        pytest.param(
            PASSED_PAWN, "Allows 43...a3, which brings the pawn on a4 to promotion",
            "bringt den Bauern auf a4 zur Umwandlung", id="a pawn that costs a rook",
        ),
        pytest.param(
            GUARD_LEFT, "Allows 17.Nxd5, which takes the pawn on d5 and attacks the queen on c7",
            "schlägt den Bauern auf d5 und greift die Dame auf c7 an", id="a guard that goes away is no threat before",
        ),
        pytest.param(
            CASTLING_LOST, "Allows 3.dxe5 dxe4 4.Qxd8+, which ends the right to castle",
            "Erlaubt 3.dxe5 dxe4 4.Qxd8+; das nimmt das Recht zur Rochade", id="castling that is lost",
        ),
        pytest.param(COVERED, "30.Red1 prevents 30...Nd3", "30.Red1 verhindert 30...Nd3", id="an answer"),
        pytest.param(ROOK, "8...Rc8 takes the rook off a8", "8...Rc8 zieht den Turm von a8 weg", id="no trade"),
        pytest.param(TRADE, "26...Rdh3 avoids the trade on d3", "26...Rdh3 vermeidet den Tausch auf d3", id="a trade"),
        pytest.param(
            OPENED, "Opens a line for the queen on d4: 15...Nc5 16.Qa5 Qxb2.", "15...Nc5 16.Qa5 Qxb2.",
            id="the line until something comes along it",
        ),
    ],
)  # fmt: skip
def test_a_reason_is_read_off_the_board(said: Evidence, english: str, german: str) -> None:
    assert english in slip(said)
    assert german in Narrator(GERMAN, beside_move=True).slip(said)


@pytest.mark.parametrize(
    ("said", "untrue"),
    [
        pytest.param(TAKEN_BACK, "32.Bxf4 takes", id="both moves take it"),
        pytest.param(TRADE, "safety", id="a piece that is only traded"),
        pytest.param(FREE_REPLY, "21.Qh5", id="a queen that nobody makes go where it is attacked"),
        pytest.param(RECAPTURE, "Allows 20...fxg6", id="what takes back"),
        pytest.param(DISCOVERED_CHECK, "offers", id="a check is no offer"),
        pytest.param(SAME_PAWN, "wins a pawn", id="a pawn that both moves take"),
        pytest.param(QUEENS, "threatens 33.Qxc7", id="a queen that may take first"),
    ],
)
def test_a_reason_that_misleads_is_not_told(said: Evidence, untrue: str) -> None:
    assert slip(said)
    assert untrue not in slip(said)


def test_a_better_move_that_was_missed_before_is_missed_again() -> None:
    said = Narrator(ENGLISH, beside_move=True).slip(GUARDED, misses_again=True)
    assert said.endswith(". White misses 8.Be3 again (49 % → 38 %).")


def test_another_piece_should_have_taken() -> None:
    takes = evidence(
        "4k3/8/8/3p4/2P1B3/8/8/4K3 w - - 0 30", "e4d5 e8d7 d5e4 d7d6", "c4d5 cxd5 Kd7 Kd2 Kd6", 0.9, 0.6, number=30
    )
    assert slip(takes).startswith("Takes with the wrong piece: ")
