"""The library: adding, finding, counting, and the digest that stands for it."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from db.games.index_games import index_files
from db.library.library import Added, Library
from db.library.open import open_library
from db.storage.sighting_rows import Sighting
from tests.conftest import NewLibrary
from tests.support.db_traps import FELL, elephant, fishing_pole, legal, write
from trapcore.errors import InputError, LibraryError, UsageError
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


def test_another_trap_of_the_same_position_and_bait_is_refused_unless_it_shall_replace(library: Library) -> None:
    library.add(legal())
    other = legal(name="Sea-cadet mate", slug="sea-cadet")
    with pytest.raises(UsageError, match="in the library as legals-mate"):
        library.add(other)
    assert library.traps() == [legal()]
    assert library.add(other, replace=True) is Added.REPLACED
    assert library.traps() == [other]


def test_a_slug_belongs_to_one_trap(library: Library) -> None:
    library.add(legal())
    with pytest.raises(UsageError, match="belongs to another trap"):
        library.add(replace(elephant(), slug="legals-mate"))
    assert library.traps() == [legal()]


def test_of_many_traps_equal_slugs_get_numbers_and_keep_them(library: Library) -> None:
    traps = [replace(trap, slug="same") for trap in (legal(), elephant(), fishing_pole())]
    assert library.add_all(traps) == [Added.ADDED] * 3
    assert [trap.slug for trap in library.traps()] == ["same", "same-2", "same-3"]
    before = library.digest()
    assert library.add_all(list(reversed(traps))) == [Added.UNCHANGED] * 3
    assert library.digest() == before


def test_many_traps_at_once_may_repeat_each_other(library: Library) -> None:
    other = legal(name="another name")
    assert library.add_all([legal(), legal(), other, elephant()]) == [
        Added.ADDED,
        Added.UNCHANGED,
        Added.REFUSED,
        Added.ADDED,
    ]
    assert library.trap("legals-mate") == legal()


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


def test_a_large_library_is_not_listed_in_an_error(library: Library) -> None:
    board = elephant().board()
    moves = [move.uci() for move in board.legal_moves]
    for number, bait in enumerate(moves):
        board.push_uci(bait)
        answer = next(iter(board.legal_moves)).uci()
        library.add(replace(elephant(), slug=f"t{number}", bait=bait, killer_line=(answer,)))
        board.pop()
    with pytest.raises(UsageError) as caught:
        library.trap("zzzzzz")
    assert str(caught.value) == f"unknown trap 'zzzzzz'; `trapline library list` shows the {len(moves)} there are"


def test_traps_are_found_by_key_in_either_colour(library: Library) -> None:
    library.add_all([legal(), elephant()])
    assert library.find_by_key(legal().key) == [legal()]
    assert library.find_by_key(legal().key, mirrored=True) == []
    assert library.find_by_key(legal().mirror_key, mirrored=True) == [legal()]
    assert library.find_by_key(bytes(16)) == []


def test_two_baits_of_one_position_are_two_traps(library: Library) -> None:
    second = replace(elephant(), bait="c3b5", killer_line=("a7a6",), slug="second")
    library.add_all([elephant(), second])
    assert library.find_by_key(elephant().key) == [elephant(), second]


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


def test_counts(library: Library, tmp_path: Path) -> None:
    library.add_all([legal(**PROVED), elephant()])
    index_files(library, [write(tmp_path / "g.pgn", FELL)])
    counts = library.counts()
    assert (counts.traps, counts.proved, counts.refuted, counts.undecided) == (2, 1, 0, 1)
    assert (counts.sources, counts.games, counts.positions, counts.occurrences, counts.sightings) == (1, 1, 14, 14, 1)


def test_the_library_is_light_to_import() -> None:
    heavy = "('typer', 'rich', 'pydantic', 'chess.engine', 'chess.pgn')"
    code = f"import sys, db.library.library; print([m for m in {heavy} if m in sys.modules])"
    root = Path(__file__).parents[3]
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_what_sqlite_says_of_a_damaged_page_is_one_line(tmp_path: Path) -> None:
    file_path = tmp_path / "damaged.sqlite"
    open_library(file_path, create=True).close()
    with closing(sqlite3.connect(file_path)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'practice_reviews'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with file_path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with open_library(file_path, read_only=True) as opened, pytest.raises(LibraryError, match="is damaged") as caught:
        opened.check_file()
    assert "\n" not in str(caught.value)
