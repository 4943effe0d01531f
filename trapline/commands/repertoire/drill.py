"""The commands ``trapline repertoire drill`` and ``trapline repertoire export``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, LanguageOption
from trapline.commands.practise import Dialogue, Quit, drawn
from trapline.commands.repertoire.own import ColourOption, FileArgument, given_lines, is_address
from trapline.commands.resources import check_outputs, chosen_language, open_existing
from trapline.echo import echo

if TYPE_CHECKING:
    from coach.practice.schedule import Standing
    from coach.preparation.drill import Drill, DrillLine
    from db.library.library import Library
    from db.wording.languages.grammar import Grammar

COMMANDS = "show, skip, quit"
"""What may be written in place of a move."""


def drill(
    file: FileArgument,
    color: ColourOption = None,
    player: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Your name in the games, or a part of it. Without it the answers are nobody's."
        ),
    ] = "",
    count: Annotated[int, typer.Option(metavar="N", min=1, help="Number of lines.")] = 10,
    language: LanguageOption = None,
    db: DbOption = None,
) -> None:
    """Drill your opening repertoire: a line is played against you, and you answer with your moves.

    FILE is PGN with variations, or the address of a lichess study. Positions that are due come first, then new ones.
    Opponents move as often as people do in the games of the library. Answer with a move, such as Nf3 or g1f3, or with
    `show`, `skip` or `quit`. A wrong answer shows your move, and the reason if there is one. Every answer is stored at
    once.
    """
    from coach.practice.session import find_player
    from coach.preparation.drill import open_drill
    from db.games.trap_occurrences import games_of_player
    from trapcore.extras import extra

    grammar = chosen_language(language)
    with extra("practice", "drilling"):
        import fsrs  # noqa: F401 - before the first answer, not after it
    with open_existing(db, read_only=False) as library:
        name = find_player(library, player) if player else ""
        games = games_of_player(library, name) if name else None
        lines = given_lines(file, color, [name] if name else ())
        _Session(open_drill(library, name, lines, games), library, count, grammar).run()


class _Session(Dialogue):
    def __init__(self, drill: Drill, library: Library, count: int, language: Grammar) -> None:
        from random import Random

        super().__init__(language)
        self._drill = drill
        self._library = library
        self._count = count
        self._chance = Random()
        self._skipped: set[str] = set()

    def ask_all(self) -> None:
        """See `Dialogue.ask_all`."""
        from coach.practice.schedule import now_utc

        for place in range(1, self._count + 1):
            line = self._drill.begin(self._library, now_utc(), self._chance, self._skipped)
            if line is None:
                return
            if place == 1:
                echo(
                    self._language.text("Answer with a move, as Nf3 or g1f3; or write %(commands)s.", commands=COMMANDS)
                )
            self._play(line, place)

    def standing(self) -> Standing:
        """See `Dialogue.standing`."""
        from coach.practice.schedule import now_utc

        return self._drill.standing(self._library, now_utc())

    def _play(self, line: DrillLine, place: int) -> None:
        """Ask for each move of one line, to its end."""
        from coach.practice.schedule import now_utc
        from coach.preparation.drill_words import moves_of, question

        echo(f"\n{place}.  {question(self._drill, line, self._language)}")
        while True:
            echo(f"\n{drawn(line.board().fen(), flipped=line.colour == 'black')}\n")
            self._skipped.add(line.epd)
            uci = self._ask(line)
            if uci is None:
                return
            before = len(line.moves)
            line = self._drill.go_on(self._library, line, uci, now_utc(), self._chance, self._skipped)
            echo(moves_of(self._drill, line, before))
            if not self._drill.is_asked(line):
                echo(self._language.text("The line ends here."))
                return

    def _ask(self, line: DrillLine) -> str | None:
        """The move of the repertoire by which the line goes on, after an answer; None if the line is put off."""
        from coach.practice.exercise import AnswerError, read_answer
        from coach.practice.schedule import now_utc
        from coach.preparation.drill_words import verdict
        from trapcore.errors import LibraryBusyError

        known = self._drill.lines[line.colour].moves[line.epd]
        while True:
            text = input("> ").strip()
            match text.lower():
                case "":
                    continue
                case "quit" | "q" | "exit":
                    raise Quit
                case "skip":
                    return None
                case "show":
                    uci = ""
                case _:
                    try:
                        uci = read_answer(line.board(), text)
                    except AnswerError as error:
                        echo(self._language.message(error.message))
                        continue
            try:
                done = self._drill.answer(self._library, line, uci, now_utc())
            except LibraryBusyError as error:
                echo(self._language.text("The answer was not stored, give it again: %(why)s", why=error))
                continue
            self._right += done.is_right
            self._wrong += not done.is_right
            echo(" ".join(verdict(self._drill, line, uci, self._language, is_first=done.is_first)))
            return uci if done.is_right else next(iter(known))


def export(
    file: FileArgument,
    color: ColourOption = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the PGN here. - is stdout.")
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(
            "--study",
            metavar="ID",
            help="Lichess study for the chapters. Needs a token with the scope study:write, see `service.token_file`.",
        ),
    ] = None,
) -> None:
    """Write a repertoire as PGN with variations, or into a lichess study: a chapter for each colour.

    Lines of several chapters become one tree. A position that an earlier line has ends a line, and a comment says so.
    Comments on moves are kept, signs and arrows are not. A chapter that is in the study already is not written again.
    """
    from coach.preparation.derive import as_text
    from coach.preparation.export import exported, study_chapters
    from db.formats.export_file import write_file
    from trapcore.errors import UsageError
    from trapline.commands.terminal import say

    if output is None and study is None:
        raise UsageError("give --output FILE, or --study ID")
    check_outputs([output], None, [] if is_address(file) else [file])
    chapters = exported(given_lines(file, color))
    if output is not None:
        write_file(output, as_text(chapters).encode())
        say(f"{len(chapters):,} chapter{'' if len(chapters) == 1 else 's'} written to {output}")
    if study is not None:
        from contextlib import closing

        from coach.study_files import CHAPTERS
        from lichess.studies import StudyWriter, study_id
        from lichess.token import read_token
        from trapline.settings import read_settings

        mine, wanted = read_settings().service, study_id(study)
        folder = mine.folder / "repertoire-chapters"
        with closing(StudyWriter(mine.url, read_token(mine), [wanted], folder, CHAPTERS)) as writer:
            found = study_chapters(chapters)
            for each in found:
                writer.add(each)
            written = writer.write()
        refused = sum((folder / f"{each.mark}.refused").exists() for each in found)
        there = len(found) - written - refused
        say(
            f"{written:,} of {len(found):,} chapters written into study {wanted}"
            + (f"; {there:,} there already" if there else "")
            + (f"; {refused:,} refused by lichess" if refused else "")
        )
