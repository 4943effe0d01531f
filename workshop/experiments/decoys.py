"""Makes the decoys that come with trapline, ``coach/practice/decoys.tsv``, from the bundled patterns.

    python -m workshop.experiments.decoys --jobs 2       (or `make decoys`)

The bundled patterns come in an order that a digest decides, until there are `WANTED` decoys. For each pattern whose
killer has an idea, every other move of the player is tried in place of the losing one. A
brief search leaves those that hold, and after which the killer seems to lose. The position that is most like that after
the losing move is tested first, and the first that passes the test (`coach.practice.judge.refuted_shot`) is the decoy.
The likeness is that of the abstracted trees below the killer, weighed as the index of mistakes weighs them.

With ``--check N`` Stockfish judges N decoys of the file instead: what the best move and the killer are worth there.
"""

import argparse
import random
import sys
from collections.abc import Collection
from concurrent.futures import ProcessPoolExecutor
from hashlib import blake2b
from importlib import resources
from multiprocessing import get_context
from pathlib import Path

from coach.practice.decoys import FILE, Decoy, after_move, bundled_decoys, file_of, still_possible
from coach.practice.judge import LEVEL, LINE, refuted_shot
from db.patterns.bundled import ProvedPattern, bundled_patterns
from db.patterns.index import token_weights
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, INACCURACY
from workshop.benchmarks.stockfish import STOCKFISH

WANTED = 500
"""Decoys in the file."""
NODES = 4_000
"""For the brief search of a position; each move has half as many."""
HOLDS = 2 * INACCURACY
"""Win chance that a move costs at most, by the brief search, to stand in place of the losing one."""
LEAST_SIMILARITY = 0.1
"""Below this a position is not called like a pattern."""
CHECK_NODES = 300_000
"""Of Stockfish for each of the two positions of a decoy."""
TESTED = 3
"""Positions of a pattern that are tested, the most similar ones."""

_PART = 40


def decoy_of(pattern: ProvedPattern) -> Decoy | None:
    """The decoy of a pattern; None if no position passes the test."""
    # Who stands worse with the best move leaves his opponent an advantage in any case.
    closest = pattern.patterns[0]
    if not closest.is_idea or closest.is_missed or pattern.before < -2 * LEVEL:
        return None
    epd, bait, killer = pattern.epd, pattern.bait, pattern.killer_line[0]
    legal = [move.uci() for move in parse_position(epd).legal_moves]
    found = list(still_possible(epd, bait, killer, legal))
    (costs,) = _native.losses([(epd, [reply for reply, _ in found])], NODES, None) if found else ([],)
    sound = [each for each, (cost, _) in zip(found, costs, strict=True) if cost <= HOLDS]
    failing = _native.losses([(after, [killer]) for _, after in sound], NODES, None)
    near = [
        (-similarity(pattern, reply), reply, after)
        for (reply, after), ((cost, _),) in zip(sound, failing, strict=True)
        if cost >= BLUNDER
    ]
    for likeness, reply, after in sorted(each for each in near if each[0] <= -LEAST_SIMILARITY)[:TESTED]:
        test = refuted_shot(after, killer)
        if test is not None and test.best is not None and test.killer_line:
            return Decoy(
                before=epd,
                bait=bait,
                played=reply,
                killer_line=(killer, *test.killer_line[:LINE]),
                best=test.best,
                cost=test.loss,
                similarity=-likeness,
            )
    return None


def similarity(pattern: ProvedPattern, reply: str) -> float:
    """0..1: how like what the killer does after another reply is to what it does after the losing move."""
    killer = [pattern.killer_line[0]]
    first, second = (set(_native.killer_tokens(pattern.epd, move, killer)) for move in (pattern.bait, reply))
    every = _weight(first | second)
    return _weight(first & second) / every if every else 0.0


def _weight(tokens: Collection[int]) -> float:
    weights, heaviest = token_weights()
    return sum(weights.get(token, heaviest) for token in tokens)


def order(pattern: ProvedPattern) -> bytes:
    """By which the patterns are sorted: a draw that is the same every time."""
    return blake2b(f"{pattern.epd} {pattern.bait}".encode(), digest_size=8).digest()


def check(count: int) -> str:
    """What Stockfish says of so many decoys of the file, drawn with seed 0. Raises `EngineError`."""
    drawn = random.Random(0).sample(bundled_decoys(), count)
    worth = []
    with UciEngine(STOCKFISH or "stockfish") as engine:
        for decoy in drawn:
            board = parse_position(after_move(decoy.before, decoy.played))
            best = engine.evaluate(board, CHECK_NODES).chance
            board.push_uci(decoy.killer_line[0])
            worth.append((best, -engine.evaluate(board, CHECK_NODES).chance))
    level = sum(best <= BLUNDER for best, _ in worth)
    failing = [sum(best - killer >= cost for best, killer in worth) for cost in (BLUNDER, HOLDS)]
    return (
        f"{count} decoys: no move is worth more than {BLUNDER} in {level}; "
        f"the killer costs {BLUNDER} or more in {failing[0]}, {HOLDS} or more in {failing[1]}"
    )


def main() -> None:
    """Search, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="processes")
    parser.add_argument("--wanted", metavar="N", type=int, default=WANTED, help=f"decoys, {WANTED:,} by default")
    parser.add_argument("--check", metavar="N", type=int, help="decoys of the file that Stockfish judges")
    given = parser.parse_args()
    if given.check is not None:
        print(check(given.check))
        return
    patterns, found, tried = sorted(bundled_patterns(), key=order), list[Decoy](), 0
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        while len(found) < given.wanted and tried < len(patterns):
            part = patterns[tried : tried + _PART]
            found += filter(None, pool.map(decoy_of, part))
            tried += len(part)
            print(f"{tried:,} patterns, {len(found):,} decoys", file=sys.stderr, flush=True)
    Path(str(resources.files("coach.practice"))).joinpath(FILE).write_text(file_of(found), encoding="utf-8")
    print(f"{len(found):,} decoys of {tried:,} patterns")


if __name__ == "__main__":
    main()
