"""How many of the moves that come back in the indexed games lose, by a reference engine: what there is to be mined.

    trapline index GAMES.pgn --db my.sqlite --tell known
    python -m workshop.experiments.repeated_moves my.sqlite --min-games 2 --moves 30000

The candidates of `trapline mine` are counted, and so many of them drawn at random. The engine searches each position
and the one after the move with `FIRST_NODES` nodes; what costs `FIRST_LOSS` there is asked of the reference of the
labels (`workshop.coverage.labels`). Those that the reference says to lose are listed; what the first look overlooks is
not counted.
"""

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path

from db.library.library import Library
from db.library.open import open_library
from db.mining.candidates import Place, candidates, places
from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import TraplineError
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.judged import AGREES
from workshop.coverage.labels import Reference
from workshop.coverage.shares import Share
from workshop.experiments.random_baits import reference_loss
from workshop.report import Report, Table, markdown, number

FIRST_NODES = 3_000
FIRST_LOSS = 0.1
"""Win chance that a move has to cost by so few nodes, if the reference is to be asked."""


@dataclass(frozen=True, slots=True)
class RepeatedMove:
    """A move that was played in several games."""

    place: Place
    loss: float
    """What the reference says that it costs, or the first look where that is less than `FIRST_LOSS`; -2 to 2."""


def sample_moves(library: Library, min_games: int, count: int, seed: int) -> tuple[int, list[Place]]:
    """How many candidates there are, and ``count`` of them at random; all if there are no more."""
    found = candidates(library, min_games, None, None)
    sample = random.Random(seed).sample(found, min(count, len(found)))
    return len(found), places(library, sample)


def evaluate_move(engine: UciEngine, reference: Reference, place: Place) -> RepeatedMove:
    """What a move costs. Raises ``EngineError``."""
    before = parse_position(place.epd)
    after = before.copy(stack=False)
    after.push_uci(place.bait)
    game = object()
    loss = sum(engine.evaluate(board, FIRST_NODES, game=game).chance for board in (after, before))
    return RepeatedMove(place, reference_loss(engine, reference, before, place.bait) if loss >= FIRST_LOSS else loss)


def report(found: list[RepeatedMove], count: int, engine: str) -> Report:
    """Shares of the sample, what they come to among all candidates, and the moves that lose."""
    rows = []
    for name, border in (("mistakes", AGREES), ("lose", BLUNDER)):
        share = Share.among(one.loss >= border for one in found)
        low, high = (round(bound * count) for bound in share.interval)
        rows.append((f"{name} ({number(border, 1)})", *share.cells()[:2], f"{low:,} to {high:,}"))
    losing = [one for one in found if one.loss >= BLUNDER]
    listed = [
        f"- `{one.place.epd}` {one.place.bait}, in {one.place.candidate.played} games: {number(one.loss, 2)}"
        for one in losing
    ]
    head = f"{count:,} moves came back, of which {len(found):,} were drawn. The reference is {engine}."
    table = Table(("moves", "share", "of the sample", "among all, 95 %"), tuple(rows))
    return Report("Moves that come back and lose", (head, table, "\n".join(["Losing:", "", *listed])))


def main() -> None:
    """Draw, ask, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m workshop.experiments.repeated_moves", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("library", metavar="LIBRARY", type=Path)
    parser.add_argument("--min-games", metavar="N", type=int, default=2)
    parser.add_argument("--moves", metavar="N", type=int, default=30_000)
    parser.add_argument("--seed", metavar="S", type=int, default=1)
    given = parser.parse_args()
    if STOCKFISH is None:
        sys.exit("Stockfish is not installed")
    try:
        with open_library(given.library, read_only=True) as library:
            count, sample = sample_moves(library, given.min_games, given.moves, given.seed)
        with UciEngine(STOCKFISH) as engine:
            found = [evaluate_move(engine, Reference(STOCKFISH), place) for place in sample]
            print(markdown(report(found, count, engine.name)))
    except TraplineError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
