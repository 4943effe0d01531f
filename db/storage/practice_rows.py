"""Rows of what players practise: when each card comes again, every answer, the repertoire that is drilled, and what the
search says of the moves that exercises are about. Times are in UTC.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select, update

from db.storage.bulk import parts
from db.storage.column_types import TIME, stored, time_text
from db.storage.tables import MoveTestRow, PlayerProfileRow, PracticeCardRow, PracticeReviewRow, RepertoireRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The schedule of an exercise: the state that FSRS keeps of it."""

    epd: str
    task: str
    """``killer``, ``safe`` or `LINE`."""
    state: int
    """1 learning, 2 review, 3 relearning."""
    step: int | None
    stability: float | None
    """Days after which it is remembered with a probability of .9."""
    difficulty: float | None
    """1..10."""
    due: datetime
    last_review: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """An answer."""

    at: datetime
    answer: str
    """UCI; empty if the solution was asked for."""
    is_right: bool
    hints: int
    """That had been shown."""
    rating: int | None
    """Of FSRS: 1 again, 2 hard, 3 good; None where the answer did not count, because the exercise was not due."""
    line: tuple[str, ...]
    """UCI: how the search goes on after the answer."""


@dataclass(frozen=True, slots=True)
class MoveTest:
    """What the trap test says of a move."""

    is_confirmed: bool
    """It loses clearly, and another move would have held."""
    best: str | None
    """UCI of the best other move; None if the search found none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repertoire:
    """The repertoire that a player has given; he has one, for either colour or both."""

    pgn: str
    """Games with variations."""
    colour: str
    """``white`` or ``black`` for all of it; empty if each chapter says so."""
    source: str
    """Id of the lichess study; empty if it was pasted, uploaded or taken from games."""
    at: datetime


Place = tuple[str, str]
"""EPD and move (UCI)."""

Asked = tuple[str, str]
"""EPD and task of a card."""

LINE = "line"
"""Task of a card that asks for the move of a repertoire."""


def profile_names(connection: Connection) -> list[str]:
    """Of all who have practised, ascending."""
    return list(connection.scalars(select(PlayerProfileRow.name).order_by(PlayerProfileRow.name)))


def cards_of(connection: Connection, name: str) -> dict[Asked, Card]:
    """The cards of a player by EPD and task; none if he has not practised."""
    columns = [getattr(PracticeCardRow, field) for field in _CARD]
    wanted = select(*columns).join(PlayerProfileRow).where(PlayerProfileRow.name == name)
    found = {}
    for row in connection.execute(wanted):
        fields = dict(row._mapping)
        fields |= {field: stored(_read, fields[field]) for field in ("due", "last_review")}
        found[row.epd, row.task] = Card(**fields)
    return found


def reviews_of(connection: Connection, name: str) -> list[tuple[str, str, int, Review]]:
    """EPD, task and number of every answer of a player with the answer itself, in their order."""
    columns = [getattr(PracticeReviewRow, field) for field in ("id", *_REVIEW)]
    wanted = (
        select(PracticeCardRow.epd, PracticeCardRow.task, *columns)
        .join_from(PracticeReviewRow, PracticeCardRow)
        .join(PlayerProfileRow)
        .where(PlayerProfileRow.name == name)
        .order_by(PracticeReviewRow.id)
    )
    found = []
    for epd, task, number, at, answer, is_right, hints, rating, line in connection.execute(wanted):
        moves: Sequence[str] = line.split()
        review = Review(
            at=stored(_read, at), answer=answer, is_right=is_right, hints=hints, rating=rating, line=tuple(moves)
        )
        found.append((epd, task, number, review))
    return found


def store_review(connection: Connection, name: str, card: Card, review: Review) -> int:
    """Store an answer and when its exercise comes again; the number of the answer."""
    profile = _identity(connection, PlayerProfileRow, name=name)
    here = {"profile_id": profile, "epd": card.epd, "task": card.task}
    state = {
        "state": card.state,
        "step": card.step,
        "stability": card.stability,
        "difficulty": card.difficulty,
        "due": time_text(card.due),
        "last_review": time_text(card.last_review),
    }
    number = connection.scalar(select(PracticeCardRow.id).filter_by(**here))
    if number is None:
        inserted = connection.execute(insert(PracticeCardRow).values(**here, **state)).inserted_primary_key
        assert inserted is not None
        number = inserted[0]
    else:
        connection.execute(update(PracticeCardRow).where(PracticeCardRow.id == number).values(**state))
    values = {
        "card_id": number,
        "at": time_text(review.at),
        "answer": review.answer,
        "is_right": review.is_right,
        "hints": review.hints,
        "rating": review.rating,
        "line": " ".join(review.line),
    }
    stored = connection.execute(insert(PracticeReviewRow).values(**values)).inserted_primary_key
    assert stored is not None
    return int(stored[0])


def repertoire_of(connection: Connection, name: str) -> Repertoire | None:
    """The repertoire of a player; None if he has given none."""
    columns = (RepertoireRow.pgn, RepertoireRow.colour, RepertoireRow.source, RepertoireRow.at)
    row = connection.execute(select(*columns).join(PlayerProfileRow).where(PlayerProfileRow.name == name)).one_or_none()
    return (
        None if row is None else Repertoire(pgn=row.pgn, colour=row.colour, source=row.source, at=stored(_read, row.at))
    )


def repertoire_names(connection: Connection) -> list[str]:
    """Of all who have given a repertoire, ascending."""
    return list(connection.scalars(select(PlayerProfileRow.name).join(RepertoireRow).order_by(PlayerProfileRow.name)))


def store_repertoire(connection: Connection, name: str, repertoire: Repertoire) -> None:
    """Store the repertoire of a player in place of the one before; his cards stay."""
    profile = _identity(connection, PlayerProfileRow, name=name)
    connection.execute(delete(RepertoireRow).where(RepertoireRow.profile_id == profile))
    values = {"pgn": repertoire.pgn, "colour": repertoire.colour, "source": repertoire.source}
    connection.execute(insert(RepertoireRow).values(profile_id=profile, at=time_text(repertoire.at), **values))


def move_tests(connection: Connection, by: str, epds: Collection[str]) -> dict[Place, MoveTest]:
    """What the test with this digest said of moves in these positions."""
    columns = (MoveTestRow.epd, MoveTestRow.move, MoveTestRow.is_confirmed, MoveTestRow.best)
    found = {}
    for part in parts(epds):
        for epd, move, is_confirmed, best in connection.execute(
            select(*columns).where(MoveTestRow.epd.in_(part), MoveTestRow.by == by)
        ):
            found[epd, move] = MoveTest(is_confirmed, best)
    return found


def store_move_tests(connection: Connection, by: str, tested: Mapping[Place, MoveTest]) -> None:
    """Store what the test with this digest says, in place of what another one said of the same moves."""
    rows = []
    for (epd, move), test in sorted(tested.items(), key=lambda pair: pair[0]):
        connection.execute(delete(MoveTestRow).where(MoveTestRow.epd == epd, MoveTestRow.move == move))
        rows.append({"epd": epd, "move": move, "by": by, "is_confirmed": test.is_confirmed, "best": test.best})
    if rows:
        connection.execute(insert(MoveTestRow), rows)


_CARD = ("epd", "task", "state", "step", "stability", "difficulty", "due", "last_review")
_REVIEW = ("at", "answer", "is_right", "hints", "rating", "line")


def _identity(connection: Connection, table: type[PlayerProfileRow], name: str) -> int:
    number = connection.scalar(select(table.id).where(table.name == name))
    if number is None:
        inserted = connection.execute(insert(table).values(name=name)).inserted_primary_key
        assert inserted is not None
        number = inserted[0]
    return int(number)


def _read(time: str) -> datetime:
    return datetime.strptime(time, TIME).replace(tzinfo=UTC)
