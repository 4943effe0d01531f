"""Monte Carlo tree search: its games held against the bundled ones, its fingerprints against the measures."""

import _thread
import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from trapcore.errors import PositionError, UsageError
from trapcore.parallel.budget import Cancellation
from trapcore.trees.tree import Tree, local_tree
from workshop.games.monte_carlo.speed import plain_search
from workshop.games.rules import GAMES, game_named
from workshop.games.search.local_search import LocalBudget, LocalSearch
from workshop.games.search.monte_carlo import (
    SEARCHES,
    MonteCarloSearch,
    NodeMeasure,
    PlayoutBudget,
    Proved,
    SearchOptions,
    Sharing,
    can_play,
    search_named,
)
from workshop.native import _core
from workshop.reference.measures import continuations, sequences, structural, tanimoto, tree_edit

NAMES = sorted({*GAMES, "breakthrough-5x5", "breakthrough-7x7", "go-3x3"})
FEW = PlayoutBudget(playouts=200)
ROOK_ENDING = "8/5pk1/6p1/8/3R4/6P1/r4PK1/8 w - - 0 1"
MIDDLE_GAME = "r1bq1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2Q1RK1 b - - 0 1"
OF_TREES: dict[str, Callable[[Tree, Tree], float]] = {
    "continuations": lambda t1, t2: continuations.of_trees(t1, t2, 2),
    "sequences": lambda t1, t2: sequences.of_trees(t1, t2, 2),
    "tanimoto": lambda t1, t2: tanimoto.of_trees(t1, t2, 2),
    "structural": structural.of_trees,
    "tree-edit": lambda t1, t2: tree_edit.of_trees(t1, t2, 2),
}
"""The plain definitions, to the depth of a node's tree."""


def core(game: str, text: str) -> _core.MonteCarlo:
    """The core's search, for its rules."""
    return plain_search(game, text, exploration=0.7, bias=0.004)


@pytest.mark.parametrize("name", NAMES)
def test_the_core_plays_by_the_rules_of_the_bundled_game(name: str) -> None:
    game = game_named(name)
    ended = 0
    for seed in range(6):
        chance = random.Random(seed)
        position = game.start()
        played = core(name, game.text(position))
        for _ in range(120):
            labels = sorted(game.label(position, move) for move in game.moves(position))
            reward = game.reward(position)
            # A chess position without mating material keeps its moves in the bundled game, though the game is over.
            assert sorted(played.labels()) == ([] if reward is not None else labels), game.text(position)
            assert played.result() == (None if reward is None else -reward), game.text(position)
            if reward is not None:
                ended += 1
                break
            move = chance.choice(game.moves(position))
            assert played.play(game.label(position, move))
            position = game.play(position, move)
        assert not played.play("z9")
    assert ended or name in ("chess", "go-7x7")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("chess", "go-7x7", "breakthrough-7x7")])
def test_nodes_are_compared_as_the_measures_define_it(name: str) -> None:
    game = game_named(name)
    chance = random.Random(5)
    positions = [game.start()]
    while len(positions) < 9 and (moves := game.moves(positions[-1])):
        positions.append(game.play(positions[-1], chance.choice(moves)))
    trees = [local_tree(game, position, 2) for position in positions]
    for one in range(0, len(positions), 2):
        for other in range(0, len(positions), 2):
            texts = game.text(positions[one]), game.text(positions[other])
            if "go" in name and (one or other):
                continue  # the notation has no history, which forbids moves
            for measure, of_trees in OF_TREES.items():
                if measure == "tree-edit" and name not in ("tic-tac-toe", "connect-four", "go-3x3"):
                    continue  # the plain definition takes minutes of larger trees
                value = of_trees(trees[one], trees[other])
                assert _core.node_similarity(name, *texts, measure) == pytest.approx(value, abs=1e-6), measure


def test_chess_nodes_are_compared_as_the_core_compares_positions() -> None:
    first = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
    second = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5Q2/PPPP1PPP/RNB1KBNR w KQkq - 2 3"
    for measure, value in (
        ("continuations", continuations.of_positions(first, second)),
        ("sequences", sequences.of_positions(first, second)),
        ("tanimoto", tanimoto.of_positions(first, second)),
        ("structural", structural.of_positions(first, second)),
        ("tree-edit", tree_edit.of_positions(first, second)),
    ):
        assert 0.3 < value < 1
        assert _core.node_similarity("chess", first, second, measure) == pytest.approx(value, abs=1e-6), measure


