"""When an exercise comes again, by FSRS, and how many days in a row somebody has practised.

FSRS (https://github.com/open-spaced-repetition/py-fsrs, MIT) models how long something is remembered; an exercise
comes again when the model says that it is remembered with a probability of .9. A wrong answer brings it back after ten
minutes, as does a right one with hints while it is new. Its usual parameters are used, without its random spread, so
that the same answers always give the same dates.
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from coach.practice.exercise import Exercise
from db.storage.practice_rows import Card
from trapcore.extras import extra

AGAIN = timedelta(minutes=10)
"""After a wrong answer."""


def rated(exercise: Exercise, card: Card | None, now: datetime, *, is_right: bool, hints: int) -> tuple[int, Card]:
    """FSRS's rating of an answer (1 again, 2 hard, 3 good), and the card after it; ``card`` is None for a new exercise.

    ``now`` is in UTC. Raises `UsageError` if FSRS is not installed.
    """
    with extra("practice", "practising"):
        import fsrs
    scheduler = fsrs.Scheduler(learning_steps=(AGAIN,), relearning_steps=(AGAIN,), enable_fuzzing=False)
    rating = fsrs.Rating.Again if not is_right else fsrs.Rating.Hard if hints else fsrs.Rating.Good
    known = fsrs.Card(card_id=1)
    if card is not None:
        known = fsrs.Card(
            card_id=1,
            state=fsrs.State(card.state),
            step=card.step,
            stability=card.stability,
            difficulty=card.difficulty,
            due=card.due,
            last_review=card.last_review,
        )
    after, _ = scheduler.review_card(known, rating, review_datetime=now)
    return rating.value, Card(
        epd=exercise.epd,
        task=exercise.task.value,
        state=after.state.value,
        step=after.step,
        stability=after.stability,
        difficulty=after.difficulty,
        due=after.due.replace(microsecond=0),
        last_review=now.replace(microsecond=0),
    )


def streak(days: Iterable[date], today: date) -> int:
    """Days in a row on which there was an answer, up to today; a day that is not over yet breaks nothing."""
    known = set(days)
    day = today if today in known else today - timedelta(days=1)
    count = 0
    while day in known:
        count += 1
        day -= timedelta(days=1)
    return count
