"""Holds the trap test against Stockfish on the open list of opening traps, and writes down where they differ.

    python -m workshop.experiments.agreement --answers answers.jsonl --write docs/research/trap-test.md

Every decision of the victim in every line is judged twice by the same rule (the move costs .3 of win chance against the
best other move): by our trap test, and by Stockfish with 400,000 nodes for each of the two positions. Stockfish's
answers are written to a file, because they take a quarter of an hour.
"""

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import chess

from trapcore import _native
from trapcore.engines.process import EngineProcess
from trapcore.proof.trap_test import USUAL, BaitTest, check_bait
from trapcore.proof.verdict import Verdict
from trapcore.win_chance import BLUNDER
from workshop.benchmarks.material import DATA
from workshop.benchmarks.stockfish import STOCKFISH, Opinion, opinion_of

TRAPS = DATA / "traps" / "traps_open.tsv"
REAL = ("trap_mate", "trap_wins")
"""Grades of the list that mean a trap."""
CLOSE = 0.1
"""A loss so near the rule's .3 is a matter of taste."""


@dataclass(frozen=True)
class Decision:
    """A move of the victim in a line of the list."""

    line: int
    """Row of the list, from 1."""
    name: str
    graded_trap: bool
    is_bait: bool
    """The list calls this move the line's bait."""
    ply: int
    fen: str
    move: str
    san: str


def decisions() -> list[Decision]:
    """All decisions in the order of the list; the same position and move may come in several lines."""
    with TRAPS.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream, delimiter="\t") if row["grade"] != "grade"]
    return [decision for number, row in enumerate(rows, 1) for decision in _of_line(number, row)]


def _of_line(number: int, row: dict[str, str]) -> Iterator[Decision]:
    board = chess.Board()
    for ply, san in enumerate(row["moves_san"].split(), 1):
        move = board.parse_san(san)
        # Lines that nobody gains from name no trapper; they are White's attempts.
        if board.turn != (row["trapper"] != "black") and ply > 2 and board.legal_moves.count() > 1:
            bait = str(ply) == (row["bait_ply_sf"] or row["bait_ply_source"])
            yield Decision(number, row["name"], row["grade"] in REAL, bait, ply, board.fen(), move.uci(), san)
        board.push(move)


def opinions(wanted: list[Decision], answers: Path | None, command: str, nodes: int) -> dict[tuple[str, str], Opinion]:
    """What the engine says of each, by position and move; evaluated only for what the file of answers does not hold."""
    known: dict[tuple[str, str], Opinion] = {}
    if answers is not None and answers.exists():
        for line in answers.read_text().splitlines():
            fields = json.loads(line)
            key = fields.pop("fen"), fields.pop("move")
            known[key] = Opinion(**fields)
    missing = list(dict.fromkeys((d.fen, d.move) for d in wanted if (d.fen, d.move) not in known))
    if not missing:
        return known
    with EngineProcess(command) as engine:
        for fen, move in missing:
            known[fen, move] = opinion = opinion_of(engine, fen, move, nodes)
            if answers is not None:
                with answers.open("a") as out:
                    out.write(json.dumps({"fen": fen, "move": move} | asdict(opinion)) + "\n")
    return known


@dataclass(frozen=True)
class Comparison:
    """Both judgements of all decisions."""

    decisions: list[Decision]
    theirs: dict[tuple[str, str], Opinion]
    ours: dict[tuple[str, str], BaitTest]

    def loses(self, decision: Decision) -> tuple[bool, bool]:
        """Whether the move loses: by our test, and by the engine's figures and the same rule."""
        key = decision.fen, decision.move
        return self.ours[key].verdict is Verdict.PROVED, self.theirs[key].loss >= BLUNDER

    def moves(self) -> list[Decision]:
        """Each position and move once."""
        return list({(d.fen, d.move): d for d in reversed(self.decisions)}.values())[::-1]

    def agreement(self, chosen: list[Decision]) -> tuple[int, int]:
        """On how many of these decisions both agree, and how many they are."""
        return sum(ours == theirs for ours, theirs in map(self.loses, chosen)), len(chosen)

    def by_line(self) -> tuple[int, int, int]:
        """Lines, and those in which some decision loses exactly if the list grades a trap: by us, by the engine."""
        lines: dict[int, list[Decision]] = {}
        for decision in self.decisions:
            lines.setdefault(decision.line, []).append(decision)
        right = [0, 0]
        for line in lines.values():
            verdicts = [self.loses(decision) for decision in line]
            for side in (0, 1):
                right[side] += any(v[side] for v in verdicts) == line[0].graded_trap
        return len(lines), right[0], right[1]


