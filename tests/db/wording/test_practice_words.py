"""The words of practice: every language has each sentence with the same gaps, and a name for each theme."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import chess
import chess.pgn
import pytest

from coach.practice import wording
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
    with_cause = replace(asked, patterns=("fork:N:KR", "threat"))
    assert hint(with_cause, 1) == "The move to avoid ignores a threat."
    assert hint(with_cause, 1, GERMAN) == "Der Zug, der zu meiden ist, übersieht eine Drohung."
    # The piece that has the safe move.
    assert hint(asked, 2, GERMAN) == "Sehen Sie sich den Springer auf c6 an."
    assert theme_words("backRankMate") == "back-rank mate"


@pytest.mark.parametrize(
    ("epd", "killer", "said"),
    [
        ("4k3/8/8/3q4/8/8/8/3RK3 w - -", "d1d5", "Think of the queen of the other side."),
        ("4k3/8/8/8/8/8/8/3RK3 w - -", "d1d8", "Think of the king of the other side."),
        ("4k3/3q4/8/8/N7/8/4P3/5RK1 w - -", "a4c5", "Think of the queen of the other side."),
        ("4k3/8/8/8/8/8/4P3/4K3 w - -", "e1d2", "Think of a quiet move."),
    ],
)
def test_hint_names_the_piece_that_a_plain_killer_goes_for(epd: str, killer: str, said: str) -> None:
    asked = Exercise(
        task=Task.KILLER,
        origin=Origin.TRAP,
        epd=epd,
        line=(killer,),
        mate_in=None,
        cost=1.0,
        themes=("quiet" if said.endswith("move.") else "capture",),
        opening="",
    )
    assert hint(asked, 1) == said


def test_hint_names_no_square_of_a_piece_with_a_single_move() -> None:
    asked = Exercise(
        task=Task.KILLER,
        origin=Origin.TRAP,
        epd="k7/8/8/8/8/p7/P6P/K7 w - -",
        line=("a1b1",),
        mate_in=None,
        cost=1.0,
        themes=("fork",),
        opening="",
    )
    assert hint(asked, 2) == "Look at the queen's side."
    assert hint(replace(asked, line=("h2h4",)), 2) == "Look at the pawn on h2."


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.code)
def test_no_hint_names_a_move_in_any_position_of_the_example_games(
    language: Grammar, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The safe move, without a search.
    monkeypatch.setattr(wording, "right_move", lambda exercise: exercise.line[0])
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
                origin = chess.BB_SQUARES[chess.parse_square(first[:2])]
                has_choice = len(list(board.generate_legal_moves(origin))) > 1
                assert squares == ({first[:2]} if has_choice else set()), (board.fen(), first, hints)
                assert board.san(chess.Move.from_uci(first)) not in hints
                board.push_uci(first)
                asked += 1
    assert asked > 2900
