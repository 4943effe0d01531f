"""Words that players type into the search: a table of a hundred, with what has to come first.

A line of ``tried_queries.tsv`` has the text, what the first hits must be, conditions that must be understood, and the
words that cannot be. ``slug=`` holds of the first hit, all else of the first three. ``none`` and ``any`` say whether
there are hits at all.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.formats.bundled import make_bundled
from db.games.accounts import SiteAccount
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from db.query.answer import Hit
from db.query.engine import QueryEngine
from db.query.words import Reading, read_words
from db.wording.languages.available import LANGUAGES, Language
from db.wording.patterns import theme_filter, theme_keys
from tests.support.trap_games import FELL, game
from trapcore._native import position_key
from trapcore.measures.options import IndexedMeasure

TABLE = Path(__file__).with_name("tried_queries.tsv").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    path = tmp_path_factory.mktemp("words") / "l.sqlite"
    make_bundled(path, lambda _: None)
    with open_library(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def engine(library: Library) -> Iterator[QueryEngine]:
    made = QueryEngine(library, measure=IndexedMeasure.ABSTRACTED)
    yield made
    made.close()


def has_theme(hit: Hit, theme: str) -> bool:
    """Whether the line of a hit has a theme, without the database."""
    pattern = theme_filter(theme).strip("% ").replace("_", ".")
    return any(re.fullmatch(pattern, key) for key in theme_keys(hit.trap.epd, hit.trap.line).split())


def holds(hit: Hit, wanted: str) -> bool:
    """Whether a hit is as the table says: ``opening~Italian Game``, ``victim=white``."""
    name, _, value = wanted.partition("~" if "~" in wanted.partition("=")[0] else "=")
    if name == "theme":
        return has_theme(hit, value)
    if name == "takes":
        return has_theme(hit, f"captured>{value}")
    if name == "killer":
        return hit.trap.sans()[1].rstrip("+#") == value
    known = str(getattr(hit.trap, name))
    return known in value.split(" or ") if "=" in wanted else value.lower() in known.lower()


def faults(line: str, reading: Reading, hits: tuple[Hit, ...]) -> list[str]:
    """What is not as a line of the table wants it."""
    _, first, understood, unknown, *_ = (*line.split("\t"), "", "", "")
    found = []
    if first in ("none", "any"):
        found += [] if bool(hits) == (first == "any") else [f"{len(hits)} hits"]
    elif first:
        for wanted in first.split(";"):
            some = hits[:1] if wanted.startswith("slug=") else hits[:3]
            if not some or not all(holds(hit, wanted) for hit in some):
                found.append(f"{wanted}, not {[hit.trap.slug for hit in some]}")
    for wanted in filter(None, understood.split(";")):
        name, _, value = wanted.partition("=")
        if reading.conditions.get(name) != value:
            found.append(f"{wanted} in {dict(reading.conditions)}")
    if " ".join(reading.unknown) != unknown:
        found.append(f"not understood: {reading.unknown}")
    return found


@pytest.mark.parametrize("line", TABLE, ids=[line.partition("\t")[0][:40] for line in TABLE])
def test_a_tried_query_finds_what_its_author_wanted(line: str, library: Library, engine: QueryEngine) -> None:
    reading = read_words(library, line.partition("\t")[0])
    hits = engine.ask(reading.query()).hits if reading.conditions else ()
    assert faults(line, reading, hits) == []


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("fork and pin", ("pin",)),
        ("traps for black for white", ("for white",)),
        ("italian xyzzy trap", ("xyzzy",)),
        ("Qxf7 Bxf7", ("Bxf7",)),
        ("https://example.org/dKfz2p1D", ("https://example.org/dKfz2p1D",)),
        ("italian or sicilian", ("sicilian",)),
        ("traps against the french for black", ("against",)),
        ("knight fork against", ("against",)),
        (" ".join(["legal", *["xyzzy"] * 4000]), ("xyzzy",) * 4000),
        ("", ()),
    ],
)
def test_what_is_not_understood_is_said(text: str, unknown: tuple[str, ...], library: Library) -> None:
    assert read_words(library, text).unknown == unknown


def test_what_is_understood_is_said_in_the_language(library: Library) -> None:
    reading = read_words(library, "knight fork on c7 in the sicilian below 1500 for white")
    assert reading.unknown == ()
    assert reading.described() == [
        "Rating of the victims: 0–1499",
        "Order: by frequency",
        "Victim: Black",
        "Theme: knight fork on c7",
        "Opening contains: Sicilian Defense",
    ]
    assert "Motiv: Gabel (Springer auf c7)" in reading.described(LANGUAGES[Language.DE])


def test_the_link_of_an_indexed_game_finds_its_positions(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game(FELL, Site="https://lichess.org/dKfz2p1E"))
    index_files(library, [path])
    library.record_occurrences()
    first, after = (
        read_words(library, link).conditions["fen"]
        for link in ("https://lichess.org/dKfz2p1E", "lichess.org/dKfz2p1E/black#9")
    )
    assert library.find_by_key(position_key(first))
    stranger = SiteAccount("https://lichess.org", "stranger")
    assert read_words(library, "https://lichess.org/dKfz2p1E", stranger).conditions == {}
    assert read_words(library, "https://lichess.org/dKfz2p1E#999999999999").conditions == {}
    assert position_key(after) == position_key(first)
