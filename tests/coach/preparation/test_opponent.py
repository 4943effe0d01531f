"""The sheet about an opponent: his tree, where he leaves the book, and the trap that lies in his lines."""

import pytest

from coach.preparation.games import games_named
from coach.preparation.opponent import Preparation, prepare
from coach.preparation.opponent_sheet import opponent_sheet
from coach.report.sheet import page
from db.library.library import Library
from db.wording.languages.available import LANGUAGES
from tests.coach.preparation.conftest import Index
from trapcore.errors import UsageError

FALLS = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0"
NEAR = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. h3 Bh5 0-1"
AVOIDS = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Nxe5 0-1"
FRENCH = "1. e4 e6 2. d4 d5 3. h4 c5 1/2-1/2"


def prepared(library: Library, name: str = "Bob", site: str | None = None) -> Preparation:
    return prepare(library, games_named(library, name, site=site))


def words(found: Preparation) -> str:
    sheet = opponent_sheet(found)
    return " ".join([sheet.lead, *(note for section in sheet.sections for note in section.notes)])


def test_the_tree_has_shares_and_his_scores(index: Index) -> None:
    (black,) = prepared(index(*[(FALLS, "Ann", "Bob")] * 2, (NEAR, "Ann", "Bob"), (FRENCH, "Ann", "Bob"))).colours
    first = [(one.plies, one.move, one.games, one.of, one.is_his) for one in black.tree if one.plies < 3]
    assert first == [(1, "1.e4", 4, 4, False), (2, "1...e5", 3, 4, True), (2, "1...e6", 1, 4, True)]
    (e5,) = [one for one in black.tree if one.move == "1...e5"]
    assert (e5.score.wins, e5.score.draws, e5.score.losses) == (1, 0, 2)
    assert e5.score.share == pytest.approx(1 / 3)


def test_a_game_leaves_the_book_behind_its_last_name(index: Index) -> None:
    found = prepared(index((FRENCH, "Ann", "Bob"), ("1. e4 e6 2. d4 d5 3. Nc3 a6 0-1", "Ann", "Bob")))
    theory = {one.opening: (one.left, one.moves) for one in found.colours[0].theory}
    assert theory["French Defense: Paulsen Variation"] == (1, (("3...a6", 1),))
    assert theory["French Defense"] == (0, ())  # his opponent played 3.h4


def test_a_trap_in_his_most_played_lines_is_suggested_with_its_proof(index: Index) -> None:
    found = prepared(index((FALLS, "Ann", "Bob"), *[(NEAR, "Ann", "Bob")] * 9))
    trap = found.suggestion
    assert trap is not None
    assert (trap.trap.slug, trap.line) == ("legals-mate", FALLS.partition(" Bxd1")[0].replace(". ", "."))
    assert [(one.move, one.played, one.of) for one in trap.choices] == [
        *(("1...e5", 10, 10), ("2...Nc6", 10, 10), ("3...d6", 10, 10), ("4...Bg4", 10, 10)),
    ]
    assert (trap.decisions, trap.fell, trap.unknown) == (1, 1, 0)
    text = words(found)
    assert "If he takes the bait: 5...Bxd1? 6.Bxf7+ Ke7 7.Nd5#." in text
    assert "proved, mate in 2" in text
    assert "fell 1 of 1 (100 %)" in text
    assert "The sample is small" not in text


def test_a_line_that_he_rarely_plays_and_a_trap_that_he_knows_are_not_suggested(index: Index) -> None:
    rare = prepared(index((FALLS, "Ann", "Bob"), *[(FRENCH, "Ann", "Bob")] * 9))
    assert rare.suggestion is None
    assert rare.colours[0].traps[0].trap.slug == "legals-mate"
    assert "The tables of traps below" in words(rare)
    known = prepared(index(*[(AVOIDS, "Ann", "Cec")] * 3), "Cec")
    assert known.suggestion is None
    assert (known.colours[0].traps[0].decisions, known.colours[0].traps[0].fell) == (3, 0)


def test_a_trap_that_nobody_falls_into_is_not_suggested(index: Index) -> None:
    others = [(AVOIDS, "Ann", "Cec")] * 2 + [(AVOIDS, "Ann", "Dan")]
    found = prepared(index(*others, *[(NEAR, "Ann", "Bob")] * 3))
    (trap,) = found.colours[0].traps
    assert (trap.decisions, trap.games, trap.games_fell, found.suggestion) == (0, 3, 0, None)


def test_a_branch_with_more_games_than_the_move_before_it_is_not_shown_without_it(index: Index) -> None:
    games = [("1. d4 Nf6 2. c4 e6 3. Nc3 1-0", "Bob", "Ann")] * 9 + [("1. c4 Nf6 2. d4 e6 1-0", "Bob", "Ann")] * 3
    games += [(f"1. {first} g6 2. a3 1-0", "Bob", "Ann") for first in ("e4", "b3", "f4")] * 4
    sheet = opponent_sheet(prepared(index(*games)))
    (tree,) = [table for section in sheet.sections for table in section.tables if table.columns[0] == "move"]
    moves = [row[0].removeprefix("· " * row[0].count("· ")) for row in tree.rows]
    assert (moves.count("1.c4"), moves.count("2...e6")) == (0, 1)
    assert ("· · · 2...e6", "12 of 12 (100 %)") in {row[:2] for row in tree.rows}


def test_a_trap_that_needs_a_move_which_he_never_played_is_only_counted(index: Index) -> None:
    found = prepared(index(*[("1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 a6 1-0", "Ann", "Bob")] * 2))
    assert found.suggestion is None
    (trap,) = found.colours[0].traps
    assert (trap.trap.slug, trap.unknown, trap.choices[-1].played) == ("legals-mate", 1, 0)
    assert "No proved trap of the library lies in the moves that he has played." in words(found)


def test_three_games_are_said_to_be_few_and_show_what_there_is(index: Index) -> None:
    found = prepared(index((FALLS, "Ann", "Bob"), (NEAR, "Ann", "Bob"), (FRENCH, "Bob", "Ann")))
    assert "The sample is small: 3 games." in words(found)
    assert found.suggestion is not None
    assert [each.score.games for each in found.colours] == [1, 2]
    for language in LANGUAGES.values():
        text = page(opponent_sheet(found, language), language)
        assert ("Woran er verliert" in text) == (language.code == "de")
        assert "data:image/svg+xml" in text


def test_a_name_at_two_sites_is_two_people_unless_a_site_is_chosen(index: Index) -> None:
    index((FALLS, "Ann", "Bob"), Site="Chess.com")
    library = index((FRENCH, "Ann", "Bob"), Site="https://lichess.org/abcdefgh", Event="other")
    both = prepared(library)
    assert both.sites == {"chess.com": 1, "lichess.org": 1}
    assert "choose one site" in words(both)
    one = prepared(library, site="lichess.org")
    assert (one.games, one.sites) == (1, {"lichess.org": 1})
    assert "choose one site" not in words(one)
    with pytest.raises(UsageError, match=r"no indexed game of Bob is from elsewhere; there are 1 from chess\.com, 1"):
        prepared(library, site="elsewhere")
    with pytest.raises(UsageError, match="unknown site"):
        prepared(library, site="lichess")
