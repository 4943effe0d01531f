"""The 85 % of section 4: the share of traps that the structural similarity puts above the mean, and of the others.

The paper draws five samples of 40 positions from around its first two traps and reports the share of traps in them that
are more similar than the sample's mean. It says nothing of the positions that are no traps.
"""

import random
from dataclasses import dataclass
from statistics import fmean, stdev

from workshop.paper.benchmark import Candidate, Kind, Run, candidate
from workshop.paper.paper import RECALL, SAMPLE_SIZE, SAMPLED_TRAPS, SAMPLES, TRAPS
from workshop.paper.retrieval import Mistakes, mistakes
from workshop.report import Panel, Plot, Report, Series, Style, Table, number

COMPARED = (
    "S on continuations 1, SAN",
    "S on sequences 2, SAN",
    "sequences 2, UCI",
    "move-count ratio",
)
DRAWS = 2000
"""Samples of each trap."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the samples gave."""

    recall: float
    """Mean share of traps above the mean, 0.0..1.0."""
    false_positives: float
    """Mean share of the others above the mean, 0.0..1.0."""
    spread: float
    """Standard deviation of the mean recall of as many samples as the paper's."""
    reached: float
    """How often the mean recall of as many samples as the paper's is at least the printed one."""
    above: float
    """Share of all positions around the traps that are above the mean of all."""
    by_trap: tuple[float, ...]
    """Mean recall around each trap."""


def outcome(run: Run, compared: Candidate, kind: Kind, draws: int = DRAWS) -> Outcome:
    """``draws`` (>= 2) samples around each of the first two traps; those with only traps or with none do not count."""
    random_numbers = random.Random(run.seed)
    found: list[list[Mistakes]] = []
    above = []
    for trap in TRAPS[:SAMPLED_TRAPS]:
        scores, wanted = run.similarities(compared, trap), run.wanted(trap, kind)
        mean = fmean(scores)
        above.append(fmean(score > mean for score in scores))
        these: list[Mistakes] = []
        while len(these) < draws:
            drawn = random_numbers.sample(range(len(scores)), SAMPLE_SIZE)
            if 0 < sum(wanted[i] for i in drawn) < SAMPLE_SIZE:
                these.append(mistakes([scores[i] for i in drawn], [wanted[i] for i in drawn]))
        found.append(these)
    recalls = [[1 - m.false_negatives for m in these] for these in found]
    # Each of the paper's five is drawn around one of the traps at random.
    together = [
        fmean(random_numbers.choice(random_numbers.choice(recalls)) for _ in range(SAMPLES)) for _ in range(draws)
    ]
    return Outcome(
        fmean(map(fmean, recalls)),
        fmean(fmean(m.false_positives for m in these) for these in found),
        stdev(together),
        fmean(mean >= RECALL for mean in together),
        fmean(above),
        tuple(map(fmean, recalls)),
    )


def report(run: Run) -> Report:
    """Recall and false positives of the structural similarity, and of what it must beat."""
    rows, plots = [], []
    outcomes = {(name, kind): outcome(run, candidate(name), kind) for name in COMPARED for kind in Kind}
    for (name, kind), got in outcomes.items():
        by_trap = ", ".join(number(value, 2) for value in got.by_trap)
        rows.append(
            (
                name,
                kind,
                number(got.recall, 2),
                by_trap,
                number(got.false_positives, 2),
                number(got.recall - got.false_positives, 2),
                number(got.spread, 2),
                number(got.reached, 2),
            )
        )
    for name in COMPARED:
        x = tuple(range(len(Kind)))
        series = (
            Series("traps", x, tuple(outcomes[name, kind].recall for kind in Kind), Style.BARS),
            Series("others", x, tuple(outcomes[name, kind].false_positives for kind in Kind), Style.BARS),
            Series("printed", (-0.5, len(Kind) - 0.5), (RECALL, RECALL)),
        )
        plots.append(Panel(name, "", "share above the mean", series, tuple(Kind)))
    structural = [got for (name, _), got in outcomes.items() if name.startswith("S on")]
    recalls = sorted(got.recall for got in structural)
    wrong = sorted(got.false_positives for got in structural)
    simple = sorted(outcomes["move-count ratio", kind].recall for kind in Kind)
    everything = sorted({got.above for got in structural})
    return Report(
        "Section 4: the 85 %",
        (
            f"The paper took {SAMPLES} samples of {SAMPLE_SIZE} positions from around the first two traps. It prints "
            f"that an average of {number(RECALL, 2)} of the traps are above average by structural similarity. Here are "
            f"{DRAWS} samples around each of the two, seed {run.seed}:",
            Table(
                (
                    "measure",
                    "trap means",
                    "recall",
                    f"{TRAPS[0].name}, {TRAPS[1].name}",
                    "false positives",
                    "difference",
                    f"spread of {SAMPLES}",
                    f"P(≥ {number(RECALL, 2)})",
                ),
                tuple(rows),
            ),
            f"Structural similarity puts {number(recalls[0], 2)} to {number(recalls[-1], 2)} of the traps above the "
            f"mean, depending on the reading of a trap. It also puts {number(wrong[0], 2)} to {number(wrong[-1], 2)} "
            f"of the other positions there. Of all positions {number(everything[0], 2)} to "
            f"{number(everything[-1], 2)} are above the mean, because few are far below it. The ratio of the numbers "
            f"of moves alone gives a recall of {number(simple[0], 2)} to {number(simple[-1], 2)}. A recall without "
            "its false positives does not show how well a measure tells traps from other positions.",
        ),
        (Plot("recall", "Traps and other positions above the mean", tuple(plots)),),
    )
