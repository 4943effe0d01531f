"""The levels of the sparring partner against each other and against Stockfish of limited strength, as Elo.

::

    python -m workshop.benchmarks levels [--games N] [--levels LOW-HIGH] [--nodes N] [--seed S]

Each level plays a match against the next one, 200 points above, and one against Stockfish limited to the same rating
(``UCI_Elo``, from `LEAST_ELO` on) with so many nodes for a move. The ratings are the likeliest ones by Elo's formula,
if Stockfish has the rating that it is limited to. A game is over when the level's own search has seen one side ahead
by `DECIDED` for `DECIDED_MOVES` moves of the level, and drawn after `LONGEST` plies. Players draw their moves, so games
begin with the usual position.
"""

import argparse
import random
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol

import chess
import chess.engine
import numpy as np

from coach.sparring.partner import Partner
from coach.sparring.strength import LEAST_RATING, MOST_RATING, Style
from trapcore.engines.process import EngineProcess
from trapcore.errors import UsageError
from trapcore.statistics import CONFIDENCE
from workshop.benchmarks.stockfish import STOCKFISH, LimitedEngine
from workshop.report import Report, Table, markdown

STEP = 200
"""Rating points between two levels."""
LEAST_ELO, MOST_ELO = 1350, 2850
"""Range of ``UCI_Elo`` of Stockfish 15.1."""
DECIDED = 1_000
"""Centipawns."""
DECIDED_MOVES = 3
LONGEST = 240
ELO = 400 / np.log(10)
"""Points for a factor of e in the odds."""


class Player(Protocol):
    """A player of a match."""

    def move(self, board: chess.Board) -> tuple[chess.Move, int | None]:
        """His move, and the value for him in centipawns if he knows it."""


class LevelInMatch:
    """A level, which sets no traps."""

    def __init__(self, rating: int, numbers: random.Random) -> None:
        self._partner = Partner(rating, Style.SOLID, numbers)

    def move(self, board: chess.Board) -> tuple[chess.Move, int | None]:
        """As `Player` has it."""
        found = self._partner.move(board)
        return chess.Move.from_uci(found.uci), found.value


