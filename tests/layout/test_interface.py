"""The declared interface of the packages that programs use."""

import ast
import importlib
import inspect
import subprocess
import sys

import pytest

from tests.layout.modules import ROOT

PACKAGES = ("trapcore", "db", "db.query", "annotator")


@pytest.mark.parametrize("name", PACKAGES)
def test_the_stub_declares_the_names_of_the_package_by_their_modules(name: str) -> None:
    stub = ast.parse((ROOT.joinpath(*name.split("."), "__init__.pyi")).read_text("utf-8"))
    package = importlib.import_module(name)
    declared = {
        alias.name: statement.module
        for statement in stub.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.asname == alias.name
    }
    assert declared == vars(package)["_MODULE_OF"]
    assert sorted(package.__all__, key=str.lower) == list(package.__all__) == list(vars(package)["_MODULE_OF"])


@pytest.mark.parametrize("name", PACKAGES)
def test_every_name_of_the_interface_is_there_and_documented(name: str) -> None:
    package = importlib.import_module(name)
    for attribute in package.__all__:
        value = getattr(package, attribute)
        assert value is getattr(importlib.import_module(vars(package)["_MODULE_OF"][attribute]), attribute)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, attribute
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        vars(package)["__getattr__"]("Nothing")


def test_importing_the_packages_loads_nothing_that_is_not_used() -> None:
    code = "import annotator, db, sys, trapcore; print({'chess', 'sqlalchemy', 'trapcore._native'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
