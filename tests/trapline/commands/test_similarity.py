"""``trapline similarity`` and ``trapline match``, run as commands."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.support.chess_positions import FIGURE_2
from tests.support.command_line import CommandLine
from trapcore.errors import InputError, UsageError
from trapcore.measures import move_matching as matching
from trapcore.trees.chess_game import chess_tree
from trapline.commands.similarity import match, similarity
from workshop.reference.measures import (
    baselines,
    continuations,
    sampled,
    sequences,
    structural,
    tanimoto,
    tree_edit,
)

app = typer.Typer()
app.command()(similarity)
app.command()(match)

BUDAPEST, LEGAL = FIGURE_2["Budapest"][0], FIGURE_2["Légal"][0]
NEAR = "rnbqk2r/pppp1ppp/8/2bPp1B1/2P1n3/1P6/P3PPPP/RN1QKBNR w KQkq - 0 6"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
STALEMATE = "7k/8/8/8/8/8/5q2/7K w - - 0 1"

COMMANDS = CommandLine(app)
run, answer, refusal = COMMANDS.run, COMMANDS.answer, COMMANDS.refusal


def test_similarity_by_default() -> None:
    assert answer("similarity", BUDAPEST, LEGAL) == {
        "measure": "sequences",
        "depth": 2,
        "value": sequences.of_positions(BUDAPEST, LEGAL),
        "baselines": {
            "move-count-ratio": baselines.move_count_ratio_of_positions(BUDAPEST, LEGAL),
            "board": baselines.board_similarity_of_positions(BUDAPEST, LEGAL),
        },
    }


def test_similarity_by_each_measure() -> None:
    found = answer("similarity", BUDAPEST, NEAR, "--measure", "continuations", "--depth", "1")
    assert found["value"] == continuations.of_positions(BUDAPEST, NEAR, depth=1)
    found = answer("similarity", BUDAPEST, NEAR, "--depth", "3")
    assert (found["depth"], found["value"]) == (3, sequences.of_positions(BUDAPEST, NEAR, depth=3))
    found = answer("similarity", BUDAPEST, NEAR, "--measure", "structural")
    assert (found["depth"], found["value"]) == (1, structural.of_positions(BUDAPEST, NEAR, labels="san"))
    found = answer("similarity", BUDAPEST, NEAR, "--measure", "tanimoto")
    assert found["value"] == tanimoto.of_positions(BUDAPEST, NEAR)
    found = answer("similarity", BUDAPEST, NEAR, "--measure", "tree-edit")
    assert (found["depth"], found["value"]) == (2, tree_edit.of_positions(BUDAPEST, NEAR))
    found = answer("similarity", BUDAPEST, LEGAL, "--measure", "sampled", "--depth", "2")
    estimate = sampled.of_positions(BUDAPEST, LEGAL, labels="san", depth=2)
    assert (found["value"], found["standard_error"]) == (estimate.value, estimate.standard_error)
    assert set(found["baselines"]) == {"move-count-ratio", "board"}


def test_similarity_explained_by_lines() -> None:
    found = answer("similarity", BUDAPEST, LEGAL, "--explain")["explanation"]
    tree1, tree2 = (chess_tree(fen, 2) for fen in (BUDAPEST, LEGAL))
    k1, k2 = sequences.simplified(tree1, 2), sequences.simplified(tree2, 2)
    assert {one["line"] for one in found["shared"]} == {" ".join(line) for line in k1.keys() & k2.keys()}
    assert {one["line"]: one["times"] for one in found["first_only"]} == {
        " ".join(line): k for line, k in k1.items() if line not in k2
    }
    assert len(found["second_only"]) == len(k2.keys() - k1.keys())
    found = answer("similarity", BUDAPEST, LEGAL, "--measure", "continuations", "--explain")["explanation"]
    moves = [chess_tree(fen, 2).labels(2) for fen in (BUDAPEST, LEGAL)]
    assert [one["line"] for one in found["shared"]] == sorted(moves[0] & moves[1])
    text = run("similarity", BUDAPEST, NEAR, "--explain").splitlines()
    assert [line for line in text if line.startswith(("shared: ", "only in the first: ", "only in the second: "))]


def pairs_file(folder: Path) -> Path:
    path = folder / "pairs.txt"
    lines = [
        "# pairs",
        f"{BUDAPEST}\t{LEGAL}\tthe first",
        "",
        json.dumps({"first": BUDAPEST, "second": NEAR, "id": 7}),
        json.dumps([LEGAL, LEGAL]),
        f"{BUDAPEST} {LEGAL}",
        f"{BUDAPEST}\tnonsense",
        '{"first": 3}',
        "[" * 15_000,
        "[1, 2",
        f"{MATED}\t{MATED}",
    ]
    path.write_text("\n".join(lines))
    return path


def test_similarity_of_a_file(tmp_path: Path) -> None:
    path = pairs_file(tmp_path)
    result = CliRunner().invoke(app, ["similarity", "--input", str(path), "--json"], catch_exceptions=False)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["line_number"] for one in found] == [2, 4, 5, 6, 7, 8, 9, 10, 11]
    assert [one.get("value") for one in found] == [
        sequences.of_positions(BUDAPEST, LEGAL), sequences.of_positions(BUDAPEST, NEAR), 1.0,
        None, None, None, None, None, 1.0,
    ]  # fmt: skip
    assert [one.get("id") for one in found[:3]] == ["the first", "7", None]
    assert all("error" in one for one in found[3:8])
    assert found[0]["baselines"]["board"] == baselines.board_similarity_of_positions(BUDAPEST, LEGAL)
    assert result.stderr == f"trapline: {path}: 5 of 9 lines could not be compared\n"
    result = CliRunner().invoke(app, ["similarity", "--input", str(path), "--measure", "terminal"])
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == [
        "2",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "10",
        "11",
    ]
    assert "8 of 9 lines" in result.stderr


@pytest.mark.parametrize("text", ["", "nonsense\n", f"{BUDAPEST}\n"])
def test_a_file_without_a_pair(tmp_path: Path, text: str) -> None:
    path = tmp_path / "none.txt"
    path.write_text(text)
    assert isinstance(refusal("similarity", "--input", str(path)), InputError)


def test_similarity_for_people() -> None:
    lines = run("similarity", BUDAPEST, BUDAPEST).splitlines()
    assert lines == [
        "sequences, depth 2          1.0000",
        "baseline: move-count ratio  1.0000",
        "baseline: board             1.0000",
    ]
    first = run("similarity", BUDAPEST, LEGAL, "--measure", "structural").splitlines()[0]
    assert first.startswith("structural, depth 1         0.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--measure", "abstracted"), "compares a move and its answer with those of a library, not two positions"),
        (("--measure", "sequence"), "did you mean 'sequences'"),
        (("--depth", "4"), "depth must be 1..3"),
        (("--depth", "0"), "depth must be 1..3"),
        (("--measure", "structural", "--depth", "3"), "depth must be 1..2"),
        (("--measure", "tree-edit", "--depth", "3"), "some 40,000 moves"),
        (("--measure", "tree-edits"), "did you mean 'tree-edit'"),
        (("--measure", "sampled", "--depth", "3"), "depth must be 1..2"),
        (("--measure", "terminal", "--depth", "1"), "terminal compares results"),
        (("--input", "pairs.txt"), "not both"),
    ],
)
def test_similarity_refuses(options: tuple[str, ...], message: str) -> None:
    error = refusal("similarity", BUDAPEST, LEGAL, *options)
    assert isinstance(error, UsageError)
    assert message in str(error)


def test_match() -> None:
    found = answer("match", BUDAPEST, LEGAL, "--top", "3")
    pairs = matching.of_positions(BUDAPEST, LEGAL, top=3)
    assert [(p["first"], p["second"], p["count"], p["chances"], p["distance"]) for p in found["pairs"]] == [
        (p.first, p.second, p.count, p.chances, p.distance) for p in pairs
    ]
    assert "after" not in found["pairs"][0]
    assert found["baselines"] == {
        "most-frequent-check": [matching.frequent_check(BUDAPEST), matching.frequent_check(LEGAL)]
    }


def test_match_of_a_killer() -> None:
    found = answer("match", BUDAPEST, LEGAL, "--move", "Bxf2#", "--explain")
    assert {pair["first"] for pair in found["pairs"]} == {"Bf2"}
    assert found["pairs"][0]["second"] == "Bf7"
    assert len(found["pairs"][0]["after"]) == found["pairs"][0]["count"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--top", "0"), "top must be at least 1"),
        (("--move", "Bf22"), "did you mean 'Bf2'"),
    ],
)
def test_match_refuses(options: tuple[str, ...], message: str) -> None:
    error = refusal("match", BUDAPEST, LEGAL, *options)
    assert isinstance(error, UsageError)
    assert message in str(error)
