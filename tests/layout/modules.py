"""The product's modules."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

PACKAGES = ("trapcore", "lichess", "db", "annotator", "coach", "bot", "trapline", "workshop")
PRODUCT = tuple(package for package in PACKAGES if package != "workshop")
"""The packages that users get; the workshop is a distribution of its own."""


def python_files(packages: Iterable[str] = PACKAGES) -> list[Path]:
    """Every Python file of these packages."""
    return [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]


@cache
def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name; a package's name stands for its ``__init__.py``."""
    found = {}
    for path in python_files():
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text("utf-8"), str(path))
