"""What a new user of the Python interface writes at first, with python-chess's types or with texts, works."""

import io
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn
import pytest

import trapline
from tests.support.trap_games import FELL, QUIET, game

BEFORE = "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"
AFTER = "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6"
BAIT, KILLER = chess.Move.from_uci("g4d1"), chess.Move.from_uci("c4f7")
SLUG = "legals-mate-philidor-with-4-g6"


def read(text: str = game(FELL)) -> chess.pgn.Game:
    found = chess.pgn.read_game(io.StringIO(text))
    assert found is not None
    return found


def played() -> chess.Board:
    return read().end().board()


def of_bait(found: list[trapline.Mistake]) -> list[tuple[chess.Move, chess.Move]]:
    return [(each.move, each.killer) for each in found]


def file_with(folder: Path, name: str = "games.pgn") -> Path:
    path = folder / name
    path.write_text(game(FELL) + game(QUIET), "utf-8")
    return path


def with_library(use: Callable[[trapline.Library], object]) -> object:
    with trapline.open() as library:
        return use(library)


#: Each first attempt by what is given to what, and what comes out.
ATTEMPTS: dict[str, tuple[Callable[[Path], object], object]] = {
    "annotate a Game": (lambda _: "Legal's mate" in str(trapline.annotate(read())), True),
    "annotate a str": (lambda _: "Legal's mate" in trapline.annotate(game(FELL)), True),
    "annotate a Path": (lambda folder: trapline.annotate(file_with(folder)).count("Legal's mate"), 1),
    "annotate a str that is a path": (lambda folder: trapline.annotate(str(file_with(folder))).count("[White "), 2),
    "mistakes of a Game": (lambda _: of_bait(trapline.mistakes(read())), [(BAIT, KILLER)]),
    "mistakes of a node": (lambda _: of_bait(trapline.mistakes(read().end())), [(BAIT, KILLER)]),
    "mistakes of a Board": (lambda _: of_bait(trapline.mistakes(played())), [(BAIT, KILLER)]),
    "mistakes of a str": (lambda _: of_bait(trapline.mistakes(game(FELL))), [(BAIT, KILLER)]),
    "mistakes of a Path": (lambda folder: of_bait(trapline.mistakes(file_with(folder))), [(BAIT, KILLER)]),
    "check a Board and SAN": (lambda _: trapline.check(chess.Board(BEFORE), "Bxd1").killer, KILLER),
    "check a Board and a Move": (lambda _: trapline.check(chess.Board(BEFORE), BAIT).loses, True),
    "check a FEN and UCI": (lambda _: trapline.check(BEFORE, "g4d1").mate_in, 2),
    "check an annotated move": (lambda _: trapline.check(BEFORE, "5...Bxd1??").is_trap, True),
    "propose on a Board": (lambda _: [move.move for move in trapline.propose(chess.Board(AFTER)).wins], [KILLER]),
    "similar to a Board": (lambda _: with_library(lambda it: it.similar(chess.Board(BEFORE))[0].trap.slug), SLUG),
    "a library by slug": (lambda _: with_library(lambda it: (it[SLUG].bait, len(it) > 100)), ("g4d1", True)),
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_first_attempt_works(attempt: str, tmp_path: Path) -> None:
    use, expected = ATTEMPTS[attempt]
    assert use(tmp_path) == expected
