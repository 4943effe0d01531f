"""``trapline prove``, run as a command."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.support.chess_positions import FIGURE_2
from tests.support.command_line import CommandLine
from trapcore.errors import InputError, PositionError, UsageError
from trapcore.proof.mate import Proof, replay
from trapcore.proof.verdict import Verdict
from trapline.commands.prove import prove

app = typer.Typer()
app.command()(prove)


@app.callback()
def trapline() -> None:
    """Keeps `prove` a command by name, as it is in the whole program."""


BUDAPEST, LEGAL = FIGURE_2["Budapest"][0], FIGURE_2["Légal"][0]
MATE_1 = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
MATE_2 = "r6k/6pp/7N/8/2Q5/8/8/6K1 w - -"
NO_MATE = "8/8/8/8/8/2k5/8/K7 w - -"

COMMANDS = CommandLine(app)
run, answer, refusal = COMMANDS.run, COMMANDS.answer, COMMANDS.refusal


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("CONFIG", "JOBS"):
        monkeypatch.delenv(f"TRAPLINE_{variable}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def test_prove() -> None:
    found = answer("prove", MATE_2)
    proof = Proof(Verdict(found["verdict"]), found["mate_in"], tuple(found["line"]), found["nodes"], 1)
    assert (found["fen"], found["verdict"], found["mate_in"]) == (MATE_2, "proved", 2)
    assert replay(proof, MATE_2).is_checkmate()
    assert run("prove", MATE_2) == "proved, mate in 2: 1. Qg8+ Rxg8 2. Nf7#\n"


def test_prove_what_is_none_or_not_known() -> None:
    found = answer("prove", NO_MATE, "--mate", "2")
    assert found == {"fen": NO_MATE, "verdict": "refuted", "mate_in": None, "line": [], "nodes": found["nodes"]}
    assert run("prove", NO_MATE, "--mate", "2") == "refuted: no mate in 2 or fewer\n"
    assert answer("prove", BUDAPEST, "--mate", "9", "--nodes", "50")["verdict"] == "undecided"
    assert run("prove", BUDAPEST, "--mate", "9", "--nodes", "50").startswith("undecided after 50 nodes")


@pytest.mark.parametrize(
    "options",
    [
        (),
        (MATE_1, "--input", "x.epd"),
        (MATE_1, "--mate", "0"),
        (MATE_1, "--mate", "31"),
        (MATE_1, "--nodes", "0"),
        (MATE_1, "--nodes", str(2**64)),
        (MATE_1, "--nodes", "-1", "--milliseconds", "5"),
        (MATE_1, "--milliseconds", "0"),
        (MATE_1, "--traps", "--nodes", "0"),
        (MATE_1, "--jobs", "2"),
        ("--input", "x.epd", "--jobs", "0"),
        ("--input", "x.epd", "--nodes", "0"),
    ],
)
def test_prove_refuses(options: tuple[str, ...]) -> None:
    assert isinstance(refusal("prove", *options), UsageError)


def test_prove_of_no_position() -> None:
    assert isinstance(refusal("prove", "nonsense"), PositionError)
    missing = refusal("prove", "--input", "missing.epd")
    assert isinstance(missing, InputError)
    assert "missing.epd" in str(missing)


EPD = f"""\
# mates
{MATE_2} bm #2; id "smothered";

{MATE_1} dm 1;
{NO_MATE} id "bare kings";
8/8/8/8/8/8/8/8 w - - id "empty";
three fields only
{MATE_1} 0 1
"""


@pytest.mark.parametrize("jobs", ["1", "2", "5"])
def test_prove_a_file(tmp_path: Path, jobs: str) -> None:
    path = tmp_path / "mates.epd"
    path.write_text(EPD)
    result = CliRunner().invoke(app, ["prove", "--input", str(path), "--mate", "2", "--json", "--jobs", jobs])
    assert result.exit_code == 0
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["line_number"] for one in found] == [2, 4, 5, 6, 7, 8]
    assert [one.get("verdict") for one in found] == ["proved", "proved", "refuted", None, None, "proved"]
    assert [one.get("id") for one in found] == ["smothered", None, "bare kings", None, None, None]
    assert found[0] | {"nodes": 0} == {
        "fen": MATE_2, "verdict": "proved", "mate_in": 2, "line": ["c4g8", "a8g8", "h6f7"], "nodes": 0,
        "id": "smothered", "line_number": 2,
    }  # fmt: skip
    assert set(found[3]) == {"line_number", "error"}
    assert found[1]["line"] == found[5]["line"] == ["a1a8"]
    assert result.stderr == f"trapline: {path}: 2 of 6 lines could not be read\n"


def test_prove_a_long_file_in_order(tmp_path: Path) -> None:
    """Hard and easy positions alternate, so that with several jobs the easy ones are ready first."""
    path = tmp_path / "long.epd"
    path.write_text("".join(f"{BUDAPEST[:-4]} id {i};\n{MATE_1} id {i};\n" for i in range(150)))
    options = ["prove", "--input", str(path), "--mate", "5", "--nodes", "3000", "--json"]
    outputs = [CliRunner().invoke(app, [*options, "--jobs", jobs]).stdout for jobs in ("1", "4")]
    assert outputs[0] == outputs[1]
    assert [json.loads(line)["line_number"] for line in outputs[0].splitlines()] == list(range(1, 301))


@pytest.mark.parametrize("text", ["", "# nothing\n\n", "nonsense\n", "8/8/8/8/8/8/8/8 w - -\n"])
def test_a_file_without_a_position(tmp_path: Path, text: str) -> None:
    path = tmp_path / "none.epd"
    path.write_text(text)
    error = refusal("prove", "--input", str(path), "--json")
    assert isinstance(error, InputError)
    assert error.exit_code == 3
