"""Games that are made to cost much where their page is shown: numbers, brackets, variations and size."""

import time

import pytest

from db.formats.pgn_import import game_trap
from trapcore.errors import InputError
from trapline.web.pages.game_viewer import LONGEST_VARIATION, MOST_BYTES, MOST_VARIATIONS, GameView, view_game

GAME = "1. e4 e5 2. Nf3 {HERE} d6 3. Bc4 Bg4 4. Nc3 h6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0"
NUMBER = "9" * 6000


def view(text: str) -> GameView:
    return view_game(text.encode(), "utf-8", flipped=False)


def length(shown: GameView) -> int:
    return sum(len(word.text) + len(word.url) for ply in shown.plies for line in ply.words for word in line)


@pytest.mark.parametrize("opened", ["[%", "[%eval ", "[%cal ", "[%clk 1", "[ %", "[%csl Ge4,"])
def test_brackets_that_are_not_closed_take_no_longer_than_they_are_long(opened: str) -> None:
    text = GAME.replace("HERE", opened * (150_000 // len(opened)))
    began = time.process_time()
    assert length(view(text)) > 100_000
    assert time.process_time() - began < 30  # many times what it takes


@pytest.mark.parametrize("value", ["#{}", "#-{}", "{}", "{}.5"])
def test_a_value_with_thousands_of_digits_is_none(value: str) -> None:
    shown = view(GAME.replace("HERE", f"[%eval {value.format(NUMBER)}] [%clk {NUMBER}:00:00]"))
    assert (len(shown.plies), shown.plies[3].chance) == (14, None)


@pytest.mark.parametrize("what", [f"{{a}} ${NUMBER}", f"( 2. d4 ${NUMBER} )"])
def test_a_sign_with_thousands_of_digits_is_said(what: str) -> None:
    text = GAME.replace("{HERE}", what)
    with pytest.raises(InputError, match="number in it that is too long"):
        view(text)
    if "(" not in what:  # variations are no part of a trap
        with pytest.raises(InputError, match="number in it that is too long"):
            game_trap(text, source="test")


def test_long_and_many_variations_are_shown_in_part() -> None:
    line = "2. d4 Nc6 " + "Nf3 Nf6 Ng1 Ng8 " * 1000
    shown = view(GAME.replace("{HERE}", f"( {line})"))
    (variation,) = [words for ply in shown.plies for words in ply.words]
    assert (len(variation), variation[-1].text) == (LONGEST_VARIATION + 1, "…)")
    many = view(GAME.replace("{HERE}", "( 2. d4 d6 ) " * (MOST_VARIATIONS + 500)))
    assert sum(len(ply.words) for ply in many.plies) == MOST_VARIATIONS
    assert len(many.plies) == 14


def test_a_game_of_megabytes_has_no_page() -> None:
    text = GAME.replace("HERE", "word " * (MOST_BYTES // 5))
    with pytest.raises(InputError, match="the annotated file has it"):
        view(text)
