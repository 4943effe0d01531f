"""The library: adding, finding, counting, and the digest that stands for it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event

from db.formats.bundled import bundled_traps
from db.games.index_games import index_files
from db.library.library import Added, Library
from db.library.open import open_library
from db.storage.sighting_rows import Sighting
from tests.conftest import NewLibrary
from tests.support.db_traps import FELL, elephant, fishing_pole, legal, write
from trapcore.errors import InputError, UsageError
from trapcore.proof.verdict import Verdict

PROVED = {"verdict": Verdict.PROVED, "mate_in": 2, "proof_by": "a prover", "proof_nodes": 10}


@pytest.fixture
def library(new_library: NewLibrary) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        yield opened


def test_the_same_trap_again_changes_nothing(library: Library) -> None:
    assert library.add(legal()) is Added.ADDED
    before = library.digest()
    assert library.add(legal()) is Added.UNCHANGED
    assert library.traps() == [legal()]
    assert library.digest() == before


def test_what_is_stored_is_what_comes_back(library: Library) -> None:
    traps = [legal(**PROVED, gain=1.25, proof_depth=30), elephant(), fishing_pole()]
    library.add_all(traps)
    assert library.traps() == sorted(traps, key=lambda trap: trap.slug)
    assert [library.trap(trap.slug) for trap in traps] == traps


def test_a_slug_belongs_to_one_trap(library: Library) -> None:
    library.add(legal())
    with pytest.raises(UsageError, match="belongs to another trap"):
        library.add(replace(elephant(), slug="legals-mate"))
    assert library.traps() == [legal()]


def test_traps_of_one_name_are_numbered_in_order_with_few_questions(library: Library) -> None:
    traps = [replace(trap, slug="one-name", moves=None) for trap in bundled_traps()[:70]]
    library.add_all(traps[:69])
    names = ["one-name", *(f"one-name-{number}" for number in range(2, 70))]
    assert sorted(trap.slug for trap in library.traps()) == sorted(names)
    asked: list[str] = []

    def note(*given: object) -> None:
        asked.append(str(given[2]))

    event.listen(library.database.engine, "before_cursor_execute", note)
    library.add_all(traps[69:])
    event.remove(library.database.engine, "before_cursor_execute", note)
    assert library.find("one-name-70") is not None
    assert sum("WHERE traps.slug = " in statement for statement in asked) < 16


def test_a_trap_without_its_proof_does_not_undo_it(library: Library) -> None:
    library.add(legal(**PROVED))
    assert library.add(legal()) is Added.UNCHANGED
    assert library.add(legal(), replace=True) is Added.UNCHANGED
    assert library.trap("legals-mate").verdict is Verdict.PROVED
    refuted = legal(verdict=Verdict.REFUTED, proof_by="a better prover")
    assert library.add(refuted, replace=True) is Added.REPLACED
    assert library.traps() == [refuted]


def test_one_bad_trap_of_many_stores_none(library: Library) -> None:
    with pytest.raises(InputError):
        library.add_all([legal(), replace(elephant(), bait="a1a8")])
    assert library.counts().traps == 0


def test_a_misspelt_slug_names_the_nearest(library: Library) -> None:
    with pytest.raises(UsageError, match="is empty"):
        library.trap("legals-mate")
    library.add_all([legal(), elephant()])
    with pytest.raises(UsageError, match="did you mean 'legals-mate'"):
        library.trap("legal-mate")
    with pytest.raises(UsageError, match="elephant-trap, legals-mate"):
        library.trap("zzz")


def test_traps_are_found_by_key_in_either_colour(library: Library) -> None:
    library.add_all([legal(), elephant()])
    assert library.find_by_key(legal().key) == [legal()]
    assert library.find_by_key(legal().key, mirrored=True) == []
    assert library.find_by_key(legal().mirror_key, mirrored=True) == [legal()]
    assert library.find_by_key(bytes(16)) == []


def test_the_digest_is_of_the_content_alone(library: Library, tmp_path: Path, new_library: NewLibrary) -> None:
    library.add(legal())
    library.add(elephant())
    with open_library(new_library(), create=True) as other:
        other.add_all([elephant(), legal()])
        assert other.digest() == library.digest()
        index_files(other, [write(tmp_path / "g.pgn", FELL)])
        assert other.digest() == library.digest()
        other.add(replace(elephant(), gain=0.5, verdict=Verdict.PROVED, proof_by="an engine"), replace=True)
        assert other.digest() != library.digest()
    assert len(library.digest()) == 32


def sighting(**fields: object) -> Sighting:
    given = {
        "trap": "legals-mate",
        "file": "/games.pgn",
        "game_number": 3,
        "byte_offset": 100,
        "ply": 10,
        "event": "fell",
    }
    return Sighting(**given | fields)  # type: ignore[arg-type]


def test_sightings_are_kept_once(library: Library) -> None:
    library.add_all([legal(), elephant()])
    similar = sighting(event="avoided", ply=8, measure="sequences", score=0.91, verdict=Verdict.PROVED)
    assert library.add_sightings([sighting(), similar, sighting()]) == 2
    assert library.add_sightings([similar]) == 0
    assert library.sightings() == [similar, sighting()]
    assert library.sightings("elephant-trap") == []
    assert library.events("legals-mate") == {"fell": 1}
    with pytest.raises(UsageError, match="did you mean"):
        library.add_sightings([sighting(trap="legal-mate")])
    with pytest.raises(UsageError, match="did you mean"):
        library.sightings("legal-mate")


def test_a_new_verdict_is_that_of_the_sightings_of_the_very_position(library: Library, tmp_path: Path) -> None:
    library.add(legal())
    index_files(library, [write(tmp_path / "g.pgn", FELL)])
    library.add_sightings([sighting(measure="sequences", score=0.9)])
    library.add(legal(**PROVED), replace=True)
    assert {seen.measure: seen.verdict for seen in library.sightings()} == {
        "key": Verdict.PROVED,
        "sequences": Verdict.UNDECIDED,
    }
