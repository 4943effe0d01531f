"""The Rust core equals the plain definitions, on chosen positions and on random playouts."""

import random

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.chess_positions import FENS, board, played
from trapcore import _native
from trapcore.errors import PositionError
from trapcore.trees.chess_game import Labels, chess_tree, parse_position
from trapcore.trees.tree import Tree
from workshop.reference.measures import baselines, continuations, sequences, structural, tanimoto
from workshop.reference.measures.options import Base, Unpaired

BASES = {Base.CONTINUATIONS: continuations.of_trees, Base.SEQUENCES: sequences.of_trees}
LABELS = st.sampled_from(Labels)
slow = settings(deadline=None, max_examples=60)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two positions: unrelated, or the second some plies after the first, as they are compared in practice."""
    first = draw(played())
    return first, draw(played([first] if draw(st.booleans()) else FENS, plies=4))


def trees(fens: tuple[str, str], depth: int, labels: Labels, captures: bool) -> tuple[Tree, Tree]:
    return chess_tree(fens[0], depth, labels, captures=captures), chess_tree(fens[1], depth, labels, captures=captures)


@given(fens=pairs(), labels=LABELS, captures=st.booleans(), depth=st.integers(1, 2))
@slow
def test_continuations(fens: tuple[str, str], labels: Labels, captures: bool, depth: int) -> None:
    defined = continuations.of_trees(*trees(fens, depth, labels, captures), depth)
    assert continuations.of_positions(*fens, depth=depth, labels=labels, captures=captures) == defined


@given(fens=pairs(), labels=LABELS, captures=st.booleans(), depth=st.integers(1, 2), prefixes=st.booleans())
@slow
def test_sequences_and_tanimoto(
    fens: tuple[str, str], labels: Labels, captures: bool, depth: int, prefixes: bool
) -> None:
    compared = trees(fens, depth, labels, captures)
    by_sequences = sequences.of_positions(*fens, depth=depth, labels=labels, captures=captures, prefixes=prefixes)
    assert by_sequences == sequences.of_trees(*compared, depth, prefixes=prefixes)
    by_tanimoto = tanimoto.of_positions(*fens, depth=depth, labels=labels, captures=captures, prefixes=prefixes)
    assert by_tanimoto == tanimoto.of_trees(*compared, depth, prefixes=prefixes)
    if labels is Labels.UCI:
        # Every sequence occurs once, so both are forms of the Jaccard similarity.
        assert by_tanimoto == pytest.approx(by_sequences / (2 - by_sequences), abs=1e-12)


@given(
    fens=pairs(),
    base=st.sampled_from(Base),
    labels=LABELS,
    captures=st.booleans(),
    unpaired=st.sampled_from(Unpaired),
)
@example(  # castling has one name, and other squares, for either side and in Chess960
    fens=(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "nnrkbbqr/pppppppp/8/8/8/8/PPPPPPPP/NNRKBBQR w KQkq - 0 1",
    ),
    base=Base.CONTINUATIONS,
    labels=Labels.SAN,
    captures=False,
    unpaired=Unpaired.FORMULA,
)
@slow
def test_structural(fens: tuple[str, str], base: Base, labels: Labels, captures: bool, unpaired: Unpaired) -> None:
    defined = structural.of_trees(*trees(fens, 2, labels, captures), BASES[base], 1, unpaired)
    fast = structural.of_positions(*fens, base=base, labels=labels, captures=captures, unpaired=unpaired)
    assert fast == pytest.approx(defined, abs=1e-12)


@given(fen=played(plies=12), base=st.sampled_from(Base), labels=LABELS, unpaired=st.sampled_from(Unpaired))
@settings(deadline=None, max_examples=25)
def test_structural_with_a_root(fen: str, base: Base, labels: Labels, unpaired: Unpaired) -> None:
    """Two branches of one position, compared by how their children stand to it."""
    root = board(fen)
    moves = list(root.legal_moves)
    if not moves:
        return
    branches = []
    for move in (moves[0], moves[-1]):
        branch = root.copy()
        branch.push(move)
        branches.append(branch.fen(shredder=branch.chess960))
    whole = chess_tree(fen, 1, labels)
    defined = structural.of_trees(
        *trees((branches[0], branches[1]), 2, labels, False), BASES[base], 1, unpaired, root=whole
    )
    fast = structural.of_positions(
        branches[0], branches[1], base=base, labels=labels, unpaired=unpaired, reference="root", root=fen
    )
    assert fast == pytest.approx(defined, abs=1e-12)


SMALL = {
    "king and pawn": ("8/2k5/8/8/8/8/5KP1/8 w - - 0 1", "8/2k5/8/8/8/8/5KP1/8 b - - 0 1"),
    "promotion": ("8/P1k5/8/8/8/8/4K3/8 w - - 0 1", "8/2k5/8/8/8/8/p3K3/8 b - - 0 1"),
    "en passant": ("4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 1", "4k3/8/8/3pP3/2K5/8/8/8 w - - 0 1"),
    "castling": ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"),
}


def check_depth_3(fens: tuple[str, str], labels: Labels, captures: bool) -> None:
    a, b = trees(fens, 3, labels, captures)
    by_continuations = continuations.of_positions(*fens, depth=3, labels=labels, captures=captures)
    assert by_continuations == continuations.of_trees(a, b, 3)
    for prefixes in (False, True):
        by_sequences = sequences.of_positions(*fens, depth=3, labels=labels, captures=captures, prefixes=prefixes)
        assert by_sequences == sequences.of_trees(a, b, 3, prefixes=prefixes)
        by_tanimoto = tanimoto.of_positions(*fens, depth=3, labels=labels, captures=captures, prefixes=prefixes)
        assert by_tanimoto == tanimoto.of_trees(a, b, 3, prefixes=prefixes)


@pytest.mark.parametrize("captures", [False, True])
@pytest.mark.parametrize("labels", Labels)
@pytest.mark.parametrize("fens", SMALL.values(), ids=SMALL.keys())
def test_depth_3(fens: tuple[str, str], labels: Labels, captures: bool) -> None:
    check_depth_3(fens, labels, captures)


@given(fens=pairs())
@slow
def test_baselines(fens: tuple[str, str]) -> None:
    a, b = (parse_position(fen) for fen in fens)
    assert baselines.board_similarity_of_positions(*fens) == baselines.board_similarity(a, b)
    assert baselines.board_difference(a, b) == baselines.board_difference(b, a) == 1 - baselines.board_similarity(a, b)
    counts = baselines.move_count_ratio(*trees(fens, 1, Labels.UCI, False))
    assert baselines.move_count_ratio_of_positions(*fens) == counts
    # What paper-reading readers should know of the structural measure: this is all it is, with its default base.
    assert structural.of_positions(*fens) == pytest.approx(counts, abs=1e-12)


@given(fen=played())
@slow
def test_perft_of_any_position(fen: str) -> None:
    position = board(fen)
    assert _native.perft(fen, 1) == position.legal_moves.count()
    assert _native.perft(fen, 2) == sum(1 for line in chess_tree(fen, 2).lines(2) if len(line) == 2)


def fingerprint_labels() -> list[str]:
    """The labels in the order of their numbers: queen and knight moves by from- and to-square, then promotions."""
    plain, promotions = [], []
    for start in chess.SQUARES:
        reach = chess.Board.empty()
        reach.set_piece_at(start, chess.Piece(chess.QUEEN, chess.WHITE))
        ends = reach.attacks(start) | chess.SquareSet(chess.BB_KNIGHT_ATTACKS[start])
        plain += [chess.square_name(start) + chess.square_name(end) for end in ends]
        for end in chess.SQUARES:
            ranks = (chess.square_rank(start), chess.square_rank(end))
            if ranks in ((6, 7), (1, 0)) and abs(chess.square_file(start) - chess.square_file(end)) <= 1:
                promotions += [chess.square_name(start) + chess.square_name(end) + piece for piece in "nbrq"]
    return plain + promotions


@given(fen=played())
@slow
def test_fingerprints(fen: str) -> None:
    names = fingerprint_labels()
    found, label, shift, delta = set(), 0, 0, 0
    for byte in _native.fingerprint(fen):
        delta |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            label += delta
            found.add(names[label])
            shift = delta = 0
    assert found == chess_tree(fen, 2).labels(2)
    assert _native.FINGERPRINT_VERSION == 1


BROKEN = st.one_of(
    st.text(max_size=80),
    st.text("kqrbnpKQRBNP/12345678 w-ab", max_size=80),
    st.tuples(st.sampled_from(FENS), st.integers(0, 70), st.text("kqrbnpKQRBNP/12345678 wb-~", max_size=3)).map(
        lambda t: t[0][: t[1]] + t[2] + t[0][t[1] + len(t[2]) :]
    ),
)


@given(fen=BROKEN)
@settings(deadline=None, max_examples=400)
def test_no_text_does_more_than_raise_a_position_error(fen: str) -> None:
    for read in (_native.epd, parse_position):
        refused = fen
        try:
            read(fen)
        except PositionError as error:
            refused = error.fen
        assert refused == fen


@given(
    pieces=st.lists(st.tuples(st.integers(0, 63), st.sampled_from(chess.PIECE_SYMBOLS[1:]), st.booleans()), max_size=8),
    turn=st.booleans(),
    castling=st.sampled_from(["-", "KQkq", "HAha", "Gg", "K", "q"]),
    en_passant=st.sampled_from(["-", "e3", "e6", "d3", "d6", "a3", "h6"]),
)
@settings(deadline=None, max_examples=400)
def test_both_accept_the_same_positions_and_play_the_same_moves(
    pieces: list[tuple[int, str, bool]], turn: bool, castling: str, en_passant: str
) -> None:
    placed = chess.Board.empty()
    placed.set_piece_at(chess.E1, chess.Piece.from_symbol("K"))
    placed.set_piece_at(chess.E8, chess.Piece.from_symbol("k"))
    for square, symbol, color in pieces:
        placed.set_piece_at(square, chess.Piece(chess.PIECE_SYMBOLS.index(symbol), color))
    fen = f"{placed.board_fen()} {'w' if turn else 'b'} {castling} {en_passant}"
    try:
        defined = sorted(line[0] for line in chess_tree(fen, 1).lines(1) if line)
    except PositionError:
        with pytest.raises(PositionError):
            _native.epd(fen)
    else:
        assert sorted(move for move, _ in _native.exchanges(fen)) == defined


@pytest.mark.parametrize("kernel", [None, *_native.Fingerprints.kernels()])
def test_fingerprints_are_compared_as_their_positions_are(kernel: str | None) -> None:
    fingerprints = [_native.fingerprint(fen) for fen in FENS]
    table = _native.Fingerprints(fingerprints, kernel=kernel)
    assert len(table) == len(FENS)
    similarities = [[_native.continuations(a, b, 2, "uci", False) for b in FENS] for a in FENS]
    for threshold in (0.0, 0.3, 0.7, 1.0):
        expected = [[(i, s) for i, s in enumerate(row) if s >= threshold] for row in similarities]
        assert table.similar(fingerprints, threshold) == expected
    for k in (1, 3, len(FENS) + 1):
        least = [sorted(row, reverse=True)[:k][-1] for row in similarities]
        nearest = [
            [(i, s) for i, s in enumerate(row) if s >= last] for row, last in zip(similarities, least, strict=True)
        ]
        assert table.nearest(fingerprints, k) == nearest
    assert any(0.3 <= s < 1 for row in similarities for s in row)


@given(start=st.sampled_from(FENS), draw=st.randoms(use_true_random=False))
@slow
def test_lines_in_san(start: str, draw: random.Random) -> None:
    position = parse_position(start)
    line, spelt = list[str](), list[str]()
    while len(line) < 12 and (moves := list(position.legal_moves)):
        move = draw.choice(moves)
        line.append(position.uci(move))
        spelt.append(position.san_and_push(move))
    assert _native.sans(start, line) == spelt
    with pytest.raises(PositionError, match="not a legal move"):
        _native.sans(start, [*line, "a1a1"])


@given(fen=played())
@slow
def test_every_move_in_san(fen: str) -> None:
    position = parse_position(fen)
    for move in position.legal_moves:
        assert _native.sans(fen, [position.uci(move)]) == [position.san(move)]
