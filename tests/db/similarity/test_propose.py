"""``trapline propose``: one position and files of them, before and after the bait, and everything that can be wrong."""

import json
from pathlib import Path
from random import Random
from typing import Any

import chess
import pytest
import typer
from sqlalchemy import update
from typer.testing import CliRunner

from db.formats.bundled import bundled_traps
from db.library.open import open_library
from db.similarity.annotator_index import WeightsSource
from db.similarity.killer_index import open_killer_index
from db.similarity.propose import MoveSuggester, Question
from db.storage.tables import WeightsRow
from tests.support.command_line import CommandLine
from tests.support.db_traps import LEGAL_FEN, MIRRORED_LEGAL_FEN, legal
from trapcore.errors import InputError, LibraryError, PositionError
from trapcore.ranking.weights import VOCABULARY_VERSION, Weights, shipped_weights
from trapline.commands.propose import propose

AFTER = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6"
MATED = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"

APP = typer.Typer()
APP.command()(propose)
LINE = CommandLine(APP)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library of bundled traps and Légal's mate, with weights of its own."""
    path = tmp_path_factory.mktemp("propose") / "l.sqlite"
    traps = [trap for trap in bundled_traps() if not trap.reason and trap.epd != legal().epd]
    with open_library(path, create=True) as library:
        library.add_all([*traps, legal()])
        library.set_weights(shipped_weights())
    return str(path)


def ask(db: str, *arguments: str) -> dict[str, Any]:
    return LINE.answer(*arguments, "--db", db)


def lines(db: str, *arguments: str, given: str, code: int = 0) -> tuple[list[dict[str, Any]], str]:
    """The JSON lines for questions on standard input, and what was said beside them."""
    done = CliRunner().invoke(APP, ["--input", "-", "--db", db, "--json", *arguments], input=given)
    if code:
        assert isinstance(done.exception, InputError)
    else:
        assert done.exit_code == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_the_killer_is_proposed_with_its_trap_and_its_proof(db: str) -> None:
    answer = ask(db, LEGAL_FEN, "--bait", "g4d1", "--top", "3", "--unproved")
    assert {key: answer[key] for key in ("fen", "bait", "after", "weights")} == {
        "fen": LEGAL_FEN,
        "bait": "g4d1",
        "after": AFTER,
        "weights": "library",
    }
    killer, *rest = answer["wins"]
    assert rest
    expected = {
        "uci": "c4f7",
        "san": "Bxf7+",
        "rank": 1,
        "confidence": 1.0,
        "trap": "legals-mate",
        "name": "Légal's mate",
        "family": "legal",
        "similarity": 1.0,
        "verdict": "proved",
        "mate_in": 2,
        "win_chance": None,
        "lead": None,
        "line": ["c4f7", "e8e7", "c3d5"],
    }
    assert {key: killer[key] for key in expected} == expected
    for move in rest:
        assert move["verdict"] == "undecided"
        assert 0 <= move["confidence"] < 1
        assert 0 <= move["similarity"] < 1
        assert move["line"] == []


def test_propose_lists_a_bait_among_what_loses_and_never_among_what_wins(db: str) -> None:
    for fen, bait, killers, best in (
        (LEGAL_FEN, "g4d1", ["c4f7", "e8e7", "c3d5"], "c6e5"),
        (MIRRORED_LEGAL_FEN, "g5d8", ["c5f2", "e1e2", "c6d4"], "c3e4"),
    ):
        answer = ask(db, fen, "--unproved")
        first, *others = answer["loses"]
        expected = {"uci": bait, "mate_in": 2, "line": killers, "trap": "legals-mate", "similarity": 1.0}
        assert {key: first[key] for key in expected} == expected
        assert 0.3 <= first["loss"] <= 2
        assert all(other["loss"] >= 0.3 for other in others)
        assert not {move["uci"] for move in answer["wins"]} & {move["uci"] for move in answer["loses"]}
        assert answer["wins"][0]["uci"] == best
        assert [move["uci"] for move in ask(db, fen)["wins"]] == [best]


def test_without_nodes_nothing_is_proved(db: str) -> None:
    answer = ask(db, LEGAL_FEN, "--bait", "g4d1", "--nodes", "0", "--unproved")
    assert answer["nodes"] == 0
    assert [move["rank"] for move in answer["wins"]] == [1, 2, 3, 4, 5]
    assert {move["verdict"] for move in answer["wins"]} == {"undecided"}
    confidences = [move["confidence"] for move in answer["wins"]]
    assert confidences == sorted(confidences, reverse=True)
    assert sum(confidences) < 1
    assert answer["wins"][0]["uci"] == "c4f7"


@pytest.mark.parametrize("fen", [MATED, STALEMATE])
def test_a_position_without_moves_has_no_proposals(db: str, fen: str) -> None:
    answer = ask(db, fen)
    assert answer["wins"] == answer["loses"] == []
    assert LINE.run(fen, "--db", db) == "no move: the game is over\n"


