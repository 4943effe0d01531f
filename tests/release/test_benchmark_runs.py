"""Benchmark runs that are kept: what is saved, what is compared, and the paired run of two installations."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from trapcore.errors import InputError
from workshop.benchmarks import __main__ as benchmarks
from workshop.benchmarks.comparison import compare_runs
from workshop.benchmarks.saved_runs import FOLDER, Machine, Run, load_run, save_run
from workshop.benchmarks.table import Row

QUIET = Machine("a processor", 2, "Linux x86_64", "3.11.2", 0.1)
FIRST = Run(
    "core",
    "2026-11-22T10:00:00+00:00",
    "0123456789ab",
    QUIET,
    {
        "core": [Row("trees", "10 us", "100 us", 10.0), Row("games", "5/s", "1/s", 5.0), Row("bytes", "157", "")],
        "prover": [Row("mates", "26 us", "1 ms", 40.0, 30.0), Row("gone", "1 s", "2 s", 2.0)],
    },
)
SECOND = replace(
    FIRST,
    date="2026-11-23T10:00:00+00:00",
    machine=replace(QUIET, load=3.0),
    benchmarks={
        "core": [Row("trees", "9 us", "100 us", 11.0), Row("games", "5/s", "1/s", 5.2), Row("bytes", "150", "")],
        "prover": [Row("mates", "30 us", "1 ms", 35.0, 30.0), Row("new", "1 s", "2 s", 2.0)],
    },
)


def test_a_run_is_read_as_it_was_saved(tmp_path: Path) -> None:
    path = save_run(SECOND, tmp_path)
    assert path.name == "2026-11-23-core.json"
    assert load_run(path) == SECOND
    assert json.loads(path.read_text("utf-8"))["busy"] is True


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": 1}', '{"benchmarks": {"core": [{"no": 1}]}}'])
def test_a_file_that_is_no_run_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(text, "utf-8")
    with pytest.raises(InputError, match="no saved run"):
        load_run(tmp_path / "run.json")


def test_ratios_are_compared_with_a_tolerance_of_a_twentieth() -> None:
    assert {(row.benchmark, row.what): row.kind for row in compare_runs(FIRST, SECOND)} == {
        ("core", "trees"): "higher",
        ("core", "games"): "same",
        ("core", "bytes"): "no ratio",
        ("prover", "mates"): "lower",
        ("prover", "gone"): "only in the first",
        ("prover", "new"): "only in the second",
    }


def test_the_command_compares_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(save_run(run, tmp_path)) for run in (FIRST, SECOND)]
    assert benchmarks.main(["compare", *paths]) == 0
    out = capsys.readouterr().out
    assert "2026-11-23 core: 0123456789ab, 2 × a processor, busy (load 3.0)" in out
    assert out.endswith(
        "2 of 3 ratios changed by more than 5%\n  higher: core, trees: 1.10\n  lower: prover, mates: 0.88\n"
    )
    assert benchmarks.main(["compare", paths[0], str(tmp_path / "absent.json")]) == 3


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_every_run_that_is_kept_can_be_read(path: Path) -> None:
    run = load_run(path)
    assert path.name == f"{run.date[:10]}-{run.name}.json"
    assert all(run.benchmarks.values())
