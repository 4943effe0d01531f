"""Proofs of mates, checked against python-chess: every claim is replayed or searched again by brute force."""

from dataclasses import replace

import chess
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.chess_positions import CHESS960, FIGURE_2, board, played
from trapcore.errors import InputError, PositionError, UsageError
from trapcore.parallel.budget import Budget
from trapcore.proof.mate import Proof, check_mate, prove_bait, prove_mate, replay
from trapcore.proof.verdict import Verdict

KNOWN: dict[str, tuple[str, int, str]] = {
    "back rank": ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1, "a1a8"),
    "Black mates": ("r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", 1, "a8a1"),
    "smothered": ("r6k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", 2, "c4g8"),
    "ladder": ("8/k7/8/7R/6R1/8/8/6K1 w - - 0 1", 3, ""),
    # In these one special move mates and nothing else does.
    "en passant": ("8/1KNk4/8/2QPp3/3R4/6B1/8/8 w - e6 0 1", 1, "d5e6"),
    "promotion to a knight": ("3R4/2N2k1P/8/4Q3/8/8/7K/8 w - - 0 1", 1, "h7h8n"),
    "castling long": ("8/1R1b4/8/8/8/8/3Q4/R3K2k w Q - 0 1", 1, "e1c1"),
    "castling short": ("3n4/8/7r/3b4/8/8/4Q3/2k1K2R w K - 0 1", 1, "e1g1"),
    "castling, Chess960": ("6n1/2r5/2b5/8/8/8/Q5N1/RK3k2 w Q - 0 1", 1, "b1a1"),
    "castling of Black, Chess960": ("K4kr1/7q/8/8/2n5/3b4/5N2/8 b k - 0 1", 1, "f8g8"),
}


def mating_moves(position: chess.Board, moves: int) -> list[chess.Move]:
    """Every first move that forces mate in at most ``moves``, by trying everything."""
    return [move for move in position.legal_moves if _mates(position, move, moves)]


def _mates(position: chess.Board, move: chess.Move, moves: int) -> bool:
    if moves == 1 and not position.gives_check(move):
        return False
    position.push(move)
    try:
        if position.is_checkmate():
            return True
        if moves == 1 or position.is_stalemate():
            return False
        for defence in position.legal_moves:
            position.push(defence)
            answered = bool(mating_moves(position, moves - 1))
            position.pop()
            if not answered:
                return False
        return True
    finally:
        position.pop()


def check(proof: Proof, fen: str, mate: int, brute: int = 2) -> None:
    """The proof says about mates in up to ``brute`` moves exactly what brute force says, and its line is one."""
    position = board(fen)
    shortest = next((n for n in range(1, min(mate, brute) + 1) if mating_moves(position, n)), None)
    match proof.verdict:
        case Verdict.PROVED:
            assert proof.mate_in is not None
            assert proof.mate_in <= mate
            assert shortest == (proof.mate_in if proof.mate_in <= brute else None)
            assert proof.refuted_to == proof.mate_in - 1
            assert replay(proof, fen).is_checkmate()
            if proof.mate_in <= brute:
                assert position.parse_uci(proof.line[0]) in mating_moves(position, proof.mate_in)
        case Verdict.REFUTED:
            assert shortest is None
            assert (proof.mate_in, proof.line, proof.refuted_to) == (None, (), mate)
        case Verdict.UNDECIDED:
            assert (proof.mate_in, proof.line) == (None, ())
            assert shortest is None or shortest > proof.refuted_to


@pytest.mark.parametrize("name", KNOWN)
def test_known_mates(name: str) -> None:
    fen, mate_in, first = KNOWN[name]
    proof = prove_mate(fen, mate=3)
    check(proof, fen, 3)
    assert (proof.verdict, proof.mate_in) == (Verdict.PROVED, mate_in)
    assert not first or proof.line[0] == first


@pytest.mark.parametrize("name", FIGURE_2)
def test_the_traps_of_the_paper(name: str) -> None:
    fen, bait, killer, mate_in = FIGURE_2[name]
    with_killer, without = prove_bait(fen, bait, [killer]), prove_bait(fen, bait)
    for proof in (with_killer, without):
        assert (proof.verdict, proof.mate_in, proof.line[0]) == (Verdict.PROVED, mate_in, killer)
        assert replay(proof, fen, bait).is_checkmate()
    after = board(fen)
    after.push_uci(bait)
    check(with_killer, after.fen(), 3)
    assert prove_mate(after.fen()).line == without.line


