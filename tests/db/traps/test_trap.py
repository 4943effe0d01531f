"""A trap as a value: what is accepted, what is refused and why, and the coding of moves."""

from dataclasses import replace
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.storage.sighting_rows import move_code
from db.traps.terms import Outcome
from db.traps.trap import Trap, make_trap, slugify
from tests.support.chess_positions import STANDARD
from tests.support.db_traps import LEGAL_FEN, LEGAL_MOVES, elephant, legal
from trapcore import _native
from trapcore.errors import InputError, PositionError
from trapcore.proof.verdict import Verdict


def test_a_trap_is_made_of_moves_as_people_write_them() -> None:
    trap = legal()
    assert trap.slug == "legals-mate"
    assert trap.epd == _native.epd(LEGAL_FEN)
    assert trap.line == ("g4d1", "c4f7", "e8e7", "c3d5")
    assert trap.sans() == ("Bxd1", "Bxf7+", "Ke7", "Nd5#")
    assert (trap.victim, trap.outcome, trap.verdict) == ("black", Outcome.MATE, Verdict.UNDECIDED)
    assert trap.moves == LEGAL_MOVES
    assert elephant().outcome is Outcome.MATERIAL
    assert elephant().victim == "white"


@pytest.mark.parametrize(
    ("moves", "bait", "line"),
    [
        ("e4 e5 Nf3 Nc6 Bc4 d6 Nc3 Bg4 Nxe5", "g4d1", "c4f7 e8e7 c3d5"),
        ("1.e4 e5 2.Nf3 Nc6 3.Bc4 d6 4.Nc3 Bg4 5.Nxe5!", "5...Bxd1??", "6.Bxf7+ Ke7 7.Nd5#"),
        ("1. e2e4 e7e5 2. g1f3 b8c6 3. f1c4 d7d6 4. b1c3 c8g4 5. f3e5", "Bxd1", "6. Bxf7+ 6... Ke7 7. Nd5#"),
    ],
)
def test_numbers_suffixes_and_notation_do_not_matter(moves: str, bait: str, line: str) -> None:
    trap = make_trap(name="Légal's mate", family="legal", moves=moves, bait=bait, killer_line=line)
    assert replace(trap, eco="C50", opening="Italian Game", source="a test") == legal()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"bait": "Bxd2"}, "'Bxd2' is no legal move"),
        ({"bait": "--"}, "no legal move"),
        ({"bait": "0000"}, "no legal move"),
        ({"bait": ""}, "must be one move"),
        ({"bait": "Bxd1 Bxf7+"}, "must be one move"),
        ({"killer_line": ""}, "killer line is empty"),
        ({"killer_line": "Bxf7+ Kxf7"}, "'Kxf7' is no legal move"),
        ({"moves": None}, "neither a position nor the moves"),
        ({"moves": "e4 e5 Ke3"}, "'Ke3' is no legal move"),
        ({"fen": chess.STARTING_FEN}, "no legal move"),
        ({"fen": LEGAL_FEN, "moves": "e4 e5"}, "do not lead to the position"),
        ({"name": " "}, "name"),
        ({"name": "two\nlines"}, "one line"),
        ({"family": ""}, "family"),
        ({"slug": "Légal"}, "lower-case letters"),
        ({"slug": "a--b"}, "single hyphens"),
        ({"eco": "C50 or so"}, "ECO code"),
        ({"source": "a\tb"}, "source"),
    ],
)
def test_what_is_no_trap_is_refused_in_one_sentence(given: dict[str, Any], says: str) -> None:
    fields: dict[str, Any] = {"name": "x", "moves": LEGAL_MOVES, "bait": "Bxd1", "killer_line": "Bxf7+ Ke7 Nd5#"}
    with pytest.raises(InputError, match=says) as caught:
        make_trap(**fields | given)
    assert "\n" not in str(caught.value)


def test_a_position_that_is_none_is_refused() -> None:
    with pytest.raises(PositionError):
        make_trap(name="x", fen="8/8/8/8/8/8/8/8 w - - 0 1", bait="Kd2", killer_line="Kd7")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"outcome": Outcome.MATERIAL}, "said to be material, but the killer line ends in mate"),
        ({"killer_line": ("c4f7",)}, "said to be mate, but the killer line does not"),
        ({"bait": "g4g3"}, "cannot be played"),
        ({"killer_line": ("0000",)}, "is no move"),
        ({"epd": LEGAL_FEN}, "not written canonically"),
        ({"moves": "1. e4"}, "do not lead"),
        ({"mate_in": 2}, "cannot be a mate in 2"),
        ({"verdict": Verdict.PROVED, "proof_by": "x"}, "cannot be a mate in None"),
        ({"verdict": Verdict.PROVED, "proof_by": "x", "mate_in": 3}, "cannot be a mate in 3"),
        ({"verdict": Verdict.PROVED, "mate_in": 2}, "must say who found that"),
        ({"verdict": Verdict.REFUTED}, "must say who found that"),
        ({"gain": 2.5}, "0 to 2"),
        ({"proof_nodes": -1}, "0 nodes or more"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        legal(**given).check()


def test_castling_is_written_as_the_position_needs() -> None:
    fen = "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1"
    for castling in ("O-O", "e1g1", "e1h1"):
        assert make_trap(name="x", fen=fen, bait=castling, killer_line="O-O-O").line == ("e1g1", "e8c8")
    with pytest.raises(InputError, match="must be written e1g1"):
        replace(make_trap(name="x", fen=fen, bait="O-O", killer_line="O-O"), bait="e1h1").check()
    chess960 = "4k3/8/8/8/8/8/8/RK5R w KQ - 0 1"
    trap = make_trap(name="x", fen=chess960, bait="O-O", killer_line="Ke7")
    assert trap.bait == "b1h1"
    assert move_code(trap.epd, trap.bait) == chess.B1 + 64 * chess.H1


@pytest.mark.parametrize("fen", STANDARD)
def test_moves_are_coded_as_the_core_codes_them(fen: str) -> None:
    board = chess.Board(fen)
    for move in board.legal_moves:
        pgn = f'[SetUp "1"]\n[FEN "{fen}"]\n\n{board.variation_san([move])} *\n'
        (batch,) = _split(pgn)
        (record,) = _native.read_records(batch).records
        assert int.from_bytes(record.moves, "little") == move_code(_native.epd(fen), board.uci(move))


def _split(pgn: str) -> list[_native.Batch]:
    splitter = _native.PgnSplitter()
    return splitter.feed(pgn.encode()) + splitter.finish()


@given(st.text(max_size=120))
def test_every_name_gives_a_slug_that_is_one(name: str) -> None:
    slug = slugify(name)
    legal(slug=slug).check()
    assert slugify(slug) == slug


def test_content_is_what_json_can_hold() -> None:
    content = legal().to_dict()
    assert content["killer_line"] == ["c4f7", "e8e7", "c3d5"]
    assert content["victim"] == "black"
    assert content.keys() == {*(field for field in Trap.__slots__), "victim"}
