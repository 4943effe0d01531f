"""Templates of Jinja2 in the reader's language: ``_("…")`` and ``trans`` blocks give its texts, filters its words.

A template is rendered with the `Grammar` under the name ``language``.
"""

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from db.wording import claims
from db.wording.boards import picture_words
from db.wording.languages.grammar import Grammar
from trapcore.io.plain_text import harmless

_WORDS: dict[str, Callable[..., str]] = {
    "alt": lambda language, picture: picture_words(picture, language),
    "claim": lambda language, trap: claims.claim(trap, language),
    "contradiction": lambda language, trap: claims.contradiction(trap, language),
    "counted": Grammar.counted,
    "day": Grammar.day,
    "decimal": Grammar.decimal,
    "message": Grammar.message,
    "number": Grammar.number,
    "percent": lambda language, share: claims.percent(share, language),
}
"""Filters whose words are the language's; each is called with the language, then with the value that it is of."""


def add_language(environment: Environment) -> None:
    """Add the texts and the filters to an environment; what it writes holds nothing that a terminal would obey."""
    environment.finalize = _harmless
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(_gettext, _ngettext, newstyle=True)  # type: ignore[attr-defined]
    environment.filters |= {name: _in_language(function) for name, function in _WORDS.items()}


def _harmless(value: object) -> object:
    if isinstance(value, Markup):
        return Markup(harmless(value))
    return harmless(value) if isinstance(value, str) else value


def _language(context: Context) -> Grammar:
    language = context["language"]
    assert isinstance(language, Grammar)
    return language


@pass_context
def _gettext(context: Context, english: str) -> str:
    return _language(context).format(english)


@pass_context
def _ngettext(context: Context, english: str, plural: str, count: int) -> str:
    return _language(context).format(english, plural, count)


def _in_language(function: Callable[..., str]) -> Callable[..., str]:
    @pass_context
    def words(context: Context, value: Any, *more: Any) -> str:
        return function(_language(context), value, *more)

    return words
