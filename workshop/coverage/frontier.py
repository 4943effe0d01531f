"""The frontier of recall against time: what the annotator finds in how long, beside an engine alone.

An engine alone is driven as a sensible user would: it values every position of a game with one number of nodes, the
last one first, so that its memory serves the earlier ones. In a *cascade* it values both positions of a move again,
with more nodes, where the loss that it saw is neither small nor great (`OPEN`).

A move is flagged where the value falls by a threshold. The threshold is free: to compare with a run of the annotator
it is set where the flagged moves agree with the reference as often as the annotator's claims do, which gives the
recall of each number of nodes at equal agreement. The time for the annotator's recall lies between those of two
numbers of nodes; recall is taken to grow evenly with the logarithm of the time between them.
"""

import math
import resource
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trapcore.engines.uci_engine import UciEngine
from trapcore.win_chance import BLUNDER
from workshop.coverage.figures import Coverage
from workshop.coverage.games import Game
from workshop.coverage.judged import AGREES, Judged
from workshop.coverage.shares import Share
from workshop.report import Panel, Plot, Series, Table

ALONE = ((1_000,), (4_000,), (16_000,), (64_000,), (4_000, 32_000))
"""Nodes for a position of the engine alone, and those of the second search of a cascade; those of the reference would
compare it with itself."""

OPEN = (0.12, 0.6)
"""The loss seen by the first search of a cascade, from and below which both positions are searched again."""


@dataclass(frozen=True, slots=True)
class Point:
    """One run of the annotator."""

    name: str
    seconds: float
    """Processor time."""
    positions: int
    coverage: Coverage
    engine: bool
    """With an engine."""

    @property
    def speed(self) -> float:
        """Positions a second."""
        return self.positions / self.seconds


@dataclass(frozen=True, slots=True)
class Alone:
    """The engine alone."""

    nodes: tuple[int, ...]
    """For a position; a second number is that of a cascade."""
    seconds: float
    """Processor time of the engine; what reads its answers is not counted."""
    positions: int
    losses: tuple[tuple[float, float], ...]
    """For each move what the engine says that it lost, and what the reference says."""

    @property
    def name(self) -> str:
        """For tables."""
        return f"engine alone, {', then '.join(f'{nodes:,}' for nodes in self.nodes)} nodes"

    def coverage(self, threshold: float) -> Coverage:
        """Recall and agreement of the moves that lose ``threshold`` or more by this engine."""
        flagged = [reference >= AGREES for seen, reference in self.losses if seen >= threshold]
        recall = Share.among(seen >= threshold for seen, reference in self.losses if reference >= BLUNDER)
        return Coverage(recall, Share.among(flagged))

    def recall_at(self, agreement: float) -> float:
        """The greatest recall at which so great a share of the flagged moves agrees; 0 if there is none."""
        best = 0.0
        for threshold in sorted({seen for seen, _ in self.losses if seen > 0}):
            found = self.coverage(threshold)
            if (found.agreement.value or 0.0) >= agreement:
                best = max(best, found.recall.value or 0.0)
        return best


