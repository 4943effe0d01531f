"""Maps are true: a package's table lists what lies in its folder, that of lib.rs the modules of the core."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.layout.modules import ROOT, modules, syntax_tree
from tests.layout.rust_modules import SOURCE

TABLES = {name: path for name, path in modules().items() if path.name == "__init__.py"}


def table(docstring: str) -> list[str]:
    """First column of the table between the first two rules of ``=`` but for one; continued lines have none."""
    lines = docstring.splitlines()
    rules = [number for number, line in enumerate(lines) if re.fullmatch(r"=+ +=+", line.strip())]
    if len(rules) < 2:
        return []
    rows = lines[rules[0] + 1 : rules[1]]
    return [row.split()[0] for row in rows if row.strip() and not row[0].isspace()]


def contents(folder: Path) -> set[str]:
    """Modules and packages in a folder."""
    files = {path.name for path in folder.glob("*.py")} - {"__init__.py"}
    return files | {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}


def core_table() -> list[str]:
    """The modules in the table of lib.rs, in its order."""
    return re.findall(r"^//! \| `(\w+)` \|", (SOURCE / "lib.rs").read_text("utf-8"), re.M)


@pytest.mark.parametrize("package", TABLES)
def test_the_table_of_a_package_lists_what_lies_in_it(package: str) -> None:
    folder = TABLES[package].parent
    names = table(ast.get_docstring(syntax_tree(TABLES[package])) or "")
    assert len(names) == len(set(names))
    assert contents(folder) - set(names) == set(), "not in the table"
    # A table may name what is no module as well, such as templates, as long as it is there.
    assert [name for name in names if not list(folder.glob(name.rstrip("/") + ("" if "." in name else "*")))] == []


def test_the_workshop_names_its_packages() -> None:
    # Its packages lie beside its declaration, where setuptools does not find them by itself.
    declaration = tomllib.loads((ROOT / "workshop" / "pyproject.toml").read_text("utf-8"))
    assert sorted(declaration["tool"]["setuptools"]["packages"]) == sorted(
        name for name in TABLES if name.partition(".")[0] == "workshop"
    )


def test_the_table_of_the_core_lists_its_modules() -> None:
    declared = re.findall(r"^(?:pub(?:\(crate\))? )?mod (\w+);", (SOURCE / "lib.rs").read_text("utf-8"), re.M)
    lying = {path.stem for path in SOURCE.iterdir()} - {"lib"}
    assert sorted(core_table()) == sorted(declared) == sorted(lying)
