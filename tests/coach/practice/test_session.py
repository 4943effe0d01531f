"""Practising: exercises from games and traps, judged by the search, stored with each answer."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from coach.practice.collect import Filter, material_of
from coach.practice.exercise import NOTHING, AnswerError, Exercise, Origin, Task, read_answer
from coach.practice.judge import Mark, judge
from coach.practice.schedule import AGAIN
from coach.practice.session import SESSION, Practice, open_practice
from coach.practice.tested import is_confirmed, right_move
from coach.practice.wording import HINTS, hint, question, solution, source, verdict
from db.library.library import Library
from db.library.open import open_library
from db.storage.practice_rows import reviews_of
from tests.conftest import NewLibrary
from tests.support.practice_library import LEGAL_KILLER, LEGAL_SAFE, PLAYER, copy_practice_library
from trapcore.errors import UsageError

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(copy_practice_library(tmp_path / "library.sqlite")) as opened:
        yield opened


def found(library: Library, epd: str, task: Task, name: str = PLAYER) -> Exercise:
    (exercise,) = [each for each in material_of(library, name).exercises if (each.epd, each.task) == (epd, task)]
    return exercise


def right_answer(exercise: Exercise) -> str:
    return NOTHING if exercise.is_decoy else right_move(exercise) or ""


def test_his_losing_moves_and_missed_killers_come_before_the_traps(library: Library) -> None:
    every = material_of(library, PLAYER, traps=True).exercises
    origins = [each.origin for each in every]
    assert origins == sorted(origins, key=lambda origin: origin is Origin.TRAP)
    assert len({(each.epd, each.task) for each in every}) == len(every)
    fell = found(library, LEGAL_SAFE, Task.SAFE)
    assert (fell.origin, fell.bait, fell.mate_in, fell.number) == (Origin.LOST, "g4d1", 2, 5)
    assert fell.game is not None
    assert (fell.game.white, fell.rating) == ("Anna", 1700)
    missed = found(library, LEGAL_KILLER, Task.KILLER)
    assert (missed.origin, missed.line[0], missed.played_before, missed.number) == (Origin.MISSED, "c4f7", "g4d1", 6)
    # Without a name only the traps, both ways; Légal's are the same positions.
    traps = material_of(library, "").exercises
    assert {each.slug for each in traps} == {"legals-mate", "elephant-trap"}
    assert [each.task for each in traps] == [Task.KILLER, Task.KILLER, Task.SAFE, Task.SAFE]


def test_exercises_are_chosen_by_theme_opening_and_rating(library: Library) -> None:
    every = material_of(library, PLAYER).exercises
    mates = [each for each in every if Filter(theme="mate")(each)]
    assert mates
    assert all(each.mate_in for each in mates)
    assert {each.opening for each in every if Filter(opening="ITALIAN")(each)} == {"Italian Game"}
    strong = [each for each in every if Filter(least_rating=1600)(each)]
    assert {each.rating for each in strong} == {1700}
    assert not [each for each in every if Filter(most_rating=1000)(each)]


@pytest.mark.parametrize(
    ("task", "epd", "answer", "mark"),
    [
        (Task.KILLER, LEGAL_KILLER, "c4f7", Mark.RIGHT),
        (Task.KILLER, LEGAL_KILLER, "h2h3", Mark.WRONG),
        (Task.SAFE, LEGAL_SAFE, "g4d1", Mark.WRONG),
        (Task.SAFE, LEGAL_SAFE, "c6e5", Mark.RIGHT),
        (Task.SAFE, LEGAL_SAFE, "d6e5", Mark.WRONG),
    ],
)
def test_answers_are_judged_by_the_proof_and_the_search(
    library: Library, task: Task, epd: str, answer: str, mark: Mark
) -> None:
    exercise = found(library, epd, task)
    judgement = judge(exercise, answer)
    assert judgement.mark is mark
    board = exercise.board()
    for move in (answer, *judgement.line):
        board.push_uci(move)  # the refutation can be played
    assert exercise.board().san(exercise.board().parse_uci(answer)).rstrip("+#") in verdict(exercise, answer, judgement)
    if mark is Mark.WRONG:
        assert judgement.line


BACK_RANK = Exercise(
    task=Task.KILLER,
    origin=Origin.TRAP,
    epd="6k1/5ppp/8/8/8/8/4RPPP/3R2K1 w - -",
    line=("d1d8",),
    mate_in=1,
    cost=0.0,
    themes=("mate",),
    opening="",
)


def lost(epd: str, bait: str) -> Exercise:
    return Exercise(
        task=Task.SAFE,
        origin=Origin.LOST,
        epd=epd,
        line=(bait, "a1a1"),
        mate_in=None,
        cost=0.6,
        themes=("capture",),
        opening="",
    )


def test_what_is_shown_as_right_is_right_for_the_search_that_judges() -> None:
    # Of a club game: the few nodes that looked it through liked 1...Ng2, which loses the knight.
    exercise = lost("2r2rk1/1p3pp1/p1pp3p/4b3/4P1Qn/P1NP3P/1PPB1KPq/1R3R2 b - -", "e5g3")
    assert judge(exercise, "h4g2").mark is Mark.WRONG
    right = right_move(exercise)
    assert right not in (None, "h4g2", "e5g3")
    assert judge(exercise, right or "").mark is not Mark.WRONG


@pytest.mark.parametrize(
    ("epd", "bait", "expected"),
    [
        # Of club games. 1.Rg1 leaves White better, which a strong engine calls a mistake and no blunder.
        pytest.param("4rr1k/ppp2qRp/2np1n2/7p/3P4/1P2PN2/P1PBQP1P/1K1R4 w - -", "d1g1", False, id="still better"),
        # Black is lost with any move.
        pytest.param("r4rk1/pppq1ppp/2n5/2b1P3/5Q2/3B1N2/PPP3PP/3R1R1K b - -", "c5e7", False, id="lost anyway"),
        # 1.Qg4 loses the queen, and nearly any other move is safe.
        pytest.param("rnbqkbnr/ppp2ppp/3p4/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -", "d1g4", False, id="the queen"),
        # Only 5...Nxe5 holds.
        pytest.param(LEGAL_SAFE, "g4d1", True, id="a single move"),
    ],
)
def test_an_exercise_is_made_where_it_is_clear_what_is_wrong(epd: str, bait: str, expected: bool) -> None:
    assert is_confirmed(lost(epd, bait)) is expected


@pytest.mark.parametrize("answer", ["d2f3", "g2g4"])
def test_an_answer_that_wins_is_right_even_if_it_is_the_bait(answer: str) -> None:
    # 1.Qh6 mates soonest, 1.Nf3 in six, and after 1.g4 the queen comes to h6 as well.
    exercise = lost("r2q1rk1/p2b1p1p/1p3Pp1/2npP1Q1/8/4R3/PPBN2PP/6K1 w - -", "g2g4")
    assert judge(exercise, answer).mark is Mark.RIGHT


def test_a_second_mate_is_as_right_as_the_known_one() -> None:
    assert judge(BACK_RANK, "e2e8").mark is Mark.RIGHT
    assert judge(BACK_RANK, "d1d7").mark is Mark.SLOW


def test_an_answer_is_stored_at_once_and_the_exercise_comes_again(library: Library) -> None:
    practice = open_practice(library, "kiss", Filter())
    assert practice.name == PLAYER
    first = practice.next(library, NOW)
    assert first is not None
    wrong = practice.answer(library, first, first.line[0] if first.task is Task.SAFE else "h2h3", NOW, hints=1)
    assert wrong.judgement.mark is Mark.WRONG
    assert wrong.comes_again == NOW + AGAIN
    # Another try before that is stored, but counts for nothing.
    tried = practice.answer(library, first, right_answer(first), NOW + timedelta(minutes=1))
    assert (tried.judgement.mark, tried.comes_again) == (Mark.RIGHT, NOW + AGAIN)
    second = practice.next(library, NOW + timedelta(minutes=1))
    assert second is not None
    assert second.id != first.id
    right = practice.answer(library, second, right_answer(second), NOW + timedelta(minutes=2))
    assert right.comes_again is not None
    assert right.comes_again >= NOW + timedelta(days=1)
    # Due ones come before new ones.
    again = practice.next(library, NOW + timedelta(minutes=11))
    assert again is not None
    assert again.id == first.id

    with open_library(library.name, read_only=True) as elsewhere, elsewhere.database.read() as connection:
        reviews = [review for _, _, _, review in reviews_of(connection, PLAYER)]
    assert [(review.is_right, review.rating, review.hints) for review in reviews] == [
        (False, 1, 1),
        (True, None, 0),
        (True, 3, 0),
    ]
    standing = practice.standing(library, NOW + timedelta(minutes=11), UTC)
    assert (standing.due, standing.waiting, standing.right, standing.wrong) == (1, 1, 1, 1)
    # The position of the player that may be a decoy does not count before it is tested.
    counted = [each for each in practice.exercises if each.best or not (each.is_decoy or each.is_turned)]
    assert standing.new == len(counted) - 2
    assert (standing.streak, standing.next_due) == (1, right.comes_again)


def test_the_schedule_grows_with_right_answers_and_a_hint_makes_it_shorter(library: Library) -> None:
    practice = open_practice(library, "", Filter())
    exercise, other = [each for each in practice.exercises if not each.is_decoy][:2]
    time, gaps = NOW, []
    for _ in range(4):
        done = practice.answer(library, exercise, exercise.line[0], time)
        assert done.comes_again is not None
        gaps.append(done.comes_again - time)
        time = done.comes_again
    assert gaps == sorted(gaps)
    assert gaps[-1] > timedelta(days=10)
    hinted = practice.answer(library, other, other.line[0], NOW, hints=1)
    assert hinted.comes_again is not None
    assert hinted.comes_again - NOW < gaps[0]


def test_what_the_search_leaves_open_and_slow_wins_are_not_stored(library: Library) -> None:
    practice = Practice(PLAYER, (BACK_RANK,))
    done = practice.answer(library, BACK_RANK, "d1d7", NOW)
    assert (done.judgement.mark, done.number, done.comes_again) == (Mark.SLOW, None, None)
    assert practice.standing(library, NOW).new == 1


MANY_SAFE = lost("2r3k1/pp3ppp/1q6/8/5b2/P1PBrP2/2K4P/1R1Q3R b - -", "b6d4")
"""Black has safe moves enough in place of 1...Qxd4, and White has only 2.Bxh7+ against it."""
TURNED = replace(
    MANY_SAFE,
    task=Task.KILLER,
    epd="2r3k1/pp3ppp/8/8/3q1b2/P1PBrP2/2K4P/1R1Q3R w - -",
    line=("d3h7", "g8h7", "d1d4"),
    played_before="b6d4",
    before=MANY_SAFE.epd,
)


def test_move_with_many_safe_moves_is_punished_from_the_other_side() -> None:
    assert not is_confirmed(MANY_SAFE)
    assert is_confirmed(TURNED)
    assert judge(TURNED, "d3h7").mark is Mark.RIGHT
    assert question(TURNED).startswith("White to move after Qd4")


def test_move_with_a_single_safe_move_is_not_asked_about_twice(library: Library) -> None:
    safe = found(library, LEGAL_SAFE, Task.SAFE)
    killer = replace(
        safe, task=Task.KILLER, epd=LEGAL_KILLER, line=safe.line[1:], played_before="g4d1", before=LEGAL_SAFE
    )
    assert is_confirmed(safe)
    assert not is_confirmed(killer)
    assert is_confirmed(replace(killer, origin=Origin.MISSED))


@pytest.mark.parametrize(
    ("epd", "killer"),
    [
        pytest.param("6k1/5ppp/8/8/8/8/1R3PPP/3R2K1 w - -", "d1d8", id="a second mate"),
        pytest.param("4k3/8/8/3q4/4P3/8/8/3RK3 w - -", "d1d5", id="a second capture"),
    ],
)
def test_killer_is_no_exercise_if_another_move_wins_as_well(epd: str, killer: str) -> None:
    assert not is_confirmed(replace(BACK_RANK, epd=epd, line=(killer,), mate_in=None))


def test_session_asks_for_one_exercise_of_a_game(library: Library) -> None:
    missed = found(library, LEGAL_KILLER, Task.KILLER)
    fell = replace(found(library, LEGAL_SAFE, Task.SAFE), game=missed.game)
    practice = Practice(PLAYER, (missed, fell))
    assert practice.next(library, NOW) == missed
    assert practice.next(library, NOW, {missed.id}) is None
    done = practice.answer(library, missed, "c4f7", NOW)
    assert done.comes_again is not None
    assert practice.next(library, NOW + timedelta(hours=1)) is None
    assert practice.next(library, NOW + SESSION) == fell


def test_traps_of_the_library_come_only_if_they_are_asked_for(library: Library) -> None:
    own = {each.origin for each in open_practice(library, PLAYER, Filter()).exercises}
    assert Origin.TRAP not in own
    assert Origin.TRAP in {each.origin for each in open_practice(library, PLAYER, Filter(traps=True)).exercises}
    assert Origin.TRAP in {each.origin for each in open_practice(library, "", Filter()).exercises}


def test_nothing_to_practise_says_what_to_do(library: Library, new_library: NewLibrary) -> None:
    with pytest.raises(UsageError, match="did you mean 'mate'"):
        open_practice(library, PLAYER, Filter(theme="mat"))
    with pytest.raises(UsageError, match="of this kind"):
        open_practice(library, PLAYER, Filter(opening="Grünfeld"))
    with (
        open_library(new_library(), create=True) as empty,
        pytest.raises(UsageError, match=r"nothing to practise in .*: it has no proved trap"),
    ):
        open_practice(empty, "", Filter())


@pytest.mark.parametrize(
    ("text", "uci"),
    [("Bxf7+", "c4f7"), ("bf7", "c4f7"), ("c4f7", "c4f7"), ("0-0", "e1g1"), ("o-o", "e1g1"), ("Nxc6!", "e5c6")],
)
def test_answers_are_read_as_people_write_them(library: Library, text: str, uci: str) -> None:
    board = found(library, LEGAL_KILLER, Task.KILLER).board()
    assert read_answer(board, text) == uci


@pytest.mark.parametrize("text", ["", "zz", "Ke3", "--", "0000", "Bxf8", "\x00", "e" * 1000])
def test_what_is_no_legal_move_is_said_so(library: Library, text: str) -> None:
    with pytest.raises(AnswerError, match="no legal move here; write one like Nf3"):
        read_answer(found(library, LEGAL_KILLER, Task.KILLER).board(), text)


def test_words_tell_no_more_than_is_asked(library: Library) -> None:
    killer, safe = found(library, LEGAL_KILLER, Task.KILLER), found(library, LEGAL_SAFE, Task.SAFE)
    assert question(killer) == "White to move after 5...Bxd1: is there a winning move, and which?"
    assert question(killer, sure=True) == "There is. White to move: which one is it?"
    assert "Bxd1" not in question(safe)
    assert [hint(killer, number) for number in range(1, HINTS + 1)] == [
        "Think of an attack on f2 or f7.",
        "Look at the bishop on c4.",
        "It is a capture with check.",
    ]
    assert [hint(safe, number) for number in range(1, HINTS + 1)] == [
        "The move to avoid loses to a mate in 2.",
        "Look at the knight on c6.",
        "It is a capture.",
    ]
    assert solution(killer, None) == "The killer is 6.Bxf7+ Ke7 7.Nd5#."
    assert "https://lichess.org/x" in source(safe)


def test_pattern_chooses_the_mistakes_that_have_its_key(tmp_path: Path) -> None:
    with open_library(copy_practice_library(tmp_path / "library.sqlite")) as library:
        every = material_of(library, PLAYER).exercises
    own = next(each for each in every if each.origin is Origin.LOST)
    assert len(own.patterns) >= 2
    for key in own.patterns:
        assert own in [each for each in every if Filter(pattern=key)(each)]
    assert not [each for each in every if Filter(pattern="zugzwang")(each)]


def test_an_answer_between_right_and_wrong_is_left_open() -> None:
    # 1.Rg1 costs much by our search, from a won position to a better one.
    exercise = replace(lost("4rr1k/ppp2qRp/2np1n2/7p/3P4/1P2PN2/P1PBQP1P/1K1R4 w - -", "g7f7"), origin=Origin.TRAP)
    assert judge(exercise, "d1g1").mark is Mark.OPEN
