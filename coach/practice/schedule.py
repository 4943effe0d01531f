"""When a card comes again, by FSRS, and how it stands: one plan and one store for exercises and for repertoires.

A card is a position with what is asked in it, so that lines which transpose into one position have one card.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo

from db.library.library import Library
from db.storage.practice_rows import Asked, Card, Review, cards_of, reviews_of, store_review
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from trapcore.extras import extra

AGAIN = timedelta(minutes=10)
"""After a wrong answer."""


def now_utc() -> datetime:
    """The time by the machine's clock, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


def store_answer(library: Library, profile: str, place: Asked, review: Review) -> tuple[int, datetime]:
    """Store an answer; its number, and when the card comes again.

    Only the first answer to a card that is new or due counts for that. Raises `LibraryError`, and `UsageError` if FSRS
    is not installed.
    """
    with library.database.write() as connection:
        card = cards_of(connection, profile).get(place)
        if card is None or card.due <= review.at:
            rating, card = rated(place, card, review.at, is_right=review.is_right, hints=review.hints)
            review = replace(review, rating=rating)
        return store_review(connection, profile, card, review), card.due


def rated(place: Asked, card: Card | None, now: datetime, *, is_right: bool, hints: int) -> tuple[int, Card]:
    """FSRS's rating of an answer (1 again, 2 hard, 3 good), and the card after it; ``card`` is None where it is new.

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
        epd=place[0],
        task=place[1],
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


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands with the exercises, or the repertoire, of a player."""

    due: int
    """Exercises that are to be repeated now."""
    new: int
    """Exercises that were never answered; some of them may not be confirmed when their turn comes."""
    waiting: int
    """Exercises that come again later."""
    next_due: datetime | None
    """When the first of these comes, in UTC; None if none waits."""
    right: int
    """Answers of today that counted and were right."""
    wrong: int
    streak: int
    """Days in a row, see `coach.practice.schedule.streak`."""

    def words(self, language: Grammar = ENGLISH) -> str:
        """``2 due, 10 new, 3 later; today 1 right, 0 wrong; 4 days in a row.``"""
        due, new, later = map(language.number, (self.due, self.new, self.waiting))
        parts = [language.text("%(due)s due, %(new)s new, %(later)s later", due=due, new=new, later=later)]
        if self.right or self.wrong:
            parts.append(language.text("today %(right)s right, %(wrong)s wrong", right=self.right, wrong=self.wrong))
        if self.streak:
            days = language.counted(self.streak, "day")
            parts.append(language.text("%(days)s in a row", days=days))
        return f"{'; '.join(parts)}."


def standing_of(
    library: Library,
    profile: str,
    asked: Collection[Asked],
    new: Collection[Asked],
    now: datetime,
    zone: tzinfo | None = None,
) -> Standing:
    """How it stands with the places that are ``asked``; of these, ``new`` has those that count as new without a card.

    Days begin as they do in ``zone``, by default that of the machine. Answers and days are of all that the player
    practises. Raises `LibraryError`.
    """
    with library.database.read() as connection:
        cards = cards_of(connection, profile)
        reviews = [review for _, _, _, review in reviews_of(connection, profile)]
    today = now.astimezone(zone).date()
    days = [review.at.astimezone(zone).date() for review in reviews]
    done = [review.is_right for review, day in zip(reviews, days, strict=True) if day == today and review.rating]
    known = [cards[place] for place in asked if place in cards]
    later = [card.due for card in known if card.due > now]
    return Standing(
        due=len(known) - len(later),
        new=sum(place not in cards for place in new),
        waiting=len(later),
        next_due=min(later, default=None),
        right=sum(done),
        wrong=len(done) - sum(done),
        streak=streak(days, today),
    )
