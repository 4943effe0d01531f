"""The parts of an evaluation on a small sample, and the command."""

import json
import math
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import chess
import chess.engine
import pytest

from db.library.open import create_library, open_library
from tests.support.public_data import PUZZLES, skip_without
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine, chance_of
from trapcore.errors import InputError, UsageError
from trapcore.ranking.training import fit
from trapcore.ranking.weights import LAZY_SHORTLIST, SHORTLIST
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.commands import research
from workshop.evaluation import ablation as ablations
from workshop.evaluation.ablation import ablation
from workshop.evaluation.account import GAMES_DO_NOT_SHOW, PUZZLES_DO_NOT_SHOW, account_of_puzzles, markdown_of
from workshop.evaluation.background_moves import MATE, Answers, Judged, centipawns, judged_moves, sample
from workshop.evaluation.calibration import calibration
from workshop.evaluation.cost import cost
from workshop.evaluation.detection import detection
from workshop.evaluation.killers import FULL, LAZY, hit, killers
from workshop.evaluation.metrics import place
from workshop.evaluation.orders import PLAIN
from workshop.evaluation.patterns import macro_precision, patterns
from workshop.evaluation.proof_work import proof_work
from workshop.evaluation.run import Run
from workshop.evaluation.sample import read_sample
from workshop.evaluation.temptation import look, temptation
from workshop.experiments import accuracy
from workshop.report import markdown, number
from workshop.write_report import draw


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


def test_patterns_are_those_of_the_nearest_traps(run: Run) -> None:
    finding = patterns(run)
    library = run.sample.library
    found = run.index.top(run.killer_bags, 10)
    themes = [[library[at].themes for at, _ in near] for near in found]
    means = finding.data["macro"]
    assert isinstance(means, dict)
    assert means["known"] == pytest.approx(macro_precision(run.queries, themes))
    told = finding.data["themes"]
    assert isinstance(told, dict)
    for theme, row in told.items():
        having = [near for q, near in zip(run.queries, themes, strict=True) if theme in q.themes]
        assert row["queries"] == len(having) >= 5
        assert row["known"] == pytest.approx(sum(theme in t for near in having for t in near) / (10 * len(having)))
        assert row["chance"] == pytest.approx(sum(theme in p.themes for p in library) / len(library))


def test_mating_nets_come_from_our_own_proofs(run: Run) -> None:
    net = {kind for kind, (_, stage, _) in enumerate(_native.token_kinds()) if stage == "proved"}
    for query, proof, bag in zip(run.queries, run.proofs, run.killer_bags, strict=True):
        has_net = any(token >> 27 in net for token in bag)
        assert has_net == (proof is not None and proof.line[:1] == (query.killer,))
        assert (proof is not None) == query.mates


def test_confidence_is_held_against_ordinary_moves_that_nothing_was_learned_from(run: Run) -> None:
    assert not {(e[0], e[1]) for e in run.background} & {(e[0], e[1]) for e in run.learned_background}
    finding = calibration(run)
    assert finding.data["ordinary"] == len(run.background) > 300
    missed = [run.weights.rank_moves(fen, bait, top=1)[0].confidence ** 2 for fen, bait, _ in run.background]
    hits = [(p.confidence - (p.moves[0] == q.killer)) ** 2 for q, p in zip(run.queries, run.full, strict=True)]
    assert finding.data["brier"] == pytest.approx((fmean(missed) + fmean(hits)) / 2)


def test_less_work_with_the_killer_first(run: Run) -> None:
    finding = proof_work(run)
    assert "mate_in_2" in finding.data
    for found in finding.data.values():
        assert isinstance(found, dict)
        means = {name: row["mean"] for name, row in found["plain"].items()}
        assert means["the killer first"] == min(means.values())
        assert means["random"] > means["the killer first"]


def test_baits_by_what_they_look_like(run: Run) -> None:
    finding = temptation(run)
    rules = finding.data["rules"]
    assert isinstance(rules, list)
    assert rules[-1]["baits"] == 1
    assert rules[-1]["moves"] == pytest.approx(
        fmean(chess.Board(q.before).legal_moves.count() for q in run.queries), abs=1e-9
    )
    assert all(a["baits"] <= b["baits"] and a["moves"] <= b["moves"] for a, b in pairwise(rules))
    query = run.queries[0]
    board = chess.Board(query.before)
    seen = look(query)
    assert {uci for uci, move in seen.items() if move.captures} == {
        m.uci() for m in board.legal_moves if board.is_capture(m)
    }


