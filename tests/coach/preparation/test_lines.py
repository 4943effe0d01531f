"""A repertoire read from PGN: its positions, whose it is, and what is said of a file that cannot be one."""

from pathlib import Path

import pytest

from coach.preparation.lines import Lines, read_lines
from db.traps.terms import Side
from tests.support.db_traps import write
from trapcore.errors import InputError

WHITE = '[Event "Italian"]\n[Orientation "white"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 3. Bc4 *\n\n'
BLACK = '[Event "French"]\n[Orientation "black"]\n\n1. e4 e6 2. d4 d5 *\n\n'
UNSAID = '[Event "Lines"]\n\n1. d4 d5 (1... Nf6 2. c4) 2. c4 *\n\n'


def read(tmp_path: Path, text: str, colour: Side | None = None, player: tuple[str, ...] = ()) -> list[Lines]:
    return read_lines(write(tmp_path / "mine.pgn", text), colour=colour, player=player)


def test_each_chapter_goes_to_the_colour_of_its_orientation(tmp_path: Path) -> None:
    white, black = read(tmp_path, WHITE + BLACK)
    assert (white.colour, white.chapters, len(white.ways)) == ("white", 1, 8)
    assert (black.colour, black.chapters, len(black.ways)) == ("black", 1, 5)
    assert not white.is_guessed
    (start,) = [epd for epd, way in white.ways.items() if not way.text]
    assert (white.answers(start), white.is_mine(start), black.is_mine(start)) == (("e4",), True, False)


def test_the_option_decides_for_all_chapters(tmp_path: Path) -> None:
    (found,) = read(tmp_path, WHITE + BLACK, "black")
    assert (found.colour, found.chapters) == ("black", 2)


def test_a_chapter_without_orientation_is_of_the_player_in_its_tags(tmp_path: Path) -> None:
    text = UNSAID.replace("[Event", '[Black "Éva Kiss"]\n[Event')
    (found,) = read(tmp_path, text, player=("eva kiss",))
    assert (found.colour, found.is_guessed) == ("black", False)


def test_otherwise_the_side_with_fewer_choices_has_the_repertoire_and_that_is_a_guess(tmp_path: Path) -> None:
    (found,) = read(tmp_path, UNSAID)
    assert (found.colour, found.is_guessed) == ("white", True)


def test_lines_that_transpose_share_their_position(tmp_path: Path) -> None:
    (found,) = read(tmp_path, '[Orientation "white"]\n\n1. d4 Nf6 (1... e6 2. c4 Nf6 3. Nc3) 2. c4 e6 *\n')
    (joint,) = [parents for parents in found.parents.values() if len(parents) > 1]
    assert sorted(joint.values()) == ["1.d4 Nf6 2.c4 e6", "1.d4 e6 2.c4 Nf6"]
    # The answer of the other line is there, although this one ends.
    (last,) = [epd for epd, way in found.ways.items() if way.text in joint.values()]
    assert found.answers(last) == ("Nc3",)


def test_a_null_move_and_what_follows_it_are_left_out(tmp_path: Path) -> None:
    (found,) = read(tmp_path, '[Orientation "white"]\n\n1. e4 e5 (1... -- 2. d4) 2. Nf3 *\n')
    assert sorted(way.text for way in found.ways.values()) == ["", "1.e4", "1.e4 e5", "1.e4 e5 2.Nf3"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (WHITE + BLACK.replace("d5", "Nd5"), "mine.pgn, game 2: move 2: Nd5 is not legal after 1.e4 e6 2.d4"),
        (WHITE.replace("(1... c5 2. Nf3)", "(1... c5 2. Ke3)"), "game 1: move 2: Ke3 is not legal after 1.e4 c5"),
        (
            '[Orientation "white"]\n[FEN "4k3/8/8/8/8/1N3N2/8/4K3 w - - 0 9"]\n[SetUp "1"]\n\n9. Ke2 Kf8 10. Nd2 *\n',
            "game 1: move 10: Nd2 can be more than one move after 9.Ke2 Kf8",
        ),
        (WHITE + BLACK.replace("d5", "Rh9"), "mine.pgn, game 2: Rh9 is no move"),
        ('[Orientation "white"]\n[Variant "Atomic"]\n\n1. e4 *\n', "game 1: it is no chess but atomic"),
        ('[Event "Main"]\n\n1. e4 e5 *\n', "game 1 (Main): nothing says whose repertoire this is; choose the colour"),
        ("1. e4 e5 *\n", "mine.pgn, game 1: nothing says whose repertoire this is"),
        ("1. e4 \0 e5 *\n", "mine.pgn: this is no text; give PGN"),
        ("", "there is no game with moves in it"),
    ],
)
def test_an_error_names_file_game_move_and_reason(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert told in str(error.value)
    assert "mine.pgn" in str(error.value)


def test_comments_signs_and_other_marks_are_no_moves(tmp_path: Path) -> None:
    marked = BLACK.replace("2. d4", "{ Rh9 is no [%cal Gd2d4] move } $6 2. d4! N e.p. += (D) ; or Rh9").replace(
        " d5", "\nd5"
    )
    (found,) = read(tmp_path, marked)
    assert [way.text for way in found.ways.values()][-1] == "1.e4 e6 2.d4 d5"


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.pgn"):
        read_lines(tmp_path / "missing.pgn")