def test_a_bait_that_is_none_is_refuted() -> None:
    fen, _, _, _ = FIGURE_2["Budapest"]
    assert prove_bait(fen, "g5e3", ["c5e3"]).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("7k/8/8/8/8/8/5q2/7K w - - 0 1", "stalemate"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "the side to move is mated"),
        ("8/8/8/8/8/2k5/8/K7 w - - 0 1", "bare kings"),
        (chess.STARTING_FEN, "the start"),
    ],
)
def test_where_there_is_no_mate(fen: str, why: str) -> None:
    proof = prove_mate(fen, mate=2)
    assert proof.verdict is Verdict.REFUTED, why
    check(proof, fen, 2)


def test_a_small_budget_leaves_it_undecided_and_a_larger_one_does_not() -> None:
    fen = "8/8/8/8/8/3k4/8/K6R w - - 0 1"
    few = prove_mate(fen, 8, Budget(nodes=500))
    assert few.verdict is Verdict.UNDECIDED
    assert few.nodes <= 500
    assert few.refuted_to < 8
    assert prove_mate(fen, 2, Budget(nodes=100_000)).verdict is Verdict.REFUTED


@st.composite
def placements(draw: st.DrawFn) -> str:
    """A king at the edge against a few strong pieces, either colour to win: half of them are mates in three or less."""
    pieces = ["K", *draw(st.lists(st.sampled_from("QQRRBNP"), min_size=2, max_size=4))]
    pieces += draw(st.lists(st.sampled_from("rbnpp"), max_size=3))
    position = chess.Board.empty()
    king = draw(st.sampled_from(list(chess.SquareSet(chess.BB_RANK_8 | chess.BB_FILE_A))))
    position.set_piece_at(king, chess.Piece.from_symbol("k"))
    squares = draw(st.lists(st.integers(0, 63).filter(lambda s: s != king), min_size=8, max_size=8, unique=True))
    for square, symbol in zip(squares, pieces, strict=False):
        position.set_piece_at(square, chess.Piece.from_symbol(symbol))
    position.castling_rights = chess.BB_CORNERS
    position.castling_rights = position.clean_castling_rights()
    assume(position.is_valid())
    return (position if draw(st.booleans()) else position.mirror()).fen()


@pytest.mark.slow
@given(fen=placements(), mate=st.integers(1, 3))
@settings(deadline=None, max_examples=400)
def test_any_few_pieces(fen: str, mate: int) -> None:
    check(prove_mate(fen, mate, Budget(nodes=200_000)), fen, mate)


@pytest.mark.slow
@given(fen=placements(), nodes=st.integers(1, 300))
@settings(deadline=None, max_examples=300)
def test_any_budget(fen: str, nodes: int) -> None:
    proof = prove_mate(fen, 3, Budget(nodes=nodes))
    check(proof, fen, 3)
    assert proof.nodes <= nodes


@given(fen=played(), mate=st.integers(1, 2))
@settings(deadline=None, max_examples=200)
def test_any_game(fen: str, mate: int) -> None:
    check(prove_mate(fen, mate, Budget(nodes=100_000)), fen, mate)


@given(fen=played([*CHESS960, *(fen for fen, *_ in FIGURE_2.values())], plies=6), choice=st.integers(0, 255))
@settings(deadline=None, max_examples=200)
def test_any_bait(fen: str, choice: int) -> None:
    position = board(fen)
    moves = list(position.legal_moves)
    assume(moves)
    bait = moves[choice % len(moves)]
    proof = prove_bait(fen, position.uci(bait), mate=2)
    written = position.uci(bait)
    position.push(bait)
    check(proof, position.fen(), 2)
    if proof.verdict is Verdict.PROVED:
        assert replay(proof, fen, written).is_checkmate()


MOST_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"
"""218 legal moves, the most of any position that a game can reach."""


def test_the_position_with_the_most_moves() -> None:
    assert board(MOST_MOVES).legal_moves.count() == 218
    check(prove_mate(MOST_MOVES, 2), MOST_MOVES, 2, brute=1)
    # Without the knights' mate: as many moves or nearly, and the mates are longer.
    blunted = MOST_MOVES.replace("kBNN1KB1", "kB3KB1")
    for nodes in (1, 217, 1_000_000):
        check(prove_mate(blunted, 2, Budget(nodes=nodes)), blunted, 2, brute=1)
    waiting = MOST_MOVES.replace(" w ", " b ")
    check(prove_mate(waiting, 3), waiting, 3, brute=1)