def test_abstracted_nodes_are_alike_whatever_the_squares_are() -> None:
    position = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w - - 0 1"
    turned = "rnb1k1nr/pppp1ppp/8/2b1p3/4P2q/2N2N2/PPPP1PPP/R1BQKB1R b - - 0 1"
    other = "8/5pk1/6p1/8/8/8/1R3PPP/6K1 w - - 0 1"
    assert _core.node_similarity("chess", position, turned, "abstracted") == pytest.approx(1)
    assert _core.node_similarity("chess", position, turned, "continuations") < 0.3
    assert _core.node_similarity("chess", position, other, "abstracted") < 0.5


@pytest.mark.parametrize("name", SEARCHES)
def test_every_variant_answers_every_game_and_always_the_same(name: str) -> None:
    for game in GAMES:
        if not can_play(name, game):
            reason = f"{game} has no evaluation" if name == "minimax" else "no goals on squares|turns apart"
            with pytest.raises(UsageError, match=reason):
                MonteCarloSearch(game, options=name)
            continue
        first, second = (MonteCarloSearch(game, options=name, seed=3).search(FEW) for _ in range(2))
        assert first == second
        assert first.playouts == 200
        assert not first.cancelled
        assert 0 <= first.win_chance <= 1
        assert first.line[0] == first.best.move
        assert {opinion.move for opinion in first.moves} <= {*MonteCarloSearch(game).labels}


@pytest.mark.parametrize("measure", NodeMeasure)
def test_every_measure_finds_similar_nodes(measure: NodeMeasure) -> None:
    fen = ROOK_ENDING if measure is NodeMeasure.TREE_EDIT else MIDDLE_GAME  # it is slow on a full board

    def playouts(counterparts: bool) -> list[int]:
        sharing = Sharing(measure=measure, least=0.3, counterparts=counterparts)
        options = replace(SEARCHES["similarity-rave"], sharing=sharing)
        opinion = MonteCarloSearch("chess", fen, options).search(PlayoutBudget(playouts=1_500))
        assert opinion.fingerprints > 10
        return [m.playouts for m in opinion.moves]

    alone = MonteCarloSearch("chess", fen, "rave").search(PlayoutBudget(playouts=1_500))
    shared = playouts(False)
    assert shared != [m.playouts for m in alone.moves]
    assert shared != playouts(True)


def test_a_measure_is_chosen_by_name() -> None:
    options = search_named("similarity-match:tree-edit")
    assert options == replace(
        SEARCHES["similarity-match"], sharing=Sharing(measure=NodeMeasure.TREE_EDIT, counterparts=True)
    )
    for name, reason in (
        ("uct:sequences", "shares nothing"),
        ("similarity-rave:tree", "tree-edit"),
        ("similarity-rave:", "measure"),
        ("similarity-rav:sequences", "similarity-rave"),
    ):
        with pytest.raises(UsageError, match=reason):
            search_named(name)
    assert can_play("similarity-rave:abstracted", "chess")
    assert not can_play("similarity-rave:abstracted", "breakthrough")
    assert can_play("similarity-mcts:structural", "go-5x5")
    with pytest.raises(UsageError, match="no abstracted trees"):
        MonteCarloSearch("breakthrough", options="similarity-rave:abstracted")


def test_nodes_share_where_a_search_shares() -> None:
    shared = MonteCarloSearch("breakthrough-6x6", options="similarity-rave").search(PlayoutBudget(playouts=2_000))
    alone = MonteCarloSearch("breakthrough-6x6", options="rave").search(PlayoutBudget(playouts=2_000))
    assert shared.fingerprints > 20
    assert alone.fingerprints == 0
    assert [m.playouts for m in shared.moves] != [m.playouts for m in alone.moves]


def test_a_won_position_is_proved() -> None:
    won = MonteCarloSearch("breakthrough-6x6", "B.BBBB/.W..../....../....../B...../..WWWW w", "solver").search(FEW)
    assert won.best.proved is Proved.WIN
    assert won.best.move in ("b5a6", "b5b6", "b5c6")
    assert (won.win_chance, won.best.value) == (1.0, 1.0)
    drawn = MonteCarloSearch("tic-tac-toe", options="solver").search(PlayoutBudget(playouts=100_000))
    assert drawn.best.proved is Proved.DRAW
    assert drawn.playouts < 100_000


