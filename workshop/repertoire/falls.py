"""Predicted falls against falls in games left out: is a bait taken as often as the repertoire says?

    python -m workshop.repertoire.falls GAMES.pgn… --db LIBRARY [--decisions N] --out FOLDER

``LIBRARY`` holds the games that are fitted to and none of those that are left out (``--split FOLDER`` writes both as
files). Decisions of the games left out are drawn at random; of each, the replies that a repertoire would put to the
trap test are put to it, and what is proved is a bait. Its predicted share is that of the repertoire's reply model for
the band of the player's rating. Written is ``repertoire.md`` with the reliability table, by predicted share.
"""

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from coach.repertoire.expectation import BAIT_GIFT, reply_values
from coach.repertoire.replies import ReplyModel
from db.library.open import open_library
from db.traps.temptation import RATING_BANDS, UNKNOWN_RATING, RatingBand, rating_band
from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import check_bait
from trapcore.proof.verdict import Verdict
from workshop.coverage.games import Game
from workshop.repertoire.decisions import Decision, decisions_of, games_of
from workshop.report import Report, Table, markdown, mean_and_error, number

NODES = 4_000
"""Of the search that finds baits, as in a repertoire."""
TEST_NODES = 40_000
BINS = (0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 1.0)


@dataclass(frozen=True, slots=True)
class Fall:
    """A proved bait in a game left out."""

    predicted: float
    fell: bool
    loss: float
    in_games: bool
    """Whether the position occurred in the indexed games."""


def baits_of(decision: Decision, models: Mapping[RatingBand, ReplyModel]) -> list[Fall]:
    """The proved baits of a decision, with what was predicted and whether they were taken."""
    board = decision.board()
    model = models[rating_band(decision.rating)]
    _, replies = reply_values(board, model, NODES)
    known = any(reply.reply.played is not None for reply in replies)
    found = []
    for reply in replies:
        if reply.gift < BAIT_GIFT or reply.probability < BINS[0]:
            continue
        test = check_bait(decision.fen, reply.uci, budget=Budget(nodes=TEST_NODES))
        if test.verdict is Verdict.PROVED and not test.forced:
            found.append(Fall(reply.probability, reply.uci == decision.played, test.loss, known))
    return found


def table_of(falls: Sequence[Fall]) -> Table:
    """Bins by predicted share."""
    rows = []
    for low, high in pairwise(BINS):
        here = [fall for fall in falls if low <= fall.predicted < high]
        if here:
            predicted = sum(fall.predicted for fall in here) / len(here)
            observed, spread = mean_and_error([float(fall.fell) for fall in here])
            rows.append((f"{low:.2f} to {high:.2f}", f"{len(here):,}", *map(number, (predicted, observed, spread))))
    return Table(("predicted", "baits", "mean", "taken", "± (95 %)"), tuple(rows))


def report(falls: Sequence[Fall], decisions: int, games: int) -> Report:
    """The page."""
    total = len(falls)
    predicted, taken = sum(fall.predicted for fall in falls), sum(fall.fell for fall in falls)
    known = [fall for fall in falls if fall.in_games]
    return Report(
        "Predicted falls against falls in games left out",
        (
            "Made by `python -m workshop.repertoire.falls`. One game in five, chosen by its moves, is left out of the "
            "model's fit and of the index.",
            f"{decisions:,} decisions of {games:,} games left out hold {total:,} proved baits. The model predicted "
            f"that {min(BINS):.0%} or more take them. {taken:,} were taken, {predicted:.0f} were predicted. In "
            f"{len(known):,} cases the position occurred in the indexed games. In the others the move model answers "
            "alone.",
            table_of(falls),
        ),
    )


def write_split(files: Sequence[Path], folder: Path) -> None:
    """The games that are fitted to and those left out, as ``fitted.pgn`` and ``left-out.pgn``."""

    def text(games: Sequence[Game]) -> bytes:
        return b"\n\n".join(game.text.strip() for game in games) + b"\n"

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fitted.pgn").write_bytes(text(games_of(files, left_out=False)))
    (folder / "left-out.pgn").write_bytes(text(games_of(files, left_out=True)))


def main() -> None:
    """Count falls and write the page, or split the games."""
    parser = argparse.ArgumentParser(prog="python -m workshop.repertoire.falls", description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--db", type=Path, help="library of the fitted games")
    parser.add_argument("--decisions", type=int, default=4_000)
    parser.add_argument("--jobs", type=int, default=1)
    means = parser.add_mutually_exclusive_group(required=True)
    means.add_argument("--out", type=Path, metavar="FOLDER")
    means.add_argument("--split", type=Path, metavar="FOLDER", help="only write the two parts of the games")
    given = parser.parse_args()
    if given.split is not None:
        write_split(given.games, given.split)
        return
    if given.db is None:
        parser.error("--db is needed: the library of the fitted games")
    games = games_of(given.games, left_out=True)
    decisions = decisions_of(games, given.decisions)
    with open_library(given.db, read_only=True) as library, ThreadPoolExecutor(given.jobs) as pool:
        rated = [band for band in RATING_BANDS if band is not UNKNOWN_RATING]
        models = {band: ReplyModel(library, band) for band in rated}
        falls = [fall for found in pool.map(lambda one: baits_of(one, models), decisions) for fall in found]
    given.out.mkdir(parents=True, exist_ok=True)
    text = markdown(report(falls, len(decisions), len(games)))
    (given.out / "repertoire.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
