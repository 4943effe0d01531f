"""Words that people type into a search, read as conditions of a query.

One reader serves the page, the HTTP interface and the command. It says what it understood, and which words it did not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from typing import Any
from urllib.parse import unquote

import chess
from sqlalchemy import Connection, func, select

from db.games.accounts import SiteAccount
from db.library.library import Library
from db.query.answer import PageAnswer
from db.query.condition import conditions_of, query_of
from db.query.query import Query
from db.query.vocabulary import AGAINST, KNOWN, NOISE, NUMBERS, OTHER_NAMES, PIECES, THEME_WORDS
from db.query.where import opening_condition
from db.storage.collation import plain
from db.storage.name_index import find_names, near_words, words_of
from db.storage.tables import GameRow, SightingRow
from db.traps.openings import opening_names
from db.traps.terms import HIGHEST_RATING, OTHER_SIDE
from db.traps.trap import move_words, read_moves
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from db.wording.patterns import theme_words
from trapcore import _native
from trapcore.errors import InputError, UsageError

SIMILAR = 12
"""Similar traps for a position."""

_FEN = re.compile(
    r"(?<![A-Za-z0-9])(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}"
    r"(?: [wb](?: (?:-|[KQkqA-Ha-h]{1,4})(?: (?:-|[a-h][36]))?)?)?"
)
_ADDRESS = re.compile(r"(?:https?://)?(?P<host>[\w.-]+(?::\d+)?)/(?P<path>.*)")
_GAME = re.compile(r"(?P<id>[A-Za-z0-9]{8})(?:[A-Za-z0-9]{4})?(?:/(?:white|black))?/?(?:\?[^#]*)?(?:#(?P<ply>\d+))?")
_MOVE = re.compile(
    r"(?<!\S)(?P<move>(?:[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h]x[a-h][1-8])(?:=[QRBN])?|O-O(?:-O)?)[+#]?(?P<bad>\?*)!*(?!\S)"
)
_PIECE = rf"(?:{'|'.join(PIECES)})s?"
_THE = "(?:the |a |an |your |his )?"
_LONGEST_GAME = 10_000
_MOST_WORDS = 24
_LONGEST_NAME = 6  # words of an opening or of the beginning of a trap's name
_ENOUGH = 0.78
"""Least likeness of a misspelt word to the right one."""


@dataclass(frozen=True, kw_only=True)
class SearchAnswer(PageAnswer):
    """JSON form of a page of traps that words have found."""

    understood: Mapping[str, str]
    """The conditions that the words ask for, by name."""
    not_understood: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text asks for."""

    conditions: Mapping[str, str]
    """Texts of conditions of a `Query` by their names."""
    unknown: tuple[str, ...]
    """Words that were not understood."""

    def query(self, **more: str) -> Query:
        """The query, with more conditions. Raises `UsageError` for values that are not allowed."""
        return query_of(Query, {**self.conditions, **more})

    @property
    def position(self) -> dict[str, str] | None:
        """The position that it asks for, as ``fen`` or ``moves``; None if it asks for none."""
        return {name: self.conditions[name] for name in ("fen", "moves") if name in self.conditions} or None

    def to_dict(self) -> dict[str, Any]:
        """The two fields that `SearchAnswer` has beside the page."""
        return {"understood": dict(self.conditions), "not_understood": list(self.unknown)}

    def described(self, language: Grammar = ENGLISH) -> list[str]:
        """What was understood, in words: ``Victim: White``."""
        known = conditions_of(Query)
        labels = {"fen": language.text("Position"), "moves": language.text("Moves"), "name": language.text("Name")}
        found = []
        for name, value in self.conditions.items():
            each = known[name]
            if each.pair and name.startswith("max_"):
                continue
            if each.pair:
                value = _bounds(value, self.conditions.get(f"max_{each.pair}", ""))
            elif name == "theme":
                value = theme_words(value, language)
            elif each.words:
                value = language.text(each.words.get(value, value))
            if label := labels.get(name) or (each.label and language.text(each.label)):
                found.append(f"{label}: {value}")
        return found


def _bounds(low: str, high: str) -> str:
    return low if low == high else f"{low}–{high}"


def read_words(library: Library, text: str, only: SiteAccount | None = None) -> Reading:
    """What a text asks for: a FEN, moves, a link, the name of a trap or an opening, an ECO code, or plain words.

    The links of games lead to indexed games, with ``only`` to those of this account. Raises `LibraryError`.
    """
    text = " ".join(text.split())
    direct = _position(text) or _link(library, text, only)
    if direct is not None:
        return direct
    with library.database.read() as connection:
        return _Reader(connection, text).read()


