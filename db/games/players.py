"""Players of the indexed games, found by a part of a name."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path

from sqlalchemy import func, select

from db.library.library import Library
from db.storage.collation import plain
from db.storage.name_index import words_of
from db.storage.tables import GameRow
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.io.game_batches import game_batches

MOST_LISTED = 20
"""Most names that an error lists."""

NEAREST = 3
"""Names that the error lists if nobody has the name."""

_NOBODY = {"", "?"}
_LEAST_RATIO = 0.6


def players(library: Library) -> dict[str, int]:
    """Every name in the indexed games and how many games it is in, by name; games without a name have none.

    Raises `LibraryError`.
    """
    games: Counter[str] = Counter()
    with library.database.read() as connection:
        for column in (GameRow.white, GameRow.black):
            games.update(dict(connection.execute(select(column, func.count()).group_by(column)).all()))
    return {name: games[name] for name in sorted(games.keys() - _NOBODY)}


def players_of_file(path: Path) -> tuple[Counter[str], int, Counter[str]]:
    """Names in the games of a PGN file and how many games each is in, how many games can be read, and how many cannot,
    by reason. Raises `InputError`."""
    names: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    games = 0
    for batch in game_batches(path):
        found = _native.read_records(batch)
        games += len(found.records)
        skipped.update(each.reason for each in found.skipped)
        for record in found.records:
            names.update({record.tags.get("White", ""), record.tags.get("Black", "")} - _NOBODY)
    return names, games, skipped


def find_players(known: Mapping[str, int], text: str, *, every: bool | None = None) -> tuple[str, ...]:
    """The names that are meant by ``text``: a name in full, otherwise those that have it as a part.

    Capitals and accents do not matter. ``known``: the names and their games, see `players`. Raises `UsageError` if
    nobody is called so, which lists the nearest names; and if several are, unless ``every`` takes them all for one.
    With None the caller has no ``--all``, and the error does not name it.
    """
    text = unicodedata.normalize("NFC", text.strip())  # as the names are stored
    wanted = plain(text)
    if not wanted:
        raise UsageError("give a player's name or a part of it")
    found = [name for name in known if wanted in plain(name)]
    if not found:
        raise _nobody(known, wanted, text)
    if every or len(found) == 1:
        return tuple(found)
    for spelt in (lambda name: name == text, lambda name: plain(name) == wanted):
        whole = [name for name in found if spelt(name)]
        if len(whole) == 1:
            return tuple(whole)
    most = sorted(found, key=lambda name: (-known[name], name))
    rest = f"; and {len(most) - MOST_LISTED:,} more" if len(most) > MOST_LISTED else ""
    names = f"{_listed(known, most[:MOST_LISTED])}{rest}"
    if every is None:
        raise UsageError(
            "{count:,} players have {text!r} in their names: {names}; give the name in full",
            count=len(found),
            text=text,
            names=names,
        )
    raise UsageError(
        "{count:,} players have {text!r} in their names: {names}; give the name in full, or --all if all of them are "
        "one",
        count=len(found),
        text=text,
        names=names,
    )


def _nobody(known: Mapping[str, int], wanted: str, text: str) -> UsageError:
    """The error for a name that nobody has: ``text`` as it was given, ``wanted`` as it was compared."""
    if not known:
        return UsageError(
            "no indexed game has a player called {text!r}; no games are indexed yet, `trapline index FILE` reads some",
            text=text,
        )
    # People mistype one word of a name and leave others out, so words are compared as well as the whole.
    by_word: dict[str, list[str]] = {}
    for name in known:
        for word in {plain(name), *words_of(name)}:
            by_word.setdefault(word, []).append(name)
    words = {wanted, *words_of(wanted)}
    near = (word for wanted_word in words for word in get_close_matches(wanted_word, by_word, n=5, cutoff=_LEAST_RATIO))
    ratio = {word: max(SequenceMatcher(None, wanted_word, word).ratio() for wanted_word in words) for word in near}
    names: dict[str, None] = {}
    for word in sorted(ratio, key=lambda word: (-ratio[word], word)):
        names.update(dict.fromkeys(sorted(by_word[word], key=lambda name: (-known[name], name))))
    if not names:
        most = sorted(known, key=lambda name: (-known[name], name))[:NEAREST]
        return UsageError(
            "no indexed game has a player called {text!r}; most games are those of {names}; `trapline index FILE` "
            "reads in those of others",
            text=text,
            names=_listed(known, most),
        )
    return UsageError(
        "no indexed game has a player called {text!r}; the nearest are {names}",
        text=text,
        names=_listed(known, list(names)[:NEAREST]),
    )


def _listed(known: Mapping[str, int], names: Iterable[str]) -> str:
    return "; ".join(f"{name} ({known[name]:,} game{'' if known[name] == 1 else 's'})" for name in names)
