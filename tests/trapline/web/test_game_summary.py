"""What the page of a game says of both sides below its plot."""

import io
import re

import chess.pgn
import pytest

from db.wording.grammar import Grammar
from db.wording.languages import LANGUAGES, Language
from trapline.web.pages import game_viewer
from trapline.web.pages.game_viewer import GameView, view_of
from trapline.web.pages.games import summary

ENGLISH = LANGUAGES[Language.EN]
KNIGHTS = "Nf3 Nf6 Ng1 Ng8 " * 7


def view(moves: str, fen: str | None = None) -> GameView:
    tags = "" if fen is None else f'[FEN "{fen}"]\n[SetUp "1"]\n\n'
    game = chess.pgn.read_game(io.StringIO(f"{tags}{moves} *\n"))
    assert game is not None
    assert game.errors == []
    return view_of(game, flipped=False)


def said(of: GameView, points_of_white: dict[int, float], language: Grammar = ENGLISH) -> str:
    """The summary if White's win percent is 50 at the beginning, and changes by so much with these half-moves."""
    percents = [50.0]
    for ply in range(1, len(of.plies)):
        percents.append(percents[-1] + points_of_white.get(ply, 0.0))
    return summary(of, [percent / 50 - 1 for percent in percents], language)


def test_summary_names_the_accuracy_the_loss_and_the_costliest_phase_of_each_side() -> None:
    # White loses 14 points in 14 moves, 8 of them with his twelfth. Black loses 28, 20 of them with his second.
    lost = {4: 20.0, 5: -6.0, 23: -8.0, 26: 8.0}
    found = said(view(KNIGHTS), lost)
    assert re.fullmatch(
        r"Accuracy: White \d\d %, Black \d\d %\. Average loss: 1\.0 and 2\.0 points a move\. "
        r"Costliest phase: middlegame for White, opening for Black\.",
        found,
    ), found
    german = said(view(KNIGHTS), lost, LANGUAGES[Language.DE])
    assert "Mittlerer Verlust: 1,0 und 2,0 Punkte je Zug. " in german
    assert german.endswith("Teuerste Phase: Mittelspiel für Weiß, Eröffnung für Schwarz.")


@pytest.mark.parametrize(
    ("lost", "phases"),
    [
        ({}, ""),
        ({4: 4.9}, ""),
        ({4: 5.0}, "opening for Black"),
        ({1: -3.0, 3: -2.5}, "opening for White"),
        ({1: -6.0, 23: -7.0}, "middlegame for White"),
    ],
)
def test_phase_is_named_only_if_a_side_loses_as_much_as_an_inaccuracy_there(
    lost: dict[int, float], phases: str
) -> None:
    found = said(view(KNIGHTS), lost)
    assert found.partition("a move.")[2] == (f" Costliest phase: {phases}." if phases else "")


def test_game_that_black_begins_in_an_ending_has_no_opening() -> None:
    ending = view("Kd7 Kd2 Ke8 Ke1 Kd7 Kd2 Ke8 Ke1", "4k3/p7/8/8/8/8/P7/4K3 b - - 0 40")
    found = said(ending, {1: 16.0, 6: -8.0})
    assert found.endswith("Average loss: 2.0 and 4.0 points a move. Costliest phase: endgame for both sides.")


def test_move_that_ends_the_game_does_not_count() -> None:
    mated = view("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#")
    # The value of the position with the mate may be anything.
    assert said(mated, {6: 30.0, 7: -99.0}) == said(mated, {6: 30.0})
    assert "Average loss: 0.0 and 10.0 points" in said(mated, {6: 30.0})


def test_short_or_cut_game_has_no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(view("e4 e5 Nf3"), {}) == ""
    assert said(view("e4 e5 Bc4 Nc6"), {}) != ""
    assert said(view("f3 e5 g4 Qh4#"), {}) == ""  # three half-moves before the mate
    monkeypatch.setattr(game_viewer, "MOST_PLIES", 20)
    assert said(view(KNIGHTS), {}) == ""