def compared(answers: Path | None = None, command: str = "stockfish", nodes: int = 400_000) -> Comparison:
    """Judge all decisions of the list by both."""
    wanted = decisions()
    theirs = opinions(wanted, answers, command, nodes)
    ours = {key: check_bait(*key) for key in {(d.fen, d.move): None for d in wanted}}
    return Comparison(wanted, theirs, ours)


def report(found: Comparison, command: str) -> str:
    """The figures and every disagreement, as Markdown."""
    moves = found.moves()
    lose = [d for d in moves if found.theirs[d.fen, d.move].loss >= BLUNDER]
    baits = [d for d in moves if d.is_bait]
    clear = [d for d in moves if abs(found.theirs[d.fen, d.move].loss - BLUNDER) > CLOSE]
    lines, ours_right, theirs_right = found.by_line()
    rows = [
        ("all decisions", *found.agreement(moves)),
        (f"those that cost Stockfish not within {CLOSE} of {BLUNDER}", *found.agreement(clear)),
        ("moves that lose by Stockfish's figures", *found.agreement(lose)),
        ("moves that the list calls the bait", *found.agreement(baits)),
    ]
    out = [
        "# The trap test held against Stockfish",
        "",
        f"Written by `{command}`. Ours is {_native.TESTER_VERSION} with {USUAL.nodes:,}",
        "nodes for each question. Stockfish is 15.1 with 400,000 nodes for each position. Both judge by the same rule:",
        f"a move loses if it costs at least {BLUNDER} of win chance against the best other move. The lines are the",
        "named opening traps of an open list. Every move of the victim is judged.",
        "",
        "| decisions | agree | of | share |",
        "|---|---:|---:|---:|",
        *(f"| {what} | {same} | {total} | {same / max(total, 1):.1%} |" for what, same, total in rows),
        "",
        "The list also grades whole lines: a line is a trap or not. The grade should be a trap if some move of the "
        f"victim loses.\nIt is so in {ours_right} of {lines} lines by our test and in {theirs_right} by Stockfish's "
        "own figures. The grades follow the\nvalue at the end of the line, and ask less of the bait than .3.",
        "",
        "## Where they differ",
        "",
        "| line | move | Stockfish: best, bait | costs | ours | costs |",
        "|---|---|---|---:|---|---:|",
    ]
    for decision in moves:
        ours, theirs = found.loses(decision)
        if ours != theirs:
            opinion, test = found.theirs[decision.fen, decision.move], found.ours[decision.fen, decision.move]
            number = f"{(decision.ply + 1) // 2}{'.' if decision.ply % 2 else '...'}"
            out.append(
                f"| {decision.name.replace('|', '/')} | {number}{decision.san} | {opinion.best}, {opinion.bait} "
                f"| {opinion.loss:.2f} | {test.verdict} | {test.loss:.2f} |"
            )
    return "\n".join([*out, ""])


def main(arguments: list[str]) -> None:
    """Compare, print, and write if wanted."""
    parser = argparse.ArgumentParser(description="Hold the trap test against Stockfish.")
    parser.add_argument("--answers", type=Path, help="file with Stockfish's answers, added to")
    parser.add_argument("--engine", default=STOCKFISH or "stockfish")
    parser.add_argument("--write", type=Path, help="write the report here too")
    options = parser.parse_args(arguments)
    text = report(compared(options.answers, options.engine), "python -m workshop.experiments.agreement")
    print(text)
    if options.write is not None:
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
