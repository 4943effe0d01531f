"""Traps found by what they are called: spellings that people use, and that the words follow the library."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from db.formats.bundled import bundled_non_traps, bundled_traps
from db.library.library import Library
from db.library.open import open_library
from db.storage.name_index import MOST_FOUND, find_names, index_names
from db.storage.tables import TrapWordRow, WordRow
from tests.support.db_traps import legal


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(tmp_path_factory.mktemp("names") / "l.sqlite", create=True) as opened:
        opened.add_all([*bundled_traps(), *bundled_non_traps()])
        yield opened


def found(library: Library, text: str) -> list[str]:
    """Slugs, best first."""
    with library.database.read() as connection:
        distances = find_names(connection, text, [])
    return sorted(distances, key=lambda slug: (distances[slug], slug))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Légal's mate", "legal-mate"),
        ("legals mate", "legal-mate"),
        ("legal", "legal-mate"),
        ("legal-mate", "legal-mate"),
        ("schilling kostic", "blackburne-shilling-gambit"),
        ("noahs ark", "noahs-ark-trap"),
        ("NOAH", "noahs-ark-trap"),
        ("smoterd mate", "grecos-smothered-mate"),
        ("elefant", "elephant-trap"),
        ("fishng pole", "fishing-pole"),
        ("siberian trap", "siberian-trap"),
        ("scholers", "scholars-mate"),
        ("caro kan smothered", "caro-kann-smothered-mate"),
        ("réti tartakower", "reti-tartakower-mate"),
    ],
)
def test_what_a_person_means_comes_first(library: Library, typed: str, meant: str) -> None:
    assert found(library, typed)[0] == meant


def words(connection: Connection) -> dict[str, int]:
    """How many traps have each word."""
    pairs = select(WordRow.word).join_from(TrapWordRow, WordRow, WordRow.id == TrapWordRow.word_id)
    told = list(connection.scalars(pairs))
    return {word: told.count(word) for word in told}


def test_the_words_follow_the_library(tmp_path: Path) -> None:
    with open_library(tmp_path / "l.sqlite", create=True) as opened:
        opened.add(legal())
        opened.add(replace(legal(), slug="brand-new", name="Żółw's trap"), replace=True)
        with opened.database.read() as connection:
            assert words(connection) == {"brand": 1, "new": 1, "zołws": 1, "trap": 1, "legal": 1}
        assert found(opened, "zolws") == ["brand-new"]
        assert found(opened, "brand") == ["brand-new"]


def test_the_rarest_word_of_very_many_names_finds_its_trap(tmp_path: Path) -> None:
    with open_library(tmp_path / "l.sqlite", create=True) as opened:
        opened.add(legal())
        with opened.database.write() as connection:
            # Positions are not asked here, so the rows may all have the same one but for its key.
            copied = "epd, victim, bait, killer_line, bait_san, killer_san, length, outcome, verdict, proof_by, "
            copied += "proof_nodes, eco, opening, source, reason, created, mirror_key, family"
            for number in range(2, MOST_FOUND + 50):
                connection.exec_driver_sql(
                    f"INSERT INTO traps (id, slug, name, key, {copied}) "
                    f"SELECT {number}, 'p-{number}', 'Lichess puzzle {number:05x}z', randomblob(16), {copied} "
                    "FROM traps WHERE id = 1"
                )
            names = ((n, f"Lichess puzzle {n:05x}z", "legal", f"p-{n}") for n in range(2, MOST_FOUND + 50))
            index_names(connection, names)
        assert found(opened, "lichess puzzle 0002az") == ["p-42"]
        assert found(opened, "puzle 0002az")[0] == "p-42"
        assert len(found(opened, "lichess puzzle")) == MOST_FOUND
