"""Exercises as PGN, chapters of studies and decks for Anki."""

import io
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest

from coach.practice.collect import material_of
from coach.practice.exercise import Task
from coach.practice.export import write_exercises
from db.library.library import Library
from db.library.open import open_library
from tests.support.practice_library import PLAYER, copy_practice_library
from trapcore.errors import OutputError


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(copy_practice_library(tmp_path / "library.sqlite")) as opened:
        yield opened


def test_every_exercise_is_a_game_that_can_be_read_again(library: Library, tmp_path: Path) -> None:
    exercises = material_of(library, PLAYER).exercises
    (path,) = write_exercises(exercises, tmp_path / "out.pgn", name=PLAYER, library=library.name)
    text = io.StringIO(path.read_text())
    for exercise in exercises:
        game = chess.pgn.read_game(text)
        assert game is not None
        assert not game.errors
        assert game.board().epd() == exercise.board().epd()
        assert game.comment.endswith(".")
        assert "Hint 3:" in game.comment
        hints = game.comment.partition("Hint 1:")[2]
        assert exercise.board().san(chess.Move.from_uci(exercise.line[0])) not in hints
        first = game.variations[0]
        if exercise.task is Task.KILLER:
            assert [move.uci() for move in game.mainline_moves()] == list(exercise.line)
        else:
            assert first.move.uci() != exercise.line[0]
            bait = game.variations[1]
            assert (bait.move.uci(), bait.nags) == (exercise.line[0], {chess.pgn.NAG_BLUNDER})
        assert game.end().comment
    assert chess.pgn.read_game(text) is None


def test_a_folder_gets_files_of_as_many_chapters_as_a_study_takes(library: Library, tmp_path: Path) -> None:
    every = material_of(library, "").exercises
    (killer,) = [each for each in every if each.slug == "legals-mate" and each.task is Task.KILLER]
    many = [replace(killer, number=number) for number in range(1, 66)]
    paths = write_exercises(many, tmp_path / "study", name="", library=library.name)
    assert [path.name for path in paths] == ["exercises-1.pgn", "exercises-2.pgn"]
    assert [path.read_text().count("[Event ") for path in paths] == [64, 1]
    assert '[Orientation "white"]' in paths[0].read_text()


def test_a_deck_has_a_note_for_each_exercise(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    exercises = material_of(library, PLAYER).exercises
    (path,) = write_exercises(exercises, tmp_path / "deck.apkg", name=PLAYER, library=library.name)
    assert not list((tmp_path / "temporary").iterdir())
    with zipfile.ZipFile(path) as packed:
        packed.extract("collection.anki2", tmp_path)
    with closing(sqlite3.connect(tmp_path / "collection.anki2")) as connection:
        notes = connection.execute("SELECT guid, flds, tags FROM notes").fetchall()
        (models,) = connection.execute("SELECT models FROM col").fetchone()
        cards = connection.execute("SELECT count(*) FROM cards").fetchone()
    assert len({guid for guid, _, _ in notes}) == len(notes) == cards[0] == len(exercises)
    assert "trapline exercise" in {model["name"] for model in json.loads(models).values()}
    fields = [text.split("\x1f") for _, text, _ in notes]
    assert {identity for identity, *_ in fields} == {each.id for each in exercises}
    assert all(board.startswith("<svg") for _, _, board, *_ in fields)


def test_the_library_itself_is_never_written_over(library: Library, tmp_path: Path) -> None:
    link = tmp_path / "link.pgn"
    link.symlink_to(library.name)
    with pytest.raises(OutputError, match="is the library itself"):
        write_exercises(material_of(library, "").exercises[:1], link, name="", library=library.name)
