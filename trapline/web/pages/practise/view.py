"""The pages of one practice: an exercise, an answer, and the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from coach.practice.collect import Filter
from coach.practice.exercise import NOTHING, SOMETHING, AnswerError, Exercise, Task, read_answer
from coach.practice.judge import Judgement, Mark, failing_line
from coach.practice.schedule import Standing, now_utc
from coach.practice.session import Practice
from coach.practice.tested import recall, right_move
from coach.practice.wording import (
    HINTS,
    PIECE_HINT,
    hint,
    hinted_square,
    numbered,
    question,
    solution,
    source,
    theme_key,
    verdict,
)
from db.storage.practice_rows import Review, reviews_of
from db.wording.languages.grammar import Grammar
from trapcore.errors import LibraryError, Message
from trapcore.parallel.budget import Cancellation
from trapline.web.pages.boards import Picture, dests, ground, squares
from trapline.web.pages.game_viewer import around
from trapline.web.pages.rendering import address, language_of, page
from trapline.web.problems import NotFound, status_of
from trapline.web.profile import Profile
from trapline.web.service import Service

SKIPPED = 200
"""Most exercises that an address puts off."""

CHOICE = ("player", "theme", "opening", "pattern", "least", "most", "traps", "group")
"""Parameters that say whose exercises are wanted, and which."""

Name = Annotated[str, Field(max_length=200)]
Short = Annotated[str, Field(max_length=20)]
Rating = Annotated[str, Field(max_length=4, pattern=r"\d*")]
"""A rating, or nothing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose exercises are wanted, and which."""

    player: str
    """As it was written; empty for the library's traps."""
    filter: Filter
    group: str = ""
    """Slug of the group whose assigned exercises are wanted; empty for any exercises."""
    skip: tuple[str, ...] = ()
    """Identifiers of the exercises that are put off."""

    def url(self, **params: object) -> str:
        """Address of the practice with these parameters."""
        return address("/practise", go=1, **self.fields(), **{"skip": ",".join(self.skip), **params})

    def fields(self) -> dict[str, str]:
        """Whose and which, as parameters."""
        bounds = {"least": self.filter.least_rating, "most": self.filter.most_rating}
        return {
            "player": self.player,
            "theme": self.filter.theme,
            "opening": self.filter.opening,
            "pattern": self.filter.pattern,
            "traps": "1" if self.filter.traps else "",
            "group": self.group,
            **{name: "" if bound is None else str(bound) for name, bound in bounds.items()},
        }


class Place(BaseModel):
    """The parameters of the address: where somebody is in his practice."""

    go: bool = False
    """The choice is made."""
    player: Name = ""
    theme: Name = ""
    opening: Name = ""
    least: Rating = ""
    most: Rating = ""
    pattern: Name = ""
    traps: bool | Literal[""] = False
    """Also the library's traps."""
    group: Name = ""
    """Slug of a group."""
    skip: Annotated[str, Field(max_length=13 * SKIPPED)] = ""
    exercise: Short = ""
    """`Exercise.id`; empty for the next one."""
    sure: bool = False
    """It was answered that a move wins; which is still to come."""
    hints: Annotated[int, Field(ge=0, le=HINTS)] = 0
    review: Annotated[int, Field(ge=1)] | None = None
    """Number of the answer that is shown."""
    ply: Annotated[int, Field(ge=0)] | None = None
    """How far its line is played."""
    chosen: Annotated[Short, Field(alias="from")] = ""
    """Square of the piece that is to move."""

    def wanted(self, profile: Profile | None, language: Grammar) -> Wanted:
        """Whose exercises are wanted, and which: those of the visitor if he has signed in."""
        player = self.player.strip()
        theme = theme_key(self.theme.strip(), language)
        bounds = {"least_rating": number(self.least), "most_rating": number(self.most)}
        return Wanted(
            player if profile is None else profile.player(player),
            Filter(
                theme=theme,
                pattern=self.pattern.strip(),
                opening=self.opening.strip(),
                traps=bool(self.traps),
                **bounds,
            ),
            self.group.strip(),
            tuple(each for each in self.skip.split(",") if each),
        )


