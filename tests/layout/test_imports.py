"""Imports go downward, and load no more than is used."""

import ast
import json
import subprocess
import sys

import pytest

from tests.layout.modules import LEVELS, PACKAGES, ROOT, imports, modules, syntax_tree

LEVEL = {package: number for number, level in enumerate(LEVELS) for package in level}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_from_lower_levels(package: str) -> None:
    # Packages on one level do not know each other either.
    own = [name for name in modules() if name.partition(".")[0] == package]
    assert own
    upward = [
        (name, target)
        for name in own
        for target in imports(name)
        if (other := target.partition(".")[0]) != package and LEVEL.get(other, -1) >= LEVEL[package]
    ]
    assert upward == []


def test_nothing_below_the_command_line_reads_the_settings_by_itself() -> None:
    below = [name for name in modules() if LEVEL[name.partition(".")[0]] < LEVEL["trapline"]]
    readers = [name for name in below if any(target.startswith("trapline.settings") for target in imports(name))]
    # By a name in a text too, as `importlib.import_module` takes it.
    constants = [
        (name, node.value)
        for name in below
        for node in ast.walk(syntax_tree(modules()[name]))
        if isinstance(node, ast.Constant)
    ]
    assert constants
    assert readers + [name for name, value in constants if value == "trapline.settings"] == []


def loaded(module: str) -> list[str]:
    """Names of all modules that are loaded after an import in a new process."""
    code = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def test_the_command_line_loads_no_package_before_it_is_used() -> None:
    assert not {"db", "annotator", "sqlalchemy", "chess"} & set(loaded("trapline.program"))


def test_a_query_as_a_value_loads_neither_the_terminal_nor_a_server() -> None:
    names = set(loaded("db.query.query"))
    assert not {"typer", "click", "rich", "fastapi", "uvicorn", "scipy", "matplotlib"} & names
    of_the_product = {name for name in names if name.partition(".")[0] in PACKAGES}
    assert len(of_the_product) <= 60, sorted(of_the_product)
