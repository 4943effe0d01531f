"""The practical score held against games left out: do players give away as much as the model expects of them?

    python -m workshop.repertoire.practical GAMES.pgn… [--decisions N]

Of decisions in the games left out, printed are by rating what a move is expected to give away and what the move that
was played gave away, in points of win chance, with the standard error of the difference.
"""

import argparse
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, stdev

from coach.repertoire.expectation import LEAST_GIFT, gifts_of, likely_replies
from coach.repertoire.people import NODES, given_away
from coach.repertoire.replies import ReplyModel
from db.traps.temptation import RatingBand, rating_band
from trapcore import _native
from workshop.repertoire.decisions import Decision, decisions_of, games_of


def expected_and_given(decision: Decision) -> tuple[float, float]:
    """What the model expects a player of the rating to give away, and what the move that was played gave away."""
    model = ReplyModel(None, RatingBand(decision.rating, decision.rating))
    every = model.replies(decision.board())
    likely = [one.uci for one in likely_replies(every)]
    searched = list(dict.fromkeys([*likely, decision.played]))
    given = dict(zip(searched, gifts_of(decision.fen, searched, NODES)[1], strict=True))
    foreseen = model.foreseen(every, {uci: given[uci] for uci in likely}, _native.tempting_moves(decision.fen))
    gift = given[decision.played]
    return given_away(foreseen, {uci: given[uci] for uci in likely}), gift if gift >= LEAST_GIFT else 0.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="GAMES.pgn")
    parser.add_argument("--decisions", type=int, default=2000, help="how many are drawn")
    arguments = parser.parse_args()
    decisions = decisions_of(games_of(arguments.files, left_out=True), arguments.decisions)
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(expected_and_given, decisions))
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for decision, pair in zip(decisions, found, strict=True):
        groups[str(rating_band(decision.rating))].append(pair)
        groups["all"].append(pair)
    for band, pairs in sorted(groups.items()):
        expected, given = (50 * fmean(each) for each in zip(*pairs, strict=True))
        error = 50 * stdev(one - other for one, other in pairs) / len(pairs) ** 0.5 if len(pairs) > 1 else 0.0
        print(f"{band:>10} {len(pairs):5} moves: expected {expected:.2f}, given away {given:.2f} (error {error:.2f})")


if __name__ == "__main__":
    main()
