"""Labels of games by the reference engine: asked once, kept, and read again."""

import json
from pathlib import Path

import chess

from tests.support.uci_engines import REFUTING, engine_of
from tests.workshop.coverage.played import LEGAL, QUIET, SHORT, UNREADABLE, games_file
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
