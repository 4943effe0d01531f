"""Local search: what it claims held against the solver, what it says of games, what it refuses."""

import random
import threading

import pytest

from trapcore.errors import PositionError, UsageError
from trapcore.parallel.budget import Cancellation
from workshop.games.rules import game_named
from workshop.games.search.local_search import PAYS, Finding, LocalBudget, LocalSearch, has_local_search, locality
from workshop.games.search.monte_carlo import MonteCarloSearch, PlayoutBudget, SearchOptions, can_play

QUICK = LocalBudget(nodes=3_000)
WON = "B.BBBB/.W..../....../....../B...../..WWWW w"
#: White's man of b3 cannot be stopped.
RUNNER = "B...BB/....BB/....../.W..../W....W/W....W w"


def test_the_mean_distance_says_where_local_search_pays() -> None:
    large, small, tiny = (locality(name) for name in ("breakthrough", "breakthrough-6x6", "tic-tac-toe"))
    assert large.mean_distance > small.mean_distance > PAYS > tiny.mean_distance >= 1
    assert (large.pays, small.pays, tiny.pays) == (True, True, False)
    assert large.focus is None
    assert locality("connect-four").focus == 2


def test_a_forced_win_is_found_with_its_line() -> None:
    opinion = LocalSearch("breakthrough-6x6", RUNNER).search(LocalBudget(moves=4))
    assert opinion.finding is Finding.WIN
    assert opinion.value == 1.0
    assert opinion.moves == 3
    assert opinion.best == opinion.line[0]
    assert opinion.best.startswith("b3")
    lost = LocalSearch("breakthrough-6x6", RUNNER, moves=[opinion.best]).search(QUICK)
    assert (lost.finding, lost.value, lost.tenuki) == (Finding.LOSS, -1.0, 2)


def test_claims_are_those_of_the_solver() -> None:
    game = game_named("breakthrough-5x5")
    claims = 0
    for seed in range(40):
        chance = random.Random(seed)
        position = game.start()
        for _ in range(18):
            if game.reward(position) is None:
                position = game.play(position, chance.choice(list(game.moves(position))))
        if game.reward(position) is not None:
            continue
        text = game.text(position)
        opinion = LocalSearch("breakthrough-5x5", text).search(QUICK)
        if opinion.finding is Finding.NONE:
            continue
        claims += 1
        proved = MonteCarloSearch("breakthrough-5x5", text, "solver").search(PlayoutBudget(playouts=100_000))
        if proved.best.proved is not None:
            assert str(proved.best.proved) == str(opinion.finding), text
    assert claims > 5


def test_rivals_say_the_same_with_more_nodes() -> None:
    search = LocalSearch("breakthrough-6x6", RUNNER)
    opinion = search.search(QUICK)
    plain, complete = search.alpha_beta(LocalBudget(moves=4)), search.proof_number(LocalBudget(nodes=1_000_000))
    assert (plain.won, plain.moves) == (True, opinion.moves)
    assert complete.won
    assert plain.nodes > opinion.nodes
    assert search.alpha_beta(LocalBudget(nodes=1)).won is None


def test_the_same_nodes_give_the_same_answer_and_another_thread_cancels() -> None:
    first, second = (LocalSearch("breakthrough", moves=["a2a3"]).search(QUICK) for _ in range(2))
    assert first == second
    assert first.nodes <= 3_000
    assert not first.cancelled
    stop = Cancellation()
    timer = threading.Timer(0.1, stop.cancel)
    timer.start()
    opinion = LocalSearch("breakthrough").search(LocalBudget(seconds=60), stop)
    assert opinion.cancelled
    assert opinion.finding is Finding.NONE


def test_hints_are_the_same_with_playouts_and_come_from_a_thread_with_seconds() -> None:
    options = SearchOptions(local=True)
    first, second = (
        MonteCarloSearch("breakthrough-6x6", RUNNER, options).search(PlayoutBudget(playouts=1_200)) for _ in range(2)
    )
    assert first == second
    timed = MonteCarloSearch("breakthrough-6x6", RUNNER, options).search(PlayoutBudget(seconds=3, playouts=400_000))
    for opinion in (first, timed):
        assert opinion.best.hint is Finding.WIN
        assert opinion.best.move.startswith("b3")
        assert opinion.local[0].after is None
        assert opinion.local[0].finding is Finding.WIN
        assert opinion.local[0].line[0].startswith("b3")
    assert MonteCarloSearch("breakthrough-6x6", RUNNER, "uct").search(PlayoutBudget(playouts=50)).local == ()


def test_hints_go_on_after_moves() -> None:
    search = MonteCarloSearch("breakthrough-6x6", RUNNER, SearchOptions(local=True))
    search.search(PlayoutBudget(playouts=1_200))
    search.play("b3c4")
    opinion = search.search(PlayoutBudget(playouts=1_200))
    assert opinion.local[0].finding is Finding.LOSS
    assert {one.hint for one in opinion.moves} == {Finding.LOSS}


def test_which_games_have_local_search() -> None:
    assert [has_local_search(name) for name in ("chess", "go-5x5", "breakthrough-7x7", "connect-four")] == [
        False,
        False,
        True,
        True,
    ]
    assert can_play("mcts-local", "breakthrough")
    assert not can_play("mcts-local", "chess")
    assert not can_play("mcts-local", "tic-tac-toe")
    assert not can_play("minimax", "go-5x5")
    assert can_play("mcts", "go-5x5")


@pytest.mark.parametrize(
    ("make", "kind", "told"),
    [
        (lambda: LocalSearch("go-5x5"), UsageError, "go-5x5 has no goals on squares"),
        (lambda: LocalSearch("chess"), UsageError, "chess has no goals on squares"),
        (lambda: locality("go-7x7"), UsageError, "go-7x7 has no goals on squares"),
        (lambda: LocalSearch("breakthrough-9x9"), UsageError, "5 to 8 ranks here, not 9"),
        (lambda: LocalSearch("checkers"), UsageError, "unknown game 'checkers'"),
        (lambda: LocalSearch("breakthrough", WON), PositionError, "breakthrough: not 8 rows but 6"),
        (lambda: LocalSearch("breakthrough", moves=["a2a5"]), PositionError, "'a2a5' is no legal move"),
        (lambda: LocalSearch("tic-tac-toe", "XXX/OO./... o").search(QUICK), PositionError, "the game is over"),
        (lambda: LocalSearch("tic-tac-toe", "XXX/OO./... o", moves=["a1"]), PositionError, "after the end"),
        (lambda: LocalSearch("breakthrough", megabytes=0), UsageError, "megabytes must be 1 or more"),
        (lambda: LocalBudget(), UsageError, "needs nodes, seconds or moves"),
        (lambda: LocalBudget(nodes=0), UsageError, "nodes must be 1 or more, not 0"),
        (lambda: LocalBudget(seconds=0), UsageError, "seconds must be at least 0.001"),
        (lambda: LocalBudget(moves=25), UsageError, "moves must be 1..24, not 25"),
        (lambda: MonteCarloSearch("go-5x5", options="mcts-local"), UsageError, "no goals on squares"),
        (lambda: MonteCarloSearch("tic-tac-toe", options="mcts-local"), UsageError, "1.3 turns apart"),
    ],
)
def test_what_cannot_be_is_refused(make: object, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        make()  # type: ignore[operator]
