"""The bundled games: their rules against other definitions of the same rules, and what every game must keep."""

import random
from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trapcore.errors import PositionError, UsageError
from trapcore.trees.chess_game import Labels
from trapcore.trees.tree import local_tree
from workshop.games.rules import GAMES, BundledGame, comparable, game_named
from workshop.games.rules.breakthrough import Breakthrough
from workshop.games.rules.chess import Chess
from workshop.games.rules.go import PASS, Go, GoPosition
from workshop.games.rules.grid import Board, Grid
from workshop.games.rules.tic_tac_toe import TicTacToe
from workshop.reference.measures import continuations, structural

GAME_NAMES = sorted(GAMES)
OTHERS = sorted(set(GAMES) - {"chess"})


def perft(game: BundledGame[Any, Any], position: Any, depth: int) -> int:
    """Number of lines of exactly ``depth`` moves."""
    if depth == 0:
        return 1
    return sum(perft(game, game.play(position, move), depth - 1) for move in game.moves(position))


def play_out(game: BundledGame[Any, Any], seed: int, plies: int) -> list[Any]:
    """The positions of a random game of at most ``plies`` moves."""
    chance = random.Random(seed)
    positions = [game.start()]
    while len(positions) <= plies and (moves := game.moves(positions[-1])):
        positions.append(game.play(positions[-1], chance.choice(moves)))
    return positions


# What every game keeps.


@pytest.mark.parametrize("name", GAME_NAMES)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_what_every_game_keeps(name: str, seed: int) -> None:
    game = GAMES[name]
    for position in play_out(game, seed, 40):
        written, moves, reward = game.text(position), list(game.moves(position)), game.reward(position)
        labels = [game.label(position, move) for move in moves]
        assert len(set(labels)) == len(moves)
        for move in moves:
            after = game.play(position, move)
            assert after != position
            assert game.text(after) != written
        # Playing has left the position as it was.
        assert (game.text(position), list(game.moves(position)), game.reward(position)) == (written, moves, reward)
        assert reward in (None, -1.0, 0.0, 1.0)
        if not moves:
            assert reward is not None
        if reward is not None and name != "chess":
            assert not moves
        again = game.parse(written)
        assert game.text(again) == written
        if "go" not in name:  # the notation of Go has no history
            assert again == position
            assert [game.label(again, move) for move in game.moves(again)] == labels


@pytest.mark.parametrize("name", GAME_NAMES)
def test_games_are_found_by_name(name: str) -> None:
    assert game_named(name).name == name
    assert local_tree(game_named(name), game_named(name).start(), 1).edges > 0


def test_games_on_boards_of_other_sizes_are_found_by_name() -> None:
    assert game_named("breakthrough-7x7").name == "breakthrough-7x7"
    assert game_named("go-3x3").name == "go-3x3"
    for name, told in (
        ("breakthrough-9x9", "5 to 8 ranks here, not 9"),
        ("go-19x19", "2 to 7 lines here, not 19"),
        ("go-5x6", "unknown game 'go-5x6'"),
        ("chess-5x5", "unknown game 'chess-5x5'"),
    ):
        with pytest.raises(UsageError, match=told):
            game_named(name)


