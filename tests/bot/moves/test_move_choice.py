"""The move that is played: killers, books, traps within what they may cost, engines that die."""

import logging
import stat
import struct
import sys
import time
from dataclasses import replace
from pathlib import Path

import chess
import chess.polyglot
import pytest

from bot.moves.board import GameBoard
from bot.moves.draws_and_resigning import AGREE_PLY, EARLIEST_PLY, DrawResignPolicy
from bot.moves.engines import Engine, OwnSearch, Searched, Searcher, searcher
from bot.moves.move_choice import Choice, MoveSources, OpeningBooks, Tablebases, choose, move_without_search
from bot.moves.search_pool import SearchPool
from bot.moves.set_traps import SetTraps
from bot.moves.trap_book import Killer, TrapBook, TrapLibrary
from bot.settings import BotSettings, EngineSettings, GameProfile, OpponentKind
from db.proof.prover import TrapProver
from db.traps.temptation import Frequency, RatingBand
from lichess.api import Person
from tests.support.bot_games import INFO
from tests.support.db_traps import elephant, legal
from tests.support.uci_engines import REFUTING, engine_of
from tests.trapcore.test_syzygy import TABLES, needs_tables
from trapcore.errors import EngineError, InputError
from trapcore.parallel.budget import Cancellation
from trapcore.win_chance import win_chance
from trapline.settings import Settings

BEFORE = "e2e4 e7e5 g1f3 b8c6 f1c4 d7d6 b1c3 c8g4"


@pytest.fixture(scope="module")
def search_pool() -> SearchPool:
    return SearchPool(1)


#: Weak players fall for it, strong ones do not; of the strongest too few are known.
FELL = {
    RatingBand(1200, 1599): Frequency(decisions=46, played=42),
    RatingBand(2000, 2399): Frequency(decisions=46, played=3),
    RatingBand(2400, None): Frequency(decisions=4, played=4),
}


@pytest.fixture(scope="module")
def book(search_pool: SearchPool) -> TrapBook:
    traps = [TrapProver().prove(legal()), TrapProver(search_nodes=200_000).prove(elephant())]
    return TrapBook(traps, {"legals-mate": FELL}, Settings(measure="sequences"), search_pool)


def sources(*books: Path, trap_loss: float = 0.05) -> MoveSources:
    return MoveSources(OpeningBooks(books), Tablebases([]), trap_loss)


def after(moves: str, fen: str = chess.STARTING_FEN) -> chess.Board:
    board = chess.Board(fen)
    for uci in moves.split():
        board.push_uci(uci)
    return board


class Fixed:
    """A search with opinions: the best move, and what positions are worth after others."""

    def __init__(self, best: str, value: int, others: int) -> None:
        self.best, self.value, self.others = best, value, others

    def search(self, board: chess.Board, milliseconds: int, stop: Cancellation) -> Searched:
        if board.is_legal(chess.Move.from_uci(self.best)):
            return Searched(self.best, self.value)
        return Searched(board.uci(next(iter(board.legal_moves))), self.others)

    def close(self) -> None:
        pass


def test_a_bait_is_weighed_by_those_of_the_opponents_rating_if_enough_of_them_are_known(book: TrapBook) -> None:
    ratings = (None, 1200, 1599, 2000, 1800, 2500)
    assert [book.taken("legals-mate", rating) for rating in ratings] == [0.5, 0.86, 0.86, 0.08, 0.5, 0.5]
    board = after(BEFORE)
    for rating, taken in ((None, 0.5), (1500, 0.86), (2100, 0.08)):
        (found,) = book.set_by(board, board.legal_moves, 5000, rating)
        assert found.taken == taken


# Killers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "killer"),
    [
        (BEFORE, None),
        (f"{BEFORE} f3e5 c6e5", None),
        (f"{BEFORE} f3e5 g4d1", "c4f7"),
        (f"{BEFORE} f3e5 g4d1 c4f7 e8e7", "c3d5"),
        (f"{BEFORE} f3e5 g4d1 e5d7 d1h5", None),
    ],
)
def test_the_killer_is_known_once_the_bait_is_taken(book: TrapBook, moves: str, killer: str | None) -> None:
    found_killer = book.killer(after(moves), SetTraps())
    assert (found_killer and found_killer.uci) == killer
    found = move_without_search(after(moves), sources(), book, SetTraps())
    assert found == (Choice(killer, "killer") if killer else None)


