"""Fit of `db.repertoire.replies.Foresight`: how strongly players avoid what a search finds to give much away.

    python -m research.repertoire.foresight GAMES.pgn… [--decisions N] [--engine]

The move model sees first sight and two plies. Of decisions in the games that are fitted to, the likely replies are
searched as in a repertoire, and the five numbers are fitted by which the probability of a move falls with what it gives
away. Printed are the numbers, and of games left out the log loss with them and without, and the share of moves that
lose as it was predicted and as it was. ``--engine``: the games are those of `research.repertoire.limited_games`.
"""

import argparse
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from db.repertoire.expectation import gifts_of, likely_replies
from db.repertoire.replies import ENGINE_FORESIGHT, PEOPLE_FORESIGHT, Foresight, ReplyModel
from db.traps.temptation import RatingBand
from research.repertoire.decisions import Decision, decisions_of, games_of
from research.repertoire.falls import NODES
from trapcore.proof.search import BLUNDER

BEGIN = (9.0, 3.0, 1.4, 0.3, 0.8)
NOTHING = Foresight(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Searched:
    """A decision with the moves that were searched."""

    rating: int
    moves: tuple[tuple[float, float | None], ...]
    """Of each legal move its probability by the move model, and what it gives away; None if it was not searched."""
    played: int
    """Which of them was played."""

    def probabilities(self, foresight: Foresight) -> list[float]:
        """Of each move."""
        weights = [foresight.weight(p, gift, self.rating) for p, gift in self.moves]
        total = sum(weights)
        return [weight / total for weight in weights]

    def log_loss(self, foresight: Foresight) -> float:
        """In nats."""
        return -math.log(max(1e-12, self.probabilities(foresight)[self.played]))

    def losing(self, foresight: Foresight) -> float:
        """Probability of a move that is known to lose."""
        probabilities = self.probabilities(foresight)
        return sum(p for p, (_, gift) in zip(probabilities, self.moves, strict=True) if _loses(gift))

    @property
    def lost(self) -> bool:
        """Whether such a one was played."""
        return _loses(self.moves[self.played][1])


def _loses(gift: float | None) -> bool:
    return gift is not None and gift >= BLUNDER


def searched(decision: Decision, is_engine: bool) -> Searched:
    """The decision with its likely moves searched."""
    board = decision.board()
    model = ReplyModel(None, RatingBand(decision.rating, decision.rating), is_engine=is_engine)
    every = model.replies(board)
    likely = [one.uci for one in likely_replies(every)]
    gifts = dict(zip(likely, gifts_of(decision.fen, likely, NODES)[1], strict=True))
    moves = tuple((one.modelled, gifts.get(one.uci)) for one in every)
    played = next(at for at, one in enumerate(every) if one.uci == decision.played)
    return Searched(decision.rating, moves, played)


def mean_loss(decisions: Sequence[Searched], foresight: Foresight) -> float:
    """Mean log loss in nats."""
    return float(np.mean([one.log_loss(foresight) for one in decisions]))


def fit(decisions: Sequence[Searched]) -> Foresight:
    """The five numbers with the least log loss."""
    found = minimize(
        lambda x: mean_loss(decisions, Foresight(*x)),
        BEGIN,
        method="Nelder-Mead",
        options={"xatol": 0.02, "fatol": 1e-5},
    )
    return Foresight(*map(float, found.x))


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(prog="python -m research.repertoire.foresight")
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--decisions", type=int, default=3_000, help="to fit to; a third as many are left out")
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    parts = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for left_out, most in ((False, given.decisions), (True, given.decisions // 3)):
            decisions = decisions_of(games_of(given.games, left_out=left_out), most)
            parts.append(list(pool.map(lambda one: searched(one, given.engine), decisions)))
    fitted, held_out = parts
    found = fit(fitted)
    print(f"{len(fitted):,} decisions: {found}")
    kept = ENGINE_FORESIGHT if given.engine else PEOPLE_FORESIGHT
    lost = np.mean([one.lost for one in held_out])
    print(
        f"{len(held_out):,} decisions of games left out, of which {lost:.4f} lose: log loss, and losing moves predicted"
    )
    for name, one in (("the move model alone", NOTHING), ("with these", found), ("with the kept ones", kept)):
        losing = np.mean([decision.losing(one) for decision in held_out])
        print(f"  {mean_loss(held_out, one):.3f}  {losing:.4f}  {name}")


if __name__ == "__main__":
    main()
