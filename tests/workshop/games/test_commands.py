"""``trapline research search`` and ``play``: what they answer, what they refuse, how they end."""

import json
import signal
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from tests.support.command_line import CommandLine
from tests.support.polling import PATIENCE_SECONDS, processor_seconds, until
from trapcore.errors import PositionError, UsageError
from workshop.commands.play import play
from workshop.commands.search import search
from workshop.commands.search_options import SEARCH_METAVAR
from workshop.games.search.monte_carlo import SEARCHES

SEARCH, PLAY = typer.Typer(), typer.Typer()
SEARCH.command()(search)
PLAY.command()(play)
LINE = CommandLine(SEARCH)
WON = "B.BBBB/.W..../....../....../B...../..WWWW w"


def test_the_help_names_all_searches() -> None:
    assert set(SEARCH_METAVAR.split("|")) == set(SEARCHES)


def test_a_position_is_answered_and_the_same_seed_answers_the_same() -> None:
    words = ("breakthrough-6x6", "--search", "rave", "--playouts", "500", "--seed", "4")
    answer = LINE.answer(*words)
    assert answer == LINE.answer(*words)
    assert answer["playouts"] == 500
    assert answer["line"][0] == answer["move"]
    assert -1 <= answer["value"] <= 1
    assert (answer["proved"], answer["cancelled"]) == (None, False)
    won = LINE.answer("breakthrough-6x6", WON, "--playouts", "10")
    assert (won["proved"], won["value"], won["win_chance"]) == ("win", 1, 1)
    text = LINE.run("breakthrough-6x6", WON, "--playouts", "10").splitlines()
    assert text[0] == WON
    assert "a proved win" in text[1]


def test_a_measure_stands_behind_the_name_of_a_search() -> None:
    words = ("breakthrough-6x6", "--playouts", "500", "--search")
    by_lines, by_labels = LINE.answer(*words, "similarity-rave"), LINE.answer(*words, "similarity-rave:continuations")
    assert by_lines["fingerprints"] > 0
    assert by_labels["fingerprints"] > 0
    assert {**by_lines, "search": ""} != {**by_labels, "search": ""}


def test_a_cluster_is_for_hints() -> None:
    for words, reason in (
        (("--search", "mcts"), "nothing else asks them"),
        (("--search", "local"), "nothing else asks them"),
        (("--search", "mcts-local"), "wants the address"),
    ):
        assert reason in str(LINE.refusal("breakthrough-6x6", *words, "--cluster", "127.0.0.1:1"))


def test_local_search_answers_with_forced_wins_alone() -> None:
    answer = LINE.answer("breakthrough-6x6", WON, "--search", "local", "--seconds", "5")
    assert (answer["result"], answer["value"], answer["moves"], answer["pays"]) == ("win", 1, 1, True)
    assert answer["line"] == [answer["move"]]
    text = LINE.run("breakthrough-6x6", "--search", "local", "--seconds", "0.05")
    assert "2.77 turns apart on the average: local search pays" in text
    assert "no forced win of either player found within" in text
    held = LINE.run(
        "breakthrough-6x6", "B...BB/....BB/.W..../....../W....W/W....W b", "--search", "local", "--seconds", "5"
    )
    assert "loses last of all moves, which all lose: in 2" in held
    focus = LINE.run("connect-four", "--search", "local", "--seconds", "0.05")
    assert "moves of a win at most 2 files apart" in focus


def test_a_search_with_hints_says_what_local_search_saw() -> None:
    runner = "B...BB/....BB/....../.W..../W....W/W....W w"
    words = ("breakthrough-6x6", runner, "--search", "mcts-local", "--playouts", "600")
    answer = LINE.answer(*words)
    assert answer["local"] or answer["proved"] == "win"
    four = ("connect-four", "......./......./......./......./..OO.../..XX... x", "--search", "mcts-local")
    seen = LINE.run(*four, "--playouts", "600")
    assert "local search: a local win in 2" in seen or "a proved win" in seen