def test_of_a_gain_only_the_first_move_is_played_without_a_search(book: TrapBook) -> None:
    moves = "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 b8d7 c4d5 e6d5 c3d5"
    assert book.killer(after(moves), SetTraps()) == Killer("f6d5", None)
    assert book.killer(after(f"{moves} f6d5 g5d8"), SetTraps()) is None


# Traps --------------------------------------------------------------------------------------------------------------


def test_moves_that_set_a_trap_are_found(book: TrapBook) -> None:
    board = after(BEFORE)
    (found,) = book.set_by(board, board.legal_moves, 5000)
    assert (found.move, found.baits[0].uci) == ("f3e5", "g4d1")
    assert found.baits[0].killer_line == ("c4f7", "e8e7", "c3d5")
    assert found.taken == 0.5
    assert book.taken("unheard-of") == book.taken("unheard-of", 1500) == 0.25
    assert book.set_by(chess.Board(), chess.Board().legal_moves, 1000) == []


QUEENS_GAMBIT = "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5"

#: Measure, moves before, and what is found: move, bait and killer, the most promising first.
SET_TRAPS: list[tuple[str, str, list[tuple[str, str, str]]]] = [
    ("sequences", BEFORE, [("f3e5", "g4d1", "c4f7")]),
    ("sequences", f"a2a3 a7a6 {BEFORE}", [("f3e5", "g4d1", "c4f7")]),
    ("sequences", f"{QUEENS_GAMBIT} b8d7 c4d5", [("e6d5", "c3d5", "f6d5")]),
    ("sequences", QUEENS_GAMBIT, []),
    # Castling is written in another way there.
    ("sequences, chess960", f"a2a3 a7a6 {BEFORE}", [("f3e5", "g4d1", "c4f7")]),
    (
        "structural",
        f"a2a3 a7a6 {BEFORE}",
        [("f3e5", "g4d1", "c4f7")],
    ),
    # By Stockfish 15.1 the baits lose .84, .64 and .36.
    (
        "structural",
        f"{QUEENS_GAMBIT} b8d7 c4d5",
        [
            ("f6d5", "c3d5", "d8g5"),
            ("e6d5", "c3d5", "f6d5"),
            ("h7h5", "g5f6", "d7f6"),
        ],
    ),
]


@pytest.mark.parametrize(("measure", "moves", "expected"), SET_TRAPS)
def test_known_and_similar_traps_that_a_move_sets(
    book: TrapBook,
    search_pool: SearchPool,
    measure: str,
    moves: str,
    expected: list[tuple[str, str, str]],
) -> None:
    board = after(moves)
    measure, _, variant = measure.partition(", ")
    board.chess960 = variant == "chess960"
    traps = TrapBook(book.traps, {}, Settings(measure=measure), search_pool)
    found = traps.set_by(board, board.legal_moves, 60_000)
    assert [(one.move, one.baits[0].uci, one.baits[0].killer_line[0]) for one in found] == expected


@pytest.mark.parametrize(
    ("value", "worth", "trap_loss", "move", "why"),
    [
        (30, 25, 0.05, "f3e5", "trap"),
        (30, 30, 0.05, "f3e5", "trap"),
        (30, -300, 0.05, "h2h3", "search"),
        (30, -300, 0.5, "h2h3", "search"),
        (30, -150, 0.5, "f3e5", "trap"),
        (30, 25, 0.0, "h2h3", "search"),
    ],
)
def test_a_trap_is_set_if_it_costs_little(
    book: TrapBook, value: int, worth: int, trap_loss: float, move: str, why: str
) -> None:
    found = choose(after(BEFORE), 200, sources(trap_loss=trap_loss), book, Fixed("h2h3", value, -worth), Cancellation())
    assert (found.uci, found.why) == (move, why)
    if why == "trap":
        assert win_chance(value) - win_chance(worth) <= trap_loss
        assert found.trap is not None


def test_without_a_library_the_search_decides() -> None:
    assert choose(after(BEFORE), 50, sources(), None, Fixed("h2h3", 0, 0), Cancellation()) == Choice(
        "h2h3", "search", 0
    )


def test_a_library_that_cannot_be_opened_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, search_pool: SearchPool
) -> None:
    path = tmp_path / "broken.sqlite"
    path.write_bytes(b"no library")
    monkeypatch.setenv("TRAPLINE_DB", str(path))
    library = TrapLibrary(Settings(measure="sequences"), search_pool)
    assert library.load() is None
    assert library.load() is None
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("playing without traps: ")


# Books, tables, boards ----------------------------------------------------------------------------------------------


