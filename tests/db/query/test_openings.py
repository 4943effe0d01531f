"""Openings that lead to traps, counted over the lines of the traps."""

from pathlib import Path

from db.formats.bundled import make_bundled
from db.library.open import open_library
from db.query.ahead import traps_ahead
from db.query.openings import NEAR, openings_with_traps
from db.query.query import AheadQuery
from db.traps.openings import names_by_slug, opening_names, opening_slug


def test_the_counts_are_those_of_the_traps_ahead_of_each_opening(tmp_path: Path) -> None:
    make_bundled(tmp_path / "l.sqlite", lambda _: None)
    with open_library(tmp_path / "l.sqlite") as library:
        found = openings_with_traps(library)
        assert [each.name for each in found] == sorted(each.name for each in found)
        assert len(found) > 500
        # A name whose position comes twice in a line counts from the first time, here as there.
        for each in found[::40]:
            ahead = traps_ahead(library, AheadQuery(start=each.name, plies=NEAR, limit=200))
            assert {side: sum(one.trap.victim == side for one in ahead.traps) for side in each.against} == each.against


def test_each_opening_has_a_slug_of_its_own_and_a_side() -> None:
    assert len(names_by_slug()) == len(opening_names())
    assert opening_slug("Grünfeld Defense: Lutikov Variation") == "grunfeld-defense-lutikov-variation"
    players = {"Sicilian Defense": "black", "Italian Game": "white", "Petrov's Defense": "black", "Ruy Lopez": "white"}
    assert {name: opening_names()[name] for name in players} == players
