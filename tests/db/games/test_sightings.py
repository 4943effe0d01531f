"""Sightings page by page: nothing skipped or told twice, by trap, game and player."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from db.games.index_games import index_files
from db.games.sightings import SightingInGame, sightings
from db.library.library import Library
from db.library.open import open_library
from db.storage.sighting_rows import Sighting
from tests.conftest import NewLibrary
from tests.support.db_traps import AVOIDED, ELEPHANT_FELL, FELL, MIRRORED, elephant, legal, write
from trapcore.errors import UsageError

TAGS = '[WhiteElo "1480"]\n[Site "https://lichess.org/abcdefgh"]\n[Date "2020.01.02"]\n'


@pytest.fixture
def library(new_library: NewLibrary, tmp_path: Path) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        opened.add_all([legal(), elephant()])
        many = [FELL.replace('"A"', f'"Éva {number}%"') for number in range(7)]
        index_files(opened, [write(tmp_path / "g.pgn", TAGS + FELL, AVOIDED, MIRRORED, ELEPHANT_FELL, *many)])
        yield opened


def all_pages(library: Library, limit: int, **wanted: object) -> list[SightingInGame]:
    found: list[SightingInGame] = []
    after = None
    while True:
        page = sightings(library, limit=limit, after=after, **wanted)  # type: ignore[arg-type]
        found += page.sightings
        assert len(page.sightings) == limit or page.next is None
        if page.next is None:
            return found
        after = page.next


@pytest.mark.parametrize("limit", [1, 2, 3, 11, 200])
def test_pages_tell_each_sighting_once(library: Library, limit: int) -> None:
    found = all_pages(library, limit)
    assert len(found) == 11
    key = str
    names = [field.name for field in fields(Sighting)]
    bare = [Sighting(**{name: getattr(seen, name) for name in names}) for seen in found]
    assert sorted(bare, key=key) == sorted(library.sightings(), key=key)
    assert all_pages(library, limit, trap="elephant-trap") == [s for s in found if s.trap == "elephant-trap"]


def test_a_sighting_that_is_recorded_meanwhile_comes_last(library: Library, tmp_path: Path) -> None:
    first = sightings(library, limit=6)
    index_files(library, [write(tmp_path / "h.pgn", AVOIDED.replace('"D"', '"X"'))])
    rest = sightings(library, limit=200, after=first.next)
    assert len(first.sightings) + len(rest.sightings) == 12
    last = rest.sightings[-1].game
    assert last is not None
    assert last.black == "X"


@pytest.mark.parametrize(
    ("player", "count"),
    [("éva", 7), ("ÉVA 3", 1), ("Va 3", 1), ("%", 7), ("_", 0), ("6%", 1), ("b", 8), ("nobody", 0), ("\\", 0)],
)
def test_players_are_found_by_a_part_of_the_name(library: Library, player: str, count: int) -> None:
    assert len(all_pages(library, 3, player=player)) == count


@pytest.mark.parametrize(
    "wrong",
    [{"limit": 0}, {"limit": 201}, {"event": "feld"}, {"trap": "legal-mate"}, {"after": "x"}, {"after": "-1"}],
)
def test_what_cannot_be_is_refused(library: Library, wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        sightings(library, **wrong)  # type: ignore[arg-type]
