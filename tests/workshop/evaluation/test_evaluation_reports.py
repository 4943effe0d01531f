"""The parts of an evaluation on a small sample, and the command."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from tests.support.public_data import PUZZLES, skip_without
from trapcore.errors import EngineError, InputError
from trapcore.ranking.weights import LAZY_SHORTLIST, SHORTLIST
from trapcore.win_chance import win_chance
from workshop.commands import research
from workshop.coverage.killers import Answers
from workshop.evaluation.account import GAMES_DO_NOT_SHOW, PUZZLES_DO_NOT_SHOW
from workshop.evaluation.background_moves import Judged, judged_moves, sample
from workshop.evaluation.detection import detection
from workshop.evaluation.killers import FULL, LAZY, hit, killers
from workshop.evaluation.metrics import place
from workshop.evaluation.orders import PLAIN
from workshop.evaluation.run import Run
from workshop.evaluation.sample import read_sample
from workshop.evaluation.temptation import temptation
from workshop.experiments import accuracy
from workshop.report import Table, markdown, number


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Of 150 traps and 60 queries."""
    skip_without(PUZZLES)
    opened = Run(read_sample(PUZZLES, 150, 60), 2, lambda text: None)
    yield opened
    opened.close()


@pytest.mark.slow
def test_killers_are_counted_as_the_proposals_say(run: Run) -> None:
    first_table, _, growth = [block for block in killers(run).report.blocks if isinstance(block, Table)]
    found = {row[0]: dict(zip(first_table.header, row, strict=True)) for row in first_table.rows}
    for name, shortlist in ((FULL, SHORTLIST), (LAZY, LAZY_SHORTLIST)):
        first = [run.weights.rank_moves(q.before, q.trap.bait, top=5, shortlist=shortlist) for q in run.queries]
        for k in (1, 3, 5):
            hits = fmean(q.killer in [p.uci for p in moves[:k]] for q, moves in zip(run.queries, first, strict=True))
            assert found[name][f"hit@{k}"] == number(hits)
    chance = fmean(1 / len(q.moves) for q in run.queries)
    assert found["random"]["hit@1"] == number(chance)
    assert found["random"]["mean rank"] == f"{fmean((len(q.moves) + 1) / 2 for q in run.queries):.2f}"
    ours, checks, random = (float(found[name]["hit@1"]) for name in (FULL, "checks, then captures MVV-LVA", "random"))
    assert ours > checks > random
    assert [row[0] for row in growth.rows] == ["100", "100", "150", "150"]


@pytest.mark.slow
def test_the_command_writes_everything_and_says_the_short_of_it(tmp_path: Path) -> None:
    skip_without(PUZZLES)
    from typer.testing import CliRunner

    out = tmp_path / "out"
    options = ["--library-size", "120", "--queries", "20", "--output", str(out)]
    done = CliRunner().invoke(research, ["puzzles", str(PUZZLES), *options], catch_exceptions=False)
    assert done.exit_code == 0
    assert f"killer hit@1, {FULL}" in done.stdout
    text = (out / "puzzles.md").read_text()
    assert text.startswith("# Evaluation on puzzles\n\nWeights learned from 120 traps")
    parts = ["Killers", "Patterns", "Confidence", "Work of a prover", "Baits", "Cost", "What this does not show"]
    assert re.findall("^## (.+)$", text, re.MULTILINE) == parts
    assert (out / "reliability.svg").exists()


# Games


def test_what_a_judged_move_is() -> None:
    def judged(before: int, after: int) -> Judged:
        return Judged("f", "fen", "move", before, after)

    assert judged(10, -30).is_clean
    assert not judged(10, -40).is_clean
    assert not judged(-300, -300).is_clean
    assert judged(0, -200).is_blunder
    assert not judged(0, -199).is_blunder
    assert judged(0, -9_995).allows_mate
    assert not judged(-500, -9_995).allows_mate


GAME = """[Event "a"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. h3 Bh5 6. d3 Nf6 7. Be3 Be7 8. Qd2 O-O 9. O-O Qd7 10. Nh4 Kh8 1-0
"""