def test_moves_are_played_first() -> None:
    answer = LINE.answer("connect-four", "--moves", "d d d", "--playouts", "100")
    assert answer["position"] == "......./......./......./...X.../...O.../...X... o"


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        (["go-9x9"], UsageError, "2 to 7 lines here, not 9"),
        (["go-5x5", "--search", "minimax"], UsageError, "go-5x5 has no evaluation"),
        (["chess", "--search", "alphabeta"], UsageError, "unknown search 'alphabeta'"),
        (["go-5x5", "--search", "local"], UsageError, "go-5x5 has no goals on squares"),
        (["breakthrough", "--search", "local", "--playouts", "5"], UsageError, "local search plays no playouts"),
        (["tic-tac-toe", "--search", "mcts-local"], UsageError, "1.3 turns apart"),
        (["chess", "--playouts", "0"], UsageError, "playouts must be 1 or more"),
        (["chess", "--seconds", "0"], UsageError, "seconds must be at least"),
        (["tic-tac-toe", WON], PositionError, "tic-tac-toe: not 3 rows but 6"),
        (["tic-tac-toe", "XXX/OO./... o"], PositionError, "the game is over"),
        (["breakthrough", "--moves", "b2b3 b2b3"], PositionError, "'b2b3' is no legal move"),
    ],
)
def test_what_is_no_question_is_refused(words: list[str], kind: type[Exception], told: str) -> None:
    refused = LINE.refusal(*words)
    assert isinstance(refused, kind)
    assert told in str(refused)


def test_an_interrupted_search_answers_with_what_it_has() -> None:
    words = ["research", "search", "go-7x7", "--search", "uct", "--seconds", "300", "--json"]
    line = [sys.executable, "-m", "trapline", *words]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, preexec_fn=_with_interrupts)
    until(lambda: process.poll() is not None or processor_seconds(process.pid) > 3)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130
    answer = json.loads(output)
    assert answer["cancelled"]
    assert answer["move"]


def _with_interrupts() -> None:
    # A shell that starts something in the background tells it to ignore Ctrl-C, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def played(*arguments: str, typed: str = "") -> str:
    result = CliRunner().invoke(PLAY, list(arguments), input=typed, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_two_searches_play_to_the_end_and_the_same_game_again() -> None:
    words = ("breakthrough-6x6", "--watch", "--white", "mcts", "--black", "uct", "--playouts", "200", "--seed", "1")
    game = played(*words)
    assert game == played(*words)
    assert game.splitlines()[-1] in ("white has won", "black has won")
    assert "white (mcts) plays" in game
    assert "black (uct) plays" in game
    assert played("tic-tac-toe", "--watch", "--playouts", "3000").splitlines()[-1] == "a draw"


def test_a_person_plays_against_a_search() -> None:
    game = played("tic-tac-toe", "--playouts", "2000", typed="zz\n?\nA1\nquit\n")
    assert "'zz' is no legal move" in game
    assert "A3 B3 C3 A2 B2 C2 A1 B1 C1" in game
    assert "black (mcts) plays B2" in game
    assert game.endswith("the game is not finished\n")
    won = played("breakthrough-6x6", WON, "--playouts", "10", typed="b5b6\n")
    assert won.splitlines()[-1] == "white has won"


def test_chess_between_searches_ends_by_the_fifty_moves() -> None:
    drawn = played("chess", "7k/8/8/8/8/8/8/RK6 w - - 99 1", "--watch", "--white", "uct", "--playouts", "5")
    assert drawn.splitlines()[-1] == "a draw by fifty moves"


def test_what_cannot_be_played_is_refused() -> None:
    line = CommandLine(PLAY)
    assert "--watch is for two searches" in str(line.refusal("chess", "--watch", "--white", "human"))
    assert "the game is over" in str(line.refusal("tic-tac-toe", "XXX/OO./... o"))
    assert "did you mean 'rave'" in str(line.refusal("go-5x5", "--black", "rav"))
