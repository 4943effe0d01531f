"""Grammar of the sentences, as a value: every phrase is a template with named gaps, so that one file is one language.

`db.wording.sentences` fills the gaps. Moves are English SAN in every language, because the
moves of a PGN are, and a reader compares the two.

A catalog holds the texts of the pages, the report and the terminal by their English form, as TOML. The tables of a
file:

- ``[texts]``: a text; its gaps are ``%(name)s``, and a percent sign is ``%%``;
- ``[plurals]``: two forms of a text that counts, for one and for any other number, by the English one for one;
- ``[messages]``: errors and names that pages show, by the template of their `trapcore.errors.Message`, with the same
  gaps, ``{name}``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any

import chess

from trapcore.errors import Message, Sentence, TraplineError

FIRST_HALF_MOVE = 2
"""White's first move: half-moves are counted as twice the number of the move, plus one if Black moves."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """Texts of one language by their English form."""

    texts: Mapping[str, str]
    plurals: Mapping[str, tuple[str, str]]
    messages: Mapping[str, str]
    """Templates by the English one."""


@cache
def catalog(file: str) -> Catalog:
    """Catalog of a file beside this module; an empty one for an empty name."""
    if not file:
        return Catalog({}, {}, {})
    # Comments need none of this, and a command is to begin at once.
    import tomllib
    from importlib import resources

    tables = tomllib.loads(resources.files("db.wording.languages").joinpath(file).read_text("utf-8"))
    return Catalog(
        tables["texts"],
        {english: (one, many) for english, (one, many) in tables["plurals"].items()},
        tables["messages"],
    )


