"""Local trees: written by hand, of tic-tac-toe, and of chess."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess
import pytest

from tests.chess_positions import FENS, board
from trapcore.chess_tree import ChessGame, Labels, chess_tree, parse_position
from trapcore.errors import PositionError
from trapcore.measures import structural
from trapcore.measures.options import Unpaired
from trapcore.trees import Tree, draw, local_tree, main

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@dataclass(frozen=True)
class TicTacToe:
    """A position is nine letters, rank 3 first, and the side to move; a move is an index."""

    def moves(self, position: tuple[str, str]) -> Sequence[int]:
        cells, _ = position
        if any(cells[a] != "." and cells[a] == cells[b] == cells[c] for a, b, c in LINES):
            return []
        return [i for i, cell in enumerate(cells) if cell == "."]

    def play(self, position: tuple[str, str], move: int) -> tuple[str, str]:
        cells, side = position
        return cells[:move] + side + cells[move + 1 :], "X" if side == "O" else "O"

    def label(self, position: tuple[str, str], move: int) -> str:
        return "ABC"[move % 3] + "321"[move // 3]

    def irreversible(self, position: tuple[str, str], move: int) -> str:
        return position[1]


TABLE_1 = ("X.O.X.X.O", "O")
# Ranks 3 to 1 of the journal's Table 1: X.O / .X. / X.O, O to move; C2 wins.


def test_a_literal_tree_counts_its_edges_and_lists_its_lines() -> None:
    tree = Tree.literal({"a": {"c": {}, "d": {}}, "b": {}})
    assert tree.edges == 4
    assert list(tree.lines(2)) == [("a", "c"), ("a", "d"), ("b",)]
    assert list(tree.lines(1)) == [("a",), ("b",)]
    assert list(tree.lines(0)) == [()]
    assert tree.labels(1) == {"a", "b"}
    assert tree.labels(2) == {"a", "b", "c", "d"}


def test_two_children_may_have_one_label() -> None:
    twins = Tree((("a", Tree()), ("a", Tree((("b", Tree()),)))))
    assert twins.edges == 3
    assert list(twins.lines(2)) == [("a",), ("a", "b")]


def test_the_tree_of_another_game_ends_where_the_game_ends() -> None:
    tree = local_tree(TicTacToe(), TABLE_1, 2)
    assert [label for label, _ in tree.children] == ["B3", "A2", "C2", "B1"]
    ended = {label: child.ended for label, child in tree.children}
    assert ended == {"B3": False, "A2": False, "C2": True, "B1": False}
    assert tree.edges == 4 + 3 * 3
    # X completes the left column with A2: over, not merely cut off.
    b3 = dict(tree.children)["B3"]
    assert {label: child.ended for label, child in b3.children} == {"A2": True, "C2": False, "B1": False}


def test_tic_tac_toe_of_table_1_under_the_convention_of_figure_1() -> None:
    children = dict(local_tree(TicTacToe(), TABLE_1, 3).children)
    ob1, oa2, oc2 = children["B1"], children["A2"], children["C2"]
    assert sorted(structural.child_similarities(ob1)) == pytest.approx([0, 2 / 3, 2 / 3])
    assert structural.of_trees(ob1, oa2) == pytest.approx(7 / 9)  # the paper's 5/6 compares with the root instead
    assert structural.of_trees(ob1, oc2) == 0.0  # as printed: only so if an unpaired child costs 1
    assert structural.of_trees(ob1, oc2, unpaired=Unpaired.PAD) == pytest.approx(4 / 9)


def test_captures_add_what_is_destroyed_to_the_label() -> None:
    assert local_tree(TicTacToe(), TABLE_1, 1, captures=True).labels(1) == {"B3xO", "A2xO", "C2xO", "B1xO"}


@pytest.mark.parametrize(
    ("fen", "uci", "san", "destroyed"),
    [
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", "d5e6", "de6", "P"),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", "e5g6", "Ng6", "P"),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", "e1g1", "O-O", ""),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", "e1c1", "O-O-O", ""),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6", "e5f6", "ef6", "P"),
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - -", "b7a8q", "ba8=Q", "N"),
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - -", "b7b8n", "b8=N", ""),
        ("4k3/8/8/1N3N2/8/8/1N3N2/4K3 w - -", "b5d4", "Nbd4", ""),
        ("r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R w KQkq -", "c4f7", "Bf7", "P"),
        ("r1k2r1q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQkq -", "c1a1", "O-O-O", ""),
        ("1r4kr/8/8/8/8/8/8/1R4KR w HBhb -", "g1b1", "O-O-O", ""),
        ("rk5r/8/8/8/8/8/8/R3K2R w KQkq -", "e1h1", "O-O", ""),
    ],
)
def test_labels_of_chess(fen: str, uci: str, san: str, destroyed: str) -> None:
    position = board(fen)
    move = position.parse_uci(uci)
    assert ChessGame(Labels.UCI).label(position, move) == uci
    assert ChessGame(Labels.SAN).label(position, move) == san
    assert ChessGame().irreversible(position, move) == destroyed


@pytest.mark.parametrize("fen", FENS)
def test_building_a_tree_leaves_the_board_alone_and_counts_as_perft(fen: str) -> None:
    position = board(fen)
    before = position.copy()
    tree = local_tree(ChessGame(), position, 2)
    assert position == before
    assert position.move_stack == before.move_stack
    replies = 0
    for move in before.legal_moves:
        after = before.copy()
        after.push(move)
        replies += after.legal_moves.count()
    assert tree.edges == before.legal_moves.count() + replies
    assert tree == chess_tree(fen, 2)


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "x",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "4k2k/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 more",
    ],
)
def test_what_is_no_position_is_refused(fen: str) -> None:
    with pytest.raises(PositionError) as caught:
        parse_position(fen)
    assert caught.value.fen == fen


def test_problems_are_accepted_and_impossible_rights_dropped() -> None:
    nine_pawns = "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1"
    assert parse_position(nine_pawns).board_fen() == nine_pawns.split()[0]
    kept = parse_position("4k3/8/8/8/8/8/8/4K2R w KQkq e6 0 1")
    assert (kept.castling_rights, kept.ep_square) == (chess.BB_H1, None)
    assert not parse_position(chess.STARTING_FEN).chess960


def test_a_drawn_tree_counts_what_it_does_not_show() -> None:
    tree = Tree.literal({"a": {"c": {}, "d": {}, "e": {}}, "b": {}})
    assert list(draw(tree, 2)) == ["├── a  (3)", "│   ├── c", "│   ├── d", "│   └── … 1 more", "└── b"]
    assert list(draw(Tree((("a", Tree(ended=True)),)))) == ["└── a  (the game ends)"]


def test_the_module_shows_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([chess.STARTING_FEN, "--depth", "1", "--shown", "3"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        chess.STARTING_FEN,
        "20 moves, 20 edges to depth 1",
        "├── Nh3",
        "├── Nf3",
        "├── Nc3",
        "└── … 17 more",
    ]
    assert main(["nonsense"]) == PositionError.exit_code
    assert "nonsense" in capsys.readouterr().err
