"""Local trees: written by hand, of tic-tac-toe, and of chess."""

import chess
import pytest

from tests.support.chess_positions import FENS, board
from trapcore.errors import PositionError, UsageError
from trapcore.trees.chess_game import ChessGame, Labels, chess_tree, parse_position
from trapcore.trees.drawing import draw
from trapcore.trees.tree import Tree, local_tree
from workshop.games.rules.breakthrough import Breakthrough
from workshop.games.rules.tic_tac_toe import TicTacToe
from workshop.reference.measures import structural
from workshop.reference.measures.options import Unpaired

TABLE_1 = TicTacToe().parse("X.O/.X./X.O o")
# The position of the journal's Table 1, O to move; C2 wins.


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
    game = Breakthrough(5)
    tree = local_tree(game, game.parse("...../...../.B.../W.B../..... w"), 1, captures=True)
    assert tree.labels(1) == {"a2a3", "a2b3xP"}


def test_a_leaf_that_ended_carries_its_reward() -> None:
    children = dict(local_tree(TicTacToe(), TABLE_1, 4).children)
    assert children["C2"] == Tree(ended=True, reward=1.0)  # O has the right column
    a2 = dict(dict(children["B3"].children)["A2"].children)
    assert a2 == {}
    assert dict(children["B3"].children)["A2"].reward == 1.0  # X has the left column: the last mover's win again
    # After B3 C2 A2 B1 the board is full and nobody has three.
    drawn = children["B3"]
    for label in ("C2", "A2", "B1"):
        assert (drawn.ended, drawn.reward) == (False, None)
        drawn = dict(drawn.children)[label]
    assert drawn == Tree(ended=True, reward=0.0)


def test_a_literal_tree_can_say_how_the_game_ended() -> None:
    tree = Tree.literal({"a": {"c": 1.0, "d": {}}, "b": -0.5})
    assert tree == Tree(
        (("a", Tree((("c", Tree(ended=True, reward=1.0)), ("d", Tree())))), ("b", Tree(ended=True, reward=-0.5)))
    )
    assert Tree.literal(0.0) == Tree(ended=True, reward=0.0)
    assert tree.edges == 4


def test_a_tree_refuses_what_no_game_can_give() -> None:
    with pytest.raises(UsageError, match=r"reward is -1 to 1, not 1\.5"):
        Tree.literal({"a": 1.5})
    with pytest.raises(UsageError, match="cannot end where there are moves: 'a'"):
        Tree((("a", Tree()),), ended=True)


@pytest.mark.parametrize(
    ("fen", "reward", "ended"),
    [
        ("7k/6Q1/6K1/8/8/8/8/8 b - -", 1.0, True),  # mate, by White
        ("8/8/8/8/8/6k1/6q1/7K w - -", 1.0, True),  # mate, by Black
        ("7k/8/6Q1/8/8/8/8/K7 b - -", 0.0, True),  # stalemate
        ("8/8/8/8/8/2k5/8/K7 w - -", 0.0, False),  # bare kings: drawn, with moves on the board
        ("8/8/8/8/8/2k5/8/K1N5 w - -", 0.0, False),
        ("8/8/8/8/8/2k5/8/K5NN w - -", None, False),  # two knights can mate, if not by force
        ("8/8/8/8/8/2k5/8/K6R w - - 160 200", None, False),  # the 75-move rule is no part of a position
        (chess.STARTING_FEN, None, False),
    ],
)
def test_rewards_of_chess(fen: str, reward: float | None, ended: bool) -> None:
    for depth in (0, 1):
        tree = chess_tree(fen, depth)
        assert (tree.reward, tree.ended) == (reward, ended)
    assert bool(tree.children) is not ended


def test_a_game_that_is_over_gives_a_lone_end_at_any_depth() -> None:
    over = TicTacToe().parse("XXX/OO./... o")
    assert [local_tree(TicTacToe(), over, depth) for depth in (0, 1, 5)] == [Tree(ended=True, reward=1.0)] * 3
    assert list(local_tree(TicTacToe(), over, 2).lines(2)) == [()]


@pytest.mark.parametrize("depth", [-1, 101])
def test_depth_0_is_the_position_alone_and_less_or_too_much_is_an_error(depth: int) -> None:
    assert local_tree(TicTacToe(), TABLE_1, 0) == Tree()
    with pytest.raises(UsageError, match=f"depth must be 0..100 plies, not {depth}"):
        local_tree(TicTacToe(), TABLE_1, depth)


def test_a_tree_is_refused_before_it_fills_the_memory() -> None:
    assert local_tree(TicTacToe(), TABLE_1, 2, most=13).edges == 13
    with pytest.raises(UsageError, match="depth 2 has more than 12 moves"):
        local_tree(TicTacToe(), TABLE_1, 2, most=12)
    with pytest.raises(UsageError, match="depth 100 has more than 1,000 moves"):
        local_tree(ChessGame(), chess.Board(), 100, most=1000)


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
    assert list(draw(Tree.literal({"a": 1.0, "b": 0.0, "c": -1.0}))) == [
        "├── a  (the game ends: won)",
        "├── b  (the game ends: drawn)",
        "└── c  (the game ends: lost)",
    ]
