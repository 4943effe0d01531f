"""Whether the nearest known traps show the pattern that a puzzle is named after."""

import sys
import tempfile
from array import array
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from db.patterns.index import write_index
from db.patterns.keys import COPIES
from db.wording.patterns import PATTERNS, pattern_of
from trapcore import _native
from trapcore.ranking.weights import VOCABULARY_VERSION
from workshop.evaluation import neighbours
from workshop.evaluation.killers import SLOW
from workshop.evaluation.metrics import precision
from workshop.evaluation.neighbours import Turned
from workshop.evaluation.run import Finding, Run
from workshop.evaluation.sample import Puzzle
from workshop.report import Report, Table, number

TOP = 10
LEAST = 5
"""Queries that a theme must have to be reported."""
LENGTHS = ("mateIn2", "mateIn3")
"""Reported, too, but not part of the mean: they say how long a line is, not what happens in it."""

Themes = Sequence[frozenset[str]]


def patterns(run: Run) -> Finding:
    """precision@10 of each theme, for the known killer and for the proposed one, beside chance, boards, sequences."""
    queries, library = run.queries, run.sample.library
    run.say("patterns: our own proofs, and the nearest traps")
    known = _themes(run, run.killer_bags)
    proposed = _themes(run, run.proposed_bags)
    run.say("patterns: the similarity of differences")
    bare, labelled = _by_differences(run)
    run.say("patterns: the nearest boards and sequences")
    turned, queried = run.each(Turned.of, library), run.each(Turned.of, queries)
    boards = _of_neighbours(run, neighbours.by_board(turned, queried))
    lines = _of_neighbours(run, neighbours.by_sequences(turned, queried[:SLOW]))
    found = {}
    for theme in (*PATTERNS, *LENGTHS):
        having = [i for i, query in enumerate(queries) if theme in query.themes]
        if len(having) < LEAST:
            continue
        few = [i for i in having if i < len(lines)]
        found[theme] = (
            len(having),
            fmean(theme in trap.themes for trap in library),
            precision([boards[i] for i in having], theme, TOP),
            precision([lines[i] for i in few], theme, TOP) if len(few) >= LEAST else None,
            precision([known[i] for i in having], theme, TOP),
            precision([proposed[i] for i in having], theme, TOP),
            precision([bare[i] for i in having], theme, TOP),
            precision([labelled[i] for i in having], theme, TOP),
        )
    means = _means(found)
    named = {"killer known": known, "differences": bare, "labelled": labelled}
    specific = tuple((name, number(_most_specific(queries, near))) for name, near in named.items())
    table = Table(
        ("theme", "n", *COLUMNS),
        tuple(
            (theme, f"{row[0]:,}", *(number(value) if value is not None else "" for value in row[1:]))
            for theme, row in sorted(found.items(), key=lambda item: (item[0] in LENGTHS, -item[1][4]))
        ),
    )
    blocks: list[str | Table] = [
        f"precision@{TOP}: the share of the {TOP} nearest of {len(library):,} known traps that have a theme, over the "
        f"puzzles that have it. Themes of fewer than {LEAST} puzzles are left out. *Killer known*: the killer is "
        "given, and its mate comes from our own proof, not from the puzzle's line. *Killer proposed*: the first "
        f"proposal stands in for the killer. *Sequences* are the paper's best measure, on the first {SLOW:,} puzzles. "
        "*Differences* adds what the bait added to the opponent's tree and took from the victim's. *Labelled* also "
        "adds our own themes of the puzzle's line. A mistake with a proved line has these, too.",
    ]
    if not found:
        blocks.append("No theme has enough puzzles.")
    else:
        summary = tuple(number(value) if value is not None else "" for value in means.values())
        blocks += [
            Table(("mean over", *COLUMNS), ((f"{sum(t not in LENGTHS for t in found)} patterns", *summary),)),
            Table(("", "most specific theme of each puzzle"), specific),
            table,
        ]
    shown = ("killer known", "labelled") if found else ()
    brief = [(f"pattern precision@10, {name}", number(means[name] or 0.0)) for name in shown]
    return Finding(Report("Patterns", tuple(blocks)), brief)


def macro_precision(queries: Sequence[Puzzle], found: Sequence[Themes]) -> float:
    """precision@10 of each pattern that enough of the queries have, in the mean; 0 if there is none."""
    values = []
    for theme in PATTERNS:
        having = [near for query, near in zip(queries, found, strict=True) if theme in query.themes]
        if len(having) >= LEAST:
            values.append(precision(having, theme, TOP))
    return fmean(values) if values else 0.0


COLUMNS = ("chance", "nearest boards", "sequences", "killer known", "killer proposed", "differences", "labelled")


def _means(
    found: dict[str, tuple[int, float, float, float | None, float, float, float, float]],
) -> dict[str, float | None]:
    """Of each column over the patterns, the lengths apart; of sequences over those that have enough puzzles."""
    rows = [row[1:] for theme, row in found.items() if theme not in LENGTHS]
    columns = {name: [row[at] for row in rows if row[at] is not None] for at, name in enumerate(COLUMNS)}
    return {name: fmean(v for v in values if v is not None) if values else None for name, values in columns.items()}


def _themes(run: Run, bags: Sequence[Sequence[int]]) -> list[Themes]:
    hits = run.index.top(bags, TOP, jobs=run.jobs)
    return [[run.sample.library[place].themes for place, _ in near] for near in hits]


def _of_neighbours(run: Run, found: neighbours.Neighbours) -> list[Themes]:
    return [[run.sample.library[place].themes for place, _ in near[:TOP]] for near in found]


def _most_specific(queries: Sequence[Puzzle], found: Sequence[Themes]) -> float:
    """The share of the neighbours that have the most specific theme of their query, the first of `PATTERNS`."""
    shares = []
    for query, near in zip(queries, found, strict=True):
        theme = next((name for name in PATTERNS if name in query.themes), None)
        if theme is not None:
            shares.append(sum(theme in themes for themes in near) / TOP)
    return fmean(shares) if shares else 0.0


def _by_differences(run: Run) -> tuple[list[Themes], list[Themes]]:
    """The nearest by the similarity of differences, without the labels of the line and with them."""

    def sets(puzzles: Sequence[Puzzle]) -> list[bytes]:
        rows = []
        for each in puzzles:
            line = (each.trap.bait, *each.trap.killer_line)
            family, _ = pattern_of(each.before, line)
            rows.append((each.before, " ".join(line), [(f"mechanism {family}", COPIES["mechanism"])]))
        return _native.difference_token_sets(rows)

    library, queries = sets(run.sample.library), sets(run.queries)
    found: list[list[Themes]] = []
    with tempfile.TemporaryDirectory() as folder:
        for chosen in (_unlabelled, bytes):
            path = Path(folder) / "mistakes"
            write_index(path, list(enumerate(map(chosen, library))))
            index = _native.TokenIndex(path, vocabulary=VOCABULARY_VERSION)
            hits = index.top(list(map(chosen, queries)), TOP, jobs=run.jobs)
            found.append([[run.sample.library[place].themes for place, _ in near] for near in hits])
    bare, labelled = found
    return bare, labelled


def _unlabelled(tokens: bytes) -> bytes:
    return b"".join(
        token.to_bytes(4, sys.byteorder)
        for token in array("I", tokens)
        if token >> _native.FIELD_BITS <= _native.TAKEN_KIND
    )
