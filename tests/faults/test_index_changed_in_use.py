"""The index of killers is cut short, replaced, damaged or deleted while a server uses it."""

import os
import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import chess
import chess.polyglot
import pytest

from bot.moves.move_choice import OpeningBooks
from tests.support.web_server import LEGAL, make_library, serving
from trapcore import _native


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _empty(path: Path) -> None:
    os.truncate(path, 0)


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"something else")
    other.rename(path)


HARMS: list[Callable[[Path], None]] = [_cut, _empty, _flip, _replace, Path.unlink]


@pytest.mark.fault
def test_a_server_outlives_whatever_happens_to_its_index(tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    make_library(library)
    with serving(library, tmp_path) as server, server.client() as client:

        def similar() -> object:
            answer = client.get("/api/v1/traps", params={"fen": LEGAL, "similar": 10})
            assert answer.status_code == 200, answer.text
            return answer.json()["hits"]

        expected = similar()
        assert expected
        for harm in HARMS:
            for name in ("manifest", "segment-*", "built"):
                found = [path for path in tmp_path.glob("library.sqlite*/**/*") if path.match(name)]
                assert found, name
                for path in found:
                    harm(path)
                assert similar() == expected, (harm.__name__, name)
                assert server.process.poll() is None
        for folder in tmp_path.glob("library.sqlite*"):
            if folder.is_dir():
                shutil.rmtree(folder)
        assert similar() == expected


def _mapped_files() -> str:
    return Path("/proc/self/maps").read_text()


@pytest.mark.fault
def test_no_file_is_mapped_that_somebody_can_cut_short_in_the_middle_of_a_query(tmp_path: Path) -> None:
    """To touch a mapping beyond the end of its file ends the process (SIGBUS), however large the file once was."""
    chance = random.Random(3)
    sets = [sorted(chance.sample(range(1, 4000), 400)) for _ in range(1000)]
    folder, book = tmp_path / "index", tmp_path / "book.bin"
    _native.build_token_index(folder, list(enumerate(sets)), weights={}, default_weight=1.0, vocabulary=1)
    entries = sorted(chance.sample(range(1, 1 << 63), 5000))
    start = chess.polyglot.zobrist_hash(chess.Board())
    move = chess.E4 | chess.E2 << 6
    book.write_bytes(b"".join(struct.pack(">QHHI", key, move, 1, 0) for key in sorted([*entries, start])))
    index, books = _native.TokenIndex(folder, vocabulary=1), OpeningBooks([book])
    found = index.top(sets[:5], 3)
    assert str(tmp_path) not in _mapped_files()
    for path in (*folder.iterdir(), book):
        os.truncate(path, 0)
    assert index.top(sets[:5], 3) == found
    assert books.moves(chess.Board()) == {chess.Move.from_uci("e2e4"): 1}
