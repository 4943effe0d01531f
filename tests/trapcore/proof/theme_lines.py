"""Lines made for one theme each: one that has it, with what it rests on, and one that nearly has it."""

from typing import NamedTuple


class Has(NamedTuple):
    """A line that has the theme."""

    fen: str
    moves: str
    ply: int
    by: str
    targets: tuple[str, ...]


class Lacks(NamedTuple):
    """A line that nearly has it."""

    fen: str
    moves: str
    reason: str


SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
CASTLED = "r1bq1rk1/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b - - 0 1"
LONG = "2kr1bnr/pppq1ppp/2n1p3/3p4/3P4/1Q2PN2/PPP2PPP/R1B1KB1R b KQ - 0 1"

HAS = {
    "fork": Has("4k3/8/8/7N/8/3q4/8/4K3 b - - 0 1", "d3d5 h5f6 e8e7 f6d5", 1, "f6", ("d5", "e8")),
    "pin": Has("4k3/7p/4n3/8/8/8/8/R4K2 b - - 0 1", "h7h6 a1e1", 1, "e1", ("e6", "e8")),
    "skewer": Has("4q3/7p/8/4k3/8/8/8/R5K1 b - - 0 1", "h7h6 a1e1 e5d5 e1e8", 1, "e1", ("e5", "e8")),
    "xRayAttack": Has("R3q3/7k/7p/4r3/8/8/8/4R1K1 b - - 0 1", "h6h5 a8e8 e5e8 e1e8", 1, "e1", ("e5", "e8")),
    "discoveredAttack": Has("3q2k1/p7/8/8/8/3B4/8/3R2K1 b - - 0 1", "a7a6 d3h7 g8h7 d1d8", 1, "d1", ("d8",)),
    "discoveredCheck": Has("3k4/p7/8/8/3N4/8/8/3R2K1 b - - 0 1", "a7a6 d4b5", 1, "d1", ("d8",)),
    "doubleCheck": Has("3k4/p7/8/8/3N4/8/8/3R2K1 b - - 0 1", "a7a6 d4c6", 1, "c6", ("d8",)),
    "hangingPiece": Has("4k3/8/8/7N/8/3q4/8/4K2Q b - - 0 1", "d3d5 h1d5", 1, "d5", ("d5",)),
    "trappedPiece": Has("4k3/p7/8/8/8/8/7P/5K1n b - - 0 1", "a7a6 f1g2 a6a5 g2h1", 1, "g2", ("h1",)),
    "deflection": Has("3r2k1/5ppp/8/8/8/8/3n4/2B1R1K1 b - - 0 1", "h7h6 e1e8 d8e8 c1d2", 1, "e8", ("d8", "d2")),
    "attraction": Has("5rk1/5pp1/p7/8/8/8/8/3Q2KR b - - 0 1", "a6a5 h1h8 g8h8 d1h5", 1, "h8", ("g8",)),
    "capturingDefender": Has("6k1/7p/5n2/3b2B1/8/8/8/3R2K1 b - - 0 1", "h7h6 g5f6 g8f7 d1d5", 1, "f6", ("f6", "d5")),
    "interference": Has("3q2k1/7p/8/8/5B2/3nR3/8/6K1 b - - 0 1", "h7h6 f4d6 h6h5 e3d3", 1, "d6", ("d8", "d3")),
    "overloading": Has("6k1/p4b1p/8/8/2B5/8/8/6KR b - - 0 1", "a7a6 c4f7 g8f7 h1h7", 1, "f7", ("g8", "f7", "h7")),
    "intermezzo": Has("3r2k1/8/8/8/3N4/4P3/8/1Q4K1 b - - 0 1", "d8d4 b1b8 g8g7 e3d4", 1, "b8", ("d4",)),
    "clearance": Has("6k1/p7/8/7B/8/8/8/3Q2K1 b - - 0 1", "a7a6 h5e8 a6a5 d1h5", 1, "e8", ("h5",)),
    "quietMove": Has("6k1/p6p/8/8/8/8/6K1/N7 b - - 0 1", "a7a6 a1b3 a6a5 b3a5", 1, "b3", ()),
    "defensiveMove": Has("6k1/p6p/8/8/8/8/6K1/N7 b - - 0 1", "a7a6 a1b3", 1, "b3", ()),
    "sacrifice": Has("5rk1/5pp1/p7/8/8/8/8/3Q2KR b - - 0 1", "a6a5 h1h8 g8h8 d1h5", 1, "h8", ()),
    "advancedPawn": Has("8/8/4P1k1/8/8/8/8/4K3 b - - 0 1", "g6g7 e6e7", 1, "e7", ()),
    "promotion": Has("8/4P1k1/8/8/8/8/8/4K3 b - - 0 1", "g7g6 e7e8q", 1, "e8", ()),
    "underPromotion": Has("8/4P1k1/8/8/8/8/8/4K3 b - - 0 1", "g7g6 e7e8n", 1, "e8", ()),
    "enPassant": Has("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6", 1, "d6", ("d6",)),
    "castling": Has("4k3/p7/8/8/8/8/8/4K2R b K - 0 1", "a7a6 e1g1", 1, "g1", ()),
    "attackingF2F7": Has(SCHOLAR, "g8f6 h5f7", 1, "f7", ("f7",)),
    "exposedKing": Has("6k1/p7/8/8/8/8/8/3QR1K1 b - - 0 1", "a7a6 d1d5 g8g7 e1e7 g7g6 d5e6", 3, "e7", ("g8",)),
    "kingsideAttack": Has(CASTLED, "a7a6 c4f7", 1, "f7", ("g8",)),
    "queensideAttack": Has(LONG, "a7a6 b3b7", 1, "b7", ("c8",)),
    "backRankMate": Has("7k/5ppp/8/8/8/8/8/R5K1 b - - 0 1", "h8g8 a1a8", 1, "a8", ("g8",)),
    "smotheredMate": Has("6rk/5ppp/8/6N1/8/8/8/6K1 b - - 0 1", "f7f6 g5f7", 1, "f7", ("h8",)),
    "hookMate": Has("5r2/p5k1/5Np1/4P3/8/8/8/6KR b - - 0 1", "a7a6 h1h7", 1, "h7", ("g7",)),
    "arabianMate": Has("7k/1R6/p4N2/8/8/8/8/6K1 b - - 0 1", "a6a5 b7h7", 1, "h7", ("h8",)),
    "anastasiaMate": Has("8/4N1pk/p7/8/8/8/6K1/R7 b - - 0 1", "a6a5 a1h1", 1, "h1", ("h7",)),
    "bodenMate": Has("2kr4/p2p4/8/8/5B2/8/8/5BK1 b - - 0 1", "a7a5 f1a6", 1, "a6", ("c8",)),
    "doubleBishopMate": Has("7k/p6p/8/8/2B5/8/3B4/6K1 b - - 0 1", "a7a6 d2c3", 1, "c3", ("h8",)),
    "dovetailMate": Has("8/p5p1/6kp/8/4P3/8/5Q2/6K1 b - - 0 1", "a7a6 f2f5", 1, "f5", ("g6",)),
    "triangleMate": Has("5k2/p3R3/8/6Q1/8/8/8/6K1 b - - 0 1", "a7a6 g5g7", 1, "g7", ("f8",)),
    "swallowstailMate": Has("3r1r2/p3k3/1Q6/8/2B5/8/8/6K1 b - - 0 1", "a7a5 b6e6", 1, "e6", ("e7",)),
    "epauletteMate": Has("3rkr2/p7/1Q6/8/8/8/8/6K1 b - - 0 1", "a7a5 b6e6", 1, "e6", ("e8",)),
    "operaMate": Has("4k3/p4p2/8/6B1/8/8/8/3R2K1 b - - 0 1", "a7a6 d1d8", 1, "d8", ("e8",)),
    "pillsburysMate": Has("6k1/p4pp1/8/8/8/3B4/8/4R1K1 b - - 0 1", "a7a6 e1e8", 1, "e8", ("g8",)),
    "morphysMate": Has("7k/p6p/8/6B1/8/8/8/6RK b - - 0 1", "a7a6 g5f6", 1, "f6", ("h8",)),
    "blindSwineMate": Has("5rk1/R6R/p7/8/8/8/8/6K1 b - - 0 1", "a6a5 a7g7", 1, "g7", ("g8",)),
    "killBoxMate": Has("6k1/p7/5Q2/8/8/8/8/6KR b - - 0 1", "a7a6 h1h8", 1, "h8", ("g8",)),
    "vukovicMate": Has("5k2/R7/p4NP1/8/8/8/8/6K1 b - - 0 1", "a6a5 a7f7", 1, "f7", ("f8",)),
    "cornerMate": Has("7k/p6p/8/4N1R1/8/8/8/6K1 b - - 0 1", "a7a6 e5f7", 1, "f7", ("h8",)),
    "balestraMate": Has("4k3/p7/5Q2/8/8/8/8/5BK1 b - - 0 1", "a7a5 f1b5", 1, "b5", ("e8",)),
    "mate": Has(SCHOLAR, "g8f6 h5f7", 1, "f7", ("e8",)),
    "mateIn1": Has(SCHOLAR, "g8f6 h5f7", 1, "f7", ("e8",)),
    "mateIn2": Has("5r1k/p5pp/7N/8/2Q5/8/8/6K1 b - - 0 1", "a7a6 c4g8 f8g8 h6f7", 3, "f7", ("h8",)),
    "zugzwang": Has("8/8/2K5/4p3/4P1k1/8/8/8 b - - 0 1", "g4f4 c6d5", 1, "d5", ("f4",)),
}

