"""``trapline similarity`` and ``trapline match``: two positions compared, and their moves paired."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import JsonOption
from trapline.echo import echo

if TYPE_CHECKING:
    from trapcore.measures.comparison import Compared, Comparison
    from trapcore.measures.overlap import Ends, Overlap, Pairing

SHOWN = 6
"""First moves that `trapline match --explain` shows of each pair; the rest is counted."""


def similarity(
    first: Annotated[str | None, typer.Argument(metavar="FEN", help="A position, as FEN or EPD, quoted.")] = None,
    second: Annotated[str | None, typer.Argument(metavar="FEN", help="The position to compare it with.")] = None,
    input_file: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help="Compare the pairs of a file: two FENs a line with a tab between them, or JSON: "
            '{"first": FEN, "second": FEN}. - is stdin.',
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="sequences|continuations|structural|tree-edit|tanimoto|sampled|terminal",
            help="Similarity measure. Default: the setting `measure` if it is one of these, else sequences.",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            metavar="PLIES",
            help="Depth of the trees: 1 to 3 (default 2), 1 or 2 for tree-edit, structural and sampled (the last two: "
            "default 1).",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the lines that are shared and those that are not.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two positions by their local game trees: 1 is equal, 0 has nothing in common.

    Two baselines stand beside it: the similarity of the numbers of moves, and of the boards.

    With --input, answers come in the order of the file. A line that is no pair of positions gets an error in its place.
    The exit code is 3 if there is no pair at all.
    """
    from trapcore.errors import UsageError
    from trapcore.measures.comparison import Comparison
    from trapcore.measures.options import comparing

    comparison = Comparison(comparing(measure if measure is not None else _usual_measure()), depth)
    if input_file is not None and first is None:
        _compare_file(input_file, comparison, explain=explain, as_json=as_json)
    elif input_file is None and first is not None and second is not None:
        found, basis = _compared(comparison, first, second, explain=explain)
        if as_json:
            answer = comparison.complete() | found.answer() | ({} if basis is None else {"explanation": basis.answer()})
            echo(json.dumps(answer))
            return
        rows = [(comparison.title(), found.value)]
        if found.standard_error is not None:
            rows.append(("standard error", found.standard_error))
        rows.append(("baseline: move-count ratio", found.baselines["move-count-ratio"]))
        rows.append(("baseline: board", found.baselines["board"]))
        width = max(len(name) for name, _ in rows)
        for name, number in rows:
            echo(f"{name:<{width}}  {number:.4f}")
        for line in () if basis is None else basis.lines():
            echo(line)
    else:
        raise UsageError("similarity needs two FENs or --input FILE, and not both")


def _usual_measure() -> str:
    """That of the settings if it compares two positions, else the paper's best."""
    from trapcore.measures.options import IndexedMeasure, Measure
    from trapline.settings import read_settings

    measure = read_settings().measure
    return Measure.SEQUENCES if measure is IndexedMeasure.ABSTRACTED else measure


def _compared(
    comparison: Comparison, first: str, second: str, *, explain: bool
) -> tuple[Compared, Overlap | Pairing | Ends | None]:
    found = comparison.of(first, second)
    if not explain:
        return found, None
    from trapcore.measures.overlap import explanation

    return found, explanation(comparison, first, second)


def _compare_file(path: str, comparison: Comparison, *, explain: bool, as_json: bool) -> None:
    from trapcore.errors import TraplineError
    from trapcore.io.epd import numbered_lines
    from trapcore.io.position_pairs import parse_pair
    from trapcore.io.streams import open_bytes
    from trapline.commands.terminal import report_unanswered

    if not as_json:
        echo(f"{comparison.title()}; beside it the baselines move-count ratio and board")
    options = comparison.complete()
    read = bad = 0
    with open_bytes(path) as chunks:
        for number, line in numbered_lines(chunks):
            try:
                pair = parse_pair(line)
                found, basis = _compared(comparison, pair.first, pair.second, explain=explain)
            # The options are sound: an error now is about this line's positions.
            except TraplineError as error:
                bad += 1
                answer = {"line_number": number, "error": str(error)}
                echo(json.dumps(answer) if as_json else f"{number:>6}  error: {error}")
                continue
            read += 1
            if as_json:
                answer = {"line_number": number, "first": pair.first, "second": pair.second}
                answer |= {} if pair.id is None else {"id": pair.id}
                answer |= options | found.answer() | ({} if basis is None else {"explanation": basis.answer()})
                echo(json.dumps(answer))
                continue
            error_told = "" if found.standard_error is None else f" +- {found.standard_error:.4f}"
            beside = "  ".join(f"{value:.4f}" for value in found.baselines.values())
            echo(f"{number:>6}  {found.value:.4f}{error_told}  {beside}{'' if pair.id is None else f'  {pair.id}'}")
            for text in () if basis is None else basis.lines():
                echo(f"        {text}")
    report_unanswered(path, read, bad, what="compared", wanted="pair of positions")


def match(
    first: Annotated[str, typer.Argument(metavar="FEN", help="A position, as FEN or EPD, quoted.")],
    second: Annotated[str, typer.Argument(metavar="FEN", help="The position whose moves are sought.")],
    top: Annotated[int, typer.Option(metavar="N", help="Number of pairs, 1 or more.")] = 5,
    move: Annotated[
        str | None,
        typer.Option(metavar="MOVE", help="Only the counterparts of this reply (SAN) in the first position."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show after which first moves each pair was paired.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Pair the replies of two positions that change their positions alike, the most frequent pairs first.

    If one position has a killer, its counterpart may be a killer in the other. `trapline prove` can test that. The pair
    of the most frequent checks stands beside it.
    """
    from trapcore.measures.move_matching import frequent_check, of_positions

    pairs = of_positions(first, second, top=top, move=move)
    checks = [frequent_check(fen) for fen in (first, second)]
    if as_json:
        rows = [
            {"first": p.first, "second": p.second, "count": p.count, "chances": p.chances, "distance": p.distance}
            | ({"after": [list(moves) for moves in p.after]} if explain else {})
            for p in pairs
        ]
        echo(json.dumps({"pairs": rows, "baselines": {"most-frequent-check": checks}}))
        return
    width = max([6, *(len(name) for p in pairs for name in (p.first, p.second))])
    if pairs:
        echo(f"{'first':<{width}}  {'second':<{width}}  {'paired':>6}  {'of':>6}  distance")
    else:
        echo("no pairs: one of the positions has no reply")
    for pair in pairs:
        numbers = f"{pair.count:>6}  {pair.chances:>6}  {pair.distance:.4f}"
        echo(f"{pair.first:<{width}}  {pair.second:<{width}}  {numbers}")
        if explain:
            after = ", ".join(f"{one} | {two}" for one, two in pair.after[:SHOWN])
            rest = len(pair.after) - SHOWN
            echo(f"  after {after}{f', ... {rest:,} more' if rest > 0 else ''}")
    one, two = ("none" if check is None else check for check in checks)
    echo(f"{one:<{width}}  {two:<{width}}  baseline: the most frequent check of each")
