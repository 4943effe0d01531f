"""Boards full of queens: every step of a search ends, soon after it is cancelled or by its own bounds."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import chess
import httpx
import pytest

from tests.support.polling import processor_seconds, until
from tests.support.web_server import environment, make_library, served, serving
from trapcore import _native
from trapcore.errors import PositionError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.mate import prove_mate
from trapcore.proof.search import search
from trapcore.proof.trap_test import check_bait, find_baits, rank_profile
from trapcore.ranking.weights import shipped_weights
from trapcore.trees.chess_game import MOST_MEN, MOST_QUEENS, parse_position

THIRTY = "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/KQQQQQQQ w - - 0 1"
"""Legal by its checks, and out of any game's reach."""

END = 20.0
"""Seconds within which work that was cancelled has to end; without its end it would go on for minutes."""


def full_boards(count: int, queens: int, seed: int) -> list[str]:
    """Legal positions in which both sides have so many queens, and two rooks."""
    found: list[str] = []
    draw = random.Random(seed)
    while len(found) < count:
        board = chess.Board(None)
        pieces = [*"Kk", *"Q" * queens, *"q" * queens, *"RRrr"]
        for square, letter in zip(draw.sample(range(64), len(pieces)), pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if not board.status() & chess.STATUS_OPPOSITE_CHECK and board.legal_moves.count() > 60:
            found.append(board.fen())
    return found


FULL = full_boards(3, MOST_QUEENS, 11)


def first_move(fen: str) -> str:
    return next(iter(chess.Board(fen).legal_moves)).uci()


FOREVER = Budget(nodes=1 << 40)

STEPS: dict[str, Callable[[str], object]] = {
    "quiescence": _native.qsearch,
    "tokens of the moves": lambda fen: shipped_weights().rank_moves(fen, top=1000, shortlist=1000),
    "tokens of a killer": lambda fen: _native.killer_tokens(fen, None, [first_move(fen)]),
    "pairs": lambda fen: shipped_weights().ranker.pairs(fen, None),
    "token sets": lambda fen: _native.seen_token_sets([(fen, first_move(fen), None)] * 1000),
    "proof": lambda fen: prove_mate(fen, 30, FOREVER),
    "search": lambda fen: search(fen, FOREVER),
    "test of a bait": lambda fen: check_bait(fen, first_move(fen), (), FOREVER),
    "all baits": lambda fen: find_baits(fen, FOREVER),
    "ranks by depth": lambda fen: rank_profile(fen, first_move(fen)),
}


@pytest.mark.parametrize("step", STEPS)
def test_each_step_ends_soon_after_it_is_cancelled(step: str) -> None:
    for fen in FULL:
        stop = Cancellation()
        timer = threading.Timer(0.3, stop.cancel)
        timer.start()
        began = time.thread_time()
        with stop, suppress(RuntimeError):  # as cancelled work ends
            STEPS[step](fen)
        assert time.thread_time() - began < 5, fen
        timer.cancel()


@pytest.mark.parametrize("step", ["quiescence", "tokens of a killer", "pairs"])
def test_what_has_no_budget_ends_by_itself(step: str) -> None:
    for fen in FULL:
        began = time.thread_time()
        STEPS[step](fen)
        assert time.thread_time() - began < 60, fen


def test_both_readers_refuse_more_than_a_side_can_have() -> None:
    draw = random.Random(5)
    refused = 0
    for _ in range(400):
        board = chess.Board(None)
        men = draw.sample(range(8, 56), draw.randrange(2, 44))
        board.set_piece_at(0, chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(63, chess.Piece(chess.KING, chess.BLACK))
        weights = draw.choice([(8, 1, 1, 1, 1), (1, 1, 1, 1, 8), (1, 1, 1, 1, 1), (0, 1, 0, 0, 0)])
        for square in men:
            kind = draw.choices(range(chess.PAWN, chess.KING), weights)[0]
            board.set_piece_at(square, chess.Piece(kind, draw.random() < 0.5))
        if board.status() & chess.STATUS_OPPOSITE_CHECK:
            continue
        sides = [board.occupied_co[color] for color in (chess.WHITE, chess.BLACK)]
        fits = all(
            side.bit_count() <= MOST_MEN and (side & (board.queens | board.pawns)).bit_count() <= MOST_QUEENS
            for side in sides
        )
        for read in (parse_position, _native.epd):
            if fits:
                read(board.fen())
            else:
                with pytest.raises(PositionError, match="has more than"):
                    read(board.fen())
        refused += not fits
    assert 50 < refused < 350


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bounded") / "library.sqlite"
    make_library(path)
    return path


def test_a_position_out_of_reach_is_refused_where_it_is_set_up(library: Path, tmp_path: Path) -> None:
    with served(library, tmp_path, web_token="sesame-open-the-mountain-14") as server, server.client() as client:
        for path in ("/api/v1/propose", "/api/v1/traps", "/api/v1/explore", "/position"):
            answer = client.get(path, params={"fen": THIRTY})
            assert answer.status_code in (400, 422), path
            assert "more than 9 queens" in answer.text, path
        written = client.post(
            "/api/v1/traps",
            json={"name": "Queens", "fen": THIRTY, "bait": "b1b7", "line": "a7b7"},
            headers={"Authorization": "Bearer sesame-open-the-mountain-14"},
        )
        assert (written.status_code, "more than 9 queens" in written.text) == (422, True)
        # A game that begins there passes through, and says so.
        game = f'[SetUp "1"]\n[FEN "{THIRTY}"]\n\n1. Qxb7 *\n'.encode()
        back = client.post("/api/v1/annotate", content=game, headers={"Content-Type": "text/plain"})
        assert (back.status_code, back.content) == (200, game)


def test_searches_end_with_their_time_and_health_answers_meanwhile(library: Path, tmp_path: Path) -> None:
    variables = {"web_seconds": 2, "web_threads": 2}
    with served(library, tmp_path, **variables) as server, server.client() as client:
        with ThreadPoolExecutor(8) as pool:
            heavy = [
                pool.submit(httpx.get, f"{server.url}{path}", params={"fen": fen, **more}, timeout=60)
                for fen in FULL
                for path, more in (("api/v1/traps", {"similar": "10"}), ("api/v1/propose", {}))
            ]
            answered = 0
            while not all(one.done() for one in heavy):
                assert client.get("/health").status_code == 200
                answered += 1
                time.sleep(0.05)
        assert {one.result().status_code for one in heavy} <= {200, 503}
        assert answered >= 3, "while the searches had their two seconds"
        # What was given up has ended: its threads are free for others.
        assert client.get("/api/v1/families").status_code == 200


@pytest.mark.fault
def test_a_server_that_searches_stops_at_once(library: Path, tmp_path: Path) -> None:
    asked = {"nodes": 10_000_000, "top": 50}
    with serving(library, tmp_path, web_seconds=60, nodes=10_000_000) as server, ThreadPoolExecutor(4) as pool:
        for fen in FULL:
            pool.submit(httpx.get, f"{server.url}api/v1/propose", params={"fen": fen, **asked}, timeout=60)
        with server.client() as client:
            until(lambda: f"trapline_questions_waiting {len(FULL)}.0" in client.get("/metrics").text)
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < END


@pytest.mark.fault
@pytest.mark.parametrize(
    "arguments",
    [
        ("prove", chess.STARTING_FEN, "--traps", "--nodes", "1000000000"),
        ("prove", chess.STARTING_FEN, "--mate", "30", "--nodes", "1000000000"),
        ("propose", chess.STARTING_FEN, "--nodes", "1000000000", "--db", "library.sqlite"),
    ],
)
def test_ctrl_c_ends_a_command(arguments: tuple[str, ...], library: Path, tmp_path: Path) -> None:
    make_library(tmp_path / "library.sqlite")
    process = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTIBLE, *arguments], cwd=tmp_path, env=environment(tmp_path, {})
    )
    until(lambda: process.poll() is not None or processor_seconds(process.pid) > 3)
    assert process.poll() is None, "it has to be at work"
    process.send_signal(signal.SIGINT)
    assert process.wait(END) == 130


_INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
from trapline.__main__ import main
main()
"""
