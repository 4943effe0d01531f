"""Monte Carlo tree search against OpenSpiel's: playouts a second, and games at equal time.

OpenSpiel (`pip install 'trapline[research]'`) has Breakthrough with the same rules, and an MCTSBot in C++.
"""

import random
import time
from typing import Any

from workshop.benchmarks.table import Row
from workshop.games.monte_carlo.matches import Result
from workshop.games.monte_carlo.speed import of_random_playouts
from workshop.games.search.monte_carlo import MonteCarloSearch, PlayoutBudget

GAMES = 20
SECONDS = 0.1
"""For a move."""
SIZE = 8
LEAST_SPEED = 10
"""Wanted: so many times OpenSpiel's playouts a second."""


def rows() -> list[Row]:
    """Random playouts of Breakthrough, and games of the best search against OpenSpiel's at equal time."""
    try:
        import pyspiel
    except ImportError:
        return [Row("Monte Carlo tree search", "", "OpenSpiel is not installed: pip install 'trapline[research]'")]
    game = pyspiel.load_game(f"breakthrough(rows={SIZE},columns={SIZE})")
    ours, theirs = of_random_playouts("breakthrough"), _random_playouts(pyspiel, game)
    found = [
        Row(
            "random playouts of Breakthrough 8x8 a second",
            f"{ours:,.0f}",
            f"OpenSpiel {theirs:,.0f}",
            ours / theirs,
            LEAST_SPEED,
        )
    ]
    for name in ("uct", "solver", "mcts", "minimax"):
        result = _match(pyspiel, game, name)
        low, high = result.interval
        found.append(
            Row(
                f"{name} against MCTSBot, {SECONDS:g} s a move, {result.games} games",
                f"{result.won} won ({low:.0%}–{high:.0%})",
                f"{result.lost} won",
            )
        )
    return found


def _random_playouts(pyspiel: Any, game: Any) -> float:
    """A second of processor time: one simulation of OpenSpiel's bot, which values the first position by so many."""
    count = 4000
    bot = _bot(pyspiel, game, 1, simulations=1, rollouts=count)
    began = time.process_time()
    bot.step(game.new_initial_state())
    return count / (time.process_time() - began)


def _bot(pyspiel: Any, game: Any, seed: int, *, simulations: int = 10**9, rollouts: int = 1) -> Any:
    """OpenSpiel's search with its solver, the exploration of its examples, and our time for a move."""
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
    policy = pyspiel.ChildSelectionPolicy.UCT
    return pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 1000, True, seed, False, policy, SECONDS)


def _match(pyspiel: Any, game: Any, name: str) -> Result:
    """Each opening of four random moves twice, with colours changed."""
    numbers = random.Random(0)
    counts = {1: 0, -1: 0}
    for pair in range(GAMES // 2):
        opening = _opening(game, numbers)
        for side in (0, 1):
            counts[_play(pyspiel, game, name, opening, side, 2 * pair + side)] += 1
    return Result(counts[1], 0, counts[-1])


def _play(pyspiel: Any, game: Any, name: str, opening: list[str], side: int, seed: int) -> int:
    """1 if ours wins, who is player ``side`` of 0 and 1; else -1."""
    state, bot = game.new_initial_state(), _bot(pyspiel, game, seed)
    ours = MonteCarloSearch("breakthrough", options=name, seed=seed)
    for label in opening:
        state.apply_action(_action(state, label))
        ours.play(label)
    while not state.is_terminal():
        if state.current_player() == side:
            label = ours.search(PlayoutBudget(seconds=SECONDS)).best.move
            action = _action(state, label)
        else:
            action = bot.step(state)
            label = _label(state, action)
        state.apply_action(action)
        ours.play(label)
    return 1 if state.returns()[side] > 0 else -1


def _opening(game: Any, numbers: random.Random) -> list[str]:
    """Labels of four random moves."""
    state, labels = game.new_initial_state(), []
    for _ in range(4):
        action = numbers.choice(state.legal_actions())
        labels.append(_label(state, action))
        state.apply_action(action)
    return labels


def _label(state: Any, action: int) -> str:
    """Our label of OpenSpiel's action: there the upper side begins, and captures have a star."""
    text: str = state.action_to_string(state.current_player(), action)
    return f"{text[0]}{SIZE + 1 - int(text[1])}{text[2]}{SIZE + 1 - int(text[3])}"


def _action(state: Any, label: str) -> int:
    """OpenSpiel's action of our label."""
    named: dict[str, int] = {_label(state, action): action for action in state.legal_actions()}
    return named[label]
