"""Files, folders and parameter lists are small, and no module is a drawer for everything."""

import ast

from tests.layout.modules import PACKAGES, ROOT, modules, python_files, syntax_tree

MOST_LINES = 450
MOST_ENTRIES = 18
MOST_PARAMETERS = 7


def test_files_are_short_and_none_is_named_after_nothing() -> None:
    sources = [*python_files(), *ROOT.glob("tests/**/*.py"), *ROOT.glob("*/native/src/**/*.rs")]
    lengths = {path.relative_to(ROOT): len(path.read_text("utf-8").splitlines()) for path in sources}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}
    drawers = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert [path for path in lengths if drawers & set(path.with_suffix("").parts)] == []


def test_folders_have_few_entries() -> None:
    sizes = {}
    for top in (*PACKAGES, "tests", "docs", "deploy"):
        for folder in (ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())):
            name = folder.relative_to(ROOT).as_posix()
            if "__pycache__" not in name and "/native/target" not in name:
                entries = [path for path in folder.iterdir() if path.name[0] != "." and path.suffix != ".so"]
                made = ("__pycache__", "target", "build")  # Python, cargo and pip make these and *.egg-info
                sizes[name] = len([path for path in entries if path.name not in made and path.suffix != ".egg-info"])
    assert len(sizes) > 40
    assert {name: size for name, size in sizes.items() if size > MOST_ENTRIES} == {}


def test_no_function_has_many_parameters() -> None:
    """Commands have one for each option and are left out."""
    many = []
    for name, path in modules().items():
        if f"{name}.".startswith(("trapline.commands.", "workshop.commands.")):
            continue
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                count = len([p for p in parameters if p.arg not in ("self", "cls")])
                if count > MOST_PARAMETERS:
                    many.append((f"{name}.{node.name}", count))
    assert many == []
