"""How much of an advantage counts in endings that are often drawn: a fit to an engine's judgement.

    python -m workshop.coverage.endings.scale GAMES.pgn… --endings 250 --engine stockfish

The core knows kinds of endings, such as rook and pawn against rook. It multiplies the network's value by a share for
each kind (``trapcore/native/src/search/evaluation/scale.rs``). This command takes positions of training endings, asks
the engine for the win chance of each, and prints the share that fits best for each kind.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import chess

from trapcore import _native
from trapcore.engines.uci_engine import UciEngine
from trapcore.win_chance import win_chance
from workshop.coverage.endings.sample import Part, endings, positions
from workshop.coverage.games import Game, read_games
from workshop.report import Report, Table, markdown, number

UNSCALED = 64
"""A share is counted in 64ths."""
PRIOR = 5
"""So many positions speak for the share that the core has now, so that a rare kind is not fitted to a few positions."""

Seen = tuple[float, float]
"""The network's value in centipawns without a share, and the engine's win chance, both for the side to move."""


def quiet_positions(games: Iterable[Game], step: int) -> Iterator[tuple[Game, chess.Board]]:
    """Each ``step``-th position of the games, without those in check or before a capture."""
    for game, index, board, _ in positions(games):
        if index % step == 0 and not board.is_check() and not board.is_capture(chess.Move.from_uci(game.moves[index])):
            yield game, board


def seen_of(games: Iterable[Game], engine: UciEngine, nodes: int, step: int) -> dict[str, list[Seen]]:
    """What the network and the engine say of the positions, by kind. Raises ``EngineError``."""
    found: dict[str, list[Seen]] = defaultdict(list)
    for game, board in quiet_positions(games, step):
        known = _native.ending_kind(board.fen())
        if known is not None:
            kind, value = known
            found[kind].append((value, engine.evaluate(board, nodes, game=game.key).chance))
    return dict(found)


def error(share: int, seen: Sequence[Seen]) -> float:
    """Sum of the squared differences of the win chances, with this share of the network's value."""
    return sum((win_chance(round(value * share / UNSCALED)) - chance) ** 2 for value, chance in seen)


def fitted(seen: Sequence[Seen], now: int) -> int:
    """The share, 0 to `UNSCALED`, that fits best. `PRIOR` positions of 300 centipawns speak for ``now``."""
    prior: Seen = (300.0, win_chance(round(300 * now / UNSCALED)))
    return min(range(UNSCALED + 1), key=lambda share: error(share, seen) + PRIOR * error(share, [prior]))


def report(seen: Mapping[str, Sequence[Seen]], now: Mapping[str, int]) -> Report:
    """The share of each kind, and the root mean square error of the win chance with it and without any."""
    rows = []
    for kind, found in sorted(seen.items(), key=lambda item: -len(item[1])):
        share = fitted(found, now[kind])
        errors = [(error(each, found) / len(found)) ** 0.5 for each in (UNSCALED, now[kind], share)]
        rows.append((kind, str(len(found)), str(now[kind]), str(share), *(number(each) for each in errors)))
    header = ("kind", "positions", "share now", "best share", "error without", "error now", "error with the best")
    count = sum(len(found) for found in seen.values())
    return Report(f"Shares of an advantage in 64ths, {count:,} positions", (Table(header, tuple(rows)),))


def main() -> None:
    """Ask the engine, fit and print."""
    parser = argparse.ArgumentParser(
        prog="python -m workshop.coverage.endings.scale", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("files", metavar="GAMES.pgn", nargs="+", type=Path)
    parser.add_argument("--every", metavar="N", type=int, default=1, help="read each N-th game only")
    parser.add_argument("--endings", metavar="N", type=int, default=250, help="training endings to take")
    parser.add_argument("--step", metavar="N", type=int, default=3, help="take each N-th position")
    parser.add_argument("--nodes", metavar="N", type=int, default=20_000, help="nodes of the engine for a position")
    parser.add_argument("--engine", metavar="PATH", default="stockfish")
    given = parser.parse_args()
    chosen = endings(read_games(given.files, None, given.every), Part.TRAINING, given.endings)
    with UciEngine(given.engine) as engine:
        seen = seen_of(chosen, engine, given.nodes, given.step)
    print(markdown(report(seen, dict(_native.ending_shares()))), end="")


if __name__ == "__main__":
    main()