def cpu_seconds(work: Callable[[], None]) -> tuple[float, float]:
    """Processor time that ``work`` takes in this process, and in the processes that it starts and ends."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    work()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own, started = (b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after, strict=True))
    return own, started


def alone(command: str, moves: Sequence[Judged], nodes: tuple[int, ...]) -> Alone:
    """Run the engine alone over the games of these moves. Raises ``EngineError``."""
    games = {move.game.key: move.game for move in moves}
    found: dict[str, list[float]] = {}

    def run() -> None:
        with UciEngine(command) as engine:
            found.update((key, _losses(engine, game, nodes)) for key, game in games.items())

    _, seconds = cpu_seconds(run)
    losses = tuple((found[move.game.key][move.ply - 1], move.loss) for move in moves)
    return Alone(nodes, seconds, sum(len(game.moves) + 1 for game in games.values()), losses)


def _losses(engine: UciEngine, game: Game, nodes: tuple[int, ...]) -> list[float]:
    boards = list(enumerate(game.positions()))[::-1]
    first, *more = nodes
    chances = {ply: engine.evaluate(board, first, game=game.key).chance for ply, board in boards}
    for again in more:
        losses = _falls(chances)
        open_plies = {at + later for at, loss in enumerate(losses) if OPEN[0] <= loss < OPEN[1] for later in (0, 1)}
        chances |= {
            ply: engine.evaluate(board, again, game=game.key).chance for ply, board in boards if ply in open_plies
        }
    return _falls(chances)


def _falls(chances: Mapping[int, float]) -> list[float]:
    return [before + after for before, after in pairwise(chances[ply] for ply in sorted(chances))]


def alone_at(runs: Sequence[Alone], recall: float, agreement: float) -> tuple[float | None, str]:
    """Seconds that the engine alone needs for a recall and an agreement, and how sure that is.

    ``=`` interpolated, ``<=`` fewer than its fewest nodes take, ``>`` (with the time of the most nodes) or, where it
    never agrees so often, None and ``never``.
    """
    points = [(run.seconds, run.recall_at(agreement)) for run in sorted(runs, key=lambda run: run.seconds)]
    if points[0][1] >= recall:
        return points[0][0], "<="
    for (short, low), (long, high) in pairwise(points):
        if low < recall <= high:
            part = (recall - low) / (high - low)
            return math.exp(math.log(short) + part * (math.log(long) - math.log(short))), "="
    if max(found for _, found in points) == 0:
        return None, "never"
    return points[-1][0], ">"


def times(runs: Sequence[Alone], point: Point) -> str:
    """How many times as long the engine alone takes for the recall and agreement of a run, as a text."""
    recall, agreement = point.coverage.recall.value, point.coverage.agreement.value
    if not runs or not recall or agreement is None:
        return "–"
    seconds, sure = alone_at(runs, recall, agreement)
    if seconds is None:
        return "never reached"
    sign = {"=": "", "<=": "at most ", ">": "more than "}[sure]
    return f"{sign}{seconds / point.seconds:.1f}"


def table(points: Sequence[Point], runs: Sequence[Alone]) -> Table:
    """All runs with their speed, recall and agreement."""
    header = ("run", "positions a second", "recall", "95 %", "agree", "95 %", "engine alone, times as long")
    rows = [(p.name, f"{p.speed:,.0f}", *_figures(p.coverage), times(runs, p)) for p in points]
    for run in runs:
        speed = f"{run.positions / run.seconds:,.0f}"
        rows.append((run.name, speed, *_figures(run.coverage(BLUNDER)), ""))
    return Table(header, tuple(rows))


def _figures(coverage: Coverage) -> tuple[str, str, str, str]:
    recall, agreement = coverage.recall.cells(), coverage.agreement.cells()
    return recall[0], recall[2], agreement[0], agreement[2]


def plot(points: Sequence[Point], runs: Sequence[Alone]) -> Plot:
    """Recall, and agreement, against the time for a position."""
    panels = []
    for name, share in (("recall of losing moves", "recall"), ("claims that agree", "agreement")):
        series = []
        for engine, label in ((False, "trapline"), (True, "trapline with an engine")):
            chosen = sorted((p.seconds / p.positions, _value(p.coverage, share)) for p in points if p.engine is engine)
            series.append((label, chosen))
        series.append(("engine alone", [(r.seconds / r.positions, _value(r.coverage(BLUNDER), share)) for r in runs]))
        drawn = tuple(
            Series(label, tuple(1000 * x for x, _ in found), tuple(y for _, y in found))
            for label, found in series
            if found
        )
        panels.append(Panel(name, "milliseconds a position", "share", drawn, logarithmic_x=True, marked=True))
    return Plot("coverage-frontier", "What is found in how much time", tuple(panels))


def _value(coverage: Coverage, share: str) -> float:
    found: Share = getattr(coverage, share)
    return found.value or 0.0
