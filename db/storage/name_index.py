"""Index of names: finds traps by name, family or slug, typing errors forgiven.

The library keeps the words of all names, families and slugs, which traps have each, and the groups of three letters
that each word is made of. What people write is taken word by word: the word itself, words that begin with it, and,
where there are none, words that share most groups and are near enough. A million puzzles whose names differ in one word
cost no more than a few: the traps of the rarest word are examined first. All of it is portable SQL, so that every
database gives the same answers.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from sqlalchemy import ColumnElement, Connection, delete, exists, func, select
from sqlalchemy.orm import aliased

from db.storage.bulk import BulkInsert, BulkLookup
from db.storage.collation import begins, plain
from db.storage.tables import TrapRow, TrapWordRow, TrigramRow, WordRow
from trapcore.errors import UsageError

MOST_FOUND = 300
"""Most traps that a text finds; of more, those that were stored first are given."""

_MOST_WORDS = 12
_LEAST_PREFIX = 2  # letters from which the beginning of a word stands for it
_MOST_BEGUN = 200
_MOST_NEAR = 60
_LEAST_RATIO = 0.75
_PREFIX_COST, _NEAR_COST, _MISSING_COST = 0.25, 4.0, 10.0
_OUTSIDE_COST = 0.1  # a word that is in the family or slug only
_LONGER_COST = 0.02  # a word of the name that was not asked for
_ENDS = "^", "$"


def words_of(text: str) -> list[str]:
    """The words of a text in their order: without accents, capitals and apostrophes."""
    return re.findall(r"[^\W_]+", re.sub(r"['’`]", "", plain(text)))


def index_names(connection: Connection, traps: Iterable[tuple[int, str, str, str]]) -> None:
    """Make traps to be found: number, name, family and slug of each."""
    by_trap = {number: sorted({word for text in texts for word in words_of(text)}) for number, *texts in traps}
    numbers = _numbers(connection, {word for words in by_trap.values() for word in words})
    pairs = sorted((numbers[word], trap) for trap, words in by_trap.items() for word in words)
    BulkInsert(connection, TrapWordRow, ("word_id", "trap_id")).insert(pairs)


def forget_names(connection: Connection, trap: int) -> None:
    """Let a trap not be found by the texts that it has now."""
    texts = connection.execute(select(TrapRow.name, TrapRow.family, TrapRow.slug).where(TrapRow.id == trap)).one()
    known = _known(connection, {word for text in texts for word in words_of(text)})
    mine = TrapWordRow.trap_id == trap
    connection.execute(delete(TrapWordRow).where(mine, TrapWordRow.word_id.in_(known.values())))


def find_names(
    connection: Connection, text: str, wanted: Sequence[ColumnElement[bool]], *, every: bool = False
) -> dict[str, float]:
    """By slug, how far the traps that meet the conditions are from what was asked; at most `MOST_FOUND`.

    Those that have all words or, if there are none, those that have most of them, half or more. With ``every`` all
    words must be there, as they are spelt or at the beginning of one. 0 is the slug itself, below 1 the name.

    Raises `UsageError` for a text without letters and figures.
    """
    words = words_of(text)
    if not words:
        raise UsageError(f"text must have letters or figures, which {text!r} has not")
    if len(words) > _MOST_WORDS:
        raise UsageError(f"text has {len(words)} words, more than {_MOST_WORDS}")
    choices = [_choices(connection, word) for word in words]
    found = _with_all(connection, choices, wanted) if all(choice.costs for choice in choices) else []
    if not found and not every:
        choices = [_choices(connection, word, near=True) for word in words]
        found = _with_all(connection, choices, wanted) if all(choice.costs for choice in choices) else []
    if not found and not every:
        found = _with_most(connection, choices, wanted)
    return {trap.slug: trap.distance(words, choices) for trap in found}


def near_words(connection: Connection, word: str) -> dict[str, float]:
    """The words of traps that begin with a word or are most like it, with their likeness, 1 for the word itself."""
    costs = _choices(connection, word, near=True).costs
    return {stored: 0.0 if cost == _PREFIX_COST else 1 - cost / _NEAR_COST for stored, cost in costs.items()}


@dataclass(frozen=True, slots=True)
class _Choice:
    """The stored words that a word may stand for."""

    numbers: Mapping[str, int]
    costs: Mapping[str, float]
    """0 for the word itself."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A trap by its texts."""

    slug: str
    name: str
    family: str

    def distance(self, words: Sequence[str], choices: Sequence[_Choice]) -> float:
        name, slug = words_of(self.name), words_of(self.slug)
        if words in (slug, name):
            return 0.0 if words == slug else 0.5
        others = {*slug, *words_of(self.family)} - set(name)
        costs = [
            min(
                *(choice.costs.get(word, _MISSING_COST) for word in name),
                *(choice.costs.get(word, _MISSING_COST) + _OUTSIDE_COST for word in others),
                _MISSING_COST,
            )
            for choice in choices
        ]
        begins = 0.0 if " ".join(name).startswith(" ".join(words)) else 1.0
        return round(1.0 + begins + sum(costs) + _LONGER_COST * max(0, len(name) - len(words)), 6)

    def matches(self, choices: Sequence[_Choice]) -> int:
        """How many of the words it has."""
        return round(self.weight(choices, [1.0] * len(choices)))

    def weight(self, choices: Sequence[_Choice], weights: Sequence[float]) -> float:
        """The weights of the words that it has, together."""
        own = {word for text in (self.slug, self.name, self.family) for word in words_of(text)}
        return sum(weight for choice, weight in zip(choices, weights, strict=True) if own & choice.costs.keys())


