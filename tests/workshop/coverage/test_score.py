"""Figures of coverage from labels of a real engine, and what is told of the same games."""

import io
import json
from pathlib import Path

import pytest

from tests.workshop.coverage.played import LEGAL, QUIET, UNREADABLE, games_file
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.figures import KIND, Figures
from workshop.coverage.games import Game, read_games
from workshop.coverage.glyphs import false_glyphs, glyphs, marked, nags_of
from workshop.coverage.judged import Judged, judged
from workshop.coverage.labels import Label, Reference, labels_of
from workshop.coverage.shares import Share
from workshop.coverage.told import numbered, told_of

pytestmark = pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")

FELL = {
    "file": "/somewhere/games.pgn",
    "game": 2,
    "ply": 10,
    "event": "fell",
    "bait": "g4d1",
    "bait_san": "Bxd1",
    "killer_line": ["c4f7", "e8e7", "c3d5"],
    "killer_line_san": ["Bxf7+", "Ke7", "Nd5#"],
    "proof": {"verdict": "proved", "mate_in": 2, "nodes": 60, "by": "mate-1"},
}
SOUND = FELL | {"game": 3, "ply": 8, "bait": "g8f6", "bait_san": "Nf6", "kind": "quiet"}
"""A claim that is not true."""
UNPROVED = SOUND | {"ply": 10, "bait": "e8g8", "proof": {"verdict": "undecided", "mate_in": None}}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return games_file(tmp_path_factory.mktemp("games"), UNREADABLE, LEGAL, QUIET)


@pytest.fixture(scope="module")
def games(file: Path) -> list[Game]:
    return list(read_games([file]))


@pytest.fixture(scope="module")
def labels(file: Path, games: list[Game]) -> dict[str, Label]:
    assert STOCKFISH is not None
    return labels_of(games, file.with_suffix(".jsonl"), Reference(STOCKFISH, 10_000, 40_000), say=lambda _: None)


def moves_told(games: list[Game], labels: dict[str, Label], *lines: dict[str, object]) -> list[Judged]:
    return judged(games, labels, told_of([json.dumps(line) for line in lines], numbered(games)))


def test_what_is_told_is_counted_and_what_is_not(games: list[Game], labels: dict[str, Label]) -> None:
    told = Figures.of(moves_told(games, labels, FELL, SOUND, UNPROVED))
    assert (told.games, told.moves) == (2, 25)
    lost = told.total.recall.of
    assert told.total.recall == Share(1, lost)
    assert told.total.agreement == Share(1, 2)
    assert told.near_mates == Share(1, 1)
    kinds = told.by[KIND]
    assert kinds["mate"].recall == kinds["mate"].agreement == Share(1, 1)
    assert kinds["quiet"].agreement == Share(0, 1)
    assert sum(found.recall.of for found in kinds.values()) == lost
    assert sum(found.recall.of for found in told.by["rating of the mover"].values()) == lost
    assert list(told.by["file"]) == ["games.pgn"]
    silent = Figures.of(moves_told(games, labels))
    assert silent.total.recall == Share(0, lost)
    assert silent.total.agreement == Share(0, 0)


def test_glyphs_that_are_not_true_are_found(games: list[Game], labels: dict[str, Label]) -> None:
    moves = moves_told(games, labels)
    # The glyph on White's first move was there before, and is nobody's claim.
    given = LEGAL.replace("1. e4", "1. e4 $1") + QUIET
    annotated = given.replace("Bxd1", "Bxd1 $1").replace("5. Nxe5", "5. Nxe5 $1").replace("4. O-O", "4. O-O $4")
    shares = glyphs(moves, nags_of(io.StringIO(given), "a"), nags_of(io.StringIO(annotated), "b"))
    assert shares == {"!": Share(1, 2), "??": Share(0, 1)}
    assert list(false_glyphs(shares).values()) == [Share(1, 2), Share(1, 1)]


def test_marks_are_held_against_what_moves_cost(games: list[Game], labels: dict[str, Label]) -> None:
    annotated = (LEGAL + QUIET).replace("Bxd1", "Bxd1 $4").replace("1. e4", "1. e4 $6")
    shares = marked(moves_told(games, labels), nags_of(io.StringIO(annotated), "a"))
    # The queen is a blunder, and nobody loses by the first move.
    assert shares["15 points or more, marked"].hits == 1
    assert shares["marked, less than 2.5 points"] == Share(2, 3)