def polyglot(path: Path, board: chess.Board, *sans: str) -> Path:
    """A book with these moves in one position, all of the same weight."""
    moves = [board.parse_san(san) for san in sans]
    key = chess.polyglot.zobrist_hash(board)
    path.write_bytes(b"".join(struct.pack(">QHHI", key, m.to_square | m.from_square << 6, 1, 0) for m in moves))
    return path


def test_a_book_move_needs_no_search(tmp_path: Path) -> None:
    board = chess.Board()
    path = polyglot(tmp_path / "book.bin", board, "a3")
    assert move_without_search(board, sources(path), None, SetTraps()) == Choice("a2a3", "book")
    board.push_san("a3")
    assert move_without_search(board, sources(path), None, SetTraps()) is None
    with pytest.raises(OSError, match="missing"):
        OpeningBooks([tmp_path / "missing.bin"])


def test_books_end_at_the_ply_of_the_profile_of_the_opponent(tmp_path: Path) -> None:
    path = polyglot(tmp_path / "book.bin", after("e2e4 e7e5"), "Nf3")
    profile = GameProfile(opponent=OpponentKind.PEOPLE, book_plies=2)
    both = MoveSources.of(BotSettings(books=(path,), profiles=(profile,)))
    robot = replace(INFO, opponent=Person("robot", "Robot", "BOT"))
    assert not both.for_game(INFO).openings.moves(after("e2e4 e7e5"))
    assert both.for_game(robot).openings.moves(after("e2e4 e7e5"))
    longer = BotSettings(books=(path,), profiles=(profile.model_copy(update={"book_plies": 3}),))
    assert MoveSources.of(longer).for_game(INFO).openings.moves(after("e2e4 e7e5"))


def test_of_the_moves_of_a_book_the_one_that_sets_a_trap_is_played(tmp_path: Path, book: TrapBook) -> None:
    board = after(BEFORE)
    path = polyglot(tmp_path / "book.bin", board, "h3", "d3", "O-O", "Be2", "Bb3", "Nxe5")
    for _ in range(5):
        found = move_without_search(board, sources(path), book, SetTraps())
        assert found is not None
        assert (found.uci, found.why) == ("f3e5", "book")
        assert found.trap is not None
    without = {
        found.uci
        for _ in range(60)
        if (found := move_without_search(board, sources(path, trap_loss=0.0), book, SetTraps()))
    }
    assert len(without) > 1


def test_the_board_is_that_of_the_whole_list() -> None:
    board = GameBoard(INFO)
    assert board.after(("e2e4", "e7e5")).fen() == after("e2e4 e7e5").fen()
    assert board.after(("e2e4", "e7e5", "g1f3")).fen() == after("e2e4 e7e5 g1f3").fen()
    assert board.after(("d2d4",)).fen() == after("d2d4").fen()
    with pytest.raises(InputError, match="e2e5"):
        board.after(("d2d4", "e2e5"))
    assert board.after(()).fen() == chess.STARTING_FEN


# Who searches -------------------------------------------------------------------------------------------------------


def test_the_own_search_knows_repetitions_and_castles_as_the_variant_does(search_pool: SearchPool) -> None:
    own = OwnSearch(search_pool)
    assert own.search(chess.Board("6k1/5ppp/8/8/8/8/q4PPP/3R2K1 w - - 0 1"), 200, Cancellation()).uci == "d1d8"
    # A queen down, White can only repeat; the third time is a draw, and the search says so.
    shuffled = after("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1")
    assert own.search(shuffled, 300, Cancellation()).uci != "f6g8"


def test_an_engine_that_dies_is_started_again_and_its_move_is_ours(
    tmp_path: Path, search_pool: SearchPool, caplog: pytest.LogCaptureFixture
) -> None:
    good = Path(engine_of(tmp_path, REFUTING))
    text = good.read_text()
    assert 'elif words[:1] == ["go"]:' in text
    dying = tmp_path / "dying"
    go = 'elif words[:1] == ["go"]:'
    dying.write_text(text.replace(go, f'elif words[:1] == ["go"] and played % 2:\n        sys.exit(3)\n    {go}'))
    dying.chmod(dying.stat().st_mode | stat.S_IXUSR)
    caplog.set_level(logging.INFO)
    player = searcher(EngineSettings(command=str(dying)), search_pool)
    try:
        # While the engine is not there yet, the own search has the move.
        while "is not ready yet" in _searched(player, caplog):
            pass
        assert player.search(chess.Board(), 50, Cancellation()).value == 0
        moved = after("e2e4")
        assert chess.Move.from_uci(player.search(moved, 50, Cancellation()).uci) in moved.legal_moves
        assert "this move is ours" in caplog.text
        while "is not ready yet" in _searched(player, caplog):
            pass
        assert player.search(after("e2e4 e7e5"), 50, Cancellation()).value == 0
        assert not caplog.text
    finally:
        player.close()


