"""Labels of games by the reference engine: asked once, kept, and read again."""

import json
from pathlib import Path

import chess
import pytest

from tests.support.uci_engines import REFUTING, engine_of
from tests.workshop.coverage.played import LEGAL, QUIET, SHORT, UNREADABLE, games_file
from trapcore.errors import InputError, UsageError
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.games import read_games
from workshop.coverage.labels import Reference, labels_of, read_labels


def silent(_: str) -> None:
    """Nothing is said."""


def test_games_are_read_as_they_were_played(tmp_path: Path) -> None:
    path = games_file(tmp_path, UNREADABLE, LEGAL, SHORT, QUIET)
    legal, quiet = read_games([path])
    assert (legal.number, quiet.number) == (2, 4)
    assert legal.moves[-1] == "c3d5"
    assert len(legal.positions()) == len(legal.moves) + 1
    assert legal.positions()[-1].is_checkmate()
    assert quiet.moves[6] == "e1g1"
    assert (legal.rating(chess.WHITE), legal.rating(chess.BLACK)) == (2100, None)
    assert len({legal.key, quiet.key}) == 2
    assert [game.number for game in read_games([path], count=1)] == [2]
    assert [game.number for game in read_games([path], every=2)] == [2]


@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_stockfish_sees_what_a_move_loses(tmp_path: Path) -> None:
    assert STOCKFISH is not None
    (game,) = read_games([games_file(tmp_path, LEGAL)])
    label = labels_of([game], tmp_path / "l.jsonl", Reference(STOCKFISH, 5_000, 20_000), say=silent)[game.key]
    assert label.moves[9] == "g4d1"
    assert label.loss[9] >= 0.3
    assert label.mate[9] == 2
    assert label.line[9] == ["c4f7", "e8e7", "c3d5"]
    assert label.best[9] != "g4d1"
    assert label.mate[12] == 0
    assert label.line[12] == []
    assert label.before[12] == 1
    assert label.engine.startswith("Stockfish")
    assert read_labels(tmp_path / "l.jsonl") == {game.key: label}


def test_what_is_in_the_file_is_not_asked_again(tmp_path: Path) -> None:
    path, kept = games_file(tmp_path, LEGAL, QUIET), tmp_path / "labels.jsonl"
    level = Reference(engine_of(tmp_path, REFUTING), 10, 20)
    first, both = list(read_games([path], count=1)), list(read_games([path]))
    labels_of(first, kept, level, say=silent)
    whole = kept.read_bytes()
    # Another file's second line, torn off: the first is kept as it is, the second asked and written whole.
    kept.write_bytes(whole + b'{"key": "')
    assert list(read_labels(kept)) == [both[0].key]
    said: list[str] = []
    found = labels_of(both, kept, level, jobs=2, say=said.append)
    assert said == ["1 of 1 games labelled"]
    assert kept.read_bytes().startswith(whole)
    assert [json.loads(line)["key"] for line in kept.read_text().splitlines()] == [game.key for game in both]
    assert list(found) == [game.key for game in both]
    # Nothing is left to ask: an engine that is not there is not missed.
    again = Reference(str(tmp_path / "gone"), 10, 20)
    assert labels_of(both, kept, again, say=silent) == found


def test_labels_of_other_nodes_are_not_taken(tmp_path: Path) -> None:
    games, kept = list(read_games([games_file(tmp_path, QUIET)])), tmp_path / "labels.jsonl"
    command = engine_of(tmp_path, REFUTING)
    labels_of(games, kept, Reference(command, 10, 20), say=silent)
    with pytest.raises(UsageError, match="made with 10 and 20 nodes"):
        labels_of(games, kept, Reference(command, 10, 30), say=silent)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"key": "x"}\n')
    with pytest.raises(InputError, match="line 1: no label of a game"):
        read_labels(path)
