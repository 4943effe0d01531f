"""The words of practice: every language has each sentence with the same gaps, and a name for each theme."""

import re
from itertools import pairwise
from pathlib import Path

import chess
import chess.pgn
import pytest

from coach.practice.exercise import Exercise, Origin, Task
from coach.practice.wording import HINTS, hint, question, theme_words
from db.games.losing_themes import NAMED
from db.traps.terms import KINDS
from db.wording.languages.available import LANGUAGES
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.languages.grammar import Grammar

GAMES = Path(__file__).parents[3] / "examples" / "games.pgn"


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


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.code)
def test_no_hint_names_a_move_in_any_position_of_the_example_games(language: Grammar, task: Task) -> None:
    asked = 0
    with GAMES.open(encoding="utf-8") as games:
        while (game := chess.pgn.read_game(games)) is not None:
            moves = [move.uci() for move in game.mainline_moves()]
            board = game.board()
            for first, second in pairwise(moves):
                exercise = Exercise(
                    task=task,
                    origin=Origin.TRAP,
                    epd=board.epd(),
                    line=(first, second),
                    mate_in=None,
                    cost=1.0,
                    themes=("fork",),
                    opening="",
                )
                hints = " ".join(hint(exercise, number, language) for number in range(1, HINTS + 1))
                squares = set(re.findall(r"\b[a-h][1-8]\b", hints))
                assert squares == {first[:2]}, (board.fen(), first, hints)
                assert board.san(chess.Move.from_uci(first)) not in hints
                board.push_uci(first)
                asked += 1
    assert asked > 2900