@pytest.mark.parametrize("clock", ["100 90", "4294967295 4294967295"])
def test_a_game_that_should_have_been_drawn_long_ago(clock: str) -> None:
    at_once, later = f"6k1/5ppp/8/8/8/8/8/R5K1 w - - {clock}", f"8/k7/8/7R/6R1/8/8/6K1 w - - {clock}"
    assert prove_mate(at_once).mate_in == 1
    assert prove_mate(later, 3).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "invalid"),
        ("nonsense", "invalid"),
        ("8/8/8/8/8/8/8/8/8 w - - 0 1", "invalid"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 x - - 0 1", "invalid"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - -1 1", "invalid"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "empty board"),
        ("8/8/8/8/8/8/8/R3K3 w - - 0 1", "missing king"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "too many kings"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawns on backrank"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "opposite check"),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "opposite check"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/PPp w KQkq - 0 1", "another variant"),
    ],
)
def test_an_illegal_position_is_refused(fen: str, reason: str) -> None:
    with pytest.raises(PositionError, match=reason) as caught:
        prove_mate(fen)
    assert caught.value.fen == fen
    with pytest.raises(PositionError):
        prove_bait(fen, "e2e4")


@pytest.mark.parametrize(("bait", "killer"), [("e2e5", None), ("zz", None), ("0000", None), ("e2e4", "e2e4")])
def test_an_illegal_bait_or_killer_is_refused(bait: str, killer: str | None) -> None:
    with pytest.raises(PositionError, match=killer or bait):
        prove_bait(chess.STARTING_FEN, bait, () if killer is None else [killer])


@pytest.mark.parametrize("mate", [0, -1, 31])
def test_a_mate_out_of_range_is_refused(mate: int) -> None:
    with pytest.raises(UsageError, match="mate must be"):
        prove_mate(chess.STARTING_FEN, mate)
    with pytest.raises(UsageError, match="mate must be"):
        prove_bait(chess.STARTING_FEN, "e2e4", (), mate)
    with pytest.raises(UsageError, match="mate must be"):
        check_mate(mate)


@given(text=st.one_of(st.text(), st.text(alphabet="KQRBNPkqrbnp12345678/ wb-", min_size=15)), nodes=st.integers(1, 50))
@settings(deadline=None, max_examples=300)
def test_any_text_as_a_position(text: str, nodes: int) -> None:
    refused = None
    try:
        check(prove_mate(text, 1, Budget(nodes=nodes)), text, 1, brute=1)
    except PositionError as error:
        refused = error.fen
    assert refused in (None, text)


@given(fen=played(), at=st.integers(0, 80), letter=st.sampled_from("KQRBNPkqrbnp1238/ wb-"), mate=st.integers(1, 30))
@settings(deadline=None, max_examples=300)
def test_any_position_with_a_slip_of_the_pen(fen: str, at: int, letter: str, mate: int) -> None:
    written = fen[:at] + letter + fen[at + 1 :]
    proof, refused = None, None
    try:
        proof = prove_mate(written, mate, Budget(nodes=300))
    except PositionError as error:
        refused = error.fen
    assert refused in (None, written)
    if proof is not None and proof.verdict is Verdict.PROVED:
        assert replay(proof, written).is_checkmate()


def test_replay_believes_nothing() -> None:
    fen, bait, _, _ = FIGURE_2["Légal"]
    proof = prove_bait(fen, bait)
    assert replay(proof, fen, bait).is_checkmate()
    with pytest.raises(InputError, match="no legal move"):
        replay(proof, fen)
    with pytest.raises(InputError, match="does not end in mate"):
        replay(replace(proof, line=proof.line[:1], mate_in=1), fen, bait)
    with pytest.raises(InputError, match="claims mate in 3"):
        replay(replace(proof, mate_in=3), fen, bait)
    for cheat in (("c4f7", "0000", "c3d5"), ("c4f7", "e8e7", "c3e5"), ("nonsense",)):
        with pytest.raises(InputError, match="no legal move"):
            replay(replace(proof, line=cheat), fen, bait)
    with pytest.raises(UsageError, match="refuted"):
        replay(prove_mate(chess.STARTING_FEN), chess.STARTING_FEN)
