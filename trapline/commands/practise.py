"""The command ``trapline practise``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, LanguageOption, bounds
from trapline.commands.resources import check_outputs, chosen_language, open_existing
from trapline.echo import echo

if TYPE_CHECKING:
    from coach.practice.collect import Filter
    from coach.practice.exercise import Exercise, Task
    from coach.practice.progress import Comparison
    from coach.practice.schedule import Standing
    from coach.practice.session import Practice
    from db.library.library import Library
    from db.wording.languages.grammar import Grammar

COMMANDS = "hint, show, skip, quit"
"""What may be written in place of a move, and"""
WINS_COMMANDS = "yes, no, "
"""besides, where a killer is asked."""


def practise(
    player: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Your name in the games, or a part of it. Without it you practise the library's traps."
        ),
    ] = "",
    theme: Annotated[
        str, typer.Option(metavar="THEME", help="Only this theme, such as fork, pin or back-rank mate.")
    ] = "",
    pattern: Annotated[
        str, typer.Option(metavar="KEY", help="Only this pattern, as the report names it: threat or fork:N:KR.")
    ] = "",
    opening: Annotated[str, typer.Option(metavar="TEXT", help="Only openings with this text in their name.")] = "",
    rating: Annotated[
        str | None,
        typer.Option(metavar="FROM-TO", help="Only games against opponents of this rating, such as 1200-1599."),
    ] = None,
    traps: Annotated[
        bool, typer.Option("--traps", help="Also practise the library's traps, after your own exercises.")
    ] = False,
    group: Annotated[
        str, typer.Option(metavar="NAME", help="Only what is assigned to this group, see `trapline group`.")
    ] = "",
    count: Annotated[int, typer.Option(metavar="N", min=1, help="Number of exercises.")] = 20,
    patterns: Annotated[
        bool, typer.Option("--patterns", help="List the player's patterns, the worst first, and stop.")
    ] = False,
    progress: Annotated[
        bool, typer.Option("--progress", help="Show what is due, what is weak and whether practice helped, and stop.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="Write the exercises and stop: FILE.pgn, FILE.apkg for Anki, or a FOLDER of chapters for lichess "
            "studies.",
        ),
    ] = None,
    language: LanguageOption = None,
    db: DbOption = None,
) -> None:
    """Practise your own losing moves and the killers that you missed.

    Without a name you practise the library's traps. Each exercise has one right answer. Answer with a move, such as Nf3
    or g1f3, or with `hint`, `show`, `skip` or `quit`. Some positions are decoys, in which no move wins: `yes` and `no`
    say whether one does. The search refutes a wrong answer. An exercise comes again when you are about to forget it.
    Every answer is stored at once.
    """
    from coach.practice.collect import Filter
    from coach.practice.session import open_practice
    from coach.practice.wording import theme_key
    from trapcore.extras import extra

    grammar = chosen_language(language)
    with extra("practice", "practising"):
        import fsrs  # noqa: F401 - before the first answer, not after it
    if export is not None:
        check_outputs([export] if export.suffix in (".pgn", ".apkg") else export.glob("exercises-*.pgn"), db)
    least, most = bounds("rating", rating)
    wanted = Filter(
        theme=theme_key(theme, grammar),
        pattern=pattern,
        opening=opening,
        least_rating=least,
        most_rating=most,
        traps=traps,
    )
    with open_existing(db, read_only=progress or patterns or export is not None) as library:
        if patterns:
            _print_patterns(library, player, grammar)
            return
        found = _of_group(library, group, player, wanted) if group else open_practice(library, player, wanted)
        if export is not None:
            _export(found, export, library)
        elif progress:
            _print_progress(found, library, grammar)
        else:
            _Session(found, library, count, grammar).run()


def _of_group(library: Library, group: str, player: str, wanted: Filter) -> Practice:
    """What is assigned to a group, for one of its pupils. Raises `UsageError`."""
    from coach.group.assignment import assigned_practice
    from coach.group.group import find_group
    from trapcore.errors import UsageError

    if not player:
        raise UsageError("--group wants --player NAME: each pupil has his own answers")
    found = find_group(library, group)
    return assigned_practice(library, found, found.pupil(player).player, wanted)


class Quit(Exception):
    """The session is to end."""


class Dialogue(ABC):
    """Questions on a terminal, with a count of what was right at once."""

    def __init__(self, language: Grammar) -> None:
        self._language = language
        self._right = 0
        self._wrong = 0

    @abstractmethod
    def ask_all(self) -> None:
        """Ask until enough is asked or nothing is left. Raises `Quit`, and what `input` raises."""

    @abstractmethod
    def standing(self) -> Standing:
        """How much is due, new and later."""

    def run(self) -> None:
        """Ask until the input ends or somebody quits, and say how it went."""
        import sys

        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        echo(standing_words(self.standing(), self._language))
        interrupted = False
        try:
            self.ask_all()
        except EOFError:
            echo("")
        except KeyboardInterrupt:
            echo("")
            interrupted = True
        except Quit:
            pass
        done = self._right + self._wrong
        if done:
            told = self._language.text(
                "%(answered)s answered, %(right)s right at once.", answered=done, right=self._right
            )
            echo(f"\n{told} {standing_words(self.standing(), self._language)}")
        if interrupted:
            raise typer.Exit(130)


class _Session(Dialogue):
    def __init__(self, practice: Practice, library: Library, count: int, language: Grammar) -> None:
        super().__init__(language)
        self._practice = practice
        self._library = library
        self._count = count
        self._skipped: set[str] = set()
        self._explained: set[Task] = set()

    def ask_all(self) -> None:
        """See `Dialogue.ask_all`."""
        from coach.practice.schedule import now_utc

        for place in range(1, self._count + 1):
            exercise = self._practice.next(self._library, now_utc(), self._skipped)
            if exercise is None:
                return
            if exercise.task not in self._explained:
                self._explained.add(exercise.task)
                echo(("\n" if place > 1 else "") + self._how(exercise))
            # It comes once in a session, even if it was answered wrongly.
            self._skipped.add(exercise.id)
            self._ask(exercise, place)

    def standing(self) -> Standing:
        """See `Dialogue.standing`."""
        from coach.practice.schedule import now_utc

        return self._practice.standing(self._library, now_utc())

    def _how(self, exercise: Exercise) -> str:
        from coach.practice.exercise import Task

        commands = f"{WINS_COMMANDS if exercise.task is Task.KILLER else ''}{COMMANDS}"
        return self._language.text("Answer with a move, as Nf3 or g1f3; or write %(commands)s.", commands=commands)

    def _ask(self, exercise: Exercise, place: int) -> None:
        from coach.practice.exercise import SOMETHING, Task
        from coach.practice.schedule import now_utc
        from coach.practice.tested import recall, right_move
        from coach.practice.wording import HINTS, hint, question, solution, source

        echo(f"\n{place}.  {question(exercise, self._language)}\n\n{drawn(exercise.epd)}\n")
        hints = 0
        is_first = True
        while True:
            text = input("> ").strip()
            match text.lower():
                case "":
                    continue
                case "quit" | "q" | "exit":
                    raise Quit
                case "skip":
                    return
                case "hint" | "?":
                    hints = min(hints + 1, HINTS)
                    echo(hint(exercise, hints, self._language))
                    continue
                case "show":
                    self._practice.give_up(self._library, exercise, now_utc(), hints=hints)
                    self._score(is_first, is_right=False)
                    recall(self._library, [exercise])
                    told = solution(exercise, right_move(exercise), self._language)
                    echo(" ".join(filter(None, (told, source(exercise, self._language)))))
                    return
                case "help":
                    echo(self._how(exercise))
                    continue
                case _ if text.lower() == SOMETHING and exercise.task is Task.KILLER and not exercise.is_decoy:
                    echo(question(exercise, self._language, sure=True))
                    continue
            is_right = self._try(exercise, text, hints, is_first)
            if is_right is None:
                continue
            is_first = False
            # That nothing wins is said with the answer.
            if is_right or exercise.is_decoy:
                return

    def _score(self, is_first: bool, *, is_right: bool) -> None:
        """Count the first answer to an exercise, as soon as it is stored."""
        self._right += is_first and is_right
        self._wrong += is_first and not is_right

    def _try(self, exercise: Exercise, text: str, hints: int, is_first: bool) -> bool | None:
        """Whether the answer is right; None where it is to be given again."""
        from coach.practice.exercise import NOTHING, SOMETHING, AnswerError, Task, read_answer
        from coach.practice.judge import Mark
        from coach.practice.schedule import now_utc
        from coach.practice.wording import source, verdict
        from trapcore.errors import LibraryBusyError

        board, is_word = exercise.board(), exercise.task is Task.KILLER and text.lower() in (SOMETHING, NOTHING)
        try:
            answer = text.lower() if is_word else read_answer(board, text)
        except AnswerError as error:
            echo(self._language.message(error.message))
            return None
        try:
            done = self._practice.answer(self._library, exercise, answer, now_utc(), hints=hints)
        except LibraryBusyError as error:
            echo(self._language.text("The answer was not stored, give it again: %(why)s", why=error))
            return None
        if done.number is not None:
            self._score(is_first, is_right=done.judgement.mark is Mark.RIGHT)
        echo(verdict(exercise, answer, done.judgement, self._language))
        if done.judgement.mark is Mark.WRONG:
            for move in (*(() if is_word or exercise.is_decoy else (answer,)), *done.judgement.line):
                board.push_uci(move)
            if done.judgement.line:
                echo(f"\n{drawn(board.fen(), flipped=not exercise.board().turn)}\n")
            if not exercise.is_decoy:
                echo(self._language.text("Try again."))
        if done.number is None:
            return None
        if done.judgement.mark is Mark.RIGHT or exercise.is_decoy:
            echo(source(exercise, self._language))
        return done.judgement.mark is Mark.RIGHT


def drawn(epd: str, *, flipped: bool | None = None) -> str:
    """A board of text with its letters and digits, by default with the side to move below."""
    import chess

    board = chess.Board(epd)
    is_flipped = not board.turn if flipped is None else flipped
    ranks = board.unicode(empty_square="·", orientation=not is_flipped).splitlines()
    digits = range(1, 9) if is_flipped else range(8, 0, -1)
    letters = "hgfedcba" if is_flipped else "abcdefgh"
    rows = [f"  {digit}  {rank}" for digit, rank in zip(digits, ranks, strict=True)]
    return "\n".join([*rows, "", f"     {' '.join(letters)}"])


def standing_words(standing: Standing, language: Grammar) -> str:
    """How it stands and, if nothing is due, when the next one comes by the machine's clock."""
    from coach.practice.schedule import now_utc

    words = standing.words(language)
    if standing.due or standing.next_due is None:
        return words
    local = standing.next_due.astimezone()
    time = f"{local:%H:%M}"
    if local.date() == now_utc().astimezone().date():
        return f"{words} {language.text('The next comes today at %(time)s.', time=time)}"
    day = language.day(f"{local:%Y-%m-%d}")
    return f"{words} {language.text('The next comes on %(day)s at %(time)s.', day=day, time=time)}"


