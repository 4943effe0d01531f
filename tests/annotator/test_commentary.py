"""What is said about each event, in words, glyphs, variations and shapes."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

from db.library.open import open_library
from db.proof.prover import TrapProver
from db.traps.trap import make_trap
from tests.support.trap_games import (
    AVOIDED,
    ELEPHANT_FELL,
    FELL,
    LEGAL,
    MISSED,
    QUIET,
    RESEMBLES,
    REVERSED,
    TWO_KNIGHTS,
    annotated,
    game,
    make_library,
    without_figures,
)
from trapcore.proof.verdict import Verdict

pytestmark = pytest.mark.usefixtures("by_sequences")


SET = (
    "5. Nxe5 { [%csl Rd1][%cal Rg4d1,Gc4f7] } "
    "{ Sets Legal's Mate: the queen on d1 can be taken, but 5...Bxd1 6.Bxf7+ Ke7 7.Nd5#."
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library") / "library.sqlite")


def parsed(text: bytes) -> chess.pgn.Game:
    found = chess.pgn.read_game(io.StringIO(text.decode("utf-8")))
    assert found is not None
    assert found.errors == []
    return found


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        pytest.param(
            FELL,
            [SET, "5... Bxd1 { [%csl Rd1][%cal Gc4f7] } { Takes the bait: 6.Bxf7+ Ke7 7.Nd5#. } "],
            id="fell and sprung",
        ),
        pytest.param(AVOIDED, [SET, "5... dxe5 6. Qxg4"], id="avoided"),
        pytest.param(
            MISSED,
            [
                SET,
                "5... Bxd1 { [%csl Rd1][%cal Gc4f7] } { Takes the bait: 6.Bxf7+ Ke7 7.Nd5#. }",
                "6. Nxd1 { [%cal Gc4f7] } { White misses the mate, 6.Bxf7+. } 6... dxe5",
            ],
            id="missed",
        ),
        pytest.param(
            REVERSED,
            [
                "{ Sets Legal's Mate with colours reversed: the queen on d8 can be taken, but 6.Bxd8 Bxf2+ 7.Ke2 Nd4#.",
                "{ Takes the bait: 6...Bxf2+ 7.Ke2 Nd4#. } ",
            ],
            id="colours reversed",
        ),
        pytest.param(
            ELEPHANT_FELL,
            [
                "{ Sets the Elephant Trap: the pawn on d5 can be taken, but 6.Nxd5 loses a knight for a pawn after "
                "6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+ 9.Kxd2 Kxd8.",
                "{ Takes the bait: 6...Nxd5 7.Bxd8 Bb4+ 8.Qd2 Bxd2+ 9.Kxd2 Kxd8. } ",
            ],
            id="material",
        ),
    ],
)
def test_each_event_is_told(moves: str, expected: list[str], library: Path, tmp_path: Path) -> None:
    text = annotated(game(moves), tmp_path, library)
    for words in expected:
        assert words in without_figures(text.decode())
    assert text.count(b"[%c") == text.count(b"{ [%c") + text.count(b"][%cal")
    assert list(parsed(text).mainline_moves()) == list(parsed(game(moves).encode()).mainline_moves())


def test_a_game_without_traps_passes_byte_for_byte(library: Path, tmp_path: Path) -> None:
    assert annotated(game(QUIET), tmp_path, library) == game(QUIET).encode()


def test_variations_are_legal_and_stand_in_place_of_the_move(library: Path, tmp_path: Path) -> None:
    text = annotated(game(AVOIDED) + game(MISSED), tmp_path, library)
    stream = io.StringIO(text.decode())
    lines = []
    for _ in range(2):
        found = chess.pgn.read_game(stream)
        assert found is not None
        assert found.errors == []
        for node in found.mainline():
            assert node.parent is not None
            for other in node.parent.variations[1:]:
                assert other.comment == ""  # a comment before a variation's first move breaks readers
                lines.append([move.san() for move in [other, *other.mainline()]])
    assert lines  # what was better in place of the bait; the rest is in the words
    text = annotated(game(AVOIDED), tmp_path, library, side="black", verbosity="full")
    assert b"( 5... Bxd1 6. Bxf7+ Ke7 7. Nd5# )" in text


def test_another_mate_than_the_killer_springs_the_trap_too(tmp_path: Path) -> None:
    fen = "6k1/5ppp/8/8/8/8/5PPP/QR4K1 b - - 0 1"
    trap = TrapProver().prove(make_trap(name="Back Rank", fen=fen, bait="Kh8", killer_line="Qa8#"))
    assert trap.verdict is Verdict.PROVED
    path = tmp_path / "back-rank.sqlite"
    with open_library(path, create=True) as library:
        library.add(trap)
    moves = f'[FEN "{fen}"]\n[SetUp "1"]\n\n1... Kh8 2. Rb8# 1-0\n'
    text = without_figures(annotated(moves, tmp_path, path).decode())
    assert "{ Falls into a known trap (Back Rank): 2.Qa8#. } 2. Rb8# 1-0" in text
    text = without_figures(annotated(moves, tmp_path, path, side="white").decode())
    assert "2. Rb8# { Springs a known trap (Back Rank): 2.Rb8# mates as well as 2.Qa8#. } 1-0" in text


def test_a_glyph_of_the_author_stays_the_only_one(library: Path, tmp_path: Path) -> None:
    plain = annotated(game(FELL), tmp_path, library, tell="losses").decode()
    assert "5... Bxd1 $4 { [%csl" in plain
    own = FELL.replace("Nxe5", "Nxe5!!").replace("Bxd1", "Bxd1 $6 $14")
    text = annotated(game(own), tmp_path, library, tell="losses").decode()
    assert "5. Nxe5!! { [%csl" in text
    assert "5... Bxd1 $6 $14 { [%csl" in text


@pytest.mark.parametrize("moves", [FELL, AVOIDED, MISSED, RESEMBLES])
def test_losing_moves_are_told_with_what_they_cost_whatever_the_library_has(moves: str, tmp_path: Path) -> None:
    path, report = tmp_path / "empty.sqlite", tmp_path / "report.jsonl"
    open_library(path, create=True).close()
    text = annotated(game(moves), tmp_path, path, tell="losses", report=str(report))
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    for line in lines:
        assert (line["trap"], line["name"], line["measure"], line["score"], line["known"]) == (*[None] * 4, False)
    lost = {line["ply"]: line for line in lines if line["event"] == "fell"}
    for node in parsed(text).mainline():
        line = lost.get(node.ply())
        if chess.pgn.NAG_BLUNDER in node.nags:
            assert line is not None
            assert line["before"] - line["after"] == pytest.approx(line["proof"]["loss"], abs=1e-3)
            assert line["played_loss"] >= 0.3
            assert re.search(r"\d %", node.comment)
    assert bool(lost) == (moves is not AVOIDED)
    assert annotated(text, tmp_path, path, tell="losses") == text


def test_what_stands_there_is_not_written_again(library: Path, tmp_path: Path) -> None:
    moves = AVOIDED.replace("dxe5 6. Q", "dxe5 (5...Bxd1? 6.Bxf7+ {check} Ke7 (6... Kd7) 7.Nd5# mates) 6. Q").replace(
        "Nxe5 ", "Nxe5 {[%cal Gc4f7,Yd1g4]} "
    )
    full = annotated(game(moves.replace(" mates", "")), tmp_path, library, side="black", verbosity="full").decode()
    assert full.count("Bxf7+ {check}") == 1
    assert "( 5... Bxd1" not in full
    text = annotated(game(moves.replace(" mates", "")), tmp_path, library).decode()
    assert "{[%cal Gc4f7,Yd1g4]} { [%csl Rd1][%cal Rg4d1] } { Sets Legal's" in text
    said = "Sets  \nLégal's Mate: and it is my own comment"
    text = annotated(game(FELL.replace("Nxe5 ", f"Nxe5 {{{said}}} ")), tmp_path, library).decode()
    assert f"{{{said}}}" in text
    assert text.count("Mate:") == 2  # the other is the program's


@pytest.mark.parametrize(
    ("options", "events"),
    [
        ({}, {"set", "fell", "sprung"}),
        ({"side": "white"}, {"set", "sprung"}),
        ({"side": "black"}, {"fell"}),
        ({"player": "bORi"}, {"fell"}),
        ({"player": "anna", "side": "black"}, set()),
        ({"player": "nobody"}, set()),
    ],
)
def test_filters(options: dict[str, object], events: set[str], library: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    text = annotated(game(FELL), tmp_path, library, report=str(report), **options)
    assert {json.loads(line)["event"] for line in report.read_text().splitlines()} == events
    if not events:
        assert text == game(FELL).encode()


def test_the_line_is_shown_where_the_answer_is_filtered_out(library: Path, tmp_path: Path) -> None:
    text = without_figures(annotated(game(FELL), tmp_path, library, side="black").decode())
    assert "{ Falls into Legal's Mate: 6.Bxf7+ Ke7 7.Nd5#." in text
    text = annotated(game(FELL), tmp_path, library, side="white").decode()
    assert "{ Sets Legal's Mate: " in text
    assert text.count("7.Nd5#") == 1


def test_nothing_unproved_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "unproved.sqlite"
    with open_library(path, create=True) as library:
        library.add(TWO_KNIGHTS)
    opening = "1. e4 e5 2. Nf3 Nc6 3. Bc4"
    text = "".join(game(f"{opening} {rest} *\n") for rest in ("Nf6 4. Ng5 d5", "Nf6 4. d3 d6", "Bc5 4. O-O Nf6"))
    assert annotated(text, tmp_path, path) == text.encode()
    known = annotated(text, tmp_path, path, unproved=True).decode()
    assert known.count("{ Unproved: the position of a known trap (Two Knights); ") == 7  # 3...Bc5 is in the book
    monkeypatch.setenv("TRAPLINE_MIN_SIMILARITY", "0.5")
    monkeypatch.setenv("TRAPLINE_NODES", "8")
    similar = annotated(text, tmp_path, path, unproved=True).decode()
    assert "{ Unproved: resembles a known trap (Two Knights); " in similar
    told = known + similar
    comments = re.findall(r"\{ (.*?) \}", told)
    for comment in comments:
        assert re.search(r"^Unproved: .* \[%tl \d+\]$", comment)
        assert "was not proved to lose to" in comment
        assert not re.search("loses|mate|wins|costs|falls|springs|avoids", comment)
    assert "$" not in told
    assert "(" not in re.sub(r"\{.*?\}", "", told)
    assert "[%c" not in told


def test_names_cannot_break_a_comment(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    with open_library(path, create=True) as library:
        library.add(replace(LEGAL, slug="odd", name="The {odd} [%cal Ra1a8] “Trap”"))
    text = annotated(game(FELL), tmp_path, path).decode()
    assert 'Sets a known trap (odd [cal Ra1a8] "Trap"):' in text
    assert parsed(text.encode()).end().board().is_checkmate()
    assert annotated(text, tmp_path, path).decode() == text


def test_eval_writes_a_value_behind_every_move_that_has_none(tmp_path: Path) -> None:
    library = make_library(tmp_path / "library.sqlite")
    moves = "1. e4 { [%eval 0.9] } e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
    quiet = "1. d4 d5 2. Nf3 Nf6 *\n"
    once = annotated(game(moves) + "\n" + game(quiet), tmp_path / "once", library, evaluations=True, tell="losses")
    stream = io.StringIO(once.decode())
    for plies in (13, 4):
        found = chess.pgn.read_game(stream)
        assert found is not None
        assert found.errors == []
        nodes = list(found.mainline())
        # A game that is over has no value.
        assert [node.ply() for node in nodes if node.eval() is None] == ([13] if plies == 13 else [])
        if plies == 13:
            assert nodes[0].eval() == chess.engine.PovScore(chess.engine.Cp(90), chess.WHITE)
            mates = {node.ply(): node.eval().white().mate() for node in nodes[:-1] if node.eval().is_mate()}  # type: ignore[union-attr]
            assert mates == {10: 2, 11: 1, 12: 1}
    assert annotated(once.decode(), tmp_path / "again", library, evaluations=True, tell="losses") == once
