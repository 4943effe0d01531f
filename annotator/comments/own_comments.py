"""Recognition of the program's own comments in a game, of any language and verbosity.

A comment is the program's own if the whole of it is a row of sentences of the grammar, with what stands in every gap of
the kind that belongs there. Nobody's comment is taken for one that only begins alike.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from annotator.comments.encoding import ascii_text
from db.traps.openings import opening_names
from db.wording.grammar import Grammar
from db.wording.languages import LANGUAGES, Language
from db.wording.names import safe_name

_SAN = r"(?:O-O(?:-O)?|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?)[+#]?"
_MOVE = rf"\d+\.(?:\.\.)?{_SAN}(?:\?\?|\?!|\?)?"
_LINE = rf"{_MOVE}(?: (?:\d+\.(?:\.\.)?)?{_SAN})*(?: \.\.\.?)?"
_NAME = r"[^{}]{1,160}?"
_CHANCES = r"(?: \(\d+ % -> \d+ %\))?"

_GAPS: Mapping[str, str] = {
    "move": _MOVE,
    "best": _MOVE,
    "killer": _MOVE,
    "played": _MOVE,
    "line": _LINE,
    "trap_line": _LINE,
    "name": _NAME,
    "chances": _CHANCES,
    "square": "[a-h][1-8]",
    "points": r"\d+",
    "count": r"\d+",
}
"""Regular expressions of the gaps that are the same in every language, in ASCII."""

_EVIDENCE = r"\[(?!%)[^\[\]{}]{1,400}\]"
"""What ``--evidence`` writes behind the sentences of an event."""


def is_own(comment: str) -> bool:
    """Whether the program wrote the comment, given without its braces, itself."""
    return any(
        pattern.fullmatch(" ".join(ascii_text(transliterated(comment, language)).split()))
        for language, pattern in zip(LANGUAGES.values(), _patterns(), strict=True)
    )


def is_own_closing(comment: str) -> bool:
    """Whether the program wrote the comment as the last one of a game. An opening in it has a name that we know."""
    for language, pattern in zip(LANGUAGES.values(), _closings(), strict=True):
        found = pattern.fullmatch(" ".join(ascii_text(transliterated(comment, language)).split()))
        if found is not None and (found["opening"] is None or found["opening"] in _opening_names(language.code)):
            return True
    return False


def transliterated(text: str, language: Grammar) -> str:
    """The text with the letters of a language as they are written in ASCII, where that is more than a lost accent."""
    return text.translate({ord(letter): written for letter, written in language.transliterated.items()})


@cache
def _closings() -> tuple[re.Pattern[str], ...]:
    """For each language what a closing comment is."""
    return tuple(_closing(language) for language in LANGUAGES.values())


def _closing(language: Grammar) -> re.Pattern[str]:
    gaps = {
        **_GAPS,
        "mate": _any(_plain(text, language).replace("{count}", r"\d+") for text in language.mates[None]),
        "side": _words(language.sides.values(), language),
        "pattern": _NAME,
        "date": r"[\d./-]{4,10}",
        "ordinal": _words(language.ordinals, language),
    }
    texts = dict(language.closing)
    opening = _filled(texts.pop("opening"), {"opening": rf"(?P<opening>{_NAME})"}, language)
    of_move, of_pattern = (
        _any(_filled(text, gaps, language) for key, text in texts.items() if key.startswith(heads))
        for heads in (("turn", "costliest", "own"), ("again", "other"))
    )
    return re.compile(rf"(?:{opening} )?{of_move}(?: {of_pattern})?")


@cache
def _opening_names(code: str) -> frozenset[str]:
    """The names of openings as a comment has them."""
    language = LANGUAGES[Language(code)]
    return frozenset(_plain(safe_name(name), language) for name in opening_names())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """For each language what a comment of the program is."""
    return tuple(_pattern(language) for language in LANGUAGES.values())


def _pattern(language: Grammar) -> re.Pattern[str]:
    gaps = {**_GAPS, **_phrases(language)}
    sentences = [_filled(template, gaps, language) for template in language.templates()]
    # Without its subject a sentence begins with a capital letter.
    brief = [
        _filled(rest[:1].upper() + rest[1:], gaps, language)
        for template in language.templates()
        if (rest := template.removeprefix("{move} ")) != template
    ]
    one = rf"(?:{'|'.join([*sentences, *brief])})(?: {_EVIDENCE})?"
    return re.compile(rf"{one}(?: {one})*")


def _phrases(language: Grammar) -> dict[str, str]:
    """Regular expressions of the gaps whose words are the language's."""
    pieces = _words([*language.pieces.values(), *language.several.values()], language)
    things = [
        *language.the_piece.values(), *language.a_piece.values(), *language.for_a_piece.values(),
        *language.several.values(), language.exchange, language.material,
    ]  # fmt: skip
    thing = _words(things, language)
    joined, gets = _plain(language.joined, language), _plain(language.gets.format(lost="", gained=""), language).strip()
    some = rf"{thing}(?: {joined} {thing})?"
    targets = rf"{pieces}(?:(?:, {pieces})* {joined} {pieces})?"
    the_piece = _words(language.the_piece.values(), language)
    does = _any(
        _filled(template, {"targets": targets, "the_target": the_piece, "the_other": the_piece}, language)
        for template in language.themes.values()
    )
    sides = _words(language.sides.values(), language)
    return {
        "what": rf"{some}(?: {gets} {some})?",
        "why": rf"{_LINE}(?: {does})?",
        "does": does,
        "mate": _any(_filled(text, _GAPS, language) for pair in language.mates.values() for text in pair),
        "a_mate": _any(_filled(text, _GAPS, language) for pair in language.a_mate.values() for text in pair),
        "piece": the_piece,
        "idea": _words(language.ideas.values(), language),
        "side": sides,
        "other_side": sides,
        "subject": _words(language.subject.values(), language),
    }


def _plain(text: str, language: Grammar) -> str:
    return ascii_text(transliterated(text, language))


def _any(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _words(words: Iterable[str], language: Grammar) -> str:
    return _any(re.escape(_plain(word, language)) for word in sorted(set(words), key=len, reverse=True))


def _filled(template: str, gaps: Mapping[str, str], language: Grammar) -> str:
    """A template as a regular expression."""
    parts = re.split(r"\{(\w+)\}", _plain(template, language))
    return "".join(gaps[part] if count % 2 else re.escape(part) for count, part in enumerate(parts))
