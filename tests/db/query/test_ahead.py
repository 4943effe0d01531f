"""Traps ahead of a position or an opening: by the lines of the library, and by the indexed games."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from db.query.ahead import AheadPage, traps_ahead, traps_ahead_of
from db.query.query import AheadQuery
from tests.support.db_traps import LEGAL_MOVES, elephant, legal
from tests.support.trap_games import game
from trapcore.errors import InputError, UsageError
from trapcore.proof.verdict import Verdict

PROVED: dict[str, Any] = {"verdict": Verdict.PROVED, "proof_by": "a test", "proof_nodes": 1}
FELL, AVOIDED = (f"1. {LEGAL_MOVES.replace('1. ', '')} {rest}" for rest in ("Bxd1 Bxf7+ Ke7 Nd5# 1-0", "Nxe5 1/2-1/2"))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library.sqlite", create=True) as opened:
        opened.add_all([replace(legal(), mate_in=2, **PROVED), replace(elephant(), **PROVED)])
        yield opened


def ahead(library: Library, start: str, **conditions: Any) -> AheadPage:
    return traps_ahead(library, AheadQuery(start=start, **conditions))


def test_a_trap_is_ahead_of_every_position_of_its_line_and_of_none_beyond(library: Library) -> None:
    trap = legal()
    assert trap.moves is not None
    line = [word for word in trap.moves.split() if not word.rstrip(".").isdigit()]
    for ply in range(len(line) + 1):
        board = chess.Board()
        for san in line[:ply]:
            board.push_san(san)
        found = {one.trap.slug: one for one in ahead(library, board.fen()).traps}
        assert found[trap.slug].moves == tuple(line[ply:])
        assert (found[trap.slug].games, found[trap.slug].fell) == (0, 0)
    board.push_uci(trap.bait)
    assert ahead(library, board.fen()).traps == ()


def test_another_order_of_moves_leads_to_the_same_traps(library: Library) -> None:
    usual, other = ahead(library, "d4 d5 c4 e6 Nc3 Nf6"), ahead(library, "c4 Nf6 Nc3 e6 d4 d5")
    assert [one.trap.slug for one in usual.traps] == [elephant().slug]
    assert other == usual
    assert ahead(library, "d4 d5 c4 e6 Nc3 Nf6", plies=1).traps == ()


@pytest.mark.parametrize("text", ["Queen's Gambit Declined", "queens gambit declned"])
def test_an_opening_is_found_by_its_name(library: Library, text: str) -> None:
    page = ahead(library, text)
    assert page.names == ("Queen's Gambit Declined",)
    assert [one.trap.slug for one in page.traps] == [elephant().slug]


def test_games_say_how_many_came_there_and_how_many_fell(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("".join(game(moves, Round=str(n)) for n, moves in enumerate((FELL, FELL, AVOIDED))))
    index_files(library, [path])
    library.record_occurrences()
    first, *_ = ahead(library, "e4").traps
    assert (first.trap.slug, first.games, first.fell) == (legal().slug, 3, 2)
    assert first.by_rating == {}
    board = chess.Board()
    for san in ("e4", *first.moves):
        board.push_san(san)
    assert first.trap.epd == board.epd(en_passant="legal")
    assert ahead(library, "e4", victim="white").traps == ()
    # Nobody of these ratings could have fallen, but the line of the library stays.
    assert [one.games for one in ahead(library, "e4", min_rating=4000).traps] == [0]


def test_a_trap_with_colours_exchanged_is_shown_as_it_stood(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    board = legal().board().mirror()
    bait = chess.Move(*(chess.square_mirror(chess.parse_square(legal().bait[at : at + 2])) for at in (0, 2)))
    path.write_text(f'[SetUp "1"]\n[FEN "{board.fen()}"]\n\n{board.fullmove_number}. {board.san(bait)} *\n')
    index_files(library, [path])
    library.record_occurrences()
    (found,) = ahead(library, board.fen()).traps
    assert (found.trap.victim, found.moves, found.games, found.fell) == ("white", (), 1, 1)
    assert found.trap.bait == bait.uci()


def test_the_moves_to_a_trap_have_their_numbers(library: Library, tmp_path: Path) -> None:
    by_line = {one.trap.slug: one.numbered for one in ahead(library, "e4 e5 Nf3").traps}
    assert by_line == {legal().slug: "2...Nc6 3.Bc4 d6 4.Nc3 Bg4 5.Nxe5"}
    # A game that begins elsewhere counts on from there.
    board = chess.Board()
    for san in ["e4", "e5", "Nf3", "Nc6", "Bc4", "d6", "Nc3", "Bg4"]:
        board.push_san(san)
    before = board.mirror()
    before.fullmove_number = 31
    path = tmp_path / "games.pgn"
    path.write_text(f'[SetUp "1"]\n[FEN "{before.fen()}"]\n\n31... Nxe4 32. Bxd8 *\n')
    index_files(library, [path])
    library.record_occurrences()
    assert [one.numbered for one in ahead(library, before.fen()).traps] == ["31...Nxe4"]


@pytest.mark.parametrize(("text", "kind"), [("xyz", UsageError), ("e4 e5 Ke3", UsageError), ("8/8/8 w", InputError)])
def test_what_is_no_start_is_an_error(library: Library, text: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        ahead(library, text)


def test_of_several_positions_the_last_before_a_trap_is_where_its_moves_begin(library: Library) -> None:
    board, epds = chess.Board(), []
    for san in ("e4", "e5", "Nf3", "Nc6"):
        board.push_san(san)
        epds.append(board.epd(en_passant="legal"))
    (found,) = traps_ahead_of(library, epds, plies=5)
    assert (found.trap.slug, found.start, found.moves[0]) == (legal().slug, epds[-1], "Bc4")
    assert traps_ahead_of(library, epds, plies=4) == []
    assert traps_ahead_of(library, epds, plies=5, victim="white") == []
    assert traps_ahead_of(library, [], plies=5) == []


def test_who_fell_is_counted_by_rating(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    rated = [(FELL, "1100"), (FELL, "1300"), (AVOIDED, "1350"), (AVOIDED, "?")]
    path.write_text("".join(game(moves, Round=str(n), BlackElo=elo) for n, (moves, elo) in enumerate(rated)))
    index_files(library, [path])
    library.record_occurrences()
    first, *_ = ahead(library, "e4").traps
    counted = {band: (each.played, each.decisions) for band, each in first.by_rating.items()}
    assert counted == {"<1200": (1, 1), "1200-1599": (1, 2), "unknown": (0, 1)}
