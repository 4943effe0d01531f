"""How a bait tempts: by depth, at first sight, and by how many took it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import pytest

from db.formats.bundled import bundled_traps
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from db.proof.prover import TrapProver
from db.traps.answer import trap_to_dict
from db.traps.temptation import (
    LEAST_DECISIONS,
    TEMPTING_SHARE,
    UNKNOWN_RATING,
    Frequency,
    Profile,
    RatingBand,
    profile_of,
    reasons,
)
from tests.conftest import NewLibrary
from tests.support.db_traps import AVOIDED, ENDED, FELL, MIRRORED, OTHER, elephant, legal, write
from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import check_bait
from trapcore.proof.verdict import DepthValue, Verdict

SEARCH = TrapProver(search_nodes=50_000)


@pytest.fixture
def library(new_library: NewLibrary) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        yield opened


def test_the_profile_of_a_bait_is_that_of_the_test_that_proved_it() -> None:
    proved = SEARCH.prove(elephant())
    test = check_bait(elephant().epd, elephant().bait, elephant().killer_line[:1], Budget(nodes=50_000))
    assert proved.profile == Profile(rank=test.rank, gain=test.gain, depths=test.depths)
    assert len(test.depths) > 3
    last = test.depths[-1]
    assert last.bait < last.best


def test_a_profile_is_stored_and_replaced(library: Library) -> None:
    proved = [SEARCH.prove(elephant()), SEARCH.prove(legal())]
    library.add_all(proved)
    assert library.traps() == proved
    other = replace(proved[0], profile=Profile(rank=7, gain=-80, depths=(DepthValue(3, -29_997, 12),)))
    library.add(other, replace=True)
    assert library.trap("elephant-trap") == other
    library.add(replace(other, profile=None), replace=True)
    assert library.trap("elephant-trap").profile is None


def test_rank_and_gain_tempt_as_in_the_trap_test() -> None:
    told = set()
    # Where so much hangs, a capture of low rank wins a piece all the same.
    feast = chess.Board("4k3/8/n1n1r1b1/1P1P1P1P/8/8/8/7K w - - 0 1")
    asked = [(feast.fen(), move.uci()) for move in feast.legal_moves]
    for epd, move in [*asked, *((trap.epd, trap.bait) for trap in bundled_traps())]:
        test = check_bait(epd, move, (), Budget(nodes=1))
        found = reasons(profile_of(test), None)
        assert bool(found) == test.tempts, (epd, move)
        told.add(tuple(found))
    assert told == {(), ("rank",), ("gain",), ("rank", "gain")}


def games(fell: int, avoided: int) -> list[str]:
    return [
        *(FELL.replace('"A"', f'"A{number}"') for number in range(fell)),
        *(AVOIDED.replace('"C"', f'"C{number}"') for number in range(avoided)),
    ]


def test_the_players_of_either_colour_are_counted_who_had_the_choice(library: Library, tmp_path: Path) -> None:
    library.add_all([legal(), elephant()])
    assert library.frequency("legals-mate") == Frequency(decisions=0, played=0)
    index_files(library, [write(tmp_path / "g.pgn", FELL, AVOIDED, ENDED, MIRRORED, OTHER)])
    assert library.frequency("legals-mate") == Frequency(decisions=3, played=2)
    assert library.frequencies() == {"legals-mate": Frequency(decisions=3, played=2)}


def test_the_victims_ratings_are_told_apart(library: Library, tmp_path: Path) -> None:
    library.add_all([legal(), elephant()])
    assert library.frequencies_by_rating() == {}
    ratings = [
        (FELL, 2500, 1199),
        (AVOIDED, 900, 1200),
        (MIRRORED, 1599, 2700),
        (AVOIDED.replace("D", "X"), 1500, None),
    ]
    games = [f'[WhiteElo "{white}"]\n[BlackElo "{black or "?"}"]\n{game}' for game, white, black in ratings]
    index_files(library, [write(tmp_path / "g.pgn", *games, OTHER)])
    expected = {
        RatingBand(None, 1199): Frequency(decisions=1, played=1),
        RatingBand(1200, 1599): Frequency(decisions=2, played=1),
        UNKNOWN_RATING: Frequency(decisions=1, played=0),
    }
    assert library.frequencies_by_rating() == library.frequencies_by_rating("legals-mate") == {"legals-mate": expected}
    assert list(library.frequencies_by_rating("legals-mate")["legals-mate"]) == list(expected)
    assert library.frequency("legals-mate") == sum(expected.values(), Frequency(decisions=0, played=0))
    for bounds, (decisions, played) in {(1200, 1599): (2, 1), (None, 1200): (2, 1), (1200, None): (2, 1)}.items():
        found = library.frequencies(min_rating=bounds[0], max_rating=bounds[1])["legals-mate"]
        assert (found.decisions, found.played) == (decisions, played)
    assert library.frequencies(min_rating=2000) == {}


@pytest.mark.parametrize(
    ("fell", "avoided", "tempting"),
    [(1, LEAST_DECISIONS - 2, False), (1, LEAST_DECISIONS - 1, True), (1, LEAST_DECISIONS, False), (3, 20, True)],
)
def test_a_bait_tempts_that_enough_players_took(
    library: Library, tmp_path: Path, fell: int, avoided: int, tempting: bool
) -> None:
    unseen = replace(legal(), profile=Profile(rank=20, gain=-300))
    library.add(unseen)
    index_files(library, [write(tmp_path / "g.pgn", *games(fell, avoided))])
    frequency = library.frequency("legals-mate")
    assert (frequency.decisions, frequency.played) == (fell + avoided, fell)
    expected = fell + avoided >= LEAST_DECISIONS and fell >= TEMPTING_SHARE * (fell + avoided)
    assert expected is tempting
    assert reasons(unseen.profile, frequency) == (["frequency"] if tempting else [])
    assert trap_to_dict(unseen, frequency)["tempts"] == (["frequency"] if tempting else [])


def test_a_trap_that_tempts_nobody_at_first_sight_is_still_proved() -> None:
    (fools_mate,) = (trap for trap in bundled_traps() if trap.slug == "fools-mate")
    proved = SEARCH.prove(fools_mate)
    assert (proved.verdict, reasons(proved.profile, None)) == (Verdict.PROVED, [])