def test_a_misspelt_game_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown game 'breaktrough': did you mean 'breakthrough'\?"):
        game_named("breaktrough")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("tic-tac-toe", "", "tic-tac-toe: it is empty"),
        ("tic-tac-toe", "X.O/.X. o", "tic-tac-toe: not 3 rows but 2"),
        ("tic-tac-toe", "X.O/.X/X.O o", "row 2 has not 3 squares but 2"),
        ("tic-tac-toe", "X.O/.X./X.Z o", "'Z' on c1 is none of X O ."),
        ("tic-tac-toe", "X.O/.X./X.O", "nothing where x or o should say who moves"),
        ("tic-tac-toe", "X.O/.X./X.O w", "'w' where x or o should say who moves"),
        ("tic-tac-toe", "X.O/.X./X.O o 3", "'3' after the player to move"),
        ("tic-tac-toe", "X.O/.X./X.O x", "3 X and 2 O, X to move"),
        ("tic-tac-toe", "XXX/OOO/... x", "X has won and is to move"),
        ("connect-four", "......./......./......./......./..X..../....... o", "the disc on c2 has nothing under it"),
        ("connect-four", "......./......./......./......./....../....... x", "row 2 has not 7 squares but 6"),
        ("connect-four", "......./......./......./......./......./OXXXX.. o", "4 X, O to move"),
        ("connect-four", "......./......./......./......./OOO..../XXXXO.. x", "X has won and is to move"),
        ("breakthrough-6x6", "BBBBBB/BBBBBB/....../....../WWWWWW/WWWWW w", "breakthrough-6x6: row 1 has not 6"),
        ("breakthrough-6x6", "W...../BBBBBB/....../....../....../...... w", "W has won and is to move"),
        ("breakthrough-6x6", "....../....../....../....../....../...... w", "W has won and is to move"),
        ("go-5x5", "B..../...../...../...../.... b", "go-5x5: row 1 has not 5 squares but 4"),
        ("go-5x5", "BW.../W..../...../...../..... b", "the string of a5 has no liberty"),
        ("go-5x5", "B..../...../...../...../..... w ko", "'ko' where only one or two passes may stand"),
    ],
)
def test_a_bad_position_is_refused_with_game_and_place(name: str, text: str, told: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAMES[name].parse(text)
    assert told in str(caught.value)
    assert name in str(caught.value)
    assert caught.value.fen == text


@given(text=st.text("XOBW./ xobw1é", max_size=40))
@settings(max_examples=50, deadline=None)
def test_any_text_is_a_position_or_a_position_error(text: str) -> None:
    for name in OTHERS:
        try:
            position = GAMES[name].parse(text)
        except PositionError:
            continue
        assert GAMES[name].parse(GAMES[name].text(position)) == position


@pytest.mark.parametrize("make", [lambda: Breakthrough(4), lambda: Go(1), lambda: Go(8), lambda: Grid("x", 9, "XO")])
def test_boards_of_other_sizes_are_refused(make: Any) -> None:
    with pytest.raises(UsageError):
        make()


# Across games.


def test_chess_and_breakthrough_share_the_single_steps_of_the_pawns() -> None:
    chess, breakthrough = GAMES["chess"], GAMES["breakthrough"]
    assert comparable(chess, breakthrough) == "from-to, 8x8"
    t1, t2 = local_tree(chess, chess.start(), 1), local_tree(breakthrough, breakthrough.start(), 1)
    # a2a3 to h2h3, of 20 moves and 22.
    assert continuations.of_trees(t1, t2, 1) == 8 / (20 + 22 - 8)


def test_the_structure_of_a_go_tree_can_be_compared_to_that_of_a_chess_tree() -> None:
    """Section 3, "Generalisability"; by label it would mean nothing, and is an error."""
    chess, go = GAMES["chess"], GAMES["go-5x5"]
    with pytest.raises(UsageError, match="chess and go-5x5 have no common labelling"):
        comparable(chess, go)
    t1, t2 = local_tree(chess, chess.start(), 2), local_tree(go, go.start(), 2)
    # Chess: 20 children that share no move with their parent. Go: 25 stones leave 25 of 26 moves each, a pass all 26;
    # the dearest six of them stay without a partner.
    assert structural.of_trees(t1, t2) == pytest.approx(1 - (6 + 20 * 25 / 26) / 26)


def test_games_are_comparable_by_label_if_their_labels_speak_of_the_same() -> None:
    assert comparable(Chess(), Chess()) == "from-to, 8x8"
    assert comparable(Chess(Labels.UCI), Breakthrough(8)) == "from-to, 8x8"
    with pytest.raises(UsageError, match=r"chess and breakthrough have no common labelling \(SAN; from-to, 8x8\)"):
        comparable(Chess(Labels.SAN), Breakthrough(8))
    with pytest.raises(UsageError, match="breakthrough-6x6 and tic-tac-toe have no common labelling"):
        comparable(Breakthrough(6), TicTacToe())


# Tic-tac-toe.


def test_tic_tac_toe_has_255168_games_and_5478_positions() -> None:
    """The known numbers: games by their end, and positions that can be reached, the empty board among them."""
    game = TicTacToe()
    ends: Counter[tuple[str, float]] = Counter()
    ways = Counter({game.start(): 1})
    reached = set(ways)
    while ways:
        after: Counter[Board] = Counter()
        for position, number in ways.items():
            if (reward := game.reward(position)) is not None:
                ends["O" if position.to_move == "X" else "X", reward] += number
            for move in game.moves(position):
                after[game.play(position, move)] += number
        ways = after
        reached |= set(after)
    assert len(reached) == 5478
    x_wins, o_wins = ends["X", 1.0], ends["O", 1.0]
    assert (x_wins, o_wins, ends["X", 0.0]) == (131_184, 77_904, 46_080)
    assert ends.total() == 255_168


def test_tic_tac_toe_takes_positions_that_the_second_player_began() -> None:
    game = TicTacToe()
    assert game.parse("O../.../... x") == Board("O........", "X")
    assert game.parse("o../.../... X") == Board("O........", "X")


# Breakthrough, against a definition by coordinates.


def breakthrough_moves(men: dict[tuple[int, int], int], side: int, size: int) -> set[tuple[int, int, int]]:
    """File, rank and step to the side of every move; ranks are 0.. from White's, sides are 1 (White) and -1."""
    goal = size - 1 if side == 1 else 0
    far = 0 if side == 1 else size - 1
    if any(rank == far for (_, rank), owner in men.items() if owner == -side):
        return set()
    assert not any(rank == goal for (_, rank), owner in men.items() if owner == side)
    found = set()
    for (file, rank), owner in men.items():
        for step in (-1, 0, 1):
            there = men.get((file + step, rank + side))
            inside = 0 <= file + step < size
            if owner == side and inside and (there is None or (there == -side and step != 0)):
                found.add((file, rank, step))
    return found


def breakthrough_perft(men: dict[tuple[int, int], int], side: int, size: int, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for file, rank, step in breakthrough_moves(men, side, size):
        after = dict(men)
        del after[file, rank]
        after[file + step, rank + side] = side
        total += breakthrough_perft(after, -side, size, depth - 1)
    return total


def men_of(position: Board, size: int) -> dict[tuple[int, int], int]:
    return {
        (index % size, size - 1 - index // size): 1 if cell == "W" else -1
        for index, cell in enumerate(position.cells)
        if cell != "."
    }


@pytest.mark.parametrize(("size", "first"), [(6, 16), (8, 22)])
def test_perft_of_breakthrough(size: int, first: int) -> None:
    game = Breakthrough(size)
    # A front man has three moves, at the edge two, and a man behind has none: 3n - 2.
    assert perft(game, game.start(), 1) == first == 3 * size - 2
    assert perft(game, game.start(), 2) == first**2
    assert perft(game, game.start(), 3) == breakthrough_perft(men_of(game.start(), size), 1, size, 3)


@given(seed=st.integers(0, 10**6), size=st.sampled_from([5, 6, 8]))
@settings(max_examples=20, deadline=None)
def test_breakthrough_agrees_with_its_definition_and_ends_with_a_win(seed: int, size: int) -> None:
    game = Breakthrough(size)
    positions = play_out(game, seed, 1000)
    for position in positions:
        side = 1 if position.to_move == "W" else -1
        men = men_of(position, size)
        expected = breakthrough_moves(men, side, size) if -side in men.values() and side in men.values() else set()
        found = {
            (start % size, size - 1 - start // size, end % size - start % size) for start, end in game.moves(position)
        }
        assert found == expected
        for move in game.moves(position):
            taken = len(men) - len(men_of(game.play(position, move), size))
            assert game.irreversible(position, move) == "P" * taken
    assert game.reward(positions[-1]) == 1.0
    assert all(game.reward(position) is None for position in positions[:-1])


def test_breakthrough_is_won_by_taking_the_last_man() -> None:
    game = Breakthrough(5)
    position = game.parse("...../...../.B.../W..../..... w")
    (taking,) = [move for move in game.moves(position) if game.irreversible(position, move)]
    after = game.play(position, taking)
    assert (game.text(after), game.reward(after)) == ("...../...../.W.../...../..... b", 1.0)


# Go, against the Tromp-Taylor rules word by word, with suicide left out.


def reaches(grid: dict[tuple[int, int], str], point: tuple[int, int], colour: str) -> bool:
    """Whether a path of the point's own colour leads from it to a neighbour of ``colour``."""
    seen, waiting = {point}, [point]
    while waiting:
        x, y = waiting.pop()
        for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if grid.get(near) == colour:
                return True
            if grid.get(near) == grid[point] and near not in seen:
                seen.add(near)
                waiting.append(near)
    return False


def cleared(grid: dict[tuple[int, int], str], colour: str) -> dict[tuple[int, int], str]:
    return {p: "." if c == colour and not reaches(grid, p, ".") else c for p, c in grid.items()}


def go_turns(
    history: list[dict[tuple[int, int], str]], colour: str
) -> dict[tuple[int, int], dict[tuple[int, int], str]]:
    """The points that may be played and the boards after them."""
    found = {}
    other = "W" if colour == "B" else "B"
    for point, content in history[-1].items():
        if content == ".":
            after = cleared({**history[-1], point: colour}, other)
            if cleared(after, colour) == after and after not in history:
                found[point] = after
    return found


def grid_of(cells: str, size: int) -> dict[tuple[int, int], str]:
    return {(index // size, index % size): cell for index, cell in enumerate(cells)}


def go_perft(history: list[dict[tuple[int, int], str]], colour: str, passes: int, depth: int) -> int:
    if depth == 0:
        return 1
    if passes == 2:
        return 0
    other = "W" if colour == "B" else "B"
    turns = go_turns(history, colour).values()
    return go_perft(history, other, passes + 1, depth - 1) + sum(
        go_perft([*history, after], other, 0, depth - 1) for after in turns
    )


@pytest.mark.parametrize(("size", "depth"), [(2, 6), (3, 4), (5, 2)])
def test_perft_of_go(size: int, depth: int) -> None:
    game = Go(size)
    assert perft(game, game.start(), 1) == size**2 + 1
    # After a stone there is a point less, after a pass there is none.
    assert perft(game, game.start(), 2) == size**2 * size**2 + size**2 + 1
    assert perft(game, game.start(), depth) == go_perft([grid_of("." * size**2, size)], "B", 0, depth)


@given(seed=st.integers(0, 10**6), size=st.sampled_from([2, 3, 5]))
@settings(max_examples=15, deadline=None)
def test_go_agrees_with_the_rules_word_by_word(seed: int, size: int) -> None:
    game = Go(size)
    history: list[dict[tuple[int, int], str]] = []
    for position in play_out(game, seed, 60):
        history.append(grid_of(position.cells, size))
        if position.passes == 2:
            grid, last = history[-1], "W" if position.to_move == "B" else "B"
            own, theirs = (
                sum(
                    c == colour or (c == "." and reaches(grid, p, colour) and not reaches(grid, p, other))
                    for p, c in grid.items()
                )
                for colour, other in ((last, position.to_move), (position.to_move, last))
            )
            assert game.reward(position) == (own > theirs) - (own < theirs)
            continue
        expected = go_turns(history, position.to_move)
        moves = game.moves(position)
        assert moves[-1] == PASS
        assert {(m // size, m % size): grid_of(game.play(position, m).cells, size) for m in moves[:-1]} == expected
        for move in moves:
            stones = len(position.cells) - position.cells.count(".") + (move != PASS)
            after = game.play(position, move).cells
            taken = stones - (len(after) - after.count("."))
            assert game.irreversible(position, move) == (str(taken) if taken else "")


@pytest.mark.parametrize(("size", "positions"), [(2, 57), (3, 12_675)])
def test_go_has_the_known_number_of_positions(size: int, positions: int) -> None:
    """The legal boards of Tromp & Farnebäck, "Combinatorics of Go" (2006)."""
    game, found = Go(size), 0
    for cells in product("BW.", repeat=size**2):
        rows = ("".join(cells[i : i + size]) for i in range(0, size**2, size))
        try:
            game.parse("/".join(rows) + " b")
        except PositionError:
            continue
        found += 1
    assert found == positions


def played(game: Go, position: GoPosition, *labels: str) -> GoPosition:
    for label in labels:
        by_name = {game.label(position, move): move for move in game.moves(position)}
        position = game.play(position, by_name[label])
    return position


def labels_of(game: Go, position: GoPosition) -> set[str]:
    return {game.label(position, move) for move in game.moves(position)}


def test_a_ko_cannot_be_taken_back_at_once_but_after_a_change_elsewhere() -> None:
    game = Go(5)
    ko = game.parse("...../.BW../B.BW./.BW../..... w")
    taken = played(game, ko, "b3")
    assert game.text(taken) == "...../.BW../BW.W./.BW../..... b"
    assert "c3" not in labels_of(game, taken)
    assert "c3" not in labels_of(game, played(game, taken, "pass", "pass"))
    assert "c3" in labels_of(game, played(game, taken, "e5", "e1"))


def test_suicide_is_forbidden_unless_it_captures() -> None:
    game = Go(5)
    assert "a5" not in labels_of(game, game.parse(".W.../W..../...../...../..... b"))
    # Two stones would die together.
    assert "a4" not in labels_of(game, game.parse("BW.../.W.../W..../...../..... b"))
    capture = game.parse(".WB../WB.../B..../...../..... b")
    assert game.text(played(game, capture, "a5")) == "B.B../.B.../B..../...../..... w"
    (corner,) = [m for m in game.moves(capture) if game.label(capture, m) == "a5"]
    assert game.irreversible(capture, corner) == "2"


def test_area_counts_stones_and_regions_of_one_colour() -> None:
    game = Go(5)
    board = game.parse(".BW../BBW../..W../BBW../.BWW. b").cells
    # The two left corners touch Black only, the right side White only; a3 and b3 touch both and are nobody's.
    assert (game.area(board, "B"), game.area(board, "W")) == (6 + 2, 6 + 9)
    assert game.area("." * 25, "B") == 0


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("...../...../...../...../..... b pass pass", 0.0),
        ("B..../...../...../...../..... b pass pass", -1.0),  # White passed last, and Black has the board
        ("B..../...../...../...../..... w pass pass", 1.0),
        ("B..../...../...../...../..... w pass", None),
        ("B..../...../...../...../W.... b", None),
    ],
)
def test_the_end_of_go_is_told_for_the_player_who_passed_last(text: str, reward: float | None) -> None:
    game = Go(5)
    assert game.reward(game.parse(text)) == reward
    assert bool(game.moves(game.parse(text))) is (reward is None)
