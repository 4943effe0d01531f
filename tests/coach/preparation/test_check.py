"""A repertoire against games: who left it and where, its gaps, and the traps in it and beside it."""

from pathlib import Path

import pytest

from coach.preparation.check import Check, check
from coach.preparation.check_sheet import check_sheet
from coach.preparation.derive import as_text, derived
from coach.preparation.games import Score, games_named, opening_games, sites_of
from coach.preparation.lines import read_lines
from coach.report.sheet import page
from db.games.index_games import index_files
from db.library.library import Library
from db.storage.value_rows import store_values
from db.traps.position_value import PositionValue
from db.wording.languages.available import LANGUAGES
from tests.coach.preparation.conftest import Index
from tests.support.db_traps import write
from tests.support.public_data import DATA, skip_without
from trapcore import _native

ITALIAN = '[Orientation "white"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 (3... d6 4. Nc3 (4. c3)) 4. c3 *\n'
OWN = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 0-1"
OPPONENT = "1. e4 e5 2. Nf3 Nf6 1-0"
END = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 1/2-1/2"
INSIDE = "1. e4 e5 2. Nf3 Nc6 *"
TRANSPOSED = "1. Nf3 Nc6 2. e4 e5 3. Bc4 Nd4 1-0"


def checked(library: Library, tmp_path: Path, text: str = ITALIAN, player: str = "Ann") -> Check:
    lines = read_lines(write(tmp_path / "mine.pgn", text), player=[player])
    (found,) = check(library, games_named(library, player), lines)
    return found


def test_each_game_is_counted_where_it_left_the_repertoire(index: Index, tmp_path: Path) -> None:
    games = [(moves, "Ann", "Bob") for moves in (OWN, OWN, OPPONENT, END, INSIDE, TRANSPOSED)]
    found = checked(index(*games, ("1. d4 d5 1-0", "Cec", "Ann")), tmp_path)
    told: dict[tuple[str, ...], Score] = {
        (each.kind, each.line, each.played, *each.expected): each.score for each in found.departures
    }
    own, opponent, end, late = (
        ("own", "1.e4 e5 2.Nf3 Nc6", "3.Bb5", "Bc4"),
        ("opponent", "1.e4 e5 2.Nf3", "2...Nf6", "Nc6"),
        ("end", "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.c3", "4...Nf6"),
        ("opponent", "1.e4 e5 2.Nf3 Nc6 3.Bc4", "3...Nd4", "Bc5", "d6"),
    )
    assert told.keys() == {own, opponent, end, late}
    assert (told[own].games, told[own].share, told[end].share, told[late].share) == (2, 0, 0.5, 1)
    assert (found.inside, found.transposed, found.outside, found.score.games) == (1, 1, 0, 6)
    assert sum(each.score.games for each in found.by_opening) == 6
    assert sum(each.own for each in found.by_opening) == found.count("own") == 2


def test_a_departure_costs_what_the_stored_values_say_and_else_is_not_judged(index: Index, tmp_path: Path) -> None:
    library = index((OWN, "Ann", "Bob"))
    (own,) = checked(library, tmp_path).departures
    assert own.cost is None
    after = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1"
    values = {own.epd: PositionValue(0.3, 100, (), "test"), _native.epd(after): PositionValue(0.1, 100, (), "test")}
    with library.database.write() as connection:
        store_values(connection, values)
    (own,) = checked(library, tmp_path).departures
    assert own.cost == pytest.approx(0.4)


def test_a_gap_is_a_reply_of_others_that_has_no_answer(index: Index, tmp_path: Path) -> None:
    petroff = [(OPPONENT, "Ann", "Bob"), (OPPONENT, "Cec", "Dan"), (OPPONENT, "Eve", "Ann"), (OPPONENT, "Eve", "Ann")]
    once = [("1. e4 e5 2. Nf3 d6 1-0", "Cec", "Dan"), (OWN, "Cec", "Dan")]
    (gap,) = checked(index(*petroff, *once), tmp_path).gaps
    # Ann's own two games as Black are no replies of other people, and one game is no habit.
    assert (gap.line, gap.reply, gap.games, gap.of, gap.against) == ("1.e4 e5 2.Nf3", "2...Nf6", 2, 4, 1)


def test_a_reply_that_transposes_to_an_answer_is_no_gap(index: Index, tmp_path: Path) -> None:
    text = '[Orientation "white"]\n\n1. d4 Nf6 (1... e6 2. c4 d5 3. Nc3) 2. c4 e6 3. Nc3 *\n\n'
    games = [("1. d4 e6 2. c4 Nf6 1-0", "Cec", "Dan")] * 2 + [("1. d4 e6 2. c4 f5 1-0", "Cec", "Dan")] * 2
    found = checked(index(*games, ("1. e4 e5 1-0", "Ann", "Bob")), tmp_path, text)
    assert [(gap.line, gap.reply) for gap in found.gaps] == [("1.d4 e6 2.c4", "2...f5")]


