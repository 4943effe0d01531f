"""Drilling a repertoire: what is played and asked, what is due, and what is said of an answer."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from coach.practice.schedule import AGAIN
from coach.preparation.derive import as_text
from coach.preparation.drill import Drill, DrillLine, open_drill
from coach.preparation.drill_words import moves_of, question, verdict
from coach.preparation.export import exported, study_chapters
from coach.preparation.games import games_named
from coach.preparation.lines import Lines, lines_of
from db.library.library import Library
from db.wording.languages.available import LANGUAGES
from tests.coach.preparation.conftest import Index

pytest.importorskip("fsrs")

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
ITALIAN = (
    '[Orientation "white"]\n\n1. e4 { The best by test. [%cal Ge2e4] } e5 (1... c5 2. Nf3) 2. Nf3 Nc6 (2... d6 3. d4) '
    "3. Bc4 Bc5 (3... d6 4. Nc3 (4. c3)) 4. c3 *\n"
)
BLACK = '[Orientation "black"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Nxe5 *\n'


def read(text: str) -> list[Lines]:
    return lines_of(text.encode(), "mine")


def drill(library: Library, text: str = ITALIAN, player: str = "") -> Drill:
    return open_drill(library, player, read(text), games_named(library, player) if player else None)


def begun(of: Drill, library: Library, now: datetime = NOW, seed: int = 0) -> DrillLine:
    line = of.begin(library, now, Random(seed))
    assert line is not None
    return line


def played(of: Drill, library: Library, line: DrillLine, *, seed: int = 0, now: datetime = NOW) -> list[str]:
    """Answers to the end of a line by the repertoire's first moves; what was asked."""
    asked = []
    while of.is_asked(line):
        lines = of.lines[line.colour]
        uci, san = next(iter(lines.moves[line.epd].items()))
        asked.append(san)
        of.answer(library, line, uci, now)
        line = of.go_on(library, line, uci, now, Random(seed))
    return asked


def test_a_line_begins_at_the_first_new_position_and_asks_to_its_end(library: Library) -> None:
    found = drill(library)
    line = begun(found, library)
    assert question(found, line) == "White: the start"
    asked = played(found, library, line)
    assert asked[:2] == ["e4", "Nf3"]
    standing = found.standing(library, NOW, UTC)
    # After 1...c5 the repertoire ends: seven positions of White's in all.
    assert (standing.new + standing.waiting, standing.waiting, standing.right) == (7, len(asked), len(asked))


def test_each_position_is_asked_until_nothing_is_new(library: Library) -> None:
    found = drill(library)
    lines = 0
    while (line := found.begin(library, NOW, Random(lines))) is not None:
        played(found, library, line, seed=lines)
        lines += 1
        assert lines < 10
    assert found.standing(library, NOW, UTC).new == 0
    # What comes before the first new position is played for the player.
    assert lines >= 4


def test_a_wrong_answer_comes_first_after_ten_minutes_and_its_line_leads_there(library: Library) -> None:
    found = drill(library)
    line = found.line("white", 0, ("e2e4", "e7e5"))
    assert line is not None
    done = found.answer(library, line, "d2d4", NOW)
    assert (done.is_right, done.is_first) == (False, True)
    for seed in range(5):
        assert begun(found, library, NOW + AGAIN, seed).moves == ("e2e4", "e7e5")
    assert found.answered(library, done.number) == (line.epd, "d2d4", True)
    # A second answer at once is kept, and does not change when the position comes again.
    assert found.answer(library, line, "g1f3", NOW).is_right
    assert begun(found, library, NOW + AGAIN).moves == ("e2e4", "e7e5")
    assert found.answer(library, line, "g1f3", NOW + AGAIN).is_first is False
    assert begun(found, library, NOW + AGAIN + timedelta(minutes=1)).moves != ("e2e4", "e7e5")


def test_positions_that_lines_transpose_into_have_one_card(library: Library) -> None:
    text = '[Orientation "white"]\n\n1. d4 Nf6 (1... e6 2. c4 Nf6 3. Nc3) 2. c4 e6 3. Nc3 *\n'
    found = drill(library, text)
    one = found.line("white", 0, ("d2d4", "g8f6", "c2c4", "e7e6"))
    other = found.line("white", 0, ("d2d4", "e7e6", "c2c4", "g8f6"))
    assert one is not None
    assert other is not None
    assert found.answer(library, one, "b1c3", NOW).is_first
    assert not found.answer(library, other, "b1c3", NOW).is_first
    assert len(found.places()) == 4


def test_opponents_move_as_often_as_people_do_without_the_players_own_games(index: Index) -> None:
    open_game, sicilian = "1. e4 e5 2. Nf3 d6 1-0", "1. e4 c5 2. Nf3 d6 1-0"
    # Ann's own games with Black are no replies of other people.
    library = index(*[(open_game, "Cec", "Dan")] * 3, (sicilian, "Cec", "Dan"), *[(sicilian, "Eve", "Ann")] * 5)
    found = drill(library, player="Ann")
    start = found.line("white", 0, ())
    assert start is not None
    for epd in found.lines["white"].mine():
        found.answer(library, DrillLine("white", start.start, (), (epd,)), "", NOW)  # so that nothing is new
    drawn = Counter(found.go_on(library, start, "e2e4", NOW, Random(seed)).moves[1] for seed in range(200))
    assert drawn.keys() == {"e7e5", "c7c5"}
    assert 120 < drawn["e7e5"] < 180
    # No game has 3.Bc4 there, so that both replies come as often.
    italian = found.line("white", 0, ("e2e4", "e7e5", "g1f3", "b8c6"))
    assert italian is not None
    even = Counter(found.go_on(library, italian, "f1c4", NOW, Random(seed)).moves[-1] for seed in range(200))
    assert 70 < even["f8c5"] < 130


