"""The experiments of the paper: exact where it can be reproduced, our own numbers where it cannot, and the command."""

from collections import Counter
from itertools import product
from pathlib import Path
from statistics import fmean

import chess
import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]
from typer.testing import CliRunner

from tests.support.chess_positions import FIGURE_2
from trapcore.errors import OutputError, UsageError
from trapcore.measures.options import Reference
from trapcore.measures.sampled import Estimate
from workshop.commands.paper import paper as command
from workshop.paper import (
    example_1,
    figure_1,
    paper,
    recall,
    registry,
    retrieval,
    sampling,
    table_1,
    table_2,
    table_3,
)
from workshop.paper.benchmark import Candidate, Kind, Run, candidate
from workshop.report import Report, Table, markdown, number
from workshop.write_report import draw

ACCOUNT = Path(__file__).parents[2] / "docs" / "research" / "paper.md"
BUDAPEST, CARO_KANN, KIENINGER, LEGAL = paper.TRAPS


@pytest.fixture(scope="module")
def run() -> Run:
    """One run for all tests, so that neighbours and similarities are computed once."""
    return Run(jobs=2)


@pytest.fixture(scope="module")
def quick() -> dict[str, Report]:
    """Reports of the experiments that need no chess."""
    return {name: registry.EXPERIMENTS[name].report(Run()) for name in ("figure-1", "table-1", "example-1")}


# What is printed


def test_figure_1_exactly() -> None:
    ours = figure_1.values()
    assert {name: round(ours[name], 3) for name in paper.FIGURE_1_VALUES} == paper.FIGURE_1_VALUES
    assert ours["P_tree, depth 2"] == pytest.approx(15 / 27, abs=1e-12)
    assert ours["P_tree, depth 2, ordered"] == pytest.approx(13 / 29, abs=1e-12)
    tables = [block for block in figure_1.report(Run()).blocks if isinstance(block, Table)]
    assert {row[-1] for table in tables for row in table.rows if row[2]} == {"yes"}


def test_table_1_exactly() -> None:
    assert table_1.values(Reference.ROOT) == pytest.approx(paper.TABLE_1, abs=1e-12)
    # By the convention of Figure 1 two of the six differ from the printed ones.
    by_parent = {pair: 7 / 9 if value == 5 / 6 else value for pair, value in paper.TABLE_1.items()}
    assert table_1.values(Reference.PARENT) == pytest.approx(by_parent, abs=1e-12)


PRINTED_LINES = {
    "Budapest": "d4 Nf6 c4 e5 d5 Bc5 Bg5 Ne4",
    "Caro-Kann": "e4 c6 d3 d5 Nd2 dxe4 dxe4 Nf6 Ngf3 Bg4 e5 Nd5 h3 Bh5 c4 Nb6 e6 Na6 Ne5",
    "Kieninger": "d4 Nf6 c4 e5 dxe5 Ng4 Bf4 Nc6 Nf3 Bb4+ Nbd2 Qe7 a3 Ngxe5",
    "Légal": "e4 e5 Nf3 Nc6 Bc4 d6 Nc3 Bg4 Nxe5",
}


@pytest.mark.parametrize("trap", paper.TRAPS, ids=lambda trap: trap.name)
def test_the_traps_are_those_of_the_paper(trap: paper.BenchmarkTrap) -> None:
    board = chess.Board()
    for san in PRINTED_LINES[trap.name].split():
        board.push_san(san)
    assert board.fen() == trap.fen
    assert (trap.fen, *trap.line[:2], trap.mate_in) == FIGURE_2[trap.name]
    for move in trap.line:
        board.push(board.parse_uci(move))
    assert board.is_checkmate()


# Table 2


