"""Decoys: what the file holds, that killers fail there, how they are mixed in, and how answers to them are judged."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import chess
import chess.pgn
import pytest

from coach.practice import tested
from coach.practice.collect import Filter, material_of
from coach.practice.decoys import MEANS, after_move, bundled_decoys, file_of
from coach.practice.decoys import _content as bundled_text
from coach.practice.exercise import NOTHING, SOMETHING, Exercise, Origin, Task
from coach.practice.judge import LINE, MARGIN, Mark, failing_line, judge
from coach.practice.mixing import from_patterns, with_decoys
from coach.practice.session import Practice, open_practice
from coach.practice.tested import in_turn_confirmed, is_confirmed, keep, recall, right_move, untested
from coach.practice.wording import HINTS, hint, question, solution, source, verdict
from db.library.library import Library
from db.library.open import open_library
from db.patterns.bundled import bundled_patterns
from db.patterns.keys import Pattern
from db.storage.practice_rows import reviews_of
from db.wording.languages.available import LANGUAGES, Language
from tests.support.practice_library import LEGAL_KILLER, PLAYER, copy_practice_library
from trapcore.win_chance import BLUNDER
from workshop.experiments.decoys import LEAST_SIMILARITY, decoy_of

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
LEAST = 250
SAMPLE = 4
FORK = "fork:N:KR"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(copy_practice_library(tmp_path / "library.sqlite")) as opened:
        yield opened


@pytest.fixture
def decoy() -> Exercise:
    """A decoy of the file."""
    practice = with_decoys(from_patterns(FORK, ()), ())
    return next(each for each in practice if each.is_decoy)


def test_decoys_of_the_file_are_many_and_can_be_played() -> None:
    decoys = bundled_decoys()
    assert len(decoys) >= LEAST
    patterns = {(each.epd, each.bait): each for each in bundled_patterns()}
    assert len({(each.before, each.bait) for each in decoys}) == len(decoys)
    for each in decoys:
        pattern = patterns[each.before, each.bait]
        assert pattern.patterns[0].is_idea
        assert each.killer_line[0] == pattern.killer_line[0]
        assert 2 <= len(each.killer_line) <= LINE + 1
        assert each.similarity >= LEAST_SIMILARITY
        board = chess.Board(f"{after_move(each.before, each.played)} 0 1")
        assert each.best != each.killer_line[0]
        assert chess.Move.from_uci(each.best) in board.legal_moves
        for uci in each.killer_line:
            board.push(board.parse_uci(uci))
        # Figures of the file have two decimals.
        assert board.is_checkmate() or each.cost >= BLUNDER + MARGIN - 0.005
    assert file_of(decoys).splitlines()[1:] == [each.line() for each in decoys]


def test_sample_of_decoys_is_made_again() -> None:
    patterns = {(each.epd, each.bait): each for each in bundled_patterns()}
    means = bundled_text().partition("\n")[0]
    for each in random.Random(means).sample(bundled_decoys(), SAMPLE):
        again = decoy_of(patterns[each.before, each.bait])
        assert again is not None, "make the decoys again: make decoys"
        if means == MEANS:
            assert again.line() == each.line()


@pytest.mark.parametrize(("answer", "mark"), [(NOTHING, Mark.RIGHT), (SOMETHING, Mark.WRONG), ("", Mark.WRONG)])
def test_only_no_is_right_in_a_decoy_and_the_refutation_is_said(decoy: Exercise, answer: str, mark: Mark) -> None:
    given = answer or decoy.line[0]
    judgement = judge(decoy, given)
    assert (judgement.mark, judgement.line) == (mark, decoy.line)
    board = decoy.board()
    killer = board.san_and_push(board.parse_uci(decoy.line[0]))
    said = verdict(decoy, given, judgement)
    assert said.startswith("Right, nothing wins." if mark is Mark.RIGHT else "Nothing wins here.")
    assert f"{killer} fails: " in said
    assert board.san(board.parse_uci(decoy.line[1])) in said
    assert said.endswith(".")


def test_no_is_wrong_where_a_move_wins_and_does_not_say_which(library: Library) -> None:
    exercises = material_of(library, PLAYER).exercises
    real = next(each for each in exercises if (each.epd, each.task) == (LEGAL_KILLER, Task.KILLER))
    judgement = judge(real, NOTHING)
    assert (judgement.mark, judgement.line) == (Mark.WRONG, ())
    assert verdict(real, NOTHING, judgement) == "There is a winning move."


def test_nothing_before_the_answer_tells_a_decoy_from_a_real_one(decoy: Exercise) -> None:
    real = replace(decoy, origin=Origin.PATTERN, mate_in=2)
    for language in map(LANGUAGES.__getitem__, Language):
        assert question(decoy, language) == question(real, language)
        for number in range(1, HINTS + 1):
            assert hint(decoy, number, language) == hint(real, number, language)
    assert Pattern(FORK).name() in source(decoy) or "fork" in source(decoy)
    assert source(decoy).startswith("It only looks like the pattern: ")
    assert solution(decoy, decoy.best).endswith(" is sound.")


def test_pattern_has_a_set_with_losing_moves_of_trapline_and_decoys(library: Library) -> None:
    own = next(each for each in material_of(library, PLAYER).exercises if each.patterns and "mate:N:K" in each.patterns)
    practice = open_practice(library, PLAYER, Filter(pattern="mate:N:K"))
    assert practice.exercises[0].origin in (Origin.LOST, Origin.MISSED)
    assert own in practice.exercises
    assert {Origin.PATTERN, Origin.DECOY} <= {each.origin for each in practice.exercises}
    assert all("mate:N:K" in each.patterns for each in practice.exercises if not each.is_decoy)
    # A safe move and a killer in turn, as long as there are both.
    tasks = [each.task for each in practice.exercises if not each.is_decoy]
    assert tasks[:2] == [Task.SAFE, Task.KILLER]


def test_killers_of_a_players_own_games_are_tested_before_they_are_asked(
    library: Library, decoy: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    untried = replace(decoy, line=decoy.line[:1], best="")
    (other,) = {each.epd: each for each in material_of(library, PLAYER).decoys}.values()
    assert other.game is not None
    assert not is_confirmed(other)  # 6.Bxf7+ loses a bishop more, but not enough
    assert Practice(PLAYER, (other,)).next(library, NOW) is None
    tested._cache.clear()
    assert untested([untried]) == [untried]
    assert Practice(PLAYER, (untried,)).next(library, NOW) == untried
    assert failing_line(untried)[0] == decoy.line[0]
    assert right_move(untried) == decoy.best
    keep(library, [untried])
    tested._cache.clear()
    monkeypatch.setattr(tested, "check_decoy", lambda epd, move: pytest.fail("it was searched again"))
    recall(library, [untried])
    assert is_confirmed(untried)


def test_decoys_are_one_for_two_killers(decoy: Exercise, library: Library) -> None:
    missed = [each for each in material_of(library, PLAYER).exercises if each.origin is Origin.MISSED]
    killer = next(filter(is_confirmed, missed))
    many = [decoy] * 9
    assert [each.is_decoy for each in in_turn_confirmed(many)] == [True]
    mixed = list(in_turn_confirmed([*many, killer, *many, killer, killer, *many]))
    assert [each.is_decoy for each in mixed] == [True, False, True, False, False, True]


def test_answer_to_a_decoy_is_stored_and_it_comes_again(library: Library, decoy: Exercise) -> None:
    practice = Practice(PLAYER, (decoy,))
    wrong = practice.answer(library, decoy, SOMETHING, NOW)
    assert wrong.comes_again is not None
    assert practice.next(library, wrong.comes_again) == decoy
    practice.answer(library, decoy, NOTHING, wrong.comes_again)
    with library.database.read() as connection:
        reviews = [review for _, _, _, review in reviews_of(connection, PLAYER)]
    assert [(each.answer, each.is_right, each.line) for each in reviews] == [
        (SOMETHING, False, decoy.line),
        (NOTHING, True, decoy.line),
    ]