def test_another_thread_cancels_and_gets_the_best_so_far() -> None:
    search, stop = MonteCarloSearch("go-7x7", options="uct"), Cancellation()
    timer = threading.Timer(0.1, stop.cancel)
    timer.start()
    opinion = search.search(PlayoutBudget(seconds=60), stop)
    assert opinion.cancelled
    assert opinion.best.move in search.labels
    timed = MonteCarloSearch("go-7x7", options="uct").search(PlayoutBudget(seconds=0.02))
    assert not timed.cancelled


@pytest.mark.parametrize(
    "search",
    [
        lambda: MonteCarloSearch("go-7x7", options="uct").search(PlayoutBudget(seconds=60)),
        lambda: LocalSearch("breakthrough").search(LocalBudget(seconds=60)),
    ],
)
def test_an_interrupt_in_the_main_thread_is_raised_at_once(search: Callable[[], object]) -> None:
    timer = threading.Timer(0.2, _thread.interrupt_main)
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search()
    assert time.monotonic() - began < 30
    # The next search knows nothing of it.
    assert MonteCarloSearch("go-7x7", options="uct").search(FEW).playouts == 200


def test_what_was_cancelled_before_ends_at_once() -> None:
    stop = Cancellation()
    stop.cancel()
    opinion = MonteCarloSearch("go-7x7", options="uct").search(PlayoutBudget(seconds=60), stop)
    assert opinion.cancelled


def test_a_small_memory_is_kept_to_and_told() -> None:
    options = SearchOptions(megabytes=1)
    opinion = MonteCarloSearch("breakthrough", options=options).search(PlayoutBudget(playouts=30_000))
    assert opinion.tree_full
    assert opinion.playouts == 30_000
    # 48 bytes or more are a node.
    assert opinion.nodes < 2**20 // 48


def test_a_search_goes_on_after_moves() -> None:
    search = MonteCarloSearch(
        "connect-four", "......./......./......./......./...O.../...X... x", moves=["d", "D", "a"]
    )
    assert search.text == "......./......./...O.../...X.../...O.../X..X... o"
    opinion = search.search(FEW)
    search.play(opinion.best.move)
    assert search.search(FEW).nodes > 0


@pytest.mark.parametrize(
    ("make", "kind", "told"),
    [
        (lambda: MonteCarloSearch("chess", "BB/WW w"), PositionError, "not a FEN"),
        (lambda: MonteCarloSearch("breakthrough", "8/8/8/8/8/8/8/8 w"), PositionError, "breakthrough: row 8 has not 8"),
        (lambda: MonteCarloSearch("breakthrough-9x9"), UsageError, "5 to 8 ranks here, not 9"),
        (lambda: MonteCarloSearch("go-19x19"), UsageError, "2 to 7 lines here, not 19"),
        (lambda: MonteCarloSearch("checkers"), UsageError, "unknown game 'checkers'"),
        (lambda: MonteCarloSearch("chess", options="rav"), UsageError, "unknown search 'rav': did you mean 'rave'?"),
        (lambda: MonteCarloSearch("chess", seed=-1), UsageError, "the seed must be"),
        (lambda: MonteCarloSearch("chess", moves=["e2e5"]), PositionError, "'e2e5' is no legal move"),
        (lambda: MonteCarloSearch("connect-four", moves=["a"] * 7), PositionError, "legal are b c d e f g"),
        (lambda: MonteCarloSearch("tic-tac-toe", "XXX/OO./... o").search(FEW), PositionError, "the game is over"),
        (lambda: MonteCarloSearch("tic-tac-toe", "XXX/OO./... o", moves=["a1"]), PositionError, "after the end"),
        (lambda: PlayoutBudget(), UsageError, "needs playouts or seconds"),
        (lambda: PlayoutBudget(playouts=0), UsageError, "playouts must be 1 or more, not 0"),
        (lambda: PlayoutBudget(seconds=0), UsageError, "seconds must be at least 0.001"),
        (lambda: PlayoutBudget(seconds=float("nan")), UsageError, "not nan"),
        (lambda: SearchOptions(exploration=-1), UsageError, "exploration must be 0 or more"),
        (lambda: SearchOptions(minimax=2), UsageError, "shares, 0 to 1"),
        (lambda: SearchOptions(megabytes=0), UsageError, "must be 1 or more"),
        (lambda: SearchOptions(sharing=Sharing(least=0)), UsageError, "above 0 to 1"),
    ],
)
def test_what_cannot_be_is_refused(make: object, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told.replace("?", r"\?")):
        make()  # type: ignore[operator]