def test_castling_is_the_same_move_in_file_and_library(index: Index, tmp_path: Path) -> None:
    text = '[Orientation "white"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 (4... Nge7) 5. d3 O-O *\n'
    games = [("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d3 O-O 6. c3 1-0", "Ann", "Bob")] * 2
    found = checked(index(*games), tmp_path, text)
    assert [(each.kind, each.played) for each in found.departures] == [("end", "6.c3")]
    # The repertoire has their castling, without an answer.
    assert [(gap.reply, gap.games, gap.of) for gap in found.gaps] == [("5...O-O", 2, 2)]


def test_two_own_moves_are_said_and_two_lines_to_one_position_too(index: Index, tmp_path: Path) -> None:
    text = ITALIAN + '\n[Orientation "white"]\n\n1. e4 Nc6 2. Nf3 e5 *\n'
    found = checked(index((OWN, "Ann", "Bob")), tmp_path, text)
    assert [each.others for each in found.contradictions] == [("4.Nc3", "4.c3")]
    assert [(each.line, each.others) for each in found.transpositions] == [
        ("1.e4 e5 2.Nf3 Nc6", ("1.e4 Nc6 2.Nf3 e5",))
    ]


def test_traps_are_told_by_who_may_fall_and_what_they_need(index: Index, tmp_path: Path) -> None:
    library = index((OWN, "Ann", "Bob"), ("1. e4 e5 1-0", "Bob", "Ann"))
    (beside,) = checked(library, tmp_path).traps
    assert (beside.trap.slug, beside.is_own, beside.leaves, beside.is_bait_in_repertoire) == (
        *("legals-mate",),
        *(False, False, False),
    )
    assert (beside.line, beside.moves, beside.bait) == (
        "1.e4 e5 2.Nf3 Nc6 3.Bc4 d6 4.Nc3",
        "4...Bg4 5.Nxe5",
        "5...Bxd1",
    )
    black = '[Orientation "black"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 *\n'
    (fatal,) = checked(library, tmp_path, black).traps
    assert (fatal.is_own, fatal.is_bait_in_repertoire, fatal.moves) == (True, True, "")
    sheet = check_sheet([checked(library, tmp_path, black)], "Ann", {"elsewhere": 2})
    assert "your repertoire plays the bait" in page(sheet)


def test_a_repertoire_without_games_of_its_colour_still_has_its_traps(index: Index, tmp_path: Path) -> None:
    found = checked(index(("1. e4 e5 1-0", "Bob", "Ann")), tmp_path)
    assert (found.score.games, found.departures, len(found.traps)) == (0, (), 1)
    assert "No game of yours with this colour" in page(check_sheet([found], "Ann", {"elsewhere": 1}))


def test_names_are_escaped_and_the_german_sheet_is_german(index: Index, tmp_path: Path) -> None:
    evil = "<script>x</script>"
    found = checked(index((OWN, evil, "Bob")), tmp_path, player=evil)
    for language in LANGUAGES.values():
        text = page(check_sheet([found], evil, {"elsewhere": 1}, language), language)
        assert evil not in text
        assert ("Wo Sie es verließen" in text) == (language.code == "de")


def test_a_derived_repertoire_has_the_most_played_moves_and_is_read_back(index: Index, tmp_path: Path) -> None:
    games = [(OWN, "Ann", "Bob")] * 3 + [(END, "Ann", "Bob")] * 2 + [("1. d4 d5 1-0", "Ann", "Bob")] * 2
    library = index(*games, ("1. e4 c5 1-0", "Bob", "Ann"))
    (chapter,) = derived(opening_games(games_named(library, "Ann")), "Ann", least=2, plies=10)
    text = as_text([chapter])
    told = " ".join(text.split())
    assert "1. e4 { 5 of 7 games, 20% scored. } 1... e5 { 5 of 5 games. }" in told
    assert "3. Bb5 { 3 of 5 games, 0% scored. } *" in told
    assert "d4" not in told
    found = checked(library, tmp_path, text)
    assert {(each.kind, each.played) for each in found.departures} == {
        ("own", "1.d4"),
        ("own", "3.Bc4"),
        ("end", "3...a6"),
    }


def test_of_real_games_every_one_is_counted_once(library: Library, tmp_path: Path) -> None:
    path = DATA / "pgn" / "amateur_chesscom_cancer0707.pgn"
    skip_without(path)
    index_files(library, [path])
    games = games_named(library, "cancer0707")
    assert sites_of(games) == {"chess.com": 881}
    chapters = derived(opening_games(games), "cancer0707", least=4, plies=20)
    lines = read_lines(write(tmp_path / "mine.pgn", as_text(chapters)))
    white, black = check(library, games, lines)
    for found, total in ((white, 439), (black, 440)):  # two others do not begin from the usual start
        left = sum(found.count(kind) for kind in ("own", "opponent", "end"))
        assert left + found.inside + found.outside == found.score.games == total
    # He has played 1.d4 most, and other first moves more rarely.
    assert ("own", "", "1.e4", ("d4",)) in {
        (each.kind, each.line, each.played, each.expected) for each in white.departures
    }
    assert ("1.d4", "1...f5") in {(gap.line, gap.reply) for gap in white.gaps}