def _choices(connection: Connection, word: str, *, near: bool = False) -> _Choice:
    numbers: dict[str, int] = {}
    costs: dict[str, float] = {}
    this = (WordRow.word == word,) if len(word) < _LEAST_PREFIX else (begins(connection, WordRow.word, word),)
    begun = select(WordRow.id, WordRow.word).where(*this).order_by(WordRow.word).limit(_MOST_BEGUN)
    for number, stored in connection.execute(begun):
        numbers[stored] = number
        costs[stored] = 0.0 if stored == word else _PREFIX_COST
    if near or not numbers:
        shared = (
            select(TrigramRow.word_id)
            .where(TrigramRow.trigram.in_(_trigrams(word)))
            .group_by(TrigramRow.word_id)
            .order_by(func.count().desc(), TrigramRow.word_id)
            .limit(_MOST_NEAR)
        )
        for number, stored in connection.execute(select(WordRow.id, WordRow.word).where(WordRow.id.in_(shared))):
            ratio = SequenceMatcher(None, word, stored, autojunk=False).ratio()
            if stored not in numbers and ratio >= _LEAST_RATIO:
                numbers[stored] = number
                costs[stored] = _NEAR_COST * (1 - ratio)
    return _Choice(numbers, costs)


def _with_all(
    connection: Connection, choices: Sequence[_Choice], wanted: Sequence[ColumnElement[bool]]
) -> list[_Named]:
    """The traps that have every word, the first stored first."""
    rarest, *others = sorted(choices, key=lambda choice: _rarity(connection, choice))
    having = [_having(choice.numbers.values()) for choice in others]
    return _read(connection, rarest, [*having, *wanted])


def _with_most(
    connection: Connection, choices: Sequence[_Choice], wanted: Sequence[ColumnElement[bool]]
) -> list[_Named]:
    """The traps that have most of the words, of those that have any; a rare word counts more than a common one."""
    found = {trap.slug: trap for choice in choices if choice.costs for trap in _read(connection, choice, wanted)}
    total = connection.scalar(select(func.count()).select_from(TrapRow)) or 0
    weights = [math.log(1 + total / max(1, _rarity(connection, choice))) for choice in choices]
    weighed = {trap.slug: trap.weight(choices, weights) for trap in found.values()}
    most = max(weighed.values(), default=0.0)
    best = [trap for trap in found.values() if weighed[trap.slug] == most]
    # Of three words that somebody wrote one says too little.
    return [trap for trap in best if 2 * trap.matches(choices) >= len(choices)]


def _rarity(connection: Connection, choice: _Choice) -> int:
    """How many traps have a word of the choice, as far as it pays to count."""
    some = select(TrapWordRow.trap_id).where(TrapWordRow.word_id.in_(choice.numbers.values())).limit(MOST_FOUND + 1)
    return connection.scalar(select(func.count()).select_from(some.subquery())) or 0


def _having(numbers: Collection[int]) -> ColumnElement[bool]:
    other = aliased(TrapWordRow)
    return exists().where(other.trap_id == TrapRow.id, other.word_id.in_(numbers))


def _read(connection: Connection, choice: _Choice, wanted: Sequence[ColumnElement[bool]]) -> list[_Named]:
    rows = (
        select(TrapRow.slug, TrapRow.name, TrapRow.family)
        .join_from(TrapWordRow, TrapRow, TrapRow.id == TrapWordRow.trap_id)
        .where(TrapWordRow.word_id.in_(choice.numbers.values()), *wanted)
        .limit(MOST_FOUND)
    )
    order = [TrapWordRow.trap_id] if len(choice.numbers) == 1 else [TrapWordRow.word_id, TrapWordRow.trap_id]
    found = connection.execute(rows.order_by(*order))
    # What is no text is counted where the trap itself is read.
    return [_Named(*row) for row in found if all(isinstance(text, str) for text in row)]


def _trigrams(word: str) -> list[str]:
    marked = word.join(_ENDS)
    return sorted({marked[at : at + 3] for at in range(len(marked) - 2)})


def _numbers(connection: Connection, words: set[str]) -> dict[str, int]:
    """The number of each word, which is stored if it is new."""
    numbers = _known(connection, words)
    new = sorted(words - numbers.keys())
    first = (connection.scalar(select(func.max(WordRow.id))) or 0) + 1
    fresh = list(zip(range(first, first + len(new)), new, strict=True))
    BulkInsert(connection, WordRow, ("id", "word")).insert(fresh)
    groups = sorted((group, number) for number, word in fresh for group in _trigrams(word))
    BulkInsert(connection, TrigramRow, ("trigram", "word_id")).insert(groups)
    return numbers | {word: number for number, word in fresh}


def _known(connection: Connection, words: set[str]) -> dict[str, int]:
    found = BulkLookup(connection, [WordRow.word, WordRow.id], WordRow.word).find(sorted(words))
    return {word: number for word, number in found}  # noqa: C416 - rows of any length to the type checker
