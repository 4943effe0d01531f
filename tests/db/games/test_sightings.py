"""Sightings page by page: nothing skipped or told twice, by trap, game and player."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from db.games.accounts import NO_ACCOUNT, SiteAccount
from db.games.index_games import index_files
from db.games.sightings import SightingInGame, sightings
from db.library.library import Library
from db.library.open import open_library
from db.storage.sighting_rows import Sighting
from db.traps.json_form import to_dict
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


def test_the_game_is_told(library: Library) -> None:
    seen = sightings(library, trap="legals-mate", event="fell", limit=1).sightings[0]
    game = seen.game
    assert game is not None
    assert (game.white, game.white_elo, game.black_elo, game.date) == ("A", 1480, None, "2020.01.02")
    assert game.address == "https://lichess.org/abcdefgh"
    own = [other.game for other in sightings(library, only=SiteAccount("https://lichess.org", "a")).sightings]
    assert set(own) == {game}
    assert sightings(library, only=SiteAccount("https://lichess.org", "b2")).sightings == ()
    assert sightings(library, only=SiteAccount("https://www.chess.com", "a")).sightings == ()
    assert sightings(library, only=NO_ACCOUNT).sightings == ()
    content = to_dict(seen)
    assert (content["trap"], content["verdict"]) == ("legals-mate", "undecided")


def test_a_sighting_of_a_file_that_is_not_indexed_has_no_game(library: Library) -> None:
    known = library.sightings()[0]
    library.add_sightings([Sighting(trap=known.trap, file="/x", game_number=1, byte_offset=0, ply=1, event="set")])
    (seen,) = sightings(library, event="set").sightings
    assert (seen.file, seen.game, to_dict(seen)["game"]) == ("/x", None, None)


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