def _export(practice: Practice, path: Path, library: Library) -> None:
    from coach.practice.export import write_exercises
    from db.library.open import open_library
    from trapline.commands.terminal import say

    exercises = practice.exported(library, lambda: open_library(library.name))
    for file in write_exercises(exercises, path, name=practice.name, library=library.name):
        say(f"wrote {file}")


def _print_patterns(library: Library, player: str, language: Grammar) -> None:
    """The player's patterns as a table, each with the command that practises it."""
    from coach.practice.session import find_player
    from db.games.losing_moves import lost_moves
    from db.games.trap_occurrences import games_of_player
    from db.patterns.recurring import IN_GAMES, LEAST_GAMES, recurring
    from trapcore.errors import UsageError
    from trapline.commands.terminal import print_table

    if not player:
        raise UsageError("--patterns wants --player NAME: a pattern is of one player's games")
    text = language.text
    name = find_player(library, player)
    games = games_of_player(library, name)
    moves, judged = lost_moves(library, games)
    found = recurring(library, games, moves, judged)
    if not found:
        needs = text(
            "No pattern in %(games)s: a pattern needs %(least)s searched games, and losing moves in %(span)s of them.",
            games=language.counted(judged, "game"),
            least=LEAST_GAMES,
            span=IN_GAMES,
        )
        echo(needs)
        return
    rows = [
        (
            each.pattern.name(language, each.moves[0].colour),
            language.number(len(each.moves)),
            language.decimal(each.points, 1),
            each.pattern.key,
        )
        for each in found
    ]
    title = text("What %(name)s loses to, the worst first", name=name)
    print_table(title, [text("pattern"), text("losing moves"), text("points"), "--pattern"], rows)