@pytest.mark.parametrize(
    ("trap", "counts"),
    [
        (BUDAPEST, (1196, 22, 241, 440, 651, 751)),
        (CARO_KANN, (1078, 5, 286, 530, 623, 634)),
        (KIENINGER, (1173, 21, 390, 747, 884, 716)),
        (LEGAL, (1634, 2, 240, 435, 972, 1015)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_positions_around_a_trap(run: Run, trap: paper.BenchmarkTrap, counts: tuple[int, ...]) -> None:
    ((name, *found),) = table_2.sizes(run, [trap]).rows
    assert (name, tuple(map(int, found))) == (trap.name, counts)
    assert all(Kind.LINE in n.kinds for n in run.neighbours(trap) if Kind.STRICT in n.kinds)
    assert all(Kind.EXISTS in n.kinds for n in run.neighbours(trap) if Kind.STRICT in n.kinds)


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("continuations 1, SAN", Kind.LINE, (0.218, 0.373)),
        ("continuations 1, UCI", Kind.BAIT, (0.379, 0.415)),
        ("sequences 2, SAN", Kind.BAIT, (0.249, 0.412)),
        ("sequences 2, UCI", Kind.STRICT, (0.044, 0.466)),
        ("sequences 2, UCI + captures", Kind.EXISTS, (0.197, 0.350)),
        ("board", Kind.STRICT, (0.044, 0.985)),
    ],
)
def test_our_table_2_on_the_kieninger_trap(run: Run, name: str, kind: Kind, expected: tuple[float, float]) -> None:
    """Not the paper's numbers, which cannot be had exactly: these are to stay what they are."""
    found = retrieval.mistakes(run.similarities(candidate(name), KIENINGER), run.wanted(KIENINGER, kind))
    assert (round(found.false_negatives, 3), round(found.false_positives, 3)) == expected


#: Mean of the four traps by an independent reproduction: strict, line, bait, exists.
AREAS = {
    "sequences 2, UCI": (0.903, 0.793, 0.769, 0.774),
    "sequences 2, UCI + captures": (0.903, 0.810, 0.795, 0.769),
    "sequences 2, SAN + captures": (0.828, 0.776, 0.747, 0.764),
    "continuations 2, UCI": (0.877, 0.739, 0.703, 0.791),
    "continuations 1, UCI": (0.829, 0.675, 0.695, 0.672),
    "continuations 1, SAN": (0.745, 0.650, 0.633, 0.669),
    "S on continuations 1, SAN": (0.726, 0.650, 0.681, 0.630),
    "S on continuations 1, SAN, padded": (0.726, 0.649, 0.679, 0.632),
    "move-count ratio": (0.724, 0.642, 0.681, 0.623),
    "board": (0.472, 0.474, 0.479, 0.480),
}
SLOW_AREAS = {
    # Ours: that reproduction does not say in which order it puts children, and its areas are up to .024 lower.
    "tree-edit 2, UCI": (0.870, 0.819, 0.774, 0.775),
    "S on sequences 2, SAN": (0.746, 0.658, 0.692, 0.637),
    "S on sequences 2, SAN, padded": (0.745, 0.630, 0.675, 0.639),
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [*AREAS.items(), *(pytest.param(*item, marks=pytest.mark.experiment) for item in SLOW_AREAS.items())],
)
def test_the_areas_of_an_independent_reproduction(run: Run, name: str, expected: tuple[float, ...]) -> None:
    found = [table_2.mean_auc(run, candidate(name), kind) for kind in Kind]
    assert found == pytest.approx(expected, abs=0.01)


def test_the_control_column_is_impossible(run: Run) -> None:
    table, impossible = table_2.control(run)
    assert impossible == len(paper.TRAPS)
    assert [row[-1] for row in table.rows] == ["none"] * len(paper.TRAPS)
    assert table_2.differing(run, BUDAPEST) == {3: 54, 4: 1110, 6: 32}


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=60), st.integers(0, 5), st.booleans())
def test_a_possible_control_column_is_found(around: list[tuple[int, bool]], limit: int, more: bool) -> None:
    """Whatever some threshold really gives, from either side, is never called impossible."""
    scores = [squares if more else -squares for squares, _ in around]
    wanted = [want for _, want in around]
    if len(set(wanted)) < 2:
        return
    got = retrieval.mistakes(scores, wanted, limit if more else -limit)
    printed = (round(got.false_negatives, 3), round(got.false_positives, 3))
    assert sum(wanted) in table_2.trap_counts(Counter(squares for squares, _ in around), printed)


# Retrieval

SCORED = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=40).filter(
    lambda pairs: len({want for _, want in pairs}) == 2
)


@given(SCORED)
def test_auc_is_how_often_a_wanted_one_is_ahead(pairs: list[tuple[int, bool]]) -> None:
    scores, wanted = [float(score) for score, _ in pairs], [want for _, want in pairs]
    ahead = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for (a, _), (b, _) in product([p for p in pairs if p[1]], [p for p in pairs if not p[1]])
    ]
    assert retrieval.auc(scores, wanted) == pytest.approx(fmean(ahead))
    curve = retrieval.roc(scores, wanted)
    assert (curve[0], curve[-1]) == ((0, 0), (1, 1))
    assert curve == sorted(curve)