@pytest.mark.slow
def test_without_a_kind_of_token(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [name for name, _, _ in _native.token_kinds()]
    everything = run.learn(run.sample.library[:100])
    number = names.index("standing")
    assert number in {token >> 27 for token in everything.answered.as_dict()}
    weights = run.learn(run.sample.library[:100], ["standing"])
    assert number not in {token >> 27 for token in weights.answered.as_dict()}
    assert {token >> 27 for token in weights.seen.as_dict()} == {token >> 27 for token in everything.seen.as_dict()}
    # Three kinds, one of each stage.
    few = [kind for kind in _native.token_kinds() if kind[0] in ("deed", "standing", "hunters")]
    monkeypatch.setattr(ablations, "kinds_of_token", lambda: few)
    monkeypatch.setattr(ablations, "TRAPS", 100)
    finding = ablation(run)
    drops = finding.data["drops"]
    assert isinstance(drops, dict)
    assert list(drops) == ["deed", "standing", "hunters"]
    first = [weights.rank_moves(q.before, q.trap.bait, top=1)[0].uci == q.killer for q in run.queries]
    base = [everything.rank_moves(q.before, q.trap.bait, top=1)[0].uci == q.killer for q in run.queries]
    assert drops["standing"]["hit@1"] == pytest.approx(fmean(base) - fmean(first))
    assert drops["hunters"]["hit@1"] == 0


def test_the_cost_has_a_row_for_each_step(run: Run) -> None:
    rows = cost(run).data
    assert len(rows) == 7
    for row in rows.values():
        assert isinstance(row, dict)
        assert row["microseconds"] > 0


def test_the_account_says_what_it_does_not_show(run: Run, tmp_path: Path) -> None:
    finding = calibration(run)
    account = account_of_puzzles(run, [finding])
    text = markdown_of(account, ["\n![x](x.svg)\n"])
    assert "## What this does not show" in text
    assert "one winning move by construction" in text
    assert f"asked about {len(run.queries):,}" in text
    assert account.content()["library"] == 150
    draw(finding.report.plots[0], tmp_path / "diagram.svg")
    assert "perfect" in (tmp_path / "diagram.svg").read_text()


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


@pytest.mark.slow
@pytest.mark.parametrize("fitted", [True, False])
def test_a_given_library_is_evaluated_with_its_own_weights_if_it_has_any(tmp_path: Path, fitted: bool) -> None:
    skip_without(PUZZLES)
    from typer.testing import CliRunner

    path = tmp_path / "l.sqlite"
    create_library(path)
    traps = [puzzle.trap for puzzle in read_sample(PUZZLES, 80, 2).library]
    with open_library(path) as library:
        library.add_all(traps)
        if fitted:
            library.set_weights(fit([(f"{t.epd} 0 1", t.bait, t.killer_line[0]) for t in traps[:50]]))
    options = ["--db", str(path), "--queries", "12", "--json"]
    done = CliRunner().invoke(research, ["puzzles", str(PUZZLES), *options], catch_exceptions=False)
    data = json.loads(done.stdout)
    assert (data["library"], data["given_library"]) == (80, fitted)
    assert data["left_out"] == 80
    assert ("has no weights of its own" in done.stderr) == (not fitted)
    assert data["ordinary_moves_learned"] == (0 if fitted else 820)


# Games


@pytest.mark.parametrize("value", [-9_000, -320, 0, 15, 250, 5_000])
def test_centipawns_and_win_chances(value: int) -> None:
    chance = chance_of(chess.engine.Cp(value))
    if abs(value) <= 5_000:
        assert centipawns(chance) == value
    assert centipawns(chance_of(chess.engine.Mate(3))) == MATE
    assert centipawns(chance_of(chess.engine.Mate(-3))) == -MATE
    assert math.copysign(1, centipawns(chance) or 1) == math.copysign(1, value or 1)


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


@pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")
def test_an_engine_judges_what_is_not_known(tmp_path: Path) -> None:
    assert STOCKFISH is not None
    engine = STOCKFISH
    (tmp_path / "g.pgn").write_text(GAME)
    path = tmp_path / "answers.tsv"
    found = judged_moves([tmp_path / "g.pgn"], lambda: UciEngine(engine), 2000, Answers(path, 2000), lambda text: None)
    again = judged_moves([tmp_path / "g.pgn"], lambda: UciEngine("no-such"), 2000, Answers(path, 2000), print)
    assert found == again
    assert len(path.read_text().splitlines()) == 6


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