class EngineInMatch:
    """Stockfish of limited strength."""

    def __init__(self, engine: EngineProcess, rating: int, nodes: int) -> None:
        self._engine = LimitedEngine(engine, rating, chess.engine.Limit(nodes=nodes))

    def move(self, board: chess.Board) -> tuple[chess.Move, int | None]:
        """As `Player` has it."""
        return self._engine.move(board), None


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a level."""

    level: int
    other: str
    """``level 1400`` or ``Stockfish 1400``."""
    rating: int
    """Of the other one."""
    is_engine: bool
    games: int
    points: float
    """Of the level."""


def game(white: Player, black: Player) -> float:
    """Points of White."""
    board = chess.Board()
    row: dict[bool, int] = {chess.WHITE: 0, chess.BLACK: 0}
    while not board.is_game_over(claim_draw=True) and board.ply() < LONGEST:
        turn = board.turn
        move, value = (white if turn else black).move(board)
        if value is not None:
            leader = 0 if abs(value) < DECIDED else 1 if (value > 0) == turn else -1
            row[turn] = row[turn] + leader if leader * row[turn] > 0 else leader
            if abs(row[turn]) >= DECIDED_MOVES:
                return float(row[turn] > 0)
        board.push(move)
    outcome = board.outcome(claim_draw=True)
    return 0.5 if outcome is None or outcome.winner is None else float(outcome.winner)


def match(one: Player, other: Player, games: int) -> float:
    """Points of the first in so many games, in turn with White and Black."""
    return sum(game(one, other) if at % 2 == 0 else 1 - game(other, one) for at in range(games))


def ratings(matches: Sequence[Match]) -> dict[int, tuple[float, float]]:
    """The likeliest rating of each level, with half of its interval of 95 %. A draw is half a win and half a loss.

    Each match counts as if one more game of it had been drawn, so that a level that lost or won every game has a
    rating, too.
    """
    levels = sorted({one.level for one in matches})
    place = {level: at for at, level in enumerate(levels)}
    found = np.array(levels, dtype=float)
    for _ in range(100):
        slope, curvature = np.zeros(len(levels)), np.zeros((len(levels), len(levels)))
        for one in matches:
            at, games, points = place[one.level], one.games + 1, one.points + 0.5
            theirs = None if one.is_engine else place[one.rating]
            rating = one.rating if theirs is None else found[theirs]
            expected = 1 / (1 + np.exp((rating - found[at]) / ELO))
            slope[at] += (points - games * expected) / ELO
            weight = games * expected * (1 - expected) / ELO**2
            curvature[at, at] += weight
            if theirs is not None:
                slope[theirs] -= (points - games * expected) / ELO
                curvature[theirs, theirs] += weight
                curvature[at, theirs] -= weight
                curvature[theirs, at] -= weight
        step = np.linalg.solve(curvature, slope)
        found += np.clip(step, -STEP, STEP)
        if np.abs(step).max() < 0.01:
            break
    errors = CONFIDENCE * np.sqrt(np.diag(np.linalg.inv(curvature)))
    return {level: (float(found[at]), float(errors[at])) for level, at in place.items()}


def report(matches: Sequence[Match], title: str) -> Report:
    """Every match, the rating of each level, and whether the order is kept."""
    measured = ratings(matches)
    order = [rating for _, (rating, _) in sorted(measured.items())]
    played = tuple((str(one.level), one.other, str(one.games), f"{one.points:g}") for one in matches)
    rows = tuple(
        (str(level), f"{rating:.0f}", f"{error:.0f}", f"{rating - level:+.0f}")
        for level, (rating, error) in sorted(measured.items())
    )
    kept = "kept" if order == sorted(order) else "not kept"
    return Report(
        f"{title}: order {kept}",
        (Table(("level", "against", "games", "points"), played), Table(("level", "Elo", "± (95 %)", "off"), rows)),
    )


def matches_of(given: argparse.Namespace) -> list[Match]:
    """All matches. Raises `UsageError` without Stockfish."""
    if STOCKFISH is None:
        raise UsageError("the levels are measured against Stockfish, which is not here")
    low, high = map(int, given.levels.split("-"))
    levels = range(low, high + 1, STEP)
    found: list[Match] = []
    with ExitStack() as stack:
        engine = stack.enter_context(EngineProcess(STOCKFISH))
        for level in levels:
            numbers = random.Random(f"{given.seed} {level}")
            elo = min(MOST_ELO, max(LEAST_ELO, level))
            others: list[tuple[Player, str, int, bool]] = [
                (EngineInMatch(engine, elo, given.nodes), f"Stockfish {elo}", elo, True)
            ]
            if level + STEP in levels:
                others.append((LevelInMatch(level + STEP, numbers), f"level {level + STEP}", level + STEP, False))
            for other, name, rating, is_engine in others:
                points = match(LevelInMatch(level, numbers), other, given.games)
                found.append(Match(level, name, rating, is_engine, given.games, points))
                print(f"{level} against {name}: {points:g} of {given.games}", flush=True)
    return found


def main(arguments: Sequence[str]) -> int:
    """Plays and prints."""
    parser = argparse.ArgumentParser(prog="python -m workshop.benchmarks levels")
    parser.add_argument("--games", type=int, default=40, help="of each match")
    parser.add_argument("--levels", default=f"{LEAST_RATING}-{MOST_RATING}", metavar="LOW-HIGH")
    parser.add_argument("--nodes", type=int, default=20_000, help="of Stockfish, for a move")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    title = f"Levels, {given.games} games a match, Stockfish with {given.nodes:,} nodes a move"
    print(markdown(report(matches_of(given), title)))
    return 0
