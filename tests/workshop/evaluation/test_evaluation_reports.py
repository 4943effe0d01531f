"""The parts of an evaluation on a small sample, and the command."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from tests.support.public_data import PUZZLES, skip_without
from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import InputError, UsageError
from trapcore.ranking.weights import LAZY_SHORTLIST, SHORTLIST
from workshop.commands import research
from workshop.evaluation.account import GAMES_DO_NOT_SHOW, PUZZLES_DO_NOT_SHOW
from workshop.evaluation.background_moves import Answers, Judged, judged_moves, sample
from workshop.evaluation.detection import detection
from workshop.evaluation.killers import FULL, LAZY, hit, killers
from workshop.evaluation.metrics import place
from workshop.evaluation.orders import PLAIN
from workshop.evaluation.run import Run
from workshop.evaluation.sample import read_sample
from workshop.evaluation.temptation import temptation
from workshop.experiments import accuracy
from workshop.report import markdown, number


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Of 150 traps and 60 queries."""
    skip_without(PUZZLES)
    opened = Run(read_sample(PUZZLES, 150, 60), 2, lambda text: None)
    yield opened
    opened.close()


@pytest.mark.slow
def test_killers_are_counted_as_the_proposals_say(run: Run) -> None:
    finding = killers(run)
    found = finding.data["orders"]
    assert isinstance(found, dict)
    for name, shortlist in ((FULL, SHORTLIST), (LAZY, LAZY_SHORTLIST)):
        first = [run.weights.rank_moves(q.before, q.trap.bait, top=5, shortlist=shortlist) for q in run.queries]
        for k in (1, 3, 5):
            hits = fmean(q.killer in [p.uci for p in moves[:k]] for q, moves in zip(run.queries, first, strict=True))
            assert found[name][f"hit@{k}"] == pytest.approx(hits, abs=1e-4)
    chance = fmean(1 / len(q.moves) for q in run.queries)
    assert found["random"]["hit@1"] == pytest.approx(chance, abs=1e-4)
    assert found["random"]["mean_rank"] == pytest.approx(fmean((len(q.moves) + 1) / 2 for q in run.queries), abs=1e-3)
    assert found[FULL]["hit@1"] > found["checks, then captures MVV-LVA"]["hit@1"] > found["random"]["hit@1"]
    growth = finding.data["growth"]
    assert isinstance(growth, list)
    assert [row["traps"] for row in growth] == [100, 100, 150, 150]


@pytest.mark.slow
def test_the_command_writes_everything_and_says_the_short_of_it(tmp_path: Path) -> None:
    skip_without(PUZZLES)
    from typer.testing import CliRunner

    out = tmp_path / "out"
    options = ["--library-size", "120", "--queries", "20", "--output", str(out)]
    done = CliRunner().invoke(research, ["puzzles", str(PUZZLES), *options], catch_exceptions=False)
    assert done.exit_code == 0
    assert f"killer hit@1, {FULL}" in done.stdout
    data = json.loads((out / "puzzles.json").read_text())
    assert set(data) >= {"killers", "patterns", "confidence", "work of a prover", "baits", "cost"}
    assert data["library"] == 120
    assert "# Evaluation on puzzles" in (out / "puzzles.md").read_text()
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
    path = tmp_path / "answers.tsv"
    Answers(path, 100).add([Judged("g.pgn", board.fen(), move.uci(), 20, -30) for board, move in drawn])

    def start() -> UciEngine:
        raise AssertionError("everything is known")

    found = judged_moves([tmp_path / "g.pgn"], start, 100, Answers(path, 100), lambda text: None)
    assert [(j.fen, j.before, j.after) for j in found] == [(board.fen(), 20, -30) for board, _ in drawn]
    with pytest.raises(UsageError, match="judged with 100 nodes, not 200"):
        Answers(path, 200)
    path.write_text("judged moves\t100\nx\ty\n")
    with pytest.raises(InputError, match="line 2"):
        Answers(path, 100)
    path.write_text("1. e4 e5\n")
    with pytest.raises(InputError, match="no judged moves"):
        Answers(path, 100)


def test_detection_counts_alarms_on_clean_moves(run: Run) -> None:
    clean = [Judged("g", fen, bait, 0, 0) for fen, bait, _ in run.background[:40]]
    blunders = [Judged("g", q.before, q.trap.bait, 0, -500) for q in run.queries[:10]]
    learned = [Judged("g", fen, bait, 0, 0) for fen, bait, _ in run.learned_background[:3]]
    finding = detection(run, [*clean, *blunders, *learned])
    assert finding.data["clean"] == 40
    assert finding.data["blunders"] == 10
    scores = finding.data["scores"]
    assert isinstance(scores, dict)
    ours = scores[f"best proposal, shortlist of {SHORTLIST}"]
    mine = [run.weights.rank_moves(q.before, q.trap.bait, top=1)[0].score for q in run.queries if q.mates]
    others = [run.weights.rank_moves(j.fen, j.move, top=1)[0].score for j in clean]
    pairs = [(a > b) + (a == b) / 2 for a in mine for b in others]
    assert ours["mates"]["auc"] == pytest.approx(fmean(pairs))
    least = sorted(mine, reverse=True)[round(0.8 * len(mine)) - 1]
    assert ours["mates"]["flagged_at_0.8"] == sum(score >= least for score in others)


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
