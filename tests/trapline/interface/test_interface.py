"""The names of ``trapline``: declared, documented, with doctests that run, and loaded when they are used."""

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import trapline
from trapline.interface import games, library, measures, moves

ROOT = Path(__file__).parents[3]
FUNCTIONS = ("annotate", "mistakes", "check", "propose", "similarity", "tree", "open")


def test_type_checkers_see_the_names_where_they_are_imported_from() -> None:
    source = ast.parse((ROOT / "trapline" / "__init__.py").read_text("utf-8"))
    block = next(statement for statement in source.body if isinstance(statement, ast.If))
    seen = {
        alias.asname: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert seen == vars(trapline)["_MODULE_OF"]


@pytest.mark.parametrize("name", trapline.__all__)
def test_a_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(trapline, name)
    assert value is getattr(importlib.import_module(vars(trapline)["_MODULE_OF"][name]), name)
    assert inspect.getdoc(value)
    assert name in dir(trapline)


def test_an_unknown_name_is_an_attribute_error_and_an_error_of_types(tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'annotated'"):
        vars(trapline)["__getattr__"]("annotated")
    program = tmp_path / "program.py"
    program.write_text("import trapline\ntrapline.annotated\nreveal_type(trapline.annotate('1. e4 *'))\n")
    line = [sys.executable, "-m", "mypy", "--cache-dir", str(ROOT / ".mypy_cache"), str(program)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 'Module has no attribute "annotated"' in done.stdout
    assert 'Revealed type is "str"' in done.stdout.replace("builtins.", "")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_typed_and_documented_with_its_errors(name: str) -> None:
    function = getattr(trapline, name)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(each.annotation is not inspect.Parameter.empty for each in signature.parameters.values())
    assert "\nRaises:\n" in inspect.getdoc(function)  # type: ignore[operator]
    assert doctest.DocTestFinder(recurse=False).find(function, name)[0].examples


@pytest.mark.parametrize("module", [trapline, games, library, measures, moves], ids=lambda module: module.__name__)
def test_the_examples_of_the_docstrings_come_out(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert (found.failed, found.attempted > 2) == (0, True)


def test_importing_trapline_loads_nothing_that_is_not_used() -> None:
    code = "import trapline, sys; print({'chess', 'sqlalchemy', 'typer', 'trapcore', 'db'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_help_shows_the_functions() -> None:
    code = "import trapline; help(trapline)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(f"    {name}(" in done.stdout for name in FUNCTIONS)