def _searched(player: Searcher, caplog: pytest.LogCaptureFixture) -> str:
    """What is logged during a search."""
    caplog.clear()
    player.search(chess.Board(), 20, Cancellation())
    return caplog.text


def test_an_engine_that_cannot_start_is_an_error_and_replaced(tmp_path: Path, search_pool: SearchPool) -> None:
    missing = EngineSettings(command=str(tmp_path / "missing"))
    with pytest.raises(EngineError, match="cannot be started"):
        Engine(missing).search(chess.Board(), 5000, Cancellation())
    assert searcher(missing, search_pool).search(chess.Board(), 50, Cancellation()).uci


def test_an_engine_that_hangs_is_given_up(
    tmp_path: Path, search_pool: SearchPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.moves.engines.GRACE_SECONDS", 0.3)
    hanging = tmp_path / "hanging"
    hanging.write_text(
        f"#!{sys.executable}\nimport sys, time\nfor line in sys.stdin:\n"
        "    if line.startswith('uci'): print('id name h\\nuciok', flush=True)\n"
        "    elif line.startswith('isready'): print('readyok', flush=True)\n"
        "    elif line.startswith('go'): time.sleep(60)\n"
    )
    hanging.chmod(hanging.stat().st_mode | stat.S_IXUSR)
    player = searcher(EngineSettings(command=str(hanging)), search_pool)
    began = time.monotonic()
    for _ in range(3):
        assert player.search(chess.Board(), 50, Cancellation()).uci
    assert time.monotonic() - began < 40  # the engine sleeps for a minute each time
    player.close()


# Draws and resigning -----------------------------------------------------------------------------------------


@needs_tables
@pytest.mark.parametrize(
    ("fen", "value"),
    [("8/8/8/4k3/4p3/8/8/4K3 w - - 0 1", 0), ("8/8/8/8/8/4k3/8/K6Q w - - 0 1", None)],
    ids=["drawn", "won"],
)
def test_a_drawn_ending_of_the_tables_counts_as_level(fen: str, value: int | None) -> None:
    choice = Tablebases([TABLES]).move(chess.Board(fen))
    assert choice is not None
    assert (choice.why, choice.value) == ("table", value)
    policy = DrawResignPolicy(BotSettings())
    policy.resigns(choice)
    assert policy.accepts_draw(AGREE_PLY) == (value == 0)


def test_draws_and_resignation() -> None:
    policy = DrawResignPolicy(BotSettings(resign=True))
    level = Choice("e2e4", "search", 5)

    def at(ply: int) -> chess.Board:
        return chess.Board(f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {ply // 2 + 1}")

    for _ in range(BotSettings().offer_draw_moves):
        assert not policy.resigns(level)
    assert not policy.offers_draw(level, at(EARLIEST_PLY - 2))
    assert policy.offers_draw(level, at(EARLIEST_PLY))
    assert not policy.offers_draw(level, at(EARLIEST_PLY + 2))
    assert policy.offers_draw(level, at(EARLIEST_PLY + 40))
    assert policy.accepts_draw(AGREE_PLY)
    assert not policy.accepts_draw(AGREE_PLY - 1)
    policy.resigns(Choice("e2e4", "killer"))
    assert not policy.accepts_draw(AGREE_PLY)
    lost = Choice("e2e4", "search", -1500)
    assert [policy.resigns(lost) for _ in range(6)] == [False] * 5 + [True]
    apart = BotSettings(people={"offer_draws": False, "resign": True, "resign_moves": 8}, bots={"resign": True})  # type: ignore[arg-type]
    patient, other = (DrawResignPolicy(apart.against(is_bot=is_bot)) for is_bot in (False, True))
    for _ in range(8):
        patient.resigns(level)
        other.resigns(level)
    assert (patient.offers_draw(level, at(EARLIEST_PLY)), other.offers_draw(level, at(EARLIEST_PLY))) == (False, True)
    assert patient.accepts_draw(AGREE_PLY)
    assert [other.resigns(lost) for _ in range(6)] == [False] * 5 + [True]
    assert [patient.resigns(lost) for _ in range(8)] == [False] * 7 + [True]
    stubborn = DrawResignPolicy(BotSettings(draws=False))
    assert not any(stubborn.resigns(lost) for _ in range(20))
    assert not stubborn.accepts_draw(100)
