"""Every text that the sources want of a language's catalog, as it stands in templates and in calls."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment
from jinja2.ext import extract_from_ast

from db.traps.terms import KINDS
from web.pages.rendering import PROMOTIONS
from web.pages.report import _KINDS
from web.pages.site import _HEADINGS
from web.report_jobs import Phase

ROOT = Path(__file__).parents[3]
TEMPLATES = [*sorted(ROOT.glob("web/pages/templates/*.html")), *sorted(ROOT.glob("db/report/templates/*.html"))]
SOURCES = [path for folder in ("web", "db", "trapline", "trapcore") for path in sorted((ROOT / folder).rglob("*.py"))]

_MEN = ("pawn", "knight", "bishop", "rook", "queen", "king")
BY_VALUE = {
    *_MEN,
    *(f"{side} {man}" for side in ("white", "black") for man in _MEN),
    *PROMOTIONS.values(),
    *KINDS.values(),
    *(title for _, title in _KINDS),
    *_HEADINGS.values(),
    *Phase,
    "That did not work",
    "rank",
    "gain",
    "frequency",
    "red arrow for the bait from %(from_)s to %(to)s",
    "green arrow for the killer from %(from_)s to %(to)s",
}
"""Texts that are asked for by a value; the others stand where they are asked for."""


_ENVIRONMENT = Environment(extensions=["jinja2.ext.i18n"], trim_blocks=True, lstrip_blocks=True)
_ENVIRONMENT.install_null_translations(newstyle=True)  # type: ignore[attr-defined]


def wanted() -> tuple[set[str], set[str]]:
    """The texts, and those that count by their form for one."""
    texts, plurals = set(map(str, BY_VALUE)), set[str]()
    for path in TEMPLATES:
        source = path.read_text("utf-8")
        for _, function, message in extract_from_ast(_ENVIRONMENT.parse(source)):
            english = message if isinstance(message, str) else (message or (None,))[0]
            if english is not None:
                (plurals if function == "ngettext" else texts).add(english)
        plurals |= {f"%(num)s {noun}" for noun in re.findall(r'\|\s*counted\("([^"]+)"\)', source)}
    for path in SOURCES:
        for name, value in _calls(path):
            if name == "counted":
                plurals.add(f"%(num)s {value}")
            else:
                texts.add(value)
    return texts, plurals


def _calls(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = ast.unparse(node.func)
        name = called.rpartition(".")[2]
        place = 1 if name == "counted" else 0
        words = node.args[place] if len(node.args) > place else None
        # The method of a language; a function of that name alone is SQLAlchemy's.
        of_language = name == "counted" or called.endswith((".text", "language.format")) or called == "text"
        if of_language and isinstance(words, ast.Constant) and "alembic" not in str(words.value):
            yield name, str(words.value)


def strings() -> set[str]:
    """Every string of the sources, with ``{}`` in place of what is put into it; adjacent ones and sums are one."""
    found: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                found.add("".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values))
    return found
