"""No circles: the files of the Rust core are in an order."""

from tests.layout import rust_modules
from tests.layout.test_maps import core_table


def test_no_rust_files_use_each_other_in_a_circle() -> None:
    graph = {
        "/".join(module) or "lib": {"/".join(used) or "lib" for used in rust_modules.uses(module)}
        for module in rust_modules.files()
    }
    assert rust_modules.circles(graph) == []


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