@given(SCORED)
def test_average_precision(pairs: list[tuple[int, bool]]) -> None:
    scores, wanted = [float(score) for score, _ in pairs], [want for _, want in pairs]
    precisions = [
        fmean(want for score, want in pairs if score >= limit) for limit in (score for score, want in pairs if want)
    ]
    assert retrieval.average_precision(scores, wanted) == pytest.approx(fmean(precisions))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_ranks(values: list[int]) -> None:
    assert retrieval.ranks([float(v) for v in values]) == list(stats.rankdata(values))


def test_mistakes_at_the_mean() -> None:
    found = retrieval.mistakes([0.0, 0.4, 0.6, 1.0], [True, False, False, True])
    assert found == retrieval.Mistakes(0.5, 0.5)
    assert retrieval.mistakes([0.5, 0.5], [True, False]) == retrieval.Mistakes(1.0, 0.0)
    assert retrieval.spearman([1, 2, 3], [10, 30, 20]) == pytest.approx(0.5)


# The 85 %


def test_the_85_percent_come_with_as_many_false_positives(run: Run) -> None:
    found = recall.outcome(run, candidate("S on continuations 1, SAN"), Kind.STRICT, draws=400)
    assert found.recall == pytest.approx(0.90, abs=0.02)
    assert found.false_positives == pytest.approx(0.62, abs=0.02)
    assert 0.64 <= found.above <= 0.74
    assert found.recall == pytest.approx(fmean(found.by_trap))


def test_samples_of_a_measure_that_knows_and_of_one_that_does_not(run: Run) -> None:
    strict = {n.fen: Kind.STRICT in n.kinds for trap in paper.TRAPS for n in run.neighbours(trap)}
    knows = recall.outcome(run, Candidate("knows", lambda _, fen: float(strict[fen])), Kind.STRICT, draws=20)
    assert (knows.recall, knows.false_positives, knows.spread, knows.reached) == (1, 0, 0, 1)
    blind = recall.outcome(run, Candidate("blind", lambda _, fen: 1.0), Kind.STRICT, draws=20)
    assert (blind.recall, blind.false_positives, blind.reached) == (0, 0, 0)


# Table 3


def test_table_3() -> None:
    """Ours to stay what they are; the baseline, which matches nothing, does as well as the first."""
    ours = table_3.reproduced(table_3.matched)
    assert (sum(ours), sum(ours[:6])) == (9, 4)
    assert sum(table_3.reproduced(table_3.matched_to_root)) == 10
    assert sum(table_3.reproduced(table_3.most_frequent_checks)) == 9


@pytest.mark.experiment
def test_table_3_by_scipys_ties() -> None:
    assert sum(table_3.reproduced(table_3.matched_by_scipy)) == 11


def test_scipys_ties_on_one_pair() -> None:
    row = paper.TABLE_3[1]
    pairs = table_3.matched_by_scipy(table_3.position(row.first), table_3.position(row.second))
    assert pairs[0] == table_3.printed_top(row) == ("Bf7", "Nf3")


def test_two_rows_of_table_3_are_impossible() -> None:
    assert [row.top for row in paper.TABLE_3 if table_3.impossible(row)] == [("Bf2#", "Bd2+"), ("Qc3+", "Rg5+")]
    assert table_3.legal_entries(plies=2) == (8, 9)
    assert table_3.legal_entries(plies=1) == (2, 9)


# Example 1, sampling


@pytest.mark.parametrize("b", [3, 7])
def test_example_1(b: int) -> None:
    one_reply, two_moves, cut = (example_1.values(case, b) for case in example_1.CASES)
    edges = b * b + b
    assert one_reply == pytest.approx(
        {"P_cont": 2 * b / (2 * b + 1), "P_seq": 1 - 1 / b**2, "P_tree": 1 - 2 / (2 * edges + 1)}
    )
    assert two_moves == pytest.approx(
        {"P_cont": (b - 1) / (b + 1), "P_seq": (b - 2) / b, "P_tree": 1 - 4 / (2 * edges + 2)}
    )
    assert cut == pytest.approx({"P_cont": 1 / 2, "P_seq": 2 / (b + 2), "P_tree": 1 / (b + 1)})
    assert example_1.holds("P_cont < P_seq", one_reply)
    assert not example_1.holds("P_cont < P_seq", two_moves)


