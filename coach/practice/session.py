"""Practising: which exercise is next, what an answer does, how it stands.

What a player has done is in the library and nowhere else: it is stored with each answer, in one transaction, so that it
goes on where it stopped, in the terminal or on the page, however it ended.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from coach.practice.collect import Filter, Material, material_of, plain_theme
from coach.practice.exercise import Exercise, Task
from coach.practice.judge import Judgement, Mark, judge
from coach.practice.mixing import from_patterns, in_turn, with_decoys
from coach.practice.schedule import Standing, standing_of, store_answer
from coach.practice.tested import in_turn_confirmed, keep, recall, search_all
from coach.practice.wording import theme_words
from db.games.accounts import SiteAccount
from db.games.players import find_players, players
from db.library.library import Library
from db.storage.practice_rows import Card, Review, cards_of, profile_names
from trapcore.errors import UsageError, unknown_name
from trapcore.parallel.budget import Cancellation

SESSION = timedelta(hours=12)
"""Answers of so long count as one session, which has one new exercise of each game."""

EXPORTED = 200
"""Most exercises that are exported."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of an answer."""

    judgement: Judgement
    number: int | None
    """Of the stored answer; None for one that is neither right nor wrong."""
    comes_again: datetime | None
    """When the exercise comes again, in UTC; None likewise."""


@dataclass(frozen=True, slots=True)
class Practice:
    """The exercises of a player that are wanted."""

    player: str | SiteAccount
    """An account, or a name as in the games; empty for the library's traps without games."""
    exercises: tuple[Exercise, ...]

    @property
    def name(self) -> str:
        """What the player is called."""
        return self.player if isinstance(self.player, str) else self.player.name

    @property
    def profile(self) -> str:
        """What the player's answers are stored under: two players with one name have two."""
        return str(self.player)

    def find(self, id: str) -> Exercise | None:
        """The exercise with this `Exercise.id`; None if it is not among the wanted ones."""
        return next((each for each in self.exercises if each.id == id), None)

    def next(self, library: Library, now: datetime, skip: Collection[str] = ()) -> Exercise | None:
        """What is to be answered now: what is due for the longest time, else the first new one that is from no game of
        this session and is confirmed (`coach.practice.tested.is_confirmed`). Each that is not may take a second.

        ``skip``: identifiers of exercises that are put off. None if there is nothing to do. Raises `LibraryError`.
        """
        cards = self._cards(library)
        wanted = [each for each in self.exercises if each.id not in skip]
        due = [(cards[each.epd, each.task].due, each) for each in wanted if (each.epd, each.task) in cards]
        ready = [(time, each) for time, each in due if time <= now]
        if ready:
            return min(ready, key=lambda pair: pair[0])[1]
        known = [each for each in self.exercises if each.id in skip or (each.epd, each.task) in cards]
        games = {each.game for each in known if each.id in skip or _is_recent(cards[each.epd, each.task], now)} - {None}
        new = [each for each in wanted if (each.epd, each.task) not in cards and each.game not in games]
        recall(library, new)
        ahead = sum(2 if each.is_decoy else -1 for each in known if each.task is Task.KILLER)
        return next(in_turn_confirmed(new, ahead), None)

    def standing(self, library: Library, now: datetime, zone: tzinfo | None = None) -> Standing:
        """How it stands at ``now`` (UTC); days begin as they do in ``zone``, by default that of the machine.

        Due, new and waiting are of the wanted exercises, answers and days of all. Raises `LibraryError`.
        """
        # Most of the player's own positions turn out to be no decoys, and a losing move is asked about once.
        new = [each for each in self.exercises if each.best or not (each.is_decoy or each.is_turned)]
        asked = {(each.epd, each.task.value) for each in self.exercises}
        return standing_of(library, self.profile, asked, {(each.epd, each.task.value) for each in new}, now, zone)

    def answer(
        self,
        library: Library,
        exercise: Exercise,
        answer: str,
        now: datetime,
        *,
        hints: int = 0,
        stop: Cancellation | None = None,
    ) -> Answered:
        """Judge a legal move (UCI), or what `judge` takes in its place, and store the answer if it is right or wrong.

        Only the first answer to an exercise that is new or due counts for when it comes again. Raises `LibraryError`,
        and `UsageError` if FSRS is not installed.
        """
        judgement = judge(exercise, answer, stop)
        if judgement.mark in (Mark.OPEN, Mark.SLOW):
            return Answered(judgement, None, None)
        review = _review(now, answer, judgement, hints)
        return Answered(judgement, *self._store(library, exercise, review))

    def give_up(self, library: Library, exercise: Exercise, now: datetime, *, hints: int = 0) -> Answered:
        """Store that the solution was asked for, which counts as a wrong answer. Raises as `answer` does."""
        judgement = Judgement(Mark.WRONG, (), 0.0)
        return Answered(judgement, *self._store(library, exercise, _review(now, "", judgement, hints)))

    def _store(self, library: Library, exercise: Exercise, review: Review) -> tuple[int, datetime]:
        keep(library, [exercise])
        return store_answer(library, self.profile, (exercise.epd, exercise.task.value), review)

    def exported(self, library: Library, open_for_writing: Callable[[], Library]) -> list[Exercise]:
        """The first `EXPORTED` exercises that are confirmed, which takes a second for each that was not tested."""
        return search_all(library, self.exercises, open_for_writing, EXPORTED)

    def _cards(self, library: Library) -> dict[tuple[str, str], Card]:
        with library.database.read() as connection:
            return cards_of(connection, self.profile)


