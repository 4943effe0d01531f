"""The bot's own repertoires: built by another process, kept, played from, built anew when the library has changed."""

import logging
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import chess
import pytest

from bot.bot import Bot
from bot.moves.move_choice import Choice, MoveSources, OpeningBooks, Tablebases, move_without_search
from bot.moves.repertoires import Repertoires, repertoire_folder
from bot.moves.set_traps import SetTraps
from coach.repertoire.folder import RepertoireName, read_all
from coach.repertoire.live_traps import LiveBait, allowed_cost
from coach.repertoire.stored import MadeOf, StoredRepertoire, made_of
from db.library.open import open_library
from db.proof.prover import TrapProver
from db.traps.temptation import RatingBand
from lichess.api import Person
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits
from tests.support.bot_games import INFO
from tests.support.db_traps import elephant
from tests.support.playing_bot import challenged, ended, moves, no_violations, playing
from tests.support.polling import until
from trapcore import _native
from trapline.settings import Settings

OPPONENT = replace(INFO, opponent=Person("you", "You", "", 1450))
COSTS = {
    "unknown": 0.05,
    "1200-1599": round(allowed_cost(0.05, 1400), 4),
    "1600-1999": round(allowed_cost(0.05, 1800), 4),
}
"""What a trap may cost against the ratings that the fake lichess gives."""


def key(board: chess.Board) -> bytes:
    return _native.position_key(board.fen())


def damiano(made: MadeOf) -> StoredRepertoire:
    """1.e4 e5 2.Nf3, and 2...f6 is waited for."""
    board = chess.Board()
    first = key(board)
    for san in ("e4", "e5"):
        board.push_san(san)
    second = key(board)
    board.push_san("Nf3")
    bait = LiveBait("f7f6", ("f3e5", "f6e5", "d1h5"), None, 0.5, 0.1)
    return StoredRepertoire(made, 0.6, 0.2, {first: ("e2e4", 0.0), second: ("g1f3", 0.01)}, {key(board): (bait,)})


@pytest.fixture
def building(settings: Settings) -> Settings:
    """A bot that takes a little more than a second for a repertoire."""
    return settings.model_copy(update={"bot": settings.bot.model_copy(update={"repertoire_minutes": 0.02})})


def test_what_a_game_needs_is_built_first_and_kept(building: Settings, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    black = replace(OPPONENT, color="black", opponent=Person("bot", "Bot", "BOT", 2500))
    repertoires = Repertoires(building)
    assert repertoires.find(black) is None
    assert repertoires.find(replace(OPPONENT, variant="chess960")) is None
    repertoires.start()
    try:
        # It is found a moment before that is said.
        until(lambda: "was built" in caplog.text)
        assert repertoires.find(black) is not None
        built = [message for message in caplog.messages if "was built" in message]
        assert built[0].startswith("the repertoire engines-2400+-black was built in ")
    finally:
        repertoires.stop()
    found = read_all(repertoire_folder(building))
    assert RepertoireName("black", RatingBand(2400, None), True) in found
    board = chess.Board()
    board.push_san("e4")
    answer = found[RepertoireName("black", RatingBand(2400, None), True)].move(board)
    assert answer is not None
    assert chess.Move.from_uci(answer[0]) in board.legal_moves


def test_one_that_is_there_is_played_at_once_and_an_old_one_until_another_is_built(building: Settings) -> None:
    path = repertoire_folder(building) / "people-1200-1599-white.json"
    path.parent.mkdir(parents=True)
    with open_library(building.db, read_only=True) as library:
        now = made_of(library, COSTS["1200-1599"])
    damiano(now).write(path)
    repertoires = Repertoires(building)
    repertoires.start()
    try:
        until(lambda: repertoires.find(OPPONENT) is not None)
        found = repertoires.find(OPPONENT)
        assert found is not None
        assert found.points == 0.6
    finally:
        repertoires.stop()
    with open_library(building.db) as library:
        library.add(TrapProver(search_nodes=200_000).prove(elephant()))
    repertoires = Repertoires(building)
    assert repertoires.find(OPPONENT) is None
    repertoires.start()
    try:
        until(lambda: (one := repertoires.find(OPPONENT)) is not None and one.points != 0.6)
    finally:
        repertoires.stop()


def test_repertoires_are_built_after_an_error_of_ours(
    building: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    failures = iter([SystemError("AST constructor recursion depth mismatch")])

    def once(library: object, cost: float) -> MadeOf:
        for failure in failures:
            raise failure
        return made_of(library, cost)  # type: ignore[arg-type]

    monkeypatch.setattr("bot.moves.repertoires.made_of", once)
    monkeypatch.setattr("bot.moves.repertoires.LIBRARY_SECONDS", 0.05)
    repertoires = Repertoires(building)
    repertoires.start()
    try:
        until(lambda: len(repertoires) > 0)
    finally:
        repertoires.stop()
    assert "repertoires are built later" in caplog.text


def test_its_moves_come_after_the_owners_books_and_before_all_else(tmp_path: Path) -> None:
    sources = MoveSources(OpeningBooks(()), Tablebases([]), 0.05)
    repertoire = damiano(MadeOf("1", "", 0, 0.05))
    board = chess.Board()
    found = move_without_search(board, sources, None, SetTraps(), repertoire=repertoire)
    assert found == Choice("e2e4", "repertoire")
    for san in ("e4", "e5"):
        board.push_san(san)
    found = move_without_search(board, sources, None, SetTraps(), repertoire=repertoire)
    assert found is not None
    assert (found.uci, found.why) == ("g1f3", "repertoire")
    assert found.trap is not None
    assert found.trap.baits[0].killer_line[0] == "f3e5"
    board.push_san("d4")
    assert move_without_search(board, sources, None, SetTraps(), repertoire=repertoire) is None
    chess960 = chess.Board(chess960=True)
    assert move_without_search(chess960, sources, None, SetTraps(), repertoire=repertoire) is None


def test_a_game_begins_with_it_and_the_trap_is_counted(server: Server, building: Settings) -> None:
    with open_library(building.db, read_only=True) as library:
        now = made_of(library, 0.05)
    for band, cost in COSTS.items():
        path = repertoire_folder(building) / f"people-{band}-white.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        damiano(replace(now, max_cost=cost)).write(path)

    def played(bot: Bot) -> None:
        game = challenged(server, Habits(line=("e4", "e5", "Nf3", "f6"), think=(0.1, 0.1), resign_at=14))
        until(lambda: ended(server, game))
        assert moves(server, game)[:5] == ["e2e4", "e7e5", "g1f3", "f7f6", "f3e5"]
        assert bot.health()["repertoires"] == 3

    with playing(building, ()) as bot:
        until(lambda: bot.health()["repertoires"] == 3)
        played(bot)
        until(lambda: {"chosen", "taken"} <= bot._saved_state.bot.stats.keys())
    no_violations(server)


def test_a_build_ends_if_its_bot_was_killed_before_it_began(building: Settings, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    given = [tmp_path, "people-1200-1599-white", building.db, 0.05, 1e6, ended.pid]
    done = subprocess.run(
        [sys.executable, "-m", "bot.moves.repertoires", *map(str, given)],
        capture_output=True,
        check=False,
        cwd=Path(__file__).parents[3],
        timeout=120,
    )
    assert b"cancel" in done.stderr.lower() or done.returncode == 0
