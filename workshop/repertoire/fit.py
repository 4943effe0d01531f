"""Fit of the move model: the weights of the core's table, from games of rated players.

    python -m workshop.repertoire.fit GAMES.pgn… [--decisions N] [--write trapcore/native/src/move_model/weights.rs]

A conditional logit of the move that was played among all legal ones, by the features that the core sees of each, by
themselves and times the rating, with weights drawn a little towards 0. One game in five is left out, by its moves.
Printed is the log loss on those, beside what it is if all moves are equally likely, and if the likeliest of the static
ranking has the share that it had in the fitted games.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]

from trapcore import _native
from workshop.repertoire.decisions import Decision, decisions_of, games_of
from workshop.report import Report, Table, markdown, mean_and_error, number

DRAWN = 1e-4
"""How strongly weights are drawn to 0: weight of their squares beside the mean log loss."""
AT_A_TIME = 64
RATINGS = (0, 1200, 1600, 2000, 4000)
"""Borders of the bands that have a log loss each."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Choices:
    """Decisions as numbers."""

    seen: NDArray[np.float32]
    """Features of the moves of all decisions, one row a move."""
    starts: NDArray[np.intp]
    """First row of each decision."""
    counts: NDArray[np.intp]
    played: NDArray[np.intp]
    """Row of the move that was played."""
    units: Floats
    """Rating of each decision as the model takes it."""

    def of_rating(self, low: int, high: int, ratings: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which decisions are of such a rating, ``high`` not included."""
        return (ratings >= low) & (ratings < high)


def choices_of(decisions: Sequence[Decision], jobs: int = 1) -> Choices:
    """What the core sees of each decision."""
    parts = [decisions[at : at + AT_A_TIME] for at in range(0, len(decisions), AT_A_TIME)]
    with ThreadPoolExecutor(jobs) as pool:
        rows = [row for part in pool.map(_features, parts) for row in part]
    counts = np.array([count for count, _, _ in rows], np.intp)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)
    width = len(_native.MOVE_FEATURES)
    seen = np.concatenate([np.frombuffer(data, np.float32).reshape(-1, width) for _, _, data in rows])
    played = starts + np.array([at for _, at, _ in rows], np.intp)
    ratings = np.array([decision.rating for decision in decisions], np.float64)
    units = (ratings - _native.MIDDLE_RATING) / _native.RATING_UNIT
    return Choices(seen, starts, counts, played, np.clip(units, -_native.MOST_RATING_UNITS, _native.MOST_RATING_UNITS))


def _features(part: Sequence[Decision]) -> list[tuple[int, int, bytes]]:
    return _native.move_features([(one.fen, one.last, one.played) for one in part])


def log_losses(weights: Floats, choices: Choices) -> Floats:
    """Of each decision, in nats; ``weights`` are those by themselves, then those times the rating."""
    return _losses(weights, choices)[0]


def _losses(weights: Floats, choices: Choices) -> tuple[Floats, Floats]:
    """Log loss of each decision, and the probability of each move."""
    width = choices.seen.shape[1]
    units = np.repeat(choices.units, choices.counts)
    sums = choices.seen @ weights[:width] + units * (choices.seen @ weights[width:])
    most = np.repeat(np.maximum.reduceat(sums, choices.starts), choices.counts)
    powers = np.exp(sums - most)
    probabilities = powers / np.repeat(np.add.reduceat(powers, choices.starts), choices.counts)
    return -np.log(np.maximum(probabilities[choices.played], 1e-300)), probabilities


def fit(choices: Choices) -> Floats:
    """Weights by themselves, then times the rating."""
    width, total = choices.seen.shape[1], len(choices.starts)
    units = np.repeat(choices.units, choices.counts)

    def cost(weights: Floats) -> tuple[float, Floats]:
        losses, apart = _losses(weights, choices)
        apart[choices.played] -= 1
        slope = np.concatenate([apart @ choices.seen, (apart * units) @ choices.seen]) / total
        return float(losses.mean() + DRAWN * weights @ weights), slope + 2 * DRAWN * weights

    found = minimize(cost, np.zeros(2 * width), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x)


def baselines(fitted: Choices, held_out: Choices) -> tuple[Floats, Floats]:
    """Log losses if all moves are equally likely, and if the first of the static ranking has its usual share."""
    uniform = np.log(held_out.counts)
    first = _native.MOVE_FEATURES.index("first_0")
    # Where several moves are first, they share.
    firsts = np.add.reduceat(held_out.seen[:, first], held_out.starts)
    share = float(fitted.seen[fitted.played, first].mean())
    is_first = held_out.seen[held_out.played, first] > 0
    others = np.maximum(1, held_out.counts - firsts)
    probability = np.where(is_first, share / np.maximum(1, firsts), (1 - share) / others)
    return uniform, -np.log(probability)


def written(source: str, weights: Floats) -> str:
    """The core's source with these weights."""
    head = source[: source.index("#[rustfmt::skip]")]
    width = len(weights) // 2
    tables = []
    for name, part in (("WEIGHTS", weights[:width]), ("BY_RATING", weights[width:])):
        rows = [", ".join(f"{weight:.4f}" for weight in part[at : at + 8]) for at in range(0, width, 8)]
        body = "".join(f"    {row},\n" for row in rows)
        tables.append(f"#[rustfmt::skip]\npub(super) static {name}: [f64; COUNT] = [\n{body}];\n")
    return head + "\n".join(tables)


def report(fitted: Choices, held_out: Choices, ratings: Sequence[int], weights: Floats, games: int) -> Report:
    """Log losses on games left out, by rating, and the weights."""
    losses = log_losses(weights, held_out)
    uniform, frequent = baselines(fitted, held_out)
    known = np.array(ratings)
    rows = []
    for low, high in [*pairwise(RATINGS), (RATINGS[0], RATINGS[-1])]:
        of = held_out.of_rating(low, high, known)
        if of.any():
            _, spread = mean_and_error(losses[of].tolist())
            name = f"{low} to {high - 1}" if (low, high) != (RATINGS[0], RATINGS[-1]) else "all"
            means = (float(values[of].mean()) for values in (losses, frequent, uniform))
            rows.append((name, f"{int(of.sum()):,}", *(number(mean, 3) for mean in means), number(spread, 3)))
    width = len(weights) // 2
    table = tuple(
        (name, number(weights[at], 3), number(weights[width + at], 3)) for at, name in enumerate(_native.MOVE_FEATURES)
    )
    return Report(
        f"Moves of people, fitted to {len(fitted.starts):,} decisions in {games:,} games",
        (
            "Log loss in nats on games left out; the last column is half the interval of 95 % of the model's:",
            Table(("rating", "decisions", "model", "first of the static ranking", "uniform", "±"), tuple(rows)),
            f"Weights, by themselves and for {_native.RATING_UNIT:.0f} points above {_native.MIDDLE_RATING:.0f}:",
            Table(("feature", "weight", "by rating"), table),
        ),
    )


def main() -> None:
    """Fit, print, and write the table if that is wanted."""
    parser = argparse.ArgumentParser(prog="python -m workshop.repertoire.fit", description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--decisions", type=int, default=20_000, help="to fit to; a quarter as many are left out")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    games = games_of(given.games, left_out=False)
    fitted = choices_of(decisions_of(games, given.decisions), given.jobs)
    others = decisions_of(games_of(given.games, left_out=True), given.decisions // 4)
    held_out = choices_of(others, given.jobs)
    weights = fit(fitted)
    print(markdown(report(fitted, held_out, [one.rating for one in others], weights, len(games))))
    if given.write is not None:
        given.write.write_text(written(given.write.read_text(), weights))


if __name__ == "__main__":
    main()