def open_practice(library: Library, player: str | SiteAccount, wanted: Filter) -> Practice:
    """The exercises of an account, or of a player whose name may be a part of one in the games, with decoys; without a
    name the library's traps. Those of a pattern have the losing moves with it that come with trapline, too.

    Raises `UsageError` for an unknown player and where there is no exercise, with what to do, and `LibraryError`.
    """
    if isinstance(player, str) and player:
        player = find_player(library, player)
    material = material_of(library, player, traps=wanted.traps)
    exercises = wanted_exercises(material, wanted)
    if not exercises:
        if not player:
            raise UsageError("there is nothing to practise in {library}: it has no proved trap", library=library.name)
        raise UsageError(
            "there is nothing to practise in {library}: it has no losing move of {name}; "
            "`trapline index FILE --db {library}` looks for them, or practise the library's traps",
            library=library.name,
            name=str(player),
        )
    return Practice(player, exercises)


def wanted_exercises(material: Material, wanted: Filter, *, bundled: bool = True) -> tuple[Exercise, ...]:
    """The exercises of this material that are wanted, with decoys; none if there is no material. Those of a pattern
    have the ``bundled`` losing moves with it, too.

    Raises `UsageError` for an unknown theme and if none is of the wanted kind.
    """
    of_pattern = from_patterns(wanted.pattern, material.exercises) if wanted.pattern and bundled else []
    every = [*material.exercises, *of_pattern]
    if not every:
        return ()
    found: dict[tuple[str, str], Exercise] = {}
    for each in filter(wanted, every):
        found.setdefault((each.epd, each.task), each)
    themes = sorted({theme for each in every for theme in each.themes})
    if wanted.theme and plain_theme(wanted.theme) not in map(plain_theme, themes):
        raise unknown_name("theme", wanted.theme, map(theme_words, themes))
    if not found:
        raise UsageError(
            "none of the {count:,} exercises is of this kind; leave out a condition, such as the opening or the rating",
            count=len(every),
        )
    chosen = in_turn([*found.values()]) if wanted.pattern else [*found.values()]
    return with_decoys(chosen, material.decoys)


def find_player(library: Library, player: str) -> str:
    """The name that is meant by one or a part of one; see `db.games.players.find_players`. Raises `UsageError`."""
    with library.database.read() as connection:
        known = profile_names(connection)
    if player and player in known:  # somebody without a name may have answers, too
        return player
    (name,) = find_players(players(library), player)
    return name


def _is_recent(card: Card, now: datetime) -> bool:
    return now - card.last_review < SESSION


def _review(now: datetime, answer: str, judgement: Judgement, hints: int) -> Review:
    return Review(
        at=now,
        answer=answer,
        is_right=judgement.mark is Mark.RIGHT,
        hints=hints,
        rating=None,
        line=judgement.line,
    )
