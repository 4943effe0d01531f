"""The experiments of the paper: exact where it can be reproduced, our own numbers where it cannot, and the command."""

from itertools import product
from pathlib import Path
from statistics import fmean

import chess
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.support.chess_positions import FIGURE_2
from workshop.commands.paper import paper as command
from workshop.paper import (
    example_1,
    figure_1,
    paper,
    recall,
    registry,
    retrieval,
    table_1,
    table_2,
    table_3,
)
from workshop.paper.benchmark import Kind, Run, candidate
from workshop.reference.measures.options import Reference
from workshop.report import Report, Table, markdown

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


# The 85 %


def test_the_85_percent_come_with_as_many_false_positives(run: Run) -> None:
    found = recall.outcome(run, candidate("S on continuations 1, SAN"), Kind.STRICT, draws=400)
    assert found.recall == pytest.approx(0.90, abs=0.02)
    assert found.false_positives == pytest.approx(0.62, abs=0.02)
    assert 0.64 <= found.above <= 0.74
    assert found.recall == pytest.approx(fmean(found.by_trap))


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


# Reports and the command


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


@pytest.mark.parametrize("name", ["figure-1", "table-1", "example-1"])
def test_the_account_says_what_the_command_says(quick: dict[str, Report], name: str) -> None:
    assert markdown(quick[name], 2) in ACCOUNT.read_text("utf-8")
