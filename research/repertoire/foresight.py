"""Fit of `db.repertoire.replies.Foresight`: how strongly players avoid what a search finds to give much away.

    python -m research.repertoire.foresight GAMES.pgn… [--decisions N] [--engine]

The move model sees first sight and two plies. Of decisions in the games that are fitted to, the likely replies are
searched as in a repertoire, and the two numbers are fitted by which the probability of a move falls with what it gives
away. Printed are the numbers, and the log loss with them and without on games left out. ``--engine``: the games are
those of `research.repertoire.limited_games`.
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
from db.repertoire.replies import ENGINE_FORESIGHT, PEOPLE_FORESIGHT, UNSEARCHED_GIFT, Foresight, ReplyModel
from db.traps.temptation import RatingBand
from research.repertoire.decisions import Decision, decisions_of, games_of
from research.repertoire.falls import NODES

BEGIN = (5.0, 2.0)


@dataclass(frozen=True, slots=True)
class Searched:
    """A decision with the moves that were searched."""

    rating: int
    moves: tuple[tuple[float, float], ...]
    """Probability by the move model, and what the move gives away."""
    played: int | None
    """Which of them was played; None if it was none of them."""

    def loss(self, foresight: Foresight) -> float:
        """Log loss in nats; the moves that were not searched count as one."""
        weighed = [p * foresight.weight(gift, self.rating) for p, gift in self.moves]
        rest = max(1e-9, 1 - sum(p for p, _ in self.moves)) * foresight.weight(UNSEARCHED_GIFT, self.rating)
        chosen = rest if self.played is None else weighed[self.played]
        return -math.log(max(1e-12, chosen / (sum(weighed) + rest)))


def searched(decision: Decision, is_engine: bool) -> Searched:
    """The decision with its likely moves searched."""
    board = decision.board()
    model = ReplyModel(None, RatingBand(decision.rating, decision.rating), is_engine=is_engine)
    likely = likely_replies(model.replies(board))
    _, gifts = gifts_of(decision.fen, [one.uci for one in likely], NODES)
    moves = tuple((one.modelled, gift) for one, gift in zip(likely, gifts, strict=True))
    played = next((at for at, one in enumerate(likely) if one.uci == decision.played), None)
    return Searched(decision.rating, moves, played)


def mean_loss(decisions: Sequence[Searched], foresight: Foresight) -> float:
    """Mean log loss in nats."""
    return float(np.mean([one.loss(foresight) for one in decisions]))


def fit(decisions: Sequence[Searched]) -> Foresight:
    """The numbers with the least log loss."""
    found = minimize(
        lambda x: mean_loss(decisions, Foresight(*x)), BEGIN, method="Nelder-Mead", options={"xatol": 0.02}
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
    print(f"{len(fitted):,} decisions: strength {found.strength:.2f}, by rating {found.by_rating:.2f}")
    kept = ENGINE_FORESIGHT if given.engine else PEOPLE_FORESIGHT
    print(f"log loss on {len(held_out):,} decisions of games left out:")
    for name, one in (("the move model alone", Foresight(0, 0)), ("with these", found), ("with the kept ones", kept)):
        print(f"  {mean_loss(held_out, one):.3f} {name}")


if __name__ == "__main__":
    main()