def _position(text: str) -> Reading | None:
    """A FEN or moves; a text that begins with a legal move and goes on with what has the form of none is neither."""
    words = text.split()
    if not words:
        return Reading({}, ())
    if words[0].count("/") >= 3 and "://" not in words[0] and "." not in words[0]:
        return Reading({"fen": text, "similar": str(SIMILAR)}, ())
    moves = move_words(text)
    try:
        begins = bool(moves) and bool(read_moves(chess.Board(), moves[:1], ""))
    except InputError:
        return None
    plain = [word for word in moves[1:] if re.fullmatch(r"[a-z]{3,}", word.lower())]
    return Reading({"moves": text, "similar": str(SIMILAR)}, ()) if begins and not plain else None


def _link(library: Library, text: str, only: SiteAccount | None) -> Reading | None:
    """An address of lichess with a position or a game, or of a page of ours."""
    found = _ADDRESS.fullmatch(text)
    if found is None or ("://" not in text and "." not in found["host"]):
        return None
    path = unquote(found["path"]).replace("_", " ").replace("+", " ")
    if (fen := _FEN.search(path)) is not None:
        turn = "" if " " in fen[0] else " b" if "color=black" in path else " w"
        return Reading({"fen": f"{fen[0]}{turn}", "similar": str(SIMILAR)}, ())
    if (slug := re.search(r"(?:^|/)traps/([a-z0-9-]+)", path)) is not None:
        return Reading({"name": slug[1]}, ())
    game = _GAME.fullmatch(found["path"]) if found["host"].endswith("lichess.org") else None
    fen_of_game = None if game is None else _in_game(library, f"https://lichess.org/{game['id']}", game["ply"], only)
    return Reading({}, (text,)) if fen_of_game is None else Reading({"fen": fen_of_game, "similar": str(SIMILAR)}, ())


def _in_game(library: Library, site: str, ply: str | None, only: SiteAccount | None) -> str | None:
    """A position of an indexed game: after so many plies, else the first that a trap of the library has."""
    whose = [] if only is None else [only.games()]
    with library.database.read() as connection:
        wanted = select(GameRow.id, GameRow.start_fen, GameRow.moves).where(GameRow.site == site, *whose)
        row = connection.execute(wanted).first()
        if row is None:
            return None
        seen = select(SightingRow.ply - 1).where(SightingRow.game_id == row.id).order_by(SightingRow.ply).limit(1)
        after = connection.scalar(seen) if ply is None else min(int(ply), _LONGEST_GAME)
    replayed = [] if after is None else _native.replay([(row.start_fen, row.moves, [after])])[0]
    return replayed[0][0] if replayed else None


