"""Fit of the stated probability: the coefficients of the core's table, from labelled games.

    python -m workshop.coverage.fit GAMES.pgn… --labels LABELS.jsonl… [--write RUST_FILE]

For each stage (the pass, then those of the proof) two logistic regressions on what the searches saw of the moves that
reached the stage: of *loses by the reference*, which is stated, and of *costs a mistake or more*, which decides what
is reported. Coefficients are drawn a little towards `CENTRE`, so that a stage that few moves reach is not fitted to
their noise. Printed is the calibration on games left out: each fifth of the games is predicted by a fit of the others.
What is written are the fits of all of them.
"""

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from trapcore import _native
from trapcore.errors import InputError
from trapcore.win_chance import BLUNDER
from workshop.coverage import calibration
from workshop.coverage.calibration import brier
from workshop.coverage.evidence import Seen, last_stages, seen_of
from workshop.coverage.games import read_games
from workshop.coverage.judged import AGREES
from workshop.coverage.labels import read_labels
from workshop.coverage.shares import Share
from workshop.report import Report, Table, markdown, number

PARTS = 5
"""Parts that the games are divided into. Each is left out once."""
CENTRE = {"one": -3.0, "fall": 6.0, "least_fall": 2.0}
"""What coefficients are drawn to, by feature; 0 for the others."""
DRAWN = 0.05
"""How strongly, as a half of the weight of a squared distance in the log likelihood."""
LEAST_MOVES = 40
"""A stage that fewer moves reached takes the coefficients of the stage before."""

TABLES = {"LOSES": BLUNDER, "IS_MISTAKE": AGREES}
"""Tables of the core, and what a move costs at least by the reference where the probability is of that."""


def part_of(one: Seen) -> int:
    """Which part of the games a move belongs to, 0 to `PARTS` - 1."""
    return int(one.game[:8], 16) % PARTS


Coefficients = list[list[float]]
"""A row for each stage, in the order of ``_native.LOSS_FEATURES``."""


def fit(seen: Iterable[Seen], stages: int, names: Sequence[str], least: float = BLUNDER) -> Coefficients:
    """Coefficients of all stages for the probability that a move costs ``least`` or more.

    Raises ``InputError`` if too few moves were seen at the first.
    """
    rows: Coefficients = []
    by_stage: list[list[Seen]] = [[] for _ in range(stages)]
    for one in seen:
        by_stage[one.stage].append(one)
    for found in by_stage:
        if len(found) >= LEAST_MOVES:
            rows.append(_fitted(found, names, least))
        elif rows:
            rows.append(list(rows[-1]))
        else:
            raise InputError(f"only {len(found)} moves were seen, {LEAST_MOVES} are needed; give more labelled games")
    return rows


def _fitted(found: Sequence[Seen], names: Sequence[str], least: float) -> list[float]:
    x = np.array([one.features for one in found])
    y = np.array([one.loss >= least for one in found], dtype=float)
    centre = np.array([CENTRE.get(name, 0.0) for name in names])

    def cost(weights: np.ndarray) -> tuple[float, np.ndarray]:
        odds = x @ weights
        apart = weights - centre
        value = float(np.sum(np.logaddexp(0.0, odds) - y * odds) + DRAWN * apart @ apart)
        return value, x.T @ (1 / (1 + np.exp(-odds)) - y) + 2 * DRAWN * apart

    return [float(weight) for weight in minimize(cost, centre, jac=True, method="L-BFGS-B").x]


def stated(rows: Coefficients, one: Seen) -> float:
    """The probability that the coefficients state for a move at its stage, 0..1."""
    odds = sum(weight * x for weight, x in zip(rows[one.stage], one.features, strict=True))
    return float(1 / (1 + np.exp(-odds)))


def left_out(seen: Sequence[Seen], stages: int, names: Sequence[str], least: float = BLUNDER) -> list[Seen]:
    """Each move with the probability by a fit of the parts of the games that it does not belong to; see `fit`."""
    found = []
    for part in range(PARTS):
        rows = fit((one for one in seen if part_of(one) != part), stages, names, least)
        found += [replace(one, stated=stated(rows, one)) for one in seen if part_of(one) == part]
    return found


