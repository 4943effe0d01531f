"""The files of the Rust core, and which of them use which."""

import re
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import Path

from tests.layout.modules import ROOT

SOURCE = ROOT / "trapcore" / "native" / "src"
_COMMENT = re.compile(r"//.*")
_USE = re.compile(r"(pub(?:\([a-z ]+\))?\s+)?\buse\s+([^;]+);")
_TESTS = re.compile(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:pub )?mod \w+ \{")
_INLINE = re.compile(r"\bmod \w+ \{")
_PATH = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")

ModulePath = tuple[str, ...]
"""A path below the crate: ``("search", "stop", "StopFlag")``."""


@cache
def files() -> dict[ModulePath, Path]:
    """Every file by the path of its module; ``()`` is ``lib.rs``."""
    found = {}
    for path in sorted(SOURCE.rglob("*.rs")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[() if parts == ("lib",) else parts[:-1] if parts[-1] == "mod" else parts] = path
    return found


@cache
def text(module: ModulePath) -> str:
    """A file without comments and without the tests inside it, which may use anything."""
    source = _COMMENT.sub("", files()[module].read_text("utf-8"))
    while found := _TESTS.search(source):
        source = source[: found.start()] + source[_closing(source, found.end()) :]
    for found in _INLINE.finditer(source):
        # For a module inside the file, `super` is the file. The length stays, and so do the places of the others.
        end = _closing(source, found.end())
        source = source[: found.end()] + source[found.end() : end].replace("super::", " self::") + source[end:]
    return source


def _closing(source: str, start: int) -> int:
    """Where the block ends whose brace was opened just before ``start``."""
    depth, end = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(source[end], 0)
        end += 1
    return end


def _expand(tree: str) -> Iterator[str]:
    """The single paths of a ``use``: ``a::{b, c::{d, e}}`` is three."""
    tree = tree.strip()
    start = tree.find("{")
    if start < 0:
        yield tree.partition(" as ")[0].strip()
        return
    inside, depth, part = tree[start + 1 : tree.rindex("}")], 0, ""
    for character in inside + ",":
        if character == "," and depth == 0:
            if part.strip():
                yield from (tree[:start] + path for path in _expand(part))
            part = ""
            continue
        depth += {"{": 1, "}": -1}.get(character, 0)
        part += character


def _absolute(module: ModulePath, path: str) -> ModulePath | None:
    """A path as written in a module, from the crate's root; None if it leads elsewhere."""
    first, *rest = (part.strip() for part in path.split("::"))
    if first == "crate":
        return tuple(rest)
    if first == "self":
        return (*module, *rest)
    if first == "super":
        above = module[:-1]
        while rest and rest[0] == "super":
            above, rest = above[:-1], rest[1:]
        return (*above, *rest)
    # A child of this module, named without `self`.
    return (*module, first, *rest) if (*module, first) in files() else None


@cache
def _reexports(module: ModulePath) -> dict[str, ModulePath]:
    """What a file hands on from others: the name, and where it comes from."""
    found = {}
    for public, tree in _USE.findall(text(module)):
        if public:
            for path in _expand(tree):
                if target := _absolute(module, path):
                    found[target[-1]] = target
    return found


def _owner(path: ModulePath) -> ModulePath:
    """The file that defines what a path names, re-exports followed."""
    module = path
    while module not in files():
        module = module[:-1]
    rest = path[len(module) :]
    if rest and rest[0] in _reexports(module):
        return _owner((*_reexports(module)[rest[0]], *rest[1:]))
    return module


@cache
def uses(module: ModulePath) -> frozenset[ModulePath]:
    """The other files that a file uses, apart from what it only hands on."""
    source = text(module)
    code = _USE.sub("", source)
    targets: set[ModulePath] = set()
    for public, tree in _USE.findall(source):
        for path in _expand(tree):
            target = _absolute(module, path)
            if target and (not public or re.search(rf"\b{target[-1]}\b", code)):
                targets.add(target)
    targets.update(target for path in _PATH.findall(code) if (target := _absolute(module, path)))
    children = {path[-1] for path in files() if path and path[:-1] == module}
    targets.update((*module, child) for child in children if re.search(rf"\b{child}::", code))
    return frozenset(_owner(target) for target in targets) - {module}


def circles(graph: Mapping[str, Set[str]]) -> list[list[str]]:
    """The circles of a graph, by Tarjan's algorithm: in each, every node leads to every other."""
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
