"""A library as the Python interface opens it: found in, added to, indexed into."""

import io
from pathlib import Path

import chess
import chess.pgn
import pytest

import trapline
from tests.support.trap_games import FELL, QUIET, game

BEFORE = "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"
SLUG = "legals-mate-philidor-with-4-g6"


def test_a_library_has_a_length_and_gives_its_traps() -> None:
    with trapline.open(read_only=True) as library:
        slugs = [trap.slug for trap in library]
        assert len(library) == len(slugs)
        assert slugs == sorted(slugs)
        assert SLUG in library
        assert "nothing" not in library
        with pytest.raises(KeyError, match="did you mean 'legal-mate'"):
            library["legal-mat"]


def test_a_missing_library_is_made_only_if_that_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(trapline.LibraryError, match="there is no trap library"):
        trapline.open(tmp_path / "new.sqlite")
    with trapline.open(tmp_path / "new.sqlite", create=True) as library:
        assert SLUG in library
    with trapline.open(tmp_path / "new.sqlite", create=True) as library:
        assert SLUG in library


def test_query_takes_a_text_and_conditions() -> None:
    with trapline.open() as library:
        assert library.query("legal trap", limit=1)[0].trap.family == "legal"
        assert {hit.trap.victim for hit in library.query(victim="white", limit=200)} == {"white"}
        assert library.query(fen=chess.Board(BEFORE))[0].trap.slug == SLUG
        with pytest.raises(trapline.UsageError, match="victm"):
            library.query(victm="white")


def test_games_are_indexed_and_reported_on(tmp_path: Path) -> None:
    fell = chess.pgn.read_game(io.StringIO(game(FELL)))
    assert fell is not None
    (tmp_path / "games.pgn").write_text(game(QUIET), "utf-8")
    with trapline.open(tmp_path / "new.sqlite", create=True) as library:
        assert library.index([fell, tmp_path / "games.pgn"]) == 2
        assert library.index(fell) == 0
        report = library.report("boris")
        assert report.games == 2
        assert [history.trap.slug for history in report.practise] == [SLUG]
        with pytest.raises(trapline.InputError, match=r"absent\.pgn"):
            library.index(tmp_path / "absent.pgn")


def test_a_trap_that_was_added_is_proved_and_found_in_games(tmp_path: Path) -> None:
    moves = "1. a3 f6 2. e4 g5 3. Qh5# 1-0"
    played = chess.pgn.read_game(io.StringIO(moves))
    assert played is not None
    node = played.end().parent
    assert node is not None
    assert node.parent is not None
    with trapline.open(tmp_path / "new.sqlite", create=True) as library:
        before = len(library)
        added = library.add(node.parent, "g5", "Qh5#", name="My mate", slug="my-mate")
        assert (str(added.verdict), added.mate_in, len(library)) == ("proved", 1, before + 1)
        (mistake,) = trapline.mistakes(played, library=library)
        assert mistake.trap == library["my-mate"]
