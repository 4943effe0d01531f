"""The report of a measurement, with its plots."""

from collections.abc import Iterator

from trapcore.win_chance import BLUNDER
from workshop.coverage import calibration, frontier
from workshop.coverage.figures import Figures
from workshop.coverage.glyphs import false_glyphs, glyph_table
from workshop.coverage.judged import AGREES
from workshop.coverage.killers import NEAR
from workshop.coverage.labels import DEEP_FROM, Label
from workshop.coverage.run import Measured, Outcome
from workshop.report import Plot, Report, Table, number

WRITTEN = (
    "Written by `trapline research coverage`; nothing here is written by hand. Times are those of the machine that it "
    "ran on. The rest is the same everywhere with the same engine."
)
LOSES, BORNE_OUT = number(BLUNDER, 1), number(AGREES, 1)
EXPLAINED = (
    f"A move *loses* if it costs {LOSES} or more of the win chance (lichess's, -1 to 1) by the reference. A claim is a "
    "move played that is reported as losing, with a proof. A claim *agrees* if the reference says that it costs "
    f"{BORNE_OUT} or more. Beside each share stands Wilson's interval of 95 %."
)


def report(found: Measured, labels: list[Label]) -> Report:
    """What is written as Markdown."""
    blocks: list[str | Table] = [WRITTEN, _reference(found, labels), EXPLAINED, summary(found)]
    for outcome in found.mains:
        blocks += _divided(outcome)
    plots: list[Plot] = []
    bins = calibration.bins(found.stated)
    if bins:
        blocks += ["## Calibration", _of_calibration(calibration.worst_gap(bins)), calibration.table(bins)]
        plots.append(calibration.plot(bins))
    points = [outcome.point for outcome in found.outcomes]
    if found.alone:
        blocks += ["## Recall against time", OF_TIME, frontier.table(points, found.alone)]
        plots.append(frontier.plot(points, found.alone))
    return Report("How many of the losing moves are told", tuple(blocks), tuple(plots))


OF_TIME = (
    "Times are processor time on one core; that of the engine is its process's own. The engine alone searches every "
    "position of a game, the last one first, with one memory. With two numbers of nodes it searches both positions of "
    f"a move again where the fall that it saw is neither small nor great. It flags a fall of {LOSES}. Its time *at "
    "equal recall and agreement* is that with the threshold at which it agrees as often. It is interpolated in the "
    "logarithm of the time between its runs. The engine is the same as the reference, which flatters it."
)


def _reference(found: Measured, labels: list[Label]) -> str:
    engines = ", ".join(sorted({label.engine for label in labels}))
    nodes = " and ".join(
        sorted(
            {
                f"{label.nodes:,} nodes, {label.deep_nodes:,} where that sees a loss of {number(DEEP_FROM, 2)}"
                for label in labels
            }
        )
    )
    files = ", ".join(found.outcomes[0].figures.by["file"])
    count = found.outcomes[0].figures
    return f"{count.games:,} games of {files}, {count.moves:,} moves. The reference is {engines} ({nodes})."


def summary(found: Measured) -> Table:
    """The figures of all moves, a column for each main way."""
    header = ("figure", *(_short(outcome) for outcome in found.mains))
    columns = [_figures(outcome, right) for outcome, right in zip(found.mains, found.killers, strict=True)]
    return Table(header, tuple((name, *(column[name] for column in columns)) for name in columns[0]))


def _short(outcome: Outcome) -> str:
    return "with the engine" if outcome.point.engine else "no engine"


def _figures(outcome: Outcome, right: object) -> dict[str, str]:
    figures = outcome.figures
    rows = {name: str(share) for name, share in figures.shares().items()} | {
        f"killers right (within {number(NEAR, 1)} of the best)": str(right),
        "positions a second and core": f"{outcome.point.speed:,.0f}",
    }
    return rows | {f"glyphs: {name}": str(share) for name, share in false_glyphs(outcome.glyphs).items()}


def _divided(outcome: Outcome) -> Iterator[str | Table]:
    yield f"## {'With the engine' if outcome.point.engine else 'Without an engine'}"
    figures: Figures = outcome.figures
    for by in figures.by:
        yield figures.table(by)
    if outcome.glyphs:
        yield "Glyphs that were put on moves:"
        yield glyph_table(outcome.glyphs)


def _of_calibration(worst: float | None) -> str:
    said = "No bin has enough moves to say how far" if worst is None else f"The worst is {number(worst)}"
    return (
        "The probability finally stated of a move, reported or not, beside the share that loses. "
        f"{said}{' apart' if worst is not None else ' they are apart'} (bins of {calibration.ENOUGH} moves and more)."
    )