def number(text: str) -> int | None:
    """A whole number of at most four digits; None for any other text."""
    return int(text) if text.isdecimal() and len(text) <= 4 else None


class AskAgain(Exception):
    """The answer is to be given again; why."""

    def __init__(self, message: Message, status: int = 200) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


@dataclass(frozen=True, slots=True)
class PracticeView:
    """Pages of one practice."""

    request: Request
    service: Service
    wanted: Wanted
    practice: Practice

    @property
    def language(self) -> Grammar:
        """In which exercises are asked and answered."""
        return language_of(self.request)

    def stored(self, exercise: Exercise, fields: Mapping[str, str], hints: int, stop: Cancellation) -> Response:
        """Redirection to the page of the stored answer. Raises `AskAgain`."""
        try:
            uci = self._answer(exercise, fields)
        except AnswerError as error:
            raise AskAgain(error.message, 400) from error
        if uci == SOMETHING and not exercise.is_decoy:
            return RedirectResponse(self.wanted.url(exercise=exercise.id, hints=hints or "", sure=1), status_code=303)
        try:
            with self.service.open_for_writing() as library:
                if uci:
                    done = self.practice.answer(library, exercise, uci, now_utc(), hints=hints, stop=stop)
                else:
                    done = self.practice.give_up(library, exercise, now_utc(), hints=hints)
        except LibraryError as error:
            unstored = Message("the answer was not stored, give it again: {reason}", {"reason": error.message})
            raise AskAgain(unstored, status_of(error)) from error
        if done.number is None:
            raise AskAgain(Message(verdict(exercise, uci, done.judgement, self.language)))
        return RedirectResponse(self.wanted.url(review=done.number), status_code=303)

    @staticmethod
    def _answer(exercise: Exercise, fields: Mapping[str, str]) -> str:
        """The answer of a form: a move (UCI), `SOMETHING` or `NOTHING`, or empty to be shown the solution. Raises
        `AnswerError`."""
        if "show" in fields:
            return ""
        wins = fields.get("wins")
        if exercise.task is Task.KILLER and wins in (SOMETHING, NOTHING):
            return wins
        return read_answer(exercise.board(), fields.get("square") or fields.get("answer", ""))

    async def exercise(
        self, exercise: Exercise, hints: int, from_: str, *, sure: bool = False, message: str = "", status: int = 200
    ) -> Response:
        """Page of an exercise with the hints so far; ``sure`` if it was answered that a move wins."""
        board = exercise.board()
        flipped = not board.turn
        here = {"exercise": exercise.id, "hints": hints or "", "sure": "1" if sure else ""}
        picture = Picture(fen=board.fen(), last=exercise.played_before, flipped=flipped)
        told = await self.service.run(self.request, lambda stop: self._hints(exercise, hints))
        return await self._page(
            status,
            state="ask",
            exercise=exercise,
            question=question(exercise, self.language, sure=sure),
            asks_whether=exercise.task is Task.KILLER and not sure,
            message=message,
            hints=told[:hints],
            picture=picture,
            ground=ground(
                picture, dests=dests(board.legal_moves), answer=True, circle=told[-1] if hints >= PIECE_HINT else ""
            ),
            squares=squares(
                board,
                from_,
                self.language,
                flipped=flipped,
                choose=lambda square: self.wanted.url(**here, **{"from": square}),
                play=lambda moves: board.uci(moves[0]),  # a pawn becomes a queen
            ),
            hidden={**here, **self.wanted.fields()},
            more=self.wanted.url(**{**here, "hints": hints + 1}) if hints < HINTS else None,
            skip=self.wanted.url(skip=",".join((*self.wanted.skip, exercise.id)[-SKIPPED:])),
        )

    def _hints(self, exercise: Exercise, count: int) -> list[str]:
        """So many hints, and the square that they name. What they need may be searched."""
        recall(self.service.library, [exercise])
        told = [hint(exercise, number, self.language) for number in range(1, count + 1)]
        return [*told, hinted_square(exercise) if count >= PIECE_HINT else ""]

    async def answered(self, number: int, ply: int | None) -> Response:
        """Page of a stored answer: what is said of it, and its line on the board."""
        found = await self.service.run(self.request, lambda stop: self._review(number))
        if found is None:
            raise NotFound("there is no such answer any more; go back to the start of the practice")
        exercise, review, best, failing = found
        start = exercise.board()
        is_word = review.answer in (SOMETHING, NOTHING)
        boards, moves = [start], [*([] if is_word else [review.answer]), *review.line]
        if exercise.is_decoy:
            moves = list(failing)
        elif not review.answer:
            moves = list(exercise.line)
        for uci in moves:
            boards.append(boards[-1].copy(stack=False))
            boards[-1].push_uci(uci)
        # A wrong answer is shown with what it is answered by.
        is_refuted = exercise.is_decoy or (review.answer and not review.is_right)
        at = min(len(moves), (2 if is_refuted else 1) if ply is None else ply)
        urls = [self.wanted.url(review=number, ply=str(each)) for each in range(len(boards))]
        picture = Picture(fen=boards[at].fen(), last=moves[at - 1] if at else "", flipped=not start.turn)
        said = self.language.text("The solution was shown.")
        if review.answer:
            mate = (len(review.line) + 1) // 2 if boards[-1].is_checkmate() and not review.is_right else None
            mark = Mark.RIGHT if review.is_right else Mark.WRONG
            said = verdict(exercise, review.answer, Judgement(mark, review.line, 0.0, mate), self.language)
        return await self._page(
            200,
            state="answered",
            exercise=exercise,
            question=question(exercise, self.language),
            said=said,
            is_right=review.is_right,
            solution=solution(exercise, best, self.language),
            shown=not review.answer or exercise.is_decoy,
            source=source(exercise, self.language),
            picture=picture,
            ground=ground(picture),
            steppers=(*around(urls, at), None),
            moves=[(numbered(boards[each], [uci]), urls[each + 1], each + 1 == at) for each, uci in enumerate(moves)],
            again=None if review.is_right or exercise.is_decoy else self.wanted.url(exercise=exercise.id),
            next=self.wanted.url(),
        )

    async def nothing(self) -> Response:
        """Page where nothing is left to do now."""
        return await self._page(200, state="done", next=self.wanted.url(skip="") if self.wanted.skip else None)

    def _review(self, number: int) -> tuple[Exercise, Review, str | None, tuple[str, ...]] | None:
        """An answer by its number, with its exercise, a right move, and the line in which the killer of a decoy fails.
        What has to be searched for them is searched here."""
        with self.service.library.database.read() as connection:
            reviews = reviews_of(connection, self.practice.profile)
        for epd, task, each, review in reviews:
            if each == number:
                exercise = next((e for e in self.practice.exercises if (e.epd, e.task) == (epd, task)), None)
                recall(self.service.library, filter(None, [exercise]))
                if exercise is None:
                    return None
                failing = failing_line(exercise) if exercise.is_decoy else ()
                return exercise, review, right_move(exercise), failing
        return None

    async def _page(self, status: int, **values: object) -> Response:
        standing: Standing = await self.service.run(
            self.request, lambda stop: self.practice.standing(self.service.library, now_utc())
        )
        fields = self.wanted.fields()
        about = {
            "name": self.practice.name,
            "standing": standing,
            "standing_words": standing.words(self.language),
            "choice": "/practise",
            "group": f"/groups/{fields['group']}" if fields["group"] else None,
            "patterns": address("/report", player=self.practice.name),
            "progress": address("/practise/progress", player=self.practice.name),
            "exports": [(kind, address(f"/practise/exercises.{kind}", **fields)) for kind in ("pgn", "apkg")],
        }
        return page(self.request, "practise/practise.html", status, is_stored=False, **about, **values)
