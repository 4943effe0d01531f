"""``trapline query`` as people run it."""

import io

import chess.pgn
import pytest
from typer.testing import CliRunner

from db.formats.bundled import bundled_traps
from db.library.open import open_library
from db.patterns.bundled import add_patterns, bundled_patterns
from tests.support.command_line import CommandLine
from tests.support.db_traps import LEGAL_FEN
from trapcore.errors import InputError, UsageError
from trapline.program import app

TRAPLINE = CommandLine(app)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("commands") / "library.sqlite"
    with open_library(made, create=True) as opened:
        opened.add_all(bundled_traps())
    return str(made)


def test_a_position_with_similar_traps_as_json(path: str) -> None:
    answer = TRAPLINE.answer("query", "--fen", LEGAL_FEN, "--similar", "5", "--db", path)
    assert [hit["match"] for hit in answer["hits"]] == ["exact", *["similar"] * 5]
    assert (answer["total"], answer["next"]) == (6, None)
    assert answer["hits"][0]["slug"] == "legal-mate"
    second = answer["hits"][1]
    assert second["family"] == "legal"
    assert second["shared"]["here"] == second["killer_here"]["san"] == ["Bxf7+", "Ke7", "Nd5#"]


def test_words_are_read_and_said(path: str) -> None:
    answer = TRAPLINE.answer("query", "knight", "fork", "on", "c7", "xyzzy", "--victim", "black", "--db", path)
    assert (answer["understood"], answer["not_understood"]) == ({"theme": "fork:N@c7"}, ["xyzzy"])
    assert {hit["victim"] for hit in answer["hits"]} == {"black"}
    with pytest.raises(UsageError, match="nothing was understood"):
        TRAPLINE.run("query", "xyzzy", "--db", path)


def test_a_table_and_what_is_left_out(path: str) -> None:
    lines = TRAPLINE.run("query", "--name", "legall", "--db", path).splitlines()
    assert "\tlegal-mate\t" in "\n".join(lines)
    assert all(len(line.split("\t")) == 8 for line in lines)
    result = CliRunner().invoke(app, ["query", "--limit", "3", "--db", path])
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 3)
    shown = 3
    while "--after " in result.stderr:
        cursor = result.stderr.split("--after ")[1].strip()
        result = CliRunner().invoke(app, ["query", "--limit", "200", "--after", cursor, "--db", path])
        shown += len(result.stdout.splitlines())
    assert shown == len(bundled_traps())


def test_bundled_losing_moves_are_marked_and_have_their_position(path: str) -> None:
    with open_library(path) as opened:
        add_patterns(opened)
    lines = TRAPLINE.run("query", "--cause", "fork", "--limit", "9", "--db", path).splitlines()
    rows = [line.split("\t") for line in lines]
    known = {each.epd for each in bundled_patterns() if each.cause == "fork"}
    assert [(len(row), row[1], row[2], row[6] in known) for row in rows] == [(7, "bundled", "", True)] * 9


def test_an_empty_answer_says_so_and_is_no_failure(path: str) -> None:
    for arguments in (["--eco", "B13", "--outcome", "mate"], ["--name", "qqqq", "--pgn"]):
        result = CliRunner().invoke(app, ["query", *arguments, "--db", path])
        assert (result.exit_code, result.stdout) == (0, "")
        assert "there are no such traps" in result.stderr


def test_traps_as_games(path: str) -> None:
    text = TRAPLINE.run("query", "--family", "legal", "--pgn", "--db", path)
    games = io.StringIO(text)
    count = 0
    while (game := chess.pgn.read_game(games)) is not None:
        assert game.headers["Family"] == "legal"
        count += 1
    assert count == len([trap for trap in bundled_traps() if trap.family == "legal"])


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        (["--fen", "rubbish"], InputError, "rubbish"),
        (["--moves", "e4 e5 Ke3"], InputError, "no legal move"),
        (["--family", "legl"], UsageError, "did you mean 'legal'"),
        (["--similar", "1000", "--fen", LEGAL_FEN], UsageError, "similar must be 1 to 100"),
        (["--sort", "nam"], UsageError, "did you mean 'name'"),
        (["--rating", "abc"], UsageError, "--rating takes two numbers"),
        (["--length", "4-2"], UsageError, "min_length is 4, more than max_length, 2"),
        (["--min-frequency", "often"], UsageError, "min_frequency must be a number, not 'often'"),
        (["--cause", "fork", "--family", "legal", "--pgn"], UsageError, "losing moves take no --family, --pgn"),
        (["--after", "abc"], UsageError, "no place to go on from"),
        (["--json", "--pgn"], UsageError, "choose one of"),
    ],
)
def test_what_cannot_be_asked_is_said(path: str, arguments: list[str], kind: type[Exception], says: str) -> None:
    error = TRAPLINE.refusal("query", *arguments, "--db", path)
    assert isinstance(error, kind)
    assert says in str(error)
    assert "\n" not in str(error)