def test_answers_are_kept_and_asked_for_once(tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(GAME)
    drawn = list(sample(tmp_path / "g.pgn"))
    assert len(drawn) == 5
    assert all(board.ply() >= 8 and move in board.legal_moves for board, move in drawn)
    assert [(b.fen(), m) for b, m in sample(tmp_path / "g.pgn")] == [(b.fen(), m) for b, m in drawn]
    path = tmp_path / "answers.jsonl"
    lines = []
    for board, move in drawn:
        after = board.copy(stack=False)
        after.push(move)
        # The side to move has a slight advantage.
        lines += [{"fen": one.fen(), "nodes": 100, "chance": win_chance(20), "line": []} for one in (board, after)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    kept = Answers(path, "no-such-engine", 100)
    found = judged_moves([tmp_path / "g.pgn"], kept, lambda text: None)
    assert [(j.fen, j.before, j.after) for j in found] == [(board.fen(), 20, -20) for board, _ in drawn]
    with pytest.raises(EngineError):
        judged_moves([tmp_path / "g.pgn"], Answers(path, "no-such-engine", 200), lambda text: None)
    path.write_text("1. e4 e5\n")
    with pytest.raises(InputError, match="line 1: no answer"):
        Answers(path, "no-such-engine", 100)


def test_detection_counts_alarms_on_clean_moves(run: Run) -> None:
    clean = [Judged("g", fen, bait, 0, 0) for fen, bait, _ in run.background[:40]]
    blunders = [Judged("g", q.before, q.trap.bait, 0, -500) for q in run.queries[:10]]
    learned = [Judged("g", fen, bait, 0, 0) for fen, bait, _ in run.learned_background[:3]]
    finding = detection(run, [*clean, *blunders, *learned])
    text = markdown(finding.report)
    assert "Negatives: 40 clean moves" in text
    assert "(10 moves that lose" in text
    of_mates = next(block for block in finding.report.blocks if isinstance(block, Table))
    rows = {row[0]: dict(zip(of_mates.header, row, strict=True)) for row in of_mates.rows}
    ours = rows[f"best proposal, shortlist of {SHORTLIST}"]
    mine = [run.weights.rank_moves(q.before, q.trap.bait, top=1)[0].score for q in run.queries if q.mates]
    others = [run.weights.rank_moves(j.fen, j.move, top=1)[0].score for j in clean]
    pairs = [(a > b) + (a == b) / 2 for a in mine for b in others]
    assert ours["area"] == number(fmean(pairs))
    least = sorted(mine, reverse=True)[round(0.8 * len(mine)) - 1]
    flagged = sum(score >= least for score in others)
    assert ours["flagged at recall .8"] == f"{flagged} ({100 * flagged / 40:.2f} %)"


# docs/research/accuracy.md


@pytest.mark.slow
def test_the_published_account_is_what_comes_out_now() -> None:
    skip_without(PUZZLES)
    text = accuracy.ACCURACY.read_text("utf-8")
    for sentence in (*PUZZLES_DO_NOT_SHOW, *GAMES_DO_NOT_SHOW):
        assert f"- {sentence}\n" in text
    for name in accuracy.PLOTS:
        assert f"({name}.svg)" in text
        assert (accuracy.DOCS / f"{name}.svg").read_text("utf-8").lstrip().startswith("<?xml")
    # What needs no learning, over again: the queries, their baits, and the plain orders.
    opened = Run(read_sample(PUZZLES, 1, 4_000), 2, lambda told: None)
    try:
        assert accuracy.lowered(markdown(temptation(opened).report, 2)) in text
        for name in ("random", "captures MVV-LVA, then checks", "checks, then captures MVV-LVA"):
            placed = [place(PLAIN[name](q), q.killer) for q in opened.queries]
            cells = (name, "4,000", *(number(hit(placed, k)) for k in (1, 3, 5)))
            assert re.search("".join(rf"\| {re.escape(cell)} +" for cell in cells), text)
    finally:
        opened.close()
