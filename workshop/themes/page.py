"""Report of the agreement with lichess's tags."""

from statistics import fmean

from trapcore.proof.themes import THEMES
from workshop.report import Report, Table, number
from workshop.themes.agreement import Agreement, Half
from workshop.themes.definitions import DEFINITIONS, NOT_OF_THE_LINE

FEWEST = 30
"""Puzzles that a theme needs at least to count in the mean."""

_HALVES = {
    Half.LEFT_OUT: "The predicates were tuned on the other half of the file, without the puzzles below.",
    Half.TUNING: "These are the puzzles that the predicates were tuned on.",
    Half.ALL: "These are all puzzles, also those that the predicates were tuned on.",
}


def table(found: Agreement) -> Table:
    """Theme by theme, those with the most puzzles first."""

    def share(value: float | None) -> str:
        return "" if value is None else number(value)

    rows = (
        (name, f"{score.n:,}", share(score.precision), share(score.recall), share(score.f1), f"{score.both:,}",
         f"{score.ours:,}", f"{score.theirs:,}")
        for name, score in found.scores().items()
    )  # fmt: skip
    return Table(
        ("theme", "puzzles", "precision", "recall", "F1", "both", "ours alone", "lichess's alone"), tuple(rows)
    )


def report(found: Agreement) -> Report:
    """The page."""
    scores = found.scores()
    counted = {name: score.f1 or 0.0 for name, score in scores.items() if score.n >= FEWEST}
    low = [f"{name} ({number(f1)})" for name, f1 in sorted(counted.items(), key=lambda item: item[1]) if f1 < 0.75]
    exact = sum(f1 >= 0.99 for f1 in counted.values())
    mean = number(fmean(counted.values())) if counted else "none"
    each = found.positions / found.seconds if found.seconds else 0.0
    speed = (
        f"Speed: {each:,.0f} positions of lines a second on one thread, from FEN and UCI to named themes, without the "
        "search for zugzwang."
    )
    summary = (
        f"Mean F1 over the {len(counted)} themes with {FEWEST} puzzles or more: {mean}. {exact} of them reach .99; "
        f"below .75: {', '.join(low) or 'none'}."
    )
    searched = f"Zugzwang was checked with searches of {found.nodes:,} nodes." if found.nodes else ""
    others = ", ".join(
        f"`{tag}` ({count:,}{': ' + NOT_OF_THE_LINE[tag] if tag in NOT_OF_THE_LINE else ''})"
        for tag, count in found.other_tags().items()
    )
    return Report(
        "Themes of lines, held against lichess's tags",
        (
            "`trapcore.line_themes` names what a line does to the victim. A puzzle of lichess is such a line with "
            "lichess's tags. Made by `trapline research themes FILE --out FOLDER`.",
            f"{found.puzzles:,} puzzles ({found.half}, by the hash of the puzzle's number). {_HALVES[found.half]}",
            summary,
            "Precision is the share of our names that are lichess's as well. Recall is the share of lichess's names "
            "that are ours.",
            table(found),
            f"{searched} {speed}".strip(),
            f"Not checked, because the line does not show it: {others}." if others else "Every tag was checked.",
            "## What the themes are",
            "`by` is the square of the piece that acts, after the move at `ply`. The table says what `targets` are.",
            Table(
                ("theme", "what it is", "targets"),
                tuple((name, DEFINITIONS[name].meaning, DEFINITIONS[name].targets) for name in THEMES),
            ),
            "## Where lichess's tags differ",
            "\n".join(f"- `{name}`: {DEFINITIONS[name].lichess}" for name in THEMES if DEFINITIONS[name].lichess),
        ),
    )