def test_errors_of_estimates() -> None:
    exact = [[0.2, 0.4, 0.6], [0.1, 0.5, 0.9]]
    wanted = [[False, False, True], [False, True, True]]
    none = sampling.errors(exact, [[Estimate(v, 0.0) for v in values] for values in exact], wanted)
    assert (none.distance, none.bias, none.stated, none.rank_correlation, none.area) == pytest.approx((0, 0, 0, 1, 1))
    high = sampling.errors(exact, [[Estimate(v + 0.1, 0.2) for v in values] for values in exact], wanted)
    assert (high.distance, high.bias, high.stated) == pytest.approx((0.1, 0.1, 0.2))
    turned = sampling.errors(exact, [[Estimate(-v, 0.0) for v in values] for values in exact], wanted)
    assert (turned.rank_correlation, turned.area) == pytest.approx((-1, 0))


# Reports and the command


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.625, 3, ".625"), (-0.0214, 3, "-.021"), (1.0, 3, "1"), (0.0, 2, "0"), (0.9996, 3, "1"), (4.61, 1, "4.6")],
)
def test_numbers_look_as_in_the_paper(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_a_report_as_markdown() -> None:
    report = Report("Title", ("Text.", Table(("a", "long | name"), (("1", "2"),))))
    assert (
        markdown(report, 2)
        == "## Title\n\nText.\n\n| a | long \\| name |\n|---|--------------|\n| 1 | 2            |\n"
    )


app = typer.Typer()
app.command()(command)


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("CONFIG", "JOBS"):
        monkeypatch.delenv(f"TRAPLINE_{variable}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def invoke(*arguments: str) -> tuple[str, str]:
    """Standard output and standard error of a command that succeeds."""
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout, result.stderr


def test_the_command_writes_what_it_prints(tmp_path: Path) -> None:
    out, account = tmp_path / "a" / "b", tmp_path / "account.md"
    stdout, stderr = invoke("table-1", "figure-1", "table-1", "--output", str(out), "--report", str(account))
    texts = [markdown(registry.EXPERIMENTS[name].report(Run())) for name in ("figure-1", "table-1")]
    assert stdout == "\n".join(texts)
    for name, title, text in (("figure-1", "Figure 1", texts[0]), ("table-1", "Table 1", texts[1])):
        assert (out / f"{name}.md").read_text("utf-8") == f"{text}\n![{title}]({name}.svg)\n"
        assert (out / f"{name}.svg").read_text("utf-8").startswith("<?xml")
    assert "figure-1: " in stderr
    written = account.read_text("utf-8")
    assert "`trapline research paper table-1 figure-1 table-1 --seed 0 --report FILE`" in written
    assert all(f"\n#{text}" in written for text in texts)


@pytest.mark.slow
def test_the_command_draws(quick: dict[str, Report], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for folder in ("one", "two"):
        _, stderr = invoke("figure-1", "table-1", "--output", str(tmp_path / folder))
        assert "matplotlib" not in stderr
    names = {"figure-1.md", "figure-1.svg", "table-1.md", "table-1.svg"}
    assert {path.name for path in (tmp_path / "one").iterdir()} == names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert "](figure-1.svg)" in (tmp_path / "one" / "figure-1.md").read_text("utf-8")
    draw(quick["example-1"].plots[0], tmp_path / "lines.svg")
    drawn = (tmp_path / "lines.svg").read_text("utf-8")
    assert "T3 is cut short" in drawn
    assert "stroke-dasharray" in drawn


def test_the_list_names_every_experiment() -> None:
    stdout, _ = invoke("--list")
    assert [line.split()[0] for line in stdout.splitlines()] == list(registry.EXPERIMENTS)
    assert registry.experiments_named(["all"]) == list(registry.EXPERIMENTS.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["figure1"], "unknown experiment 'figure1': did you mean 'figure-1'"),
        (["figure-1", "al"], "did you mean 'all'"),
        ([], "needs a name, or all"),
        (["figure-1", "--jobs", "0"], "jobs must be at least 1"),
        (["figure-1", "--seed", "-1"], "seed must be"),
    ],
)
def test_refusals(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        invoke(*arguments)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot make the folder"):
        invoke("figure-1", "--output", str(tmp_path / "file"))
    with pytest.raises(OutputError, match="this is a directory"):
        invoke("figure-1", "--report", str(tmp_path))


@pytest.mark.slow
def test_a_plot_has_as_many_values_as_places(quick: dict[str, Report]) -> None:
    series = [s for report in quick.values() for plot in report.plots for panel in plot.panels for s in panel.series]
    assert series
    assert all(len(s.x) == len(s.y) > 0 for s in series)
    assert all(np.isfinite(s.y).all() for s in series)


@pytest.mark.parametrize("name", ["figure-1", "table-1", "example-1"])
def test_the_account_says_what_the_command_says(quick: dict[str, Report], name: str) -> None:
    assert markdown(quick[name], 2) in ACCOUNT.read_text("utf-8")
