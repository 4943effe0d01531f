"""Whether the baits of ordinary positions that `trapline prove --traps` calls proved do lose, by a reference engine.

    python -m workshop.experiments.random_baits GAMES.pgn --positions 300 --seed 1

Positions are drawn at random from the games, at most one of a game, and all their tempting moves are tested as the
command tests them. The reference is that of the labels (`workshop.coverage.labels`): a bait agrees if it costs
`AGREES` or more of the win chance there, and loses if it costs `BLUNDER`. What the reference denies is listed.
"""

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import chess

from trapcore.engines.uci_engine import UciEngine
from trapcore.proof.trap_test import BaitTest, find_baits
from trapcore.win_chance import BLUNDER
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.games import Game, read_games
from workshop.coverage.judged import AGREES
from workshop.coverage.labels import Reference
from workshop.coverage.shares import Share
from workshop.report import Report, Table, markdown, number


@dataclass(frozen=True, slots=True)
class Proved:
    """A bait that was proved to lose, and what the reference says that it costs, -2 to 2."""

    fen: str
    test: BaitTest
    loss: float


def drawn(paths: list[Path], count: int, seed: int) -> list[chess.Board]:
    """A random position of each of ``count`` random games; fewer if there are no more games."""
    numbers = random.Random(seed)
    games = list(read_games(paths))
    return [numbers.choice(game.positions()[:-1]) for game in numbers.sample(games, min(count, len(games)))]


def reference_loss(engine: UciEngine, reference: Reference, board: chess.Board, bait: str) -> float:
    """What a move (UCI) costs, -2 to 2: its label as the only move of a game. Raises ``EngineError``."""
    return reference.label(engine, Game("", 1, {}, board.fen(), (bait,))).loss[0]


def proved_baits(board: chess.Board, engine: UciEngine, reference: Reference) -> list[Proved]:
    """The proved ones of a position. Raises ``EngineError``."""
    fen = board.fen()
    return [
        Proved(fen, test, reference_loss(engine, reference, board, test.bait))
        for test in find_baits(fen)
        if test.is_trap
    ]


def table(found: list[Proved]) -> Table:
    """Shares by what the killer does."""
    kinds = {
        "mate": [one for one in found if one.test.mate_in is not None],
        "material": [one for one in found if one.test.mate_in is None],
        "all": found,
    }
    rows = tuple(
        (kind, *(str(Share.among(one.loss >= border for one in ours)) for border in (AGREES, BLUNDER)))
        for kind, ours in kinds.items()
    )
    return Table(("killer", f"agree ({number(AGREES, 1)})", f"lose ({number(BLUNDER, 1)})"), rows)


def report(found: list[Proved], positions: int, engine: str) -> Report:
    """The shares, and what the reference denies with the loss that it sees."""
    denied = [
        f"- `{one.fen}` {one.test.bait}, {' '.join(one.test.killer_line)}: {number(one.loss, 2)}"
        for one in found
        if one.loss < AGREES
    ]
    head = f"{positions} positions of games; the reference is {engine}."
    return Report("Proved baits of random positions", (head, table(found), "\n".join(["Denied:", "", *denied])))


def main() -> None:
    """Draw, test, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", metavar="GAMES.pgn", nargs="+", type=Path)
    parser.add_argument("--positions", metavar="N", type=int, default=300)
    parser.add_argument("--seed", metavar="S", type=int, default=1)
    given = parser.parse_args()
    if STOCKFISH is None:
        sys.exit("Stockfish is not installed")
    boards, reference = drawn(given.games, given.positions, given.seed), Reference(STOCKFISH)
    with UciEngine(STOCKFISH) as engine:
        found = [one for board in boards for one in proved_baits(board, engine, reference)]
        print(markdown(report(found, len(boards), engine.name)))


if __name__ == "__main__":
    main()
