"""No circles: the packages of the library, the files of Python and those of the core are each in an order."""

import pytest

from tests.layout import rust_modules
from tests.layout.modules import LIBRARY_LEVELS, circles, imports, modules
from tests.layout.test_maps import core_table

LIBRARY_LEVEL = {package: number for number, level in enumerate(LIBRARY_LEVELS) for package in level}


@pytest.mark.parametrize("package", LIBRARY_LEVEL)
def test_inside_the_library_imports_go_downward_too(package: str) -> None:
    own = [name for name in modules() if f"{name}.".startswith(f"db.{package}.")]
    assert own
    upward = [
        (name, target)
        for name in own
        for target in imports(name)
        if target.startswith("db.")
        and (other := target.split(".")[1]) != package
        and LIBRARY_LEVEL[other] >= LIBRARY_LEVEL[package]
    ]
    assert upward == []


def test_no_python_files_import_each_other_in_a_circle() -> None:
    assert circles({name: imports(name) & modules().keys() for name in modules()}) == []


def test_no_rust_files_use_each_other_in_a_circle() -> None:
    graph = {
        "/".join(module) or "lib": {"/".join(used) or "lib" for used in rust_modules.uses(module)}
        for module in rust_modules.files()
    }
    assert circles(graph) == []


def test_modules_of_the_core_use_only_those_above_them_in_its_table() -> None:
    table = core_table()
    assert table
    wrong = [
        (module, used)
        for module in rust_modules.files()
        if module
        for used in rust_modules.uses(module)
        if used and used[0] != module[0] and table.index(used[0]) >= table.index(module[0])
    ]
    assert wrong == []
