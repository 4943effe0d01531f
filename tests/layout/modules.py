"""The product's modules, and which of them import which."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: Packages by level. A module imports from its own package and from packages on lower levels.
LEVELS = (
    ("trapcore",),
    ("lichess", "db"),
    ("annotator",),
    ("coach",),
    ("bot",),
    ("trapline",),
    ("workshop",),
)
PACKAGES = tuple(package for level in LEVELS for package in level)
PRODUCT = tuple(package for package in PACKAGES if package != "workshop")
"""The packages that users get; the workshop is a distribution of its own."""

#: The same for the packages inside the library.
LIBRARY_LEVELS = (
    ("traps",),
    ("wording",),
    ("storage",),
    ("library",),
    ("proof", "games", "similarity"),
    ("patterns",),
    ("query", "mining", "formats"),
)


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


def _names(module: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Dotted names that an import statement may load: of each imported name, itself and what it is taken from."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        is_package = modules()[module].name == "__init__.py"
        parts = module.split(".")
        parts = parts[: len(parts) - node.level + is_package]
        base = ".".join([*parts, *filter(None, [node.module])])
    for alias in node.names:
        # `from db import query` imports the module, `from db.query import engine` too.
        yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules() else base


@cache
def imports(module: str) -> frozenset[str]:
    """Dotted names that a module imports, wherever in it the import stands, of this product and of others."""
    statements = (
        node for node in ast.walk(syntax_tree(modules()[module])) if isinstance(node, ast.Import | ast.ImportFrom)
    )
    return frozenset(name for node in statements for name in _names(module, node)) - {module}


def circles(graph: Mapping[str, Set[str]]) -> list[list[str]]:
    """Groups of nodes each of which reaches all others of its group; Tarjan's algorithm."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for neighbour in sorted(graph.get(node, ())):
            if neighbour not in order:
                visit(neighbour)
                lowest[node] = min(lowest[node], lowest[neighbour])
            elif neighbour in stack:
                lowest[node] = min(lowest[node], order[neighbour])
        if lowest[node] == order[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    for node in graph:
        if node not in order:
            visit(node)
    return found