@dataclass(slots=True)
class _Reader:
    """Reads plain words. What was understood leaves a ``/`` in what is left."""

    connection: Connection
    text: str
    conditions: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    left: str = ""

    def read(self) -> Reading:
        text = _MOVE.sub(self._move, self.text)
        self.left = " ".join(
            re.findall(r"\d+-\d+|[a-e]\d\d-[a-e]\d\d|[^\W_]+|/|[<>]", re.sub(r"['’`]", "", plain(text)))
        )
        for pattern, name in OTHER_NAMES.items():
            self.left = re.sub(rf"\b(?:{pattern})\b", name, self.left)
        words = self.left.split()
        self.left = " ".join(map(self._spelt, words[:_MOST_WORDS]))
        self.unknown += words[_MOST_WORDS:]
        whole = self.left
        self._phrases()
        if any(self._runs()):
            for text in () if "/" in whole else dict.fromkeys((whole, " ".join(_meant(whole.split())))):
                found = self._find(text)
                last = text.rpartition(" ")[2]
                if min(found.values(), default=_EXACT) < _EXACT or (
                    last in _TITLES and any(last in slug.split("-") for slug in found)
                ):
                    return Reading({"name": text}, ())
        against = [word for word in self.left.split() if word in AGAINST]
        openings: list[Sequence[str]] = []
        names: list[str] = []
        for run in self._runs():
            self._resolve(run, openings, names)
        if openings:
            self.conditions["opening"] = _opening_text(openings)
            if against and (player := _player(self.conditions["opening"])) is not None:
                self._add({"victim": player}, against[0])
        elif against:
            self.unknown.append(against[0])
        if names:
            self.conditions["name"] = " ".join(names)
        return Reading(self.conditions, tuple(self.unknown))

    def _move(self, found: re.Match[str]) -> str:
        return self._add({"bait" if found["bad"] else "killer": found["move"]}, found["move"])

    def _spelt(self, word: str) -> str:
        """The word, or the known one that it is most like; ``/`` if no name and no phrase has one like it."""
        if len(word) < 4 or not word.isalpha() or word in KNOWN or word in _opening_words():
            return word
        near = near_words(self.connection, word)
        if word in near:
            return word
        near |= {
            known: SequenceMatcher(None, word, known, autojunk=False).ratio()
            for known in get_close_matches(word, KNOWN | _opening_words(), n=3, cutoff=_ENOUGH)
        }
        if not near:
            self.unknown.append(word)
            return "/"
        best = max(near, key=lambda known: (near[known], known))
        return best if near[best] >= _ENOUGH else word

    def _phrases(self) -> None:
        """Takes out the phrases that have a grammar."""
        for pattern, meaning in _GRAMMAR:

            def understood(found: re.Match[str], meaning: Any = meaning) -> str:
                asked = meaning(found) if callable(meaning) else meaning
                return self._add(asked, found[0])

            self.left = re.sub(rf"(?<![^\s])(?:{pattern})(?![^\s])", understood, self.left)

    def _add(self, asked: Mapping[str, str], words: str) -> str:
        """Adds what words ask for; a second theme, colour or rating is more than a query can have."""
        if any(self.conditions.get(name, value) != value for name, value in asked.items()):
            self.unknown.append(words)
        else:
            self.conditions |= asked
        return " / "

    def _runs(self) -> Iterator[list[str]]:
        """What is left, in pieces that have a word that means something."""
        for run in self.left.split("/"):
            if any(word not in NOISE and word not in AGAINST for word in run.split()):
                yield run.split()

    def _resolve(self, run: Sequence[str], openings: list[Sequence[str]], names: list[str]) -> None:
        """Finds the openings and names in a run of words; the longest parts first."""
        for length in range(min(len(run), _LONGEST_NAME), 0, -1):
            for start in range(len(run) - length + 1):
                part = run[start : start + length]
                if part[0] in NOISE | AGAINST or part[-1] in NOISE - {"trap", "traps", "system", "game", "variation"}:
                    continue
                rest = run[:start], run[start + length :]
                if length == 1 and part[0] in KNOWN:
                    continue
                if self._is_opening(part):
                    if _is_family(part) and any(map(_is_family, openings)):
                        self.unknown.append(" ".join(part))
                    else:
                        openings.append(part)
                elif self._named(" ".join(part)):
                    names.append(" ".join(part))
                else:
                    continue
                for each in rest:
                    self._resolve(each, openings, names)
                return
        meant = _meant(run)
        for words in (run, meant) if len(meant) > 1 or not KNOWN & set(meant) else ():
            if meant and self._find(" ".join(words)):
                names.append(" ".join(words))
                return
        self.unknown += meant

    def _is_opening(self, part: Sequence[str]) -> bool:
        """Whether these words mean a family of openings, or a variation that has more traps than have this name."""
        if _is_family(part) or tuple(part) not in _beginnings()[1]:
            return _is_family(part)
        of_opening = select(func.count()).where(opening_condition(self.connection, _opening_text([part])))
        named = self._named(" ".join(part))
        return named == 0 or (self.connection.scalar(of_opening) or 0) > named

    def _named(self, text: str) -> int:
        """How many traps have a name that begins so."""
        return sum(distance < _BEGINS for distance in self._find(text).values())

    def _find(self, text: str) -> dict[str, float]:
        """How far the traps with all of these words are."""
        try:
            return find_names(self.connection, text, [], every=True)
        except UsageError:
            return {}


_TITLES = ("trap", "mate")
"""Last words of the name of one trap."""
_EXACT, _BEGINS = 1.0, 2.0
"""Distances of `find_names` below which a name is the text, and begins with it."""


def _meant(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in NOISE and word not in AGAINST and word != "/"]


def _theme(found: re.Match[str]) -> dict[str, str]:
    """Conditions of a theme with its piece, square and target."""
    part = found.groupdict()
    theme = next(name for name, words in THEME_WORDS.items() if re.fullmatch(words, part["theme"]))
    by, target = part["by"] or part["with"], part["target"]
    key = theme + (f":{_letter(by)}" if by else "") + (f"@{part['on']}" if part["on"] else "")
    key += f">{_letter(target)}" if target else ""
    if theme != "mate":
        return {"theme": key}
    return {"outcome": "mate"} | ({"theme": key} if key != theme else {})


def _letter(piece: str) -> str:
    return PIECES[piece.removesuffix("s")]


def _trapped(found: re.Match[str]) -> dict[str, str]:
    square = f"@{found['on']}" if found["on"] else ""
    return {"theme": f"trappedPiece>{_letter(next(filter(None, found.group('one', 'two'))))}{square}"}


def _mate_in(found: re.Match[str]) -> dict[str, str]:
    moves = NUMBERS.get(found["moves"], found["moves"])
    return {"outcome": "mate", "min_length": moves, "max_length": moves}


def _ratings(low: str = "0", high: str = str(HIGHEST_RATING)) -> dict[str, str]:
    return {"min_rating": low, "max_rating": high, "sort": "frequency"}