def borders(end: Sequence[Seen]) -> Table:
    """Recall and claims that agree, if all moves from a probability of a mistake on were reported."""
    rows = []
    for border in (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95):
        recall = Share.among(one.stated >= border for one in end if one.loses)
        agreement = Share.among(one.loss >= AGREES for one in end if one.stated >= border)
        rows.append((number(border, 2), *recall.cells(), *agreement.cells()))
    return Table(("from", "recall", "told", "95 %", "agree", "claims", "95 %"), tuple(rows))


def written(source: str, tables: Mapping[str, Coefficients]) -> str:
    """The core's source with these coefficients in its tables. Raises ``InputError`` without one of as many rows."""
    for name, rows in tables.items():
        pattern = re.compile(rf"(const {name}: [^=]*= \[\n)(.*?)(^\];)", re.DOTALL | re.MULTILINE)
        table = pattern.search(source)
        if table is None or table[2].count("[") != len(rows):
            raise InputError(f"there is no table {name} of {len(rows)} rows of coefficients in the core's source")
        text = "".join(f"    [{', '.join(f'{weight:.3f}' for weight in row)}],\n" for row in rows)
        source = source[: table.start()] + table[1] + text + table[3] + source[table.end() :]
    return source


def report(seen: Sequence[Seen], rows: Coefficients, names: Sequence[str]) -> Report:
    """Coefficients, and the calibration on games left out, in the end and after each stage."""
    predicted = left_out(seen, len(rows), names)
    stages = []
    for stage in range(len(rows)):
        here = [(one.stated, one.loses) for one in predicted if one.stage == stage]
        stages.append((str(stage), *_summary(here)))
    end = last_stages(predicted)
    coefficients = Table(("stage", *names), tuple((str(i), *(number(w, 2) for w in row)) for i, row in enumerate(rows)))
    games = len({one.game for one in seen})
    return Report(
        f"Probability that a move loses, fitted to {games} games, {len(end):,} moves",
        (
            coefficients,
            "On games left out, by the stage:",
            Table(("stage", "moves", "lose", "Brier's score", "worst bin"), tuple(stages)),
            "On games left out, as it is stated in the end:",
            calibration.table(calibration.bins([(one.stated, one.loses) for one in end])),
            "On games left out, what would be told from a probability of a mistake on:",
            borders(last_stages(left_out(seen, len(rows), names, AGREES))),
        ),
    )


def _summary(here: Sequence[calibration.Stated]) -> tuple[str, str, str, str]:
    if not here:
        return "0", "–", "–", "–"
    score = brier([p for p, _ in here], [t for _, t in here], [1.0] * len(here))
    worst = calibration.worst_gap(calibration.bins(here))
    return f"{len(here):,}", f"{sum(t for _, t in here):,}", number(score), "–" if worst is None else number(worst)


def main() -> None:
    """Fit, print, and write the table if that is wanted."""
    parser = argparse.ArgumentParser(prog="python -m workshop.coverage.fit", description=__doc__.partition("\n")[0])
    parser.add_argument("files", metavar="GAMES.pgn", nargs="+", type=Path)
    parser.add_argument("--labels", required=True, metavar="LABELS.jsonl", nargs="+", type=Path)
    parser.add_argument("--write", metavar="suspicion.rs", type=Path, help="put the coefficients into this source")
    given = parser.parse_args()
    labels = {key: label for path in given.labels for key, label in read_labels(path).items()}
    seen = seen_of(list(read_games(given.files)), labels)
    names = _native.LOSS_FEATURES
    tables = {name: fit(seen, _native.LOSS_STAGES, names, least) for name, least in TABLES.items()}
    print(markdown(report(seen, tables["LOSES"], names)), end="")
    if given.write is not None:
        given.write.write_text(written(given.write.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