def _print_progress(practice: Practice, library: Library, language: Grammar) -> None:
    from coach.practice.progress import LEAST_GAMES, progress_of
    from coach.practice.schedule import now_utc
    from trapline.commands.terminal import print_table

    found, text = progress_of(library, practice.player), language.text
    echo(standing_words(practice.standing(library, now_utc()), language))
    theme, rate = text("theme"), text("a game")
    if found.against_others:
        others = text("others %(band)s", band=found.band)
        rows = [_row(each, "more than others", "fewer than others", language) for each in found.against_others]
        title = text("Losing moves against others of your rating")
        print_table(title, [theme, text("yours"), rate, others, rate, ""], rows)
    else:
        echo(text("The games do not say your rating, so that nobody can be compared with you."))
    day = language.day(str(found.since))
    if found.since is None:
        echo(text("You have not practised yet."))
    elif not found.over_time or not found.over_time[0].second_games:
        echo(text("No game after %(day)s, when you began to practise, is in the library yet.", day=day))
    else:
        rows = [_row(each, "fewer since", "more since", language) for each in found.over_time]
        title = text("Losing moves before and since you practise")
        print_table(title, [theme, text("before %(day)s", day=day), rate, text("since"), rate, ""], rows)
    totals = (*found.against_others[:1], *found.over_time[:1])
    if any(min(each.first_games, each.second_games) < LEAST_GAMES for each in totals):
        echo(text("Of fewer than %(least)s games nothing is claimed.", least=LEAST_GAMES))


def _row(each: Comparison, more: str, fewer: str, language: Grammar) -> tuple[str, ...]:
    from coach.practice.wording import theme_words

    rates = [
        language.text(
            "%(rate)s in %(games)s", rate=language.decimal(count / games, 2), games=language.counted(games, "game")
        )
        if games
        else language.text("no games")
        for count, games in ((each.first, each.first_games), (each.second, each.second_games))
    ]
    claim = "" if each.more is None else language.text(more if each.more else fewer)
    first, second = language.number(each.first), language.number(each.second)
    return theme_words(each.theme, language) or language.text("all"), first, rates[0], second, rates[1], claim