_SIDE = "(?P<side>white|black)"
_LATER = "falls?|fell|loses?|lost|is trapped|blunders?"
_GRAMMAR: Sequence[tuple[str, Any]] = (
    (
        r"(?:rat(?:ed|ings?) )?(?P<low>\d{3,4})(?:-| to | and )(?P<high>\d{3,4})(?: rat(?:ed|ings?)| elo)?",
        lambda f: _ratings(f["low"], f["high"]),
    ),
    (
        r"(?:rat(?:ed|ings?) )?(?:below|under|up to|less than|<) (?P<high>\d{3,4})(?: elo)?",
        lambda f: _ratings(high=str(int(f["high"]) - 1)),
    ),
    (r"(?:rat(?:ed|ings?) )?(?:above|over|more than|>) (?P<low>\d{3,4})(?: elo)?", lambda f: _ratings(f["low"])),
    (r"(?:for )?beginners?", lambda f: _ratings(high="1199")),
    (r"[a-e]\d\d(?:-[a-e]\d\d)?", lambda f: {"eco": f[0].upper()}),
    (rf"(?:for|as|by|with) {_SIDE}", lambda f: {"victim": OTHER_SIDE[f["side"]]}),
    (rf"against {_SIDE}", lambda f: {"victim": f["side"]}),
    (rf"{_SIDE} (?:{_LATER})(?: for it| for| into it| into)?", lambda f: {"victim": f["side"]}),
    (rf"{_SIDE} (?:sets?|wins?|traps?|mates?)", lambda f: {"victim": OTHER_SIDE[f["side"]]}),
    ("proved|proven", {"verdict": "proved"}),
    ("refuted|debunked|no traps", {"verdict": "refuted"}),
    ("undecided|unproved|unproven", {"verdict": "undecided"}),
    ("(?:most )?(?:common|popular|frequent|often)", {"sort": "frequency"}),
    ("shortest|quick|quickest|fastest", {"sort": "length"}),
    (rf"(?:check)?mates? in (?P<moves>\d|{'|'.join(NUMBERS)})(?: moves?)?", _mate_in),
    (
        rf"(?:(?P<one>{_PIECE}) (?:(?:is |gets )?trapped|traps?)|trap(?:s|ped|ping)? {_THE}(?P<two>{_PIECE}))"
        r"(?: on (?P<on>[a-h][1-8]))?",
        _trapped,
    ),
    (
        rf"(?:wins?|winning|loses?|losing|lost|drops?) {_THE}(?P<target>{_PIECE})",
        lambda f: {"theme": f"captured>{_letter(f['target'])}"},
    ),
    (
        rf"(?:(?P<by>{_PIECE}) )?(?P<theme>{'|'.join(THEME_WORDS.values())})"
        rf"(?: (?:with|by|of) {_THE}(?P<with>{_PIECE}))?"
        rf"(?: (?:on|at|to) (?P<on>[a-h][1-8]))?"
        rf"(?: (?:(?:on|of|against|to|with) )?{_THE}(?P<target>{_PIECE})(?! gambit| pawn| indian))?",
        _theme,
    ),
    (_SIDE, lambda f: {"victim": OTHER_SIDE[f["side"]]}),
)
"""Phrases and the conditions that they ask for; the first that fits takes its words."""


@cache
def _opening_words() -> frozenset[str]:
    return frozenset(word for name in opening_names() for word in words_of(name))


@cache
def _beginnings() -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    """The first words, one and more, of each family of openings, and of each variation."""
    families, variations = set[tuple[str, ...]](), set[tuple[str, ...]]()
    for name in opening_names():
        for at, part in enumerate(re.split("[:,]", name)):
            words = words_of(part)
            (variations if at else families).update(tuple(words[:end]) for end in range(1, len(words) + 1))
    return frozenset(families), frozenset(variations)


def _is_family(part: Sequence[str]) -> bool:
    return tuple(part) in _beginnings()[0]


def _opening_text(parts: Sequence[Sequence[str]]) -> str:
    """The openings that begin with these words, as their names are written: ``Sicilian Defense, Najdorf``."""
    written = []
    for part in parts:
        wanted = 1 if _is_family(part) else None
        all_parts = {each.strip() for name in opening_names() for each in re.split("[:,]", name)[:wanted]}
        fitting = [each.split() for each in all_parts if words_of(each)[: len(part)] == list(part)]
        same = [words[0] for words in zip(*fitting, strict=False) if len(set(words)) == 1]
        # Some write a word of it in another way: "Alapin-Diemer".
        written.append(" ".join(same if len(same) >= len(part) else part))
    return ", ".join(written)


def _player(opening: str) -> str | None:
    """The side that plays an opening; None if no opening has all parts of the text."""
    parts = plain(opening).split(", ")
    named = [name for name in opening_names() if all(part in plain(name) for part in parts)]
    return opening_names()[min(named, key=lambda name: (len(name), name))] if named else None