class Verbosity(StrEnum):
    """How much is said."""

    BRIEF = "brief"
    """What happened and why, in one sentence, of losing moves only; no variations."""
    NORMAL = "normal"
    """And what it cost and what was better; known traps that are set or avoided, once in a file."""
    FULL = "full"
    """And every trap and threat that is set or avoided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """Words of one language.

    ``sentences`` are whole sentences, ``phrases`` what stands in their gaps. Both have the same keys in every language;
    a test sees to that.
    """

    code: str
    """Of two letters, ISO 639-1."""
    name: str
    sides: Mapping[chess.Color, str]
    pieces: Mapping[chess.PieceType, str]
    """Bare: ``knight``."""
    the_piece: Mapping[chess.PieceType, str]
    """As what is lost or attacked: ``the knight``, ``den Springer``."""
    a_piece: Mapping[chess.PieceType, str]
    one_piece: Mapping[chess.PieceType, str]
    """As what acts, at the beginning of a sentence: ``a knight``, ``ein Springer``."""
    for_a_piece: Mapping[chess.PieceType, str]
    """As what is got in exchange, behind the word for *for*."""
    subject: Mapping[chess.PieceType, str]
    """At the beginning of a sentence about it: ``the knight``, ``der Springer``."""
    several: Mapping[tuple[chess.PieceType, int], str]
    """``two pawns``; other losses are called material."""
    joined: str
    """The word between two things: ``and``."""
    exchange: str
    """A rook for a minor piece, as what is lost."""
    material: str
    """What is lost, where it takes too many words to say what it is."""
    gets: str
    """``{lost} for {gained}``."""
    mates: Mapping[str | None, tuple[str, str]]
    """A mate in one move, and one in ``{count}``, behind a word that governs it: ``allows mate``."""
    a_mate: Mapping[str | None, tuple[str, str]]
    """The same in apposition: ``, a mate in 2``."""
    themes: Mapping[str, str]
    """What a move does, for each of the motifs of `db.wording.facts`: ``forks {targets}``."""
    effects: Mapping[str, str]
    """What a move does, for each of `db.wording.effects.finding.EFFECTS`: ``attacks {targets}``."""
    points: Mapping[str, str]
    """What a better move does about the answer, for each word of `db.wording.facts.Point`: ``guards {piece}``."""
    plural: Mapping[chess.PieceType, str]
    """Bare: ``knights``."""
    on: str
    """``{piece} on {square}``."""
    theme_names: Mapping[str, tuple[str, str]]
    """Each theme that a losing move may lose to, and each of `db.traps.terms.KINDS`: by itself, as in a table, and as
    the object of a sentence: ``fork`` and ``a fork``."""
    ideas: Mapping[str, str]
    """Patterns that people know, by the family of the traps that show them."""
    sentences: Mapping[str, str | tuple[str, str]]
    """A sentence that is often needed has two forms, which take turns."""
    practice: Mapping[str, str]
    """Whole sentences of practice: what is asked, hinted and answered."""
    afterwards: Mapping[str, str]
    """Whole sentences for the player that a trap was set for, when the game is over."""
    closing: Mapping[str, str]
    """Whole sentences of the comment at the end of a game."""
    ordinals: tuple[str, ...]
    """``third``, and so on, as they stand before the word for *time*."""
    a_trap: str
    """A trap without a name."""
    known_trap: str
    """A trap whose name says nothing about what it is: ``a known trap ({name})``."""
    reversed_colours: str
    """Behind the name of a trap that stood with colours exchanged."""
    articles: tuple[str, str]
    """Before a name of a trap that needs one, and before one that has a possessive."""
    transliterated: Mapping[str, str]
    """Letters as they are written where only ASCII is at hand, other than without their accents."""
    catalog_file: str
    """Name of the file of all other texts, see `Catalog`, beside this one; empty for English."""
    marks: tuple[str, str]
    """The mark between groups of three digits, and the one before decimals."""
    dates: tuple[str, str]
    """A day, of ``{year}``, ``{month}`` and ``{day}``, and a month."""

    def sentence(self, key: str, half_move: int) -> str:
        """Template of a sentence about a half-move, which decides on the form: the next half-move of either side
        has the other form."""
        forms = self.sentences[key]
        return forms if isinstance(forms, str) else forms[(half_move + half_move // 2 + 1) % 2]

    def templates(self) -> Iterator[str]:
        """The templates of all sentences, in all their forms."""
        for forms in self.sentences.values():
            yield from (forms,) if isinstance(forms, str) else forms

    def text(self, english: str, **gaps: object) -> str:
        """A text of the pages, the report or the terminal by its English form, its gaps (``%(name)s``) filled.

        A text that the catalog lacks stays English; a test finds such texts.
        """
        return self._text(english) % gaps

    def format(self, english: str, plural: str | None = None, count: int = 1) -> str:
        """The same with its gaps as they are; with ``plural`` the form for a count. English has its forms itself."""
        if plural is None:
            return self._text(english)
        one, many = self._catalog.plurals.get(english, (english, plural))
        return one if count == 1 else many

    def counted(self, count: int, what: str) -> str:
        """Count with its noun: ``1 trap``, ``2,000 traps``; ``what`` is the English noun for one."""
        return self.format(f"%(num)s {what}", f"%(num)s {what}s", count) % {"num": self.number(count)}

    def message(self, message: Message | str) -> str:
        """An error, a notice or a name in this language; in English if the catalog has no words for its template."""
        if isinstance(message, str):
            message = Message(message)
        words = self._catalog.messages.get(message.template, message.template)
        return _Sentence(self).vformat(words, (), message.values) if message.values else words

    def completed_by(self, other: "Grammar") -> "Grammar":
        """The same words, with those of another language for the keys that this one lacks."""
        tables: dict[str, Any] = {
            name: {**words, **getattr(self, name)}
            for name, words in ((each.name, getattr(other, each.name)) for each in fields(other))
            if isinstance(words, Mapping)
        }
        return replace(self, **tables)

    def number(self, value: int) -> str:
        """``2,000``."""
        return f"{value:,}".replace(",", self.marks[0])

    def decimal(self, value: float, digits: int | None = None) -> str:
        """``0.53`` with 2 digits; without, as many as there are, at most six in all."""
        return (f"{value:g}" if digits is None else f"{value:.{digits}f}").replace(".", self.marks[1])

    def day(self, date: str) -> str:
        """What is known of a date, written ``2021.10.05`` or ``2021-10-05``, in which ``??`` stands for what is not."""
        year, month, day, *_ = [*re.split(r"[.-]", date), "", ""]
        if not year.isdecimal():
            return ""
        if not month.isdecimal():
            return year
        return self.dates[not day.isdecimal()].format(year=year, month=month, day=day)

    def _text(self, english: str) -> str:
        return self._catalog.texts.get(english, english)

    @property
    def _catalog(self) -> Catalog:
        return catalog(self.catalog_file)


class _Sentence(Sentence):
    """Formatter of messages in a language: its words for messages in the gaps, its marks in numbers."""

    def __init__(self, language: Grammar) -> None:
        self._language = language

    def format_field(self, value: object, format_spec: str) -> str:
        """Returns the text of one gap."""
        if isinstance(value, TraplineError):
            value = value.message
        if isinstance(value, Message):
            return self._language.message(value)
        if isinstance(value, int) and format_spec == ",":
            return self._language.number(value)
        text = super().format_field(value, format_spec)
        return text.replace(".", self._language.marks[1]) if isinstance(value, float) else text
