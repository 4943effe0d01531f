"""The words of practice: every language has each sentence with the same gaps, and a name for each theme."""

import re

import pytest

from db.games.losing_themes import NAMED
from db.practice.exercise import Exercise, Origin, Task
from db.practice.wording import hint, question, theme_words
from db.traps.terms import KINDS
from db.wording.english import ENGLISH
from db.wording.german import GERMAN
from db.wording.grammar import Grammar
from db.wording.languages import LANGUAGES


def gaps(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.code)
def test_each_language_says_the_same(language: Grammar) -> None:
    told = {key: gaps(text) for key, text in language.practice.items()}
    assert told == {key: gaps(text) for key, text in ENGLISH.practice.items()}
    afterwards = {key: gaps(text) for key, text in language.afterwards.items()}
    assert afterwards == {key: gaps(text) for key, text in ENGLISH.afterwards.items()}
    assert language.theme_names.keys() == NAMED | KINDS.keys()


def test_an_exercise_is_told_in_either_language() -> None:
    epd = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq -"
    asked = Exercise(
        task=Task.SAFE,
        origin=Origin.LOST,
        epd=epd,
        line=("g4d1", "c4f7"),
        mate_in=None,
        cost=1.0,
        themes=("fork",),
        opening="",
    )
    assert question(asked, GERMAN).startswith("Schwarz am Zug")
    assert hint(asked, 1) == "The move to avoid loses to a fork."
    assert hint(asked, 1, GERMAN) == "Der Zug, der zu meiden ist, verliert durch eine Gabel."
    assert hint(asked, 2, GERMAN) == "Er bewegt den Läufer auf g4."
    assert theme_words("backRankMate") == "back-rank mate"
