"""What is imported loads no more than is used; that imports go downward is checked by lint-imports."""

import ast
import json
import subprocess
import sys

from tests.layout.modules import PACKAGES, ROOT, python_files, syntax_tree


def test_nothing_below_the_command_line_names_the_settings() -> None:
    # A name in a text, as `importlib.import_module` takes it; lint-imports sees the other imports.
    below = python_files(PACKAGES[: PACKAGES.index("trapline")])
    constants = [
        (path, node.value) for path in below for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.Constant)
    ]
    assert constants
    assert [path for path, value in constants if value == "trapline.settings"] == []


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
