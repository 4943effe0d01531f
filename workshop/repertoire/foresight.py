"""Fit of `coach.repertoire.replies.Foresight`: how strongly players avoid what a search finds to give much away.

    python -m workshop.repertoire.foresight GAMES.pgn… [--decisions N] [--engine]

The move model sees first sight and two plies. Of decisions in the games that are fitted to, the likely replies are
searched as in a repertoire, and the numbers are fitted by which the probability of a move falls with what it gives
away. Printed are the numbers, and of games left out the log loss with them and without, and the shares of moves that
lose and tempt, and that lose and do not, as they were predicted and as they were. ``--engine``: the games are those of
`workshop.repertoire.limited_games`.
"""

import argparse
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from coach.repertoire.expectation import gifts_of, likely_replies
from coach.repertoire.replies import ENGINE_FORESIGHT, PEOPLE_FORESIGHT, Foresight, ReplyModel
from db.traps.temptation import RatingBand
from trapcore import _native
from trapcore.win_chance import BLUNDER
from workshop.repertoire.decisions import Decision, decisions_of, games_of
from workshop.repertoire.falls import NODES

BEGIN = (11.0, 3.0, 2.0, 0.3, 0.7, 0.8, 0.8)
NOTHING = Foresight(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Searched:
    """A decision with the moves that were searched."""

    rating: int
    moves: tuple[tuple[float, float | None, bool], ...]
    """Of each legal move its probability by the move model, what it gives away (None if it was not searched), and
    whether it tempts by its looks."""
    played: int
    """Which of them was played."""

    def probabilities(self, foresight: Foresight) -> list[float]:
        """Of each move."""
        weights = [foresight.weight(p, gift, self.rating, is_tempting=tempts) for p, gift, tempts in self.moves]
        total = sum(weights)
        return [weight / total for weight in weights]

    def log_loss(self, foresight: Foresight) -> float:
        """In nats."""
        return -math.log(max(1e-12, self.probabilities(foresight)[self.played]))

    def losing(self, foresight: Foresight, *, tempting: bool) -> float:
        """Probability of a move that is known to lose and tempts, or does not."""
        probabilities = self.probabilities(foresight)
        return sum(p for p, move in zip(probabilities, self.moves, strict=True) if _loses(move, tempting))

    def lost(self, *, tempting: bool) -> bool:
        """Whether such a one was played."""
        return _loses(self.moves[self.played], tempting)


def _loses(move: tuple[float, float | None, bool], tempting: bool) -> bool:
    _, gift, tempts = move
    return gift is not None and gift >= BLUNDER and tempts is tempting


def searched(decision: Decision, is_engine: bool) -> Searched:
    """The decision with its likely moves searched."""
    board = decision.board()
    model = ReplyModel(None, RatingBand(decision.rating, decision.rating), is_engine=is_engine)
    every = model.replies(board)
    likely = [one.uci for one in likely_replies(every)]
    gifts = dict(zip(likely, gifts_of(decision.fen, likely, NODES)[1], strict=True))
    tempting = _native.tempting_moves(decision.fen)
    moves = tuple((one.modelled, gifts.get(one.uci), one.uci in tempting) for one in every)
    played = next(at for at, one in enumerate(every) if one.uci == decision.played)
    return Searched(decision.rating, moves, played)


def mean_loss(decisions: Sequence[Searched], foresight: Foresight) -> float:
    """Mean log loss in nats."""
    return float(np.mean([one.log_loss(foresight) for one in decisions]))


def fit(decisions: Sequence[Searched]) -> Foresight:
    """The numbers with the least log loss."""
    found = minimize(
        lambda x: mean_loss(decisions, Foresight(*x)),
        BEGIN,
        method="Nelder-Mead",
        options={"xatol": 0.02, "fatol": 1e-5, "maxiter": 700},
    )
    return Foresight(*map(float, found.x))


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(prog="python -m workshop.repertoire.foresight")
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
    print(f"{len(held_out):,} decisions of games left out: log loss, and of moves that lose, tempting and not")
    lost = [np.mean([one.lost(tempting=tempting) for one in held_out]) for tempting in (True, False)]
    print(f"         {lost[0]:.4f}  {lost[1]:.4f}  as they were")
    for name, one in (("the move model alone", NOTHING), ("with these", found), ("with the kept ones", kept)):
        losing = [np.mean([each.losing(one, tempting=tempting) for each in held_out]) for tempting in (True, False)]
        print(f"  {mean_loss(held_out, one):.3f}  {losing[0]:.4f}  {losing[1]:.4f}  {name}")


if __name__ == "__main__":
    main()
