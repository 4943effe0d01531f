"""The mark of our words: what is ours in a comment, and what stays when it is taken out."""

import pytest

from annotator.comments.own_comments import own_block, own_words
from annotator.comments.pgn_insert import spliced


@pytest.mark.parametrize(
    ("text", "words", "left"),
    [
        ("1. e4 { Takes the bait. [%tl 3] } e5", ["Takes the bait."], "1. e4 e5"),
        ("1. e4 {Takes\nthe bait. [%tl\n3]} e5", ["Takes\nthe bait."], "1. e4 e5"),
        ("1. e4 { Oh! Takes the bait. [%tl 3] } e5", ["Takes the bait."], "1. e4 { Oh! } e5"),
        ("1. e4 { Takes the bait. [%tl 3] Oh! } e5", ["Takes the bait."], "1. e4 { Oh! } e5"),
        ("1. e4 { [%clk 0:01:00] Takes it. [%tl 2] } e5", ["Takes it."], "1. e4 { [%clk 0:01:00] } e5"),
        ("1. e4 { One. [%tl 1] mine Two. [%tl 1] } e5", ["One.", "Two."], "1. e4 { mine } e5"),
        ("1. e4 { shortened [%tl 3] } e5", [], "1. e4 { shortened [%tl 3] } e5"),
        ("1. e4 { a { b Ours. [%tl 1] } e5", ["Ours."], "1. e4 { a { b } e5"),
        ("1. e4 ; { Ours. [%tl 1] }\n1... e5", [], "1. e4 ; { Ours. [%tl 1] }\n1... e5"),
        ('[White "{"]\n[Black "Ours. [%tl 1] }"]\n', [], '[White "{"]\n[Black "Ours. [%tl 1] }"]\n'),
        ('[White "a"]\n\n{ Ours. [%tl 1] } 1. e4', ["Ours."], '[White "a"]\n\n 1. e4'),
    ],
)
def test_only_the_words_before_the_mark_are_taken_out(text: str, words: list[str], left: str) -> None:
    found = list(own_words(text.encode()))
    assert [own.words.decode().strip() for own in found] == words
    assert spliced(text.encode(), sorted({own.removal for own in found})).decode() == left


def test_mark_counts_the_words_and_begins_no_line() -> None:
    block = own_block("Takes the bait.")
    assert " ".join(block) == "{ Takes the bait. [%tl 3] }"
    assert block[-2] == "bait. [%tl 3]"
    assert own_block("Loses (50 % -> 0 %).")[-2] == "0 %). [%tl 6]"
