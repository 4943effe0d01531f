"""One measurement: labelled games, annotated in several ways, and what comes of each held against the labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from workshop.coverage import frontier
from workshop.coverage.calibration import Stated
from workshop.coverage.evidence import last_stages, seen_of
from workshop.coverage.figures import Figures
from workshop.coverage.frontier import Alone, Point
from workshop.coverage.games import Game, together
from workshop.coverage.glyphs import glyphs, nags_of_file
from workshop.coverage.judged import Judged, judged
from workshop.coverage.killers import Answers, killers
from workshop.coverage.labels import Label
from workshop.coverage.shares import Share
from workshop.coverage.told import told_of


@dataclass(frozen=True, slots=True)
class Way:
    """How the annotator is run."""

    nodes: int
    """Of the prover, for one candidate."""
    engine_nodes: int | None = None
    """Nodes of the engine for a position; None without an engine."""

    @property
    def name(self) -> str:
        """For tables."""
        if self.engine_nodes is None:
            return "trapline"
        return f"trapline with the engine, {self.engine_nodes:,} nodes"


Annotate = Callable[[Path, Path, Path, Way], None]
"""Annotates a PGN file (the first path) into a PGN (the second) and a report (the third), on one thread."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one way."""

    way: Way
    moves: list[Judged]
    figures: Figures
    point: Point
    glyphs: Mapping[str, Share]


@dataclass(frozen=True, slots=True)
class Measured:
    """All of one run."""

    games: int
    outcomes: list[Outcome]
    """In the order of the ways."""
    killers: list[Share]
    """Of each outcome that is the last without, or the last with an engine; see `mains`."""
    alone: list[Alone]
    stated: list[Stated]
    """For each move what the core states in the end, without an engine, and whether the move loses."""

    @property
    def mains(self) -> list[Outcome]:
        """The last way without an engine and the last with one, as far as there are any."""
        return mains(self.outcomes)


def mains(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The last without an engine, then the last with one."""
    found = {outcome.way.engine_nodes is not None: outcome for outcome in outcomes}
    return [found[engine] for engine in (False, True) if engine in found]


def run(
    games: Sequence[Game],
    labels: Mapping[str, Label],
    annotate: Annotate,
    ways: Sequence[Way],
    say: Callable[[str], None],
) -> list[Outcome]:
    """Annotate the games in each way, and compare the findings with the labels. Raises what ``annotate`` does."""
    outcomes = []
    positions = sum(len(game.moves) for game in games)
    with TemporaryDirectory(prefix="trapline-coverage-") as name:
        source = Path(name) / "games.pgn"
        source.write_bytes(together(games))
        given = nags_of_file(source)
        by_number = {(source.name, number): game for number, game in enumerate(games, 1)}
        for number, way in enumerate(ways):
            say(way.name)
            output, report = Path(name) / f"{number}.pgn", Path(name) / f"{number}.jsonl"

            def work(output: Path = output, report: Path = report, way: Way = way) -> None:
                annotate(source, output, report, way)

            seconds = sum(frontier.cpu_seconds(work))
            moves = judged(games, labels, told_of(report.read_bytes().splitlines(), by_number))
            figures = Figures.of(moves)
            point = Point(way.name, seconds, positions, figures.total, way.engine_nodes is not None)
            outcomes.append(Outcome(way, moves, figures, point, glyphs(moves, given, nags_of_file(output))))
    return outcomes


def measure(outcomes: list[Outcome], answers: Answers, command: str, alone: Sequence[tuple[int, ...]]) -> Measured:
    """What is asked of the engine after all ways were run: the killers, and what it finds alone.

    ``alone`` are its nodes, as `frontier.ALONE` has them. Raises ``EngineError``.
    """
    right = [killers(outcome.moves, answers) for outcome in mains(outcomes)]
    moves = outcomes[0].moves
    runs = [frontier.alone(command, moves, nodes) for nodes in alone]
    games = list({move.game.key: move.game for move in moves}.values())
    seen = last_stages(seen_of(games, {move.game.key: move.label for move in moves}))
    return Measured(len(games), outcomes, right, runs, [(one.stated, one.loses) for one in seen])
