"""Progress: what is claimed of two groups of games, and which games they are."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from coach.practice.collect import Filter
from coach.practice.progress import Comparison, progress_of
from coach.practice.schedule import store_answer
from coach.practice.session import open_practice
from db.library.open import open_library
from db.storage.practice_rows import LINE, Review
from tests.support.practice_library import PLAYER, copy_practice_library


@pytest.mark.parametrize(
    ("first", "second", "games", "more"),
    [
        (60, 20, (100, 100), True),
        (20, 60, (100, 100), False),
        (22, 20, (100, 100), None),
        (60, 60, (100, 20), False),
        (60, 1, (100, 19), None),
        (0, 0, (100, 100), None),
    ],
)
def test_a_difference_is_claimed_where_the_games_show_it(
    first: int, second: int, games: tuple[int, int], more: bool | None
) -> None:
    assert Comparison("fork", first, second, *games).more is more


def test_a_drill_of_a_repertoire_is_no_practice_of_losing_moves(tmp_path: Path) -> None:
    pytest.importorskip("fsrs")
    time = datetime(2020, 5, 2, 12, tzinfo=UTC)
    with open_library(copy_practice_library(tmp_path / "library.sqlite")) as library:
        place = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", LINE
        review = Review(at=time, answer="e2e4", is_right=True, hints=0, rating=None, line=())
        store_answer(library, PLAYER, place, review)
        assert progress_of(library, PLAYER).since is None
        # Days in a row are of all that is answered.
        assert open_practice(library, PLAYER, Filter()).standing(library, time, UTC).streak == 1


def test_games_before_and_after_the_first_answer(tmp_path: Path) -> None:
    with open_library(copy_practice_library(tmp_path / "library.sqlite")) as library:
        assert progress_of(library, PLAYER).since is None
        practice = open_practice(library, PLAYER, Filter())
        # Between the second game and the third.
        time = datetime(2020, 5, 2, 12, tzinfo=UTC)
        practice.give_up(library, practice.exercises[0], time)
        practice.give_up(library, practice.exercises[1], time + timedelta(days=5))
        found = progress_of(library, PLAYER)
    total = found.over_time[0]
    assert (found.since, total.theme, total.first_games, total.second_games) == ("2020-05-02", "", 1, 1)
    assert total.first >= 1
    assert str(found.band) == "1200-1599"
    own = found.against_others[0]
    # Others of the band: Boris in two games.
    assert (own.first_games, own.second_games) == (3, 2)
    assert found.weak() == []