@pytest.mark.parametrize("seed", range(3))
def test_every_move_that_was_made_is_accepted_as_a_bait_afterwards(db: str, seed: int) -> None:
    random = Random(seed)
    with open_library(db, read_only=True) as library:
        weights: tuple[Weights, WeightsSource] = (shipped_weights(), "shipped")
        with open_killer_index(library, weights[0]) as killer_index:
            suggester = MoveSuggester(weights, killer_index, top=1, nodes=0)
            board = chess.Board()
            for _ in range(120):
                moves = list(board.legal_moves)
                if not moves:
                    break
                move = random.choice(moves)
                before = board.fen()
                board.push(move)
                one, two = (suggester.answer(Question(fen, move.uci())) for fen in (before, board.fen()))
                assert one.after == two.after == board.fen()


@pytest.mark.parametrize("bait", ["g4d2", "Qxd1", "h7h9", "0000", "e8e8", "castles", "b3d1", "h2d1", "d2d1"])
def test_a_bait_that_fits_neither_way_is_refused(db: str, bait: str) -> None:
    for fen in (LEGAL_FEN, AFTER):
        error = LINE.refusal(f"--bait={bait}", "--db", db, "--", fen)
        assert isinstance(error, PositionError)
        assert bait in str(error)


def test_a_file_is_answered_line_by_line(db: str) -> None:
    questions = [
        {"id": "a", "fen": LEGAL_FEN, "bait": "Bxd1"},
        {"id": 7, "fen": AFTER, "bait": "g4d1", "more": [1]},
        {"fen": AFTER},
        {"id": "over", "fen": MATED, "bait": None},
    ]
    given = "# a comment\n\n" + "".join(json.dumps(question) + "\n" for question in questions)
    found, said = lines(db, "--top", "2", "--unproved", given=given)
    assert said == ""
    assert [answer.get("id") for answer in found] == ["a", 7, None, "over"]
    assert "id" not in found[2]
    assert [len(answer["wins"]) for answer in found] == [2, 2, 2, 0]
    one = ask(db, LEGAL_FEN, "--bait", "Bxd1", "--top", "2", "--unproved")
    assert found[0] == {"id": "a"} | one


def test_a_bad_line_gets_an_error_in_its_place_and_is_counted(db: str, tmp_path: Path) -> None:
    bad = [
        "not json",
        "[1, 2]",
        '{"id": "x"}',
        '{"id": "y", "fen": "no position"}',
        json.dumps({"id": "z", "fen": LEGAL_FEN, "bait": "a1a8"}),
        json.dumps({"id": "u", "fen": LEGAL_FEN, "bait": 3}),
        "[" * 10_000,
    ]
    good = json.dumps({"id": "good", "fen": LEGAL_FEN, "bait": "g4d1"})
    found, said = lines(db, given="\n".join([*bad[:3], good, *bad[3:]]))
    assert [answer.get("id") for answer in found] == [None, None, "x", "good", "y", "z", "u", None]
    assert [answer.get("line_number") for answer in found] == [1, 2, 3, None, 5, 6, 7, 8]
    for answer in found:
        assert ("error" in answer) != ("wins" in answer)
    assert "field fen" in found[2]["error"]
    assert "a1a8" in found[5]["error"]
    assert said == "trapline: -: 7 of 8 lines could not be answered\n"
    found, said = lines(db, given="\n".join(bad), code=3)
    assert len(found) == len(bad)
    assert "7 of 7 lines" in said
    path = tmp_path / "q.jsonl"
    path.write_text(f"{bad[0]}\n{good}\n")
    done = CliRunner().invoke(APP, ["--input", str(path), "--db", db, "--top", "1"], catch_exceptions=False)
    first, second, title, third, *_ = done.stdout.splitlines()
    assert title == "What wins here:"
    assert first.startswith("line 1: error: not JSON")
    assert second == "line 2, good:"
    assert "Bxf7+" in third
    assert done.exit_code == 0


def test_an_empty_library_proposes_by_the_shipped_weights_as_each_answer_says(tmp_path: Path) -> None:
    path = tmp_path / "e.sqlite"
    open_library(path, create=True).close()
    question = json.dumps({"fen": LEGAL_FEN, "bait": "g4d1"}) + "\n"
    found, said = lines(str(path), given=question * 3)
    assert said == ""
    for answer in found:
        assert answer["weights"] == "shipped"
        killer = answer["wins"][0]
        assert (killer["uci"], killer["trap"], killer["name"], killer["similarity"]) == ("c4f7", None, None, 0.0)


def test_weights_of_another_vocabulary_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "o.sqlite"
    with open_library(path, create=True) as library:
        library.set_weights(shipped_weights())
        with library.database.write() as connection:
            connection.execute(update(WeightsRow).values(vocabulary=VOCABULARY_VERSION + 1))
    error = LINE.refusal(LEGAL_FEN, "--db", str(path))
    assert isinstance(error, LibraryError)
    assert "trapline library train" in str(error)
