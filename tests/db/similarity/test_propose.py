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
from db.formats.import_file import import_file
from db.library.open import open_library
from db.similarity.annotator_index import WeightsSource
from db.similarity.killer_index import open_killer_index
from db.similarity.propose import MoveSuggester, Question
from db.storage.models import WeightsRow
from tests.support.command_line import CommandLine
from tests.support.db_traps import LEGAL_FEN, MIRRORED_LEGAL_FEN, legal
from tests.support.public_data import PUZZLES, needs
from trapcore.errors import InputError, LibraryError, PositionError, UsageError
from trapcore.io.streams import open_bytes
from trapcore.ranking.weights import VOCABULARY_VERSION, Weights, shipped_weights
from trapline.commands.library import library as commands
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


def test_before_and_after_the_bait_in_san_or_uci_is_the_same_question(db: str) -> None:
    found = [
        ask(db, LEGAL_FEN, "--bait", "Bxd1"),
        ask(db, LEGAL_FEN, "--bait", "g4d1"),
        ask(db, AFTER, "--bait", "g4d1"),
    ]
    assert {answer["after"] for answer in found} == {AFTER}
    moves = [[(move["uci"], move["trap"], move["verdict"]) for move in answer["wins"]] for answer in found]
    assert moves[0] == moves[1]
    assert moves[0][0] == moves[2][0]
    assert found[0]["wins"] == found[1]["wins"]
    unknown = ask(db, AFTER)
    assert unknown["bait"] is None
    assert unknown["wins"][0]["uci"] == "c4f7"


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


def test_similarity_is_1_only_in_the_position_of_the_trap(db: str) -> None:
    shifted = LEGAL_FEN.replace("ppp2ppp", "1pp2ppp", 1)
    (bait, *_) = ask(db, shifted)["loses"]
    assert (bait["uci"], bait["trap"]) == ("g4d1", "legals-mate")
    assert bait["similarity"] == 0.99


def test_the_other_colour_has_the_same_answer(db: str) -> None:
    one = ask(db, LEGAL_FEN, "--bait", "g4d1")["wins"]
    two = ask(db, MIRRORED_LEGAL_FEN, "--bait", "g5d8")["wins"]
    assert two[0]["uci"] == "c5f2"
    for key in ("rank", "confidence", "score", "trap", "similarity", "verdict", "mate_in"):
        assert two[0][key] == one[0][key]


def test_without_nodes_nothing_is_proved(db: str) -> None:
    answer = ask(db, LEGAL_FEN, "--bait", "g4d1", "--nodes", "0", "--unproved")
    assert answer["nodes"] == 0
    assert [move["rank"] for move in answer["wins"]] == [1, 2, 3, 4, 5]
    assert {move["verdict"] for move in answer["wins"]} == {"undecided"}
    confidences = [move["confidence"] for move in answer["wins"]]
    assert confidences == sorted(confidences, reverse=True)
    assert sum(confidences) < 1
    assert answer["wins"][0]["uci"] == "c4f7"


def test_an_explanation_has_both_lines_and_words(db: str) -> None:
    answer = ask(db, LEGAL_FEN, "--bait", "g4d1", "--explain", "--top", "1")
    (killer,) = answer["wins"]
    told = killer["explanation"]
    assert told["here"] == told["there"] == ["Bxf7+", "Ke7", "Nd5#"]
    assert 1 <= len(told["shared"]) <= 5
    assert len(set(told["shared"])) == len(told["shared"])
    text = LINE.run(LEGAL_FEN, "--bait", "g4d1", "--explain", "--top", "1", "--db", db).splitlines()
    assert text[0] == "What wins here:"
    assert " ".join(text[1].split()) == ("1 Bxf7+ mate in 2, proved: Ke7 Nd5# like Légal's mate (legals-mate), 1.00")
    assert text[2].split() == ["here", "Bxf7+", "Ke7", "Nd5#"]
    assert text[3].split() == ["there", "Bxf7+", "Ke7", "Nd5#"]
    both = [line.split("both", 1)[1].strip() for line in text[4 : 4 + len(told["shared"])]]
    assert both == told["shared"]
    assert text[4 + len(both)].startswith("What loses here")


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


def test_wrong_options_are_refused(db: str) -> None:
    for arguments in ([], [LEGAL_FEN, "--input", "x"], ["--input", "x", "--bait", "e4"]):
        assert isinstance(LINE.refusal(*arguments, "--db", db), UsageError)
    assert "top must be at least 1" in str(LINE.refusal(LEGAL_FEN, "--top", "0", "--db", db))
    assert "nodes must be at least 0" in str(LINE.refusal(LEGAL_FEN, "--nodes", "-1", "--db", db))
    assert isinstance(LINE.refusal("no position", "--db", db), PositionError)
    assert "no such file" in str(LINE.refusal("--input", "nowhere.jsonl", "--db", db))


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


@needs(PUZZLES)
def test_a_library_of_puzzles_learns_to_propose_the_killers_of_others(tmp_path: Path) -> None:
    path = str(tmp_path / "p.sqlite")
    with open_bytes(PUZZLES) as chunks:
        text = next(iter(chunks)).decode()
    columns, *rows = text.splitlines()[:501]
    known, unseen = rows[:400], rows[400:]
    (tmp_path / "known.csv").write_text("\n".join([columns, *known]) + "\n")
    with open_library(path, create=True) as library:
        import_file(library, tmp_path / "known.csv")
    fitted = CommandLine(commands).answer("train", "--db", path)
    assert 350 <= fitted["traps"] <= 400  # without those that are proved to be none
    assert fitted["held_out"]["hit@1"] >= 0.8
    killers, questions = {}, ""
    for row in unseen:
        number, fen, moves = row.split(",")[:3]
        bait, killers[number], *_ = moves.split()
        questions += json.dumps({"id": number, "fen": fen, "bait": bait}) + "\n"
    found, _ = lines(path, "--nodes", "0", "--unproved", given=questions)
    assert [answer["id"] for answer in found] == list(killers)
    assert {answer["weights"] for answer in found} == {"library"}
    first = [answer["wins"][0]["uci"] == killers[answer["id"]] for answer in found]
    among = [killers[answer["id"]] in [move["uci"] for move in answer["wins"]] for answer in found]
    assert sum(first) >= 0.85 * len(found)
    assert sum(among) >= 0.95 * len(found)
