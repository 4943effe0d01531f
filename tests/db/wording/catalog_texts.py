"""Every text that the sources want of a language's catalog, as it stands in templates and in calls."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment
from jinja2.ext import extract_from_ast

from coach.report.reasons import REASONS
from db.traps.terms import KINDS
from db.wording.causes import ADVICE, CAUSE_NAMES, MECHANISM_NAMES, TAKEN_PLACES
from trapcore.errors import TraplineError
from trapline.web.pages.practise.play import ENDS, RESULTS, TOO_LONG
from trapline.web.pages.rendering import PROMOTIONS
from trapline.web.pages.report import _KINDS
from trapline.web.pages.site import _HEADINGS
from trapline.web.pages.start import FIELDS
from trapline.web.report_jobs import Phase

ROOT = Path(__file__).parents[3]
TEMPLATES = [
    *sorted(ROOT.glob("trapline/web/pages/templates/**/*.html")),
    *sorted(ROOT.glob("coach/report/templates/*.html")),
]
FOLDERS = ("annotator", "coach", "db", "lichess", "trapcore", "trapline")
SOURCES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]

_MEN = ("pawn", "knight", "bishop", "rook", "queen", "king")
BY_VALUE = {
    *_MEN,
    *(f"{side} {man}" for side in ("white", "black") for man in _MEN),
    *PROMOTIONS.values(),
    *ENDS.values(),
    *RESULTS.values(),
    TOO_LONG,
    *KINDS.values(),
    *CAUSE_NAMES.values(),
    *MECHANISM_NAMES.values(),
    *TAKEN_PLACES.values(),
    *(title for _, title in _KINDS),
    *_HEADINGS.values(),
    *Phase,
    *(text for each in FIELDS.values() for text in (each.label, each.nothing, *each.words.values())),
    *set(ADVICE.values()),
    *REASONS.values(),
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
        if of_language and isinstance(words, ast.Constant):
            yield name, str(words.value)


def raised() -> Iterator[tuple[Path, str | None, bool]]:
    """Each error and each `Message` that the sources make: the file, its template, and whether values come with it.

    The template is None if it is no constant.
    """
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = ast.unparse(node.func).rpartition(".")[2]
            if name not in _ERRORS:
                continue
            words = node.args[0]
            values = any(word.arg not in ("status", "arrived", None) for word in node.keywords) or (
                name == "Message" and len(node.args) > 1
            )
            if isinstance(words, ast.Constant):
                yield path, str(words.value), values
            elif isinstance(words, ast.JoinedStr):
                yield path, None, values


def _kinds(kind: type[TraplineError]) -> Iterator[str]:
    yield kind.__name__
    for inner in kind.__subclasses__():
        yield from _kinds(inner)


_ERRORS = {"Message", *_kinds(TraplineError)}
