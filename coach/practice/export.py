"""Exercises as files: PGN, chapters of lichess studies, and a deck for Anki.

Each exercise is a game that begins in its position, with the question and the hints as the first comment, the answer as
the main line and, where a safe move is asked, the bait with its refutation as a variation. In a decoy the main line is
a sound move, and the variation the killer that fails. A study takes them with *Interactive lesson* as its mode: the
main line is what is asked then, the comments are what is said.
"""

import io
import itertools
import json
import sqlite3
import time
import zipfile
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path

import chess
import chess.pgn
import chess.svg

from coach.practice.exercise import Exercise, Task
from coach.practice.judge import failing_line
from coach.practice.tested import right_move
from coach.practice.wording import HINTS, hint, question, solution, source
from coach.study_files import write_chapters
from db.traps.board_svg import Picture, draw
from trapcore.errors import OutputError, UsageError
from trapcore.extras import extra
from trapcore.io.atomic_write import replacing
from trapcore.io.plain_text import harmless

DECK = 1_672_303_177
NOTES = 1_672_303_178
"""Numbers by which Anki knows the deck and the kind of its notes; the same ones replace what was imported before."""

_FRONT = "<p>{{Question}}</p>{{Board}}<details><summary>Hint</summary>{{Hints}}</details>"
_BACK = "{{FrontSide}}<hr><p>{{Answer}}</p><p><small>{{Source}}</small></p>"


def write_exercises(exercises: Sequence[Exercise], path: Path, *, name: str, library: str) -> list[Path]:
    """Write the exercises in their order; the files that were written. ``name`` is the player's, or empty.

    ``path`` is a file that ends in ``.pgn`` or ``.apkg``, or a folder, which gets files of `CHAPTERS` chapters. A file
    appears under its name when it is complete. Raises `UsageError` for another name, and `OutputError`.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in ("", ".pgn", ".apkg") or (kind and path.is_dir()):
        raise UsageError(f"{path}: exercises are written to FILE.pgn, FILE.apkg or a FOLDER")
    if path.exists() and Path(library).exists() and path.samefile(library):
        raise OutputError(f"{path} is the library itself; choose another file")
    try:
        if kind == ".apkg":
            return [_write(path, exercises_deck(exercises, name))]
        if kind == ".pgn":
            return [_write(path, exercises_pgn(exercises).encode())]
        return write_chapters(_games(exercises), path, "exercises")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error


@lru_cache(maxsize=1024)
def exercise_game(exercise: Exercise, title: str) -> str:
    """An exercise as a game in PGN, ending in one line end."""
    board = exercise.board()
    game = chess.pgn.Game()
    game.setup(board)
    game.headers["Event"] = title
    game.headers["ChapterName"] = title[:80]
    game.headers["Orientation"] = "white" if board.turn else "black"
    if exercise.opening:
        game.headers["Opening"] = exercise.opening
    if exercise.game is not None and exercise.game.address:
        game.headers["Source"] = exercise.game.address
    hints = " ".join(f"Hint {number}: {hint(exercise, number)}" for number in range(1, HINTS + 1))
    game.comment = f"{question(exercise)} {hints}"
    node: chess.pgn.GameNode = game
    best = right_move(exercise)
    is_best = exercise.task is Task.SAFE or exercise.is_decoy
    line = ((best,) if best is not None else ()) if is_best else exercise.killer_line
    for uci in line:
        node = node.add_variation(chess.Move.from_uci(uci))
    node.comment = f"{node.comment} {_end(exercise, best)}".strip()
    if is_best:
        losing, *refutation = failing_line(exercise) if exercise.is_decoy else exercise.line
        node = game.add_variation(chess.Move.from_uci(losing), nags=[chess.pgn.NAG_BLUNDER])
        for uci in refutation:
            node = node.add_variation(chess.Move.from_uci(uci))
    return harmless(f"{game.accept(chess.pgn.StringExporter(columns=None))}\n")


def _end(exercise: Exercise, best: str | None) -> str:
    return " ".join(filter(None, (solution(exercise, best), source(exercise))))


def _title(exercise: Exercise, number: int) -> str:
    what = "Is there a winning move?" if exercise.task is Task.KILLER else "Find a safe move"
    return f"{number}. {what}"


def exercises_pgn(exercises: Sequence[Exercise]) -> str:
    """The exercises in their order as PGN."""
    # Lichess wants two blank lines or more between games.
    return "\n\n".join(_games(exercises)) + "\n"


def _games(exercises: Sequence[Exercise]) -> list[str]:
    return [exercise_game(each, _title(each, number)) for number, each in enumerate(exercises, start=1)]


def exercises_deck(exercises: Sequence[Exercise], name: str) -> bytes:
    """The exercises as a deck for Anki (``.apkg``); ``name`` is the player's, or empty. Raises `UsageError` without the
    library that makes decks."""
    with extra("practice", "a deck for Anki"):
        import genanki
    fields = [{"name": field} for field in ("Id", "Question", "Board", "Hints", "Answer", "Source")]
    templates = [{"name": "Exercise", "qfmt": _FRONT, "afmt": _BACK}]
    model = genanki.Model(NOTES, "trapline exercise", fields=fields, templates=templates)
    deck = genanki.Deck(DECK, f"trapline: {name or 'traps'}")
    for each in exercises:
        deck.add_note(
            genanki.Note(
                model=model,
                guid=genanki.guid_for("trapline", each.id),
                fields=list(_fields(each)),
                tags=[*each.themes, str(each.task), *([] if each.is_decoy else [str(each.origin)])],
            )
        )
    # In memory, for what genanki writes to a file goes through a temporary one that it leaves behind.
    now, out = time.time(), io.BytesIO()
    with closing(sqlite3.connect(":memory:")) as connection:
        genanki.Package(deck).write_to_db(connection.cursor(), now, itertools.count(int(now * 1000)))
        connection.commit()
        collection = connection.serialize()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("collection.anki2", collection)
        packed.writestr("media", json.dumps({}))
    return out.getvalue()


def _write(path: Path, content: bytes) -> Path:
    with replacing(path) as building:
        Path(building).write_bytes(content)
    return path


@lru_cache(maxsize=256)  # pictures of 30 kB
def _fields(exercise: Exercise) -> tuple[str, ...]:
    return (
        exercise.id,
        _html(question(exercise)),
        _board(exercise),
        "".join(f"<p>{_html(hint(exercise, number))}</p>" for number in range(1, HINTS + 1)),
        _html(solution(exercise, right_move(exercise))),
        _html(source(exercise)),
    )


def _board(exercise: Exercise) -> str:
    """The picture within the note, so that a deck needs no other files."""
    picture = Picture(fen=exercise.epd, last=exercise.played_before, flipped=exercise.epd.split()[1] == "b")
    return draw(picture).decode()


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