def test_either_of_two_moves_counts_and_that_is_told_once(library: Library) -> None:
    found = drill(library)
    line = found.line("white", 0, ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6"))
    assert line is not None
    first = found.answer(library, line, "c2c3", NOW)
    told = verdict(found, line, "c2c3", is_first=first.is_first)
    assert told[:2] == ["Right.", "Your repertoire has 4.Nc3, 4.c3 here: either counts."]
    again = found.answer(library, line, "b1c3", NOW)
    assert again.is_right
    assert verdict(found, line, "b1c3", is_first=again.is_first)[0] == "Right."
    assert "either counts" not in " ".join(verdict(found, line, "b1c3", is_first=again.is_first))


def test_a_wrong_move_is_told_with_the_comment_of_the_repertoire_and_the_trap(library: Library) -> None:
    found = drill(library)
    start = found.line("white", 0, ())
    assert start is not None
    assert verdict(found, start, "d2d4", is_first=True) == ["Your repertoire has 1.e4.", "The best by test."]
    black = drill(library, BLACK)
    line = black.line("black", 0, ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6", "b1c3", "c8g4", "f3e5"])
    assert line is not None
    wrong = " ".join(verdict(black, line, "g4d1", is_first=True))
    assert "Your repertoire has 5...Nxe5." in wrong
    assert "5...Bxd1 falls into a trap, Légal's mate (proved, mate in 2): 6.Bxf7+ Ke7 7.Nd5#." in wrong
    right = " ".join(verdict(black, line, "c6e5", is_first=True))
    assert "It avoids the bait 5...Bxd1: Légal's mate (proved, mate in 2)." in right


def test_a_wrong_move_after_which_the_next_may_be_a_bait_is_told_with_it(library: Library) -> None:
    found = drill(library, BLACK.replace("Bg4 5. Nxe5 Nxe5", "Be7"))
    line = found.line("black", 0, ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6", "b1c3"])
    assert line is not None
    wrong = " ".join(verdict(found, line, "c8g4", is_first=True))
    assert "4...Bg4 leads to a trap for you, Légal's mate (proved, mate in 2): 4...Bg4 5.Nxe5 Bxd1?" in wrong


def test_a_trap_beside_a_line_is_told_with_the_right_move(library: Library) -> None:
    found = drill(library)
    line = found.line("white", 0, ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6"])
    assert line is not None
    told = " ".join(verdict(found, line, "b1c3", is_first=False))
    assert "A trap for your opponent lies beside it, Légal's mate (proved, mate in 2): 4...Bg4 5.Nxe5 Bxd1?" in told


def test_german_words_are_german(library: Library) -> None:
    found, german = drill(library), LANGUAGES["de"]  # type: ignore[index]
    start = found.line("white", 0, ())
    assert start is not None
    assert verdict(found, start, "d2d4", german, is_first=True)[0] == "Ihr Repertoire hat 1.e4."


def test_a_line_that_the_repertoire_does_not_have_is_none(library: Library) -> None:
    found = drill(library)
    assert found.line("white", 0, ("d2d4",)) is None
    assert found.line("white", 1, ()) is None
    assert found.line("black", 0, ()) is None


def test_lines_in_a_circle_end(library: Library) -> None:
    text = '[Orientation "white"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. e4 *\n'
    found = drill(library, text)
    for seed in range(6):
        line = found.begin(library, NOW, Random(seed))
        if line is not None:
            assert len(played(found, library, line, seed=seed)) < 6


def test_a_line_from_a_set_up_position_keeps_its_numbers(library: Library) -> None:
    text = '[Orientation "white"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 30"]\n[SetUp "1"]\n\n30. e4 Kd7 31. e5 *\n'
    found = drill(library, text)
    line = found.line("white", 0, ("e2e4", "e8d7"))
    assert line is not None
    assert moves_of(found, line) == "30.e4 Kd7"


def test_an_export_is_read_back_as_the_same_repertoire() -> None:
    text = ITALIAN + '\n[Orientation "white"]\n\n1. e4 Nc6 2. Nf3 e5 *\n\n' + BLACK
    lines = read(text)
    chapters = exported(lines)
    assert [chapter.headers["Orientation"] for chapter in chapters] == ["white", "black"]
    written = as_text(chapters)
    again = read(written)
    assert [(each.colour, each.moves) for each in again] == [(each.colour, each.moves) for each in lines]
    told = " ".join(written.split())
    assert "1. e4 { The best by test. }" in told
    assert "2. Nf3 e5 { As after 1. e4 e5 2. Nf3 Nc6. }" in told
    assert as_text(exported(again)) == written
    white, black = study_chapters(chapters)
    assert (white.orientation, black.orientation) == ("white", "black")
    assert white.mark != black.mark
    assert [each.mark for each in study_chapters(exported(lines))] == [white.mark, black.mark]


def test_an_export_of_a_set_up_position_begins_there(tmp_path: Path) -> None:
    text = '[Orientation "black"]\n[FEN "4k3/4p3/8/8/8/8/8/4K3 b - - 0 30"]\n[SetUp "1"]\n\n30... e5 31. Kd2 *\n'
    (chapter,) = exported(read(text))
    assert "30... e5 31. Kd2 *" in as_text([chapter])