LACKS = {
    "fork": Lacks("4k3/8/4p3/7N/8/3q4/8/4K3 b - - 0 1", "d3a3 h5f6 e8e7 f6e4", "the check attacks the king alone"),
    "pin": Lacks("4k3/5p1p/4n3/8/8/8/8/R4K2 b - - 0 1", "h7h6 a1e1", "the pinned knight is guarded"),
    "skewer": Lacks("4r2r/7p/8/4k3/8/8/8/R5K1 b - - 0 1", "h7h6 a1e1 e5d5 e1e8", "the rook behind is guarded"),
    "xRayAttack": Lacks("R3qr2/7k/7p/8/8/8/8/4R1K1 b - - 0 1", "h6h5 a8e8 f8e8 e1e8", "it takes back from the side"),
    "discoveredAttack": Lacks("3q2k1/p7/8/8/8/8/2B5/3R2K1 b - - 0 1", "a7a6 c2h7 g8h7 d1d8", "the line was open"),
    "discoveredCheck": Lacks("3k4/p7/8/8/2N5/8/8/4R1K1 b - - 0 1", "a7a6 e1d1", "the piece that moved checks"),
    "doubleCheck": Lacks("3k4/p7/8/8/3N4/8/8/3R2K1 b - - 0 1", "a7a6 d4b5", "the knight does not check"),
    "hangingPiece": Lacks("3rk3/8/8/7N/8/3q4/8/4K2Q b - - 0 1", "d3d5 h1d5", "the rook guards the queen"),
    "trappedPiece": Lacks("4k3/p7/8/8/8/8/8/5K1n b - - 0 1", "a7a6 f1g1 a6a5 g1h1", "g3 was free"),
    "deflection": Lacks(
        "3r2k1/5ppp/8/3p4/8/8/3n4/2B1R1K1 b - - 0 1", "h7h6 e1e8 d8e8 c1d2", "the rook guarded nothing"
    ),
    "attraction": Lacks(
        "5rk1/5pp1/p7/8/8/8/8/3Q2KR b - - 0 1", "a6a5 h1h8 g8h8 d1d4", "the pawn on g7 stops the queen"
    ),
    "capturingDefender": Lacks(
        "6k1/7p/4pn2/3b2B1/8/8/8/3R2K1 b - - 0 1", "h7h6 g5f6 g8f7 d1d5", "a pawn guards it, too"
    ),
    "interference": Lacks("3q2k1/7p/8/8/5B2/3nR3/8/6K1 b - - 0 1", "h7h6 f4e5 h6h5 e3d3", "the queen still guards"),
    "overloading": Lacks("6kr/p4b1p/8/8/2B5/8/8/6KR b - - 0 1", "a7a6 c4f7 g8f7 h1h7", "the rook guards h7 as well"),
    "intermezzo": Lacks(
        "3r2k1/8/8/8/8/4P3/8/1Q4K1 b - - 0 1", "d8d4 b1b8 g8g7 e3d4", "nothing waited to be taken back"
    ),
    "clearance": Lacks("6k1/p7/8/1B6/8/8/8/3Q2K1 b - - 0 1", "a7a6 b5e8 a6a5 d1h5", "the bishop was not in the way"),
    "quietMove": Lacks("6k1/p6p/8/8/8/8/6K1/N7 b - - 0 1", "a7a5 a1b3 h7h6 b3a5", "it attacks the pawn"),
    "defensiveMove": Lacks("6k1/p6p/8/8/8/8/6K1/N7 b - - 0 1", "a7a5 a1b3", "it attacks the pawn"),
    "sacrifice": Lacks("4k3/8/1p6/8/P7/8/8/4K3 b - - 0 1", "e8d7 a4a5 b6a5 e1d1", "it is only a pawn"),
    "advancedPawn": Lacks("8/8/8/4P1k1/8/8/8/4K3 b - - 0 1", "g5g6 e5e6", "it is on the sixth rank"),
    "promotion": Lacks("8/8/4P1k1/8/8/8/8/4K3 b - - 0 1", "g6g7 e6e7", "it is on the seventh rank"),
    "underPromotion": Lacks("8/4P1k1/8/8/8/8/8/4K3 b - - 0 1", "g7g6 e7e8q", "it is a queen"),
    "enPassant": Lacks("4k3/8/3p4/4P3/8/8/8/4K3 b - - 0 1", "e8e7 e5d6", "the pawn did not just pass"),
    "castling": Lacks("4k3/p7/8/8/8/8/8/4K2R b K - 0 1", "a7a6 e1f1", "the king makes one step"),
    "attackingF2F7": Lacks(SCHOLAR, "g7g6 h5e5", "the capture is on e5"),
    "exposedKing": Lacks("6k1/p6p/8/8/8/8/8/3QR1K1 b - - 0 1", "a7a6 d1d5 g8g7 e1e7 g7g6 d5e6", "h7 is a pawn's"),
    "kingsideAttack": Lacks(SCHOLAR, "g8f6 h5f7", "the king has not castled"),
    "queensideAttack": Lacks(CASTLED, "a7a6 c4f7", "it is the other side"),
    "backRankMate": Lacks("6k1/p4pp1/8/8/8/3B4/8/4R1K1 b - - 0 1", "a7a6 e1e8", "the bishop takes h7"),
    "smotheredMate": Lacks("6rk/5pp1/8/6N1/8/8/2B5/6K1 b - - 0 1", "f7f6 g5f7", "nothing stands on h7"),
    "hookMate": Lacks("5r2/p5k1/5Np1/8/8/8/1B6/6KR b - - 0 1", "a7a6 h1h7", "a bishop guards the knight"),
    "arabianMate": Lacks(
        "5rk1/R6R/p7/8/8/8/8/6K1 b - - 0 1", "a6a5 a7g7", "it is not in the corner, and without a knight"
    ),
    "anastasiaMate": Lacks("7k/4N1p1/p7/8/8/8/6K1/R7 b - - 0 1", "a6a5 a1h1", "the king is in the corner"),
    "bodenMate": Lacks("7k/p6p/8/8/2B5/8/3B4/6K1 b - - 0 1", "a7a6 d2c3", "both bishops come from one side"),
    "doubleBishopMate": Lacks("2kr4/p2p4/8/8/5B2/8/8/5BK1 b - - 0 1", "a7a5 f1a6", "the diagonals cross"),
    "dovetailMate": Lacks("8/p5p1/6kp/8/6P1/8/5Q2/6K1 b - - 0 1", "a7a6 f2f5", "a pawn helps to take h5"),
    "triangleMate": Lacks("5k2/p3R3/8/3Q4/8/8/8/6K1 b - - 0 1", "a7a6 d5d8", "the queen is two squares away"),
    "swallowstailMate": Lacks("3rkr2/p7/1Q6/8/8/8/8/6K1 b - - 0 1", "a7a5 b6e6", "the queen is two squares away"),
    "epauletteMate": Lacks("3r1r2/p3k3/1Q6/8/2B5/8/8/6K1 b - - 0 1", "a7a5 b6e6", "the queen is beside the king"),
    "operaMate": Lacks("4k3/p3rp2/8/8/8/8/3R4/3R2K1 b - - 0 1", "a7a6 d2d8", "a rook guards the rook"),
    "pillsburysMate": Lacks("6k1/p4pp1/8/6N1/8/8/8/4R1K1 b - - 0 1", "a7a6 e1e8", "a knight takes h7"),
    "morphysMate": Lacks("7k/p6p/8/6B1/8/8/8/6QK b - - 0 1", "a7a6 g5f6", "a queen takes the file"),
    "blindSwineMate": Lacks("4k3/p3rp2/8/8/8/8/3R4/3R2K1 b - - 0 1", "a7a6 d2d8", "the other rook is far"),
    "killBoxMate": Lacks("5k2/p3R3/8/6Q1/8/8/8/6K1 b - - 0 1", "a7a6 g5g7", "queen and rook stand side by side"),
    "vukovicMate": Lacks("7k/1R6/p4N2/8/8/8/8/6K1 b - - 0 1", "a6a5 b7h7", "the knight guards the rook"),
    "cornerMate": Lacks("6rk/5ppp/8/6N1/8/8/8/6K1 b - - 0 1", "f7f6 g5f7", "its own pieces confine the king"),
    "balestraMate": Lacks("2kr4/p2p4/8/8/5B2/8/8/5BK1 b - - 0 1", "a7a5 f1a6", "there is no queen"),
    "mate": Lacks(SCHOLAR, "g7g6 h5e5", "the king can step in between"),
    "mateIn1": Lacks("5r1k/p5pp/7N/8/2Q5/8/8/6K1 b - - 0 1", "a7a6 c4g8 f8g8 h6f7", "it takes two moves"),
    "mateIn2": Lacks(SCHOLAR, "g8f6 h5f7", "it takes one move"),
    "zugzwang": Lacks("8/p7/2K5/4p3/4P1k1/8/8/8 b - - 0 1", "g4f4 c6d5", "the other pawn can move"),
}

OF_THE_LINE = {
    "opening": CASTLED,
    "middlegame": "r2q1rk1/ppp2ppp/2n2n2/8/8/2N2N2/PPP2PPP/R2Q1RK1 b - - 0 1",
    "endgame": "r5k1/ppp2ppp/2n5/8/8/2N5/PPP2PPP/R5K1 b - - 0 1",
    "pawnEndgame": "6k1/ppp2ppp/8/8/8/8/PPP2PPP/6K1 b - - 0 1",
    "knightEndgame": "6k1/ppp2ppp/2n5/8/8/2N5/PPP2PPP/6K1 b - - 0 1",
    "bishopEndgame": "6k1/ppp2ppp/2b5/8/8/2B5/PPP2PPP/6K1 b - - 0 1",
    "rookEndgame": "6k1/ppp2ppp/2r5/8/8/2R5/PPP2PPP/6K1 b - - 0 1",
    "queenEndgame": "6k1/ppp2ppp/2q5/8/8/2Q5/PPP2PPP/6K1 b - - 0 1",
    "queenRookEndgame": "6k1/ppp2ppp/2q5/8/8/2R5/PPP2PPP/6K1 b - - 0 1",
}
"""Positions whose pieces decide, with any quiet moves."""
