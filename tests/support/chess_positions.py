"""Chess positions for tests: chosen ones with every special move, and random playouts from them."""

import chess
from hypothesis import strategies as st

FIGURE_2 = {
    "Budapest": ("rnbqk2r/pppp1ppp/8/2bPp1B1/2P1n3/8/PP2PPPP/RN1QKBNR w KQkq - 3 5", "g5d8", "c5f2", 1),
    "Caro-Kann": ("r2qkb1r/pp2pppp/nnp1P3/4N2b/2P5/7P/PP1N1PP1/R1BQKB1R b KQkq - 2 10", "h5d1", "e6f7", 1),
    "Kieninger": ("r1b1k2r/ppppqppp/2n5/4n3/1bP2B2/P4N2/1P1NPPPP/R2QKB1R w KQkq - 0 8", "a3b4", "e5d3", 1),
    "Légal": ("r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5", "g4d1", "c4f7", 2),
}
"""The paper's benchmark traps: FEN before the bait, bait, killer, moves to mate."""

STANDARD = [
    chess.STARTING_FEN,
    *(fen for fen, *_ in FIGURE_2.values()),
    # Both sides can castle both ways; many captures.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    # Promotions with and without capture, to all four pieces, for both sides.
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    # En passant: legal, for two pawns, pinned on the rank, the only answer to a check, and with nobody to take.
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
    "8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1",
    "4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 1",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    # Three knights and three queens that need a file, a rank or a square in SAN.
    "4k3/8/8/1N3N2/8/8/1N3N2/4K3 w - - 0 1",
    "Q6Q/8/8/8/8/1k6/8/Q5K1 w - - 0 1",
    # One side may castle, the other has moved its king; castling through an attacked square.
    "r3k2r/8/8/8/5R2/8/8/4K3 b kq - 0 1",
    # In check, in double check, checkmated, stalemated, and bare kings.
    "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1",
    "4k3/8/8/8/1b6/8/4r3/R3K2R w KQ - 0 1",
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    "7k/8/8/8/8/8/5q2/7K w - - 0 1",
    "8/8/8/8/8/2k5/8/K7 w - - 0 1",
]

CHESS960 = [
    # Start positions with king and rooks anywhere, in X-FEN and in Shredder form.
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "rk1nqbbr/pppppppp/3n4/8/8/3N4/PPPPPPPP/RK1NQBBR w KQkq - 2 2",
    # The king stays where it is, the rook jumps over it; the inner of two rooks has the right.
    "1r4kr/8/8/8/8/8/8/1R4KR w HBhb - 0 1",
    "r1k2r1q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/1R1RK1R1 w GD - 0 1",
    # White stands as in standard chess, Black does not: the whole game is written as Chess960.
    "rk5r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    # The rook that castles is pinned to the king's rank, so castling is illegal.
    "2r5/8/8/8/8/8/6PP/k2KR3 w E - 0 1",
]

FENS = STANDARD + CHESS960

ENDGAMES = [
    "8/8/8/8/8/2k5/1p6/K7 w - - 0 1",
    "8/2k5/8/8/8/8/5KP1/8 w - - 0 1",
    "8/P1k5/8/8/8/8/4K3/8 w - - 0 1",
    "4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 1",
    "7k/5K2/6P1/8/8/8/8/8 w - - 0 1",
    "7k/8/8/8/8/8/5q2/7K w - - 0 1",
]
"""Positions with so few moves that a tree of depth 3 costs nothing."""


def board(fen: str) -> chess.Board:
    """A board in the mode its castling rights need, made without any code under test."""
    made = chess.Board(fen, chess960=True)
    made.chess960 = made.has_chess960_castling_rights()
    return made


@st.composite
def played(draw: st.DrawFn, starts: list[str] = FENS, plies: int = 40) -> str:
    """The FEN after a random playout; shrinks towards the start positions in their order."""
    after = board(draw(st.sampled_from(starts)))
    if draw(st.booleans()):
        after = chess.Board.from_chess960_pos(draw(st.integers(0, 959)))
        after.chess960 = after.has_chess960_castling_rights()
    for choice in draw(st.lists(st.integers(0, 255), max_size=plies)):
        moves = list(after.legal_moves)
        if not moves:
            break
        after.push(moves[choice % len(moves)])
    return after.fen(en_passant=draw(st.sampled_from(("legal", "xfen", "fen"))))
