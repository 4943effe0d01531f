"""The position key never changes, and Python and Rust agree on it."""

import hashlib
import tomllib
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings

from tests.support.chess_positions import board, played
from trapcore import _native
from trapcore.errors import PositionError
from trapcore.trees.position_key import canonical_epd, mirror, position_key

GOLDEN = tomllib.loads((Path(__file__).parents[2] / "golden" / "position_keys.toml").read_text("utf-8"))["position"]


def test_there_are_twenty_golden_positions_with_different_keys() -> None:
    assert len({position["key"] for position in GOLDEN}) == 20
    assert _native.POSITION_KEY_VERSION == 1


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: str(golden["name"]))
def test_golden_keys(golden: dict[str, str]) -> None:
    fen, epd, key = golden["fen"], golden["epd"], bytes.fromhex(golden["key"])
    assert hashlib.blake2b(epd.encode("ascii"), digest_size=16).digest() == key
    assert (canonical_epd(fen), _native.epd(fen)) == (epd, epd)
    assert (position_key(fen), _native.position_key(fen)) == (key, key)
    assert position_key(epd) == position_key(board(fen)) == position_key(chess.Board(fen, chess960=True)) == key
    assert mirror(fen) == golden["mirror"]
    assert mirror(golden["mirror"]) == epd


@given(fen=played())
@settings(deadline=None, max_examples=200)
def test_any_position_has_one_key(fen: str) -> None:
    position = board(fen)
    key = position_key(fen)
    assert _native.position_key(fen) == key
    assert _native.epd(fen) == canonical_epd(fen)
    for other in (canonical_epd(fen), position.fen(shredder=True), position.fen(en_passant="fen")):
        assert position_key(other) == _native.position_key(other) == key
    assert position_key(position) == key
    assert mirror(mirror(fen)) == canonical_epd(fen)
    assert position_key(mirror(fen)) != key
    assert chess.Board(mirror(fen), chess960=True).legal_moves.count() == position.legal_moves.count()


def test_counters_do_not_count_and_everything_else_does() -> None:
    fen = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1"
    assert position_key(fen) == position_key(fen.replace(" 0 1", " 37 80"))
    others = ["4k2r/8/8/3pP3/8/8/8/R3K2R w KQk d6", fen.replace("KQkq", "Qkq"), fen.replace("d6", "-"),
              fen.replace(" w ", " b ").replace("d6", "-")]  # fmt: skip
    assert len({position_key(f) for f in [fen, *others]}) == 5


def test_a_bad_position_has_no_key() -> None:
    for function in (position_key, mirror, _native.position_key):
        with pytest.raises(PositionError):
            function("8/8/8/8/8/8/8/8 w - - 0 1")
