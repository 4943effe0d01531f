"""The hosted CI, the hooks before a commit and the templates: in step with what is run here, nothing left unpinned."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CI = ROOT / ".github" / "workflows" / "ci.yml"


def read(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def jobs(path: Path = CI) -> dict[str, Any]:
    found: dict[str, Any] = read(path)["jobs"]
    return found


def commands(job: dict[str, Any]) -> Iterator[str]:
    """The lines that a job runs."""
    for step in job["steps"]:
        yield from step.get("run", "").splitlines()


def ci_run() -> str:
    return (ROOT / ".ci" / "run").read_text("utf-8")


def make_targets(lines: str) -> set[str]:
    """What `make` is called with, comments aside."""
    uncommented = re.sub(r"^\s*#.*$", "", lines, flags=re.MULTILINE)
    return set(re.findall(r"\bmake ([a-z][a-z-]*)", uncommented))


def test_linux_runs_what_is_run_before_a_change_lands() -> None:
    assert list(commands(jobs()["linux"]))[-1] == ".ci/run"
    assert {"check-python", "check-rust", "test"} <= make_targets(ci_run())
    # Here a skipped test fails the run; the hosted CI, which has no data, says otherwise.
    assert "\nexport CI=true\n" in ci_run()
    assert read(CI)["env"]["ALLOW_SKIPPED_TESTS"] == "yes"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_target_is_in_the_makefile(path: Path) -> None:
    there = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for job in jobs(path).values():
        assert make_targets("\n".join(commands(job))) <= there


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_nothing_is_unpinned(path: Path) -> None:
    text = path.read_text("utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v[0-9.]+", comment), action
    assert "-latest" not in text
    assert read(path)["permissions"] == {"contents": "read"}


def test_every_python_and_system_is_tested() -> None:
    linux, others = (jobs()[name]["strategy"]["matrix"] for name in ("linux", "others"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert linux["python"][0] == project["requires-python"].removeprefix(">=")
    minors = [int(python.removeprefix("3.")) for python in linux["python"]]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert others["python"] == [linux["python"][0], linux["python"][-1]]
    classified = [line.rsplit(" ", 1)[1] for line in project["classifiers"] if "Python :: 3." in line]
    assert classified == linux["python"]
    assert {system.partition("-")[0] for system in others["system"]} == {"macos", "windows"}
    wheels = {system.partition("-")[0] for system in jobs()["wheel"]["strategy"]["matrix"]["system"]}
    assert wheels == {"ubuntu", "macos", "windows"}


def test_the_compiler_is_new_enough() -> None:
    cargo = tomllib.loads((ROOT / "trapcore" / "native" / "Cargo.toml").read_text("utf-8"))
    used, least = read(CI)["env"]["RUST"], cargo["package"]["rust-version"]
    assert [int(part) for part in used.split(".")] >= [int(part) for part in least.split(".")]
    for job in jobs().values():
        assert sum('rustup default "$RUST"' in line for line in commands(job)) == 1


def test_hooks_run_what_make_check_runs_and_fetch_nothing() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    check = makefile.partition("\ncheck:")[2].partition("\nSHARED")[0].partition("# The certificates")[0]
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    hooks = repository["hooks"]
    assert [hook["id"] for hook in hooks] == ["ruff-check", "ruff-format", "mypy", "cargo-fmt"]
    for hook in hooks:
        assert hook["language"] == "system"
        command = hook["entry"].removeprefix(".venv/bin/").split(" --")[0]
        assert command in check, hook["id"]
