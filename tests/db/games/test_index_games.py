"""Games into the library: what is stored, what is found, and that nothing is lost or doubled whatever happens."""

import gzip
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from sqlalchemy import select, text

from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from db.storage.sighting_rows import move_code
from db.storage.tables import Base, GameRow
from tests.conftest import NewLibrary
from tests.support.db_traps import AVOIDED, ELEPHANT_FELL, ENDED, FELL, ILLEGAL, MIRRORED, OTHER, elephant, legal, write
from trapcore import _native


@pytest.fixture
def library(new_library: NewLibrary) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        opened.add_all([legal(), elephant()])
        yield opened


@pytest.fixture(scope="module")
def random_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some hundred games of random moves from few openings, so that positions repeat."""
    chance = random.Random(7)
    games = []
    for number in range(240):
        board, moves = chess.Board(), []
        for ply in range(chance.randrange(2, 50)):
            legal_moves = sorted(board.legal_moves, key=str)
            if not legal_moves:
                break
            moves.append(legal_moves[number % 3] if ply < 4 else chance.choice(legal_moves))
            board.push(moves[-1])
        tags = f'[Event "random"]\n[Round "{number}"]\n[Result "*"]\n\n'
        games.append(f"{tags}{chess.Board().variation_san(moves)} *\n\n")
    games[100:100] = [FELL, AVOIDED, ILLEGAL, MIRRORED]
    return write(tmp_path_factory.mktemp("games") / "random.pgn", *games)


def dump(library: Library) -> list[str]:
    """All content, row by row, with the numbers of the rows."""
    with library.database.read() as connection:
        return [
            f'"{table}" {tuple(row)}'
            for table in Base.metadata.sorted_tables
            for row in connection.execute(select(table).order_by(*table.primary_key))
        ]


def rows(library: Library, statement: str) -> list[tuple[object, ...]]:
    with library.database.read() as connection:
        return [tuple(row) for row in connection.execute(text(statement))]


def test_what_is_stored_can_be_played_through(library: Library, random_games: Path) -> None:
    done = index_files(library, [random_games], batch_bytes=10_000)
    assert (done.games, done.new_games, done.skipped, done.notes) == (244, 244, {}, {"illegal-move": 1})
    data = random_games.read_bytes()
    with random_games.open(encoding="utf-8") as file:
        # Of a game with an illegal move, python-chess too reads the moves before it.
        played = list(iter(lambda: chess.pgn.read_game(file), None))
    with library.database.read() as connection:
        stored = connection.execute(select(GameRow.__table__).order_by(GameRow.byte_offset)).all()
    assert len(stored) == len(played)
    occurrences = rows(
        library, "SELECT game_id, ply, key, move, fingerprint FROM occurrences JOIN positions ON id = position_id"
    )
    at = {(game_id, ply): rest for game_id, ply, *rest in occurrences}
    assert len(at) == done.positions == sum(row.plies + 1 for row in stored)
    for row, game in zip(stored, played, strict=True):
        assert data[row.byte_offset :].startswith(b"[")
        # What python-chess fills in for a tag that is missing is ?.
        assert (row.white, row.round) == tuple(game.headers[tag].replace("?", "") for tag in ("White", "Round"))
        board = game.board()
        for ply, move in enumerate(itertools.chain(game.mainline_moves(), [None])):
            key, code, fingerprint = at[row.id, ply]
            assert key == _native.position_key(board.fen())
            assert fingerprint == _native.fingerprint(board.fen())
            if move is None:
                assert code is None
                assert ply == row.plies
            else:
                assert code == move_code(_native.epd(board.fen()), board.uci(move))
                assert row.moves[2 * ply : 2 * ply + 2] == int(code).to_bytes(2, "little")
                board.push(move)


def test_the_same_games_again_change_nothing(library: Library, random_games: Path, tmp_path: Path) -> None:
    first = index_files(library, [random_games])
    before = dump(library)
    again = index_files(library, [random_games])
    assert (again.games, again.new_games, again.resumed, again.sightings) == (0, 0, first.games, 0)
    assert dump(library) == before
    # In another file, packed: the source and its checkpoint are new, nothing else is.
    packed = tmp_path / "copy.pgn.gz"
    packed.write_bytes(gzip.compress(random_games.read_bytes()))
    other = index_files(library, [packed])
    assert (other.games, other.new_games, other.sightings) == (244, 0, 0)
    added = set(dump(library)) - set(before)
    assert {line.split('"')[1] for line in added} == {"sources", "checkpoints"}


def elos(library: Library) -> list[tuple[object, ...]]:
    return rows(library, "SELECT white_elo, black_elo FROM games ORDER BY id")


def rated(game: str, white: str, black: str) -> str:
    return f'[WhiteElo "{white}"]\n[BlackElo "{black}"]\n{game}'


def test_ratings_are_figures_or_unknown(library: Library, tmp_path: Path) -> None:
    given = [
        ("2800", "1"),
        ("4000", " 900 "),
        ("4001", "0"),
        ("?", "-"),
        ("1500?", "99999"),
        ("²", "-1500"),
        ("", "15.5"),
    ]
    games = [rated(FELL.replace('"A"', f'"A{number}"'), *elo) for number, elo in enumerate(given)]
    index_files(library, [write(tmp_path / "g.pgn", *games, OTHER)])
    assert elos(library) == [(2800, 1), (4000, 900), *[(None, None)] * 6]


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_a_rating_that_was_unknown_is_taken_from_the_same_game_read_again(
    library: Library, tmp_path: Path, batch_bytes: int
) -> None:
    index_files(library, [write(tmp_path / "1.pgn", FELL, rated(OTHER, "1500", "?"))])
    file = write(tmp_path / "2.pgn", rated(FELL, "1200", "1300"), rated(OTHER, "1", "1600"), rated(OTHER, "2", "2"))
    done = index_files(library, [file], batch_bytes=batch_bytes)
    assert (done.new_games, done.rated_games) == (0, 2)
    assert elos(library) == [(1200, 1300), (1500, 1600)]
    before = dump(library)
    assert index_files(library, [file]).rated_games == 0
    assert dump(library) == before


@pytest.mark.parametrize(("jobs", "batch_bytes"), [(1, 1), (3, 3000)])
def test_neither_threads_nor_batches_change_what_is_stored(
    library: Library, random_games: Path, tmp_path: Path, jobs: int, batch_bytes: int, new_library: NewLibrary
) -> None:
    index_files(library, [random_games], jobs=jobs, batch_bytes=batch_bytes)
    with open_library(new_library(), create=True) as other:
        other.add_all([legal(), elephant()])
        index_files(other, [random_games])
        for table in ("games", "checkpoints", "sources", "sightings"):
            assert rows(library, f"SELECT * FROM {table}") == rows(other, f"SELECT * FROM {table}")
        joined = "SELECT key, game_id, ply, move FROM occurrences JOIN positions ON id = position_id ORDER BY 1, 2, 3"
        assert rows(library, joined) == rows(other, joined)


INDEX = """
import sys
from db.games.index_games import index_files
from db.library.open import open_library
with open_library(sys.argv[1]) as library:
    index_files(library, [sys.argv[2]], jobs=2, batch_bytes=500, progress=lambda done: print(done.games, flush=True))
"""


def index_and_kill(library: str, games: Path, batches: int) -> bool:
    """Index in another process and kill it after so many batches; whether it was killed before its end."""
    process = subprocess.Popen([sys.executable, "-c", INDEX, library, str(games)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as out:
        for _ in range(batches):
            out.readline()
        time.sleep(random.Random(batches).random() / 100)  # into the transaction that follows
        process.send_signal(signal.SIGKILL)
        process.wait()
    return process.returncode == -signal.SIGKILL


@pytest.mark.fault
def test_a_killed_run_goes_on_where_it_stopped(
    library: Library, random_games: Path, tmp_path: Path, new_library: NewLibrary
) -> None:
    library.close()
    killed = [index_and_kill(library.name, random_games, batches) for batches in (1, 3, 2, 5)]
    assert all(killed)
    with open_library(library.name) as again:
        assert 0 < again.counts().games < 243
        rest = index_files(again, [random_games], batch_bytes=500)
        assert rest.resumed > 0
        assert rest.resumed + rest.games == 244
        continued = dump(again)
    with open_library(new_library(), create=True) as whole:
        whole.add_all([legal(), elephant()])
        index_files(whole, [random_games], batch_bytes=500)
        assert without_dates(continued) == without_dates(dump(whole))


def without_dates(lines: list[str]) -> list[str]:
    # The traps of the two libraries were stored at different times, and each library has secrets and states of its own.
    own = ('"traps"', "\"meta\" ('cursor_secret'", "\"meta\" ('traps_state'")
    return [line for line in lines if not line.startswith(own)]


def test_sightings_are_found_in_either_colour(library: Library, tmp_path: Path) -> None:
    file = write(tmp_path / "g.pgn", FELL, AVOIDED, ENDED, MIRRORED, OTHER, ELEPHANT_FELL)
    done = index_files(library, [file])
    assert done.sightings == 4
    seen = [(s.trap, s.game_number, s.event, s.ply, s.measure, s.score, s.file) for s in library.sightings()]
    assert seen == [
        ("legals-mate", 1, "fell", 10, "key", 1.0, str(file)),
        ("legals-mate", 2, "avoided", 10, "key", 1.0, str(file)),
        ("legals-mate", 4, "fell", 1, "key", 1.0, str(file)),
        ("elephant-trap", 6, "fell", 11, "key", 1.0, str(file)),
    ]
    for sighting in library.sightings():
        assert file.read_bytes()[sighting.byte_offset :].startswith(b'[White "')
    assert library.events("legals-mate") == {"avoided": 1, "fell": 2}


def test_traps_and_games_meet_in_whatever_order_they_come(tmp_path: Path, new_library: NewLibrary) -> None:
    first = write(tmp_path / "1.pgn", FELL, OTHER)
    second = write(tmp_path / "2.pgn", AVOIDED, ELEPHANT_FELL)
    steps: dict[str, Callable[[Library], object]] = {
        "legal": lambda library: (library.add(legal()), library.record_occurrences()),
        "elephant": lambda library: (library.add(elephant()), library.record_occurrences()),
        "first": lambda library: index_files(library, [first]),
        "second": lambda library: index_files(library, [second]),
    }
    for order in itertools.permutations(steps):
        with open_library(new_library(), create=True) as library:
            for step in order:
                steps[step](library)
            seen = [(s.trap, s.event, Path(s.file).name) for s in library.sightings()]
            assert seen == [
                ("legals-mate", "fell", "1.pgn"),
                ("legals-mate", "avoided", "2.pgn"),
                ("elephant-trap", "fell", "2.pgn"),
            ], order
            assert library.record_occurrences() == 0


def test_a_file_that_has_grown_is_read_again_without_harm(library: Library, tmp_path: Path) -> None:
    file = write(tmp_path / "g.pgn", FELL)
    index_files(library, [file])
    done = index_files(library, [write(file, FELL, AVOIDED)])
    assert (done.resumed, done.games, done.new_games) == (0, 2, 1)


def test_another_file_of_the_same_name_and_size_is_seen_to_be_one(library: Library, tmp_path: Path) -> None:
    file = write(tmp_path / "g.pgn", FELL, OTHER)
    index_files(library, [file])
    done = index_files(library, [write(file, FELL.replace('"A"', '"Z"'), OTHER)])
    assert (done.resumed, done.games, done.new_games) == (0, 2, 1)
    assert index_files(library, [file]).resumed == 2


def test_a_checkpoint_of_other_bytes_is_not_believed(library: Library, random_games: Path) -> None:
    index_files(library, [random_games], batch_bytes=3000)
    with library.database.write() as connection:
        connection.execute(text('UPDATE checkpoints SET "offset" = "offset" - 10'))
    done = index_files(library, [random_games])
    assert (done.resumed, done.games, done.new_games) == (0, 244, 0)


def test_a_torn_file_is_told_and_its_last_game_not_taken_for_a_whole_one(library: Library, tmp_path: Path) -> None:
    games = [FELL.replace('"A"', f'"{os.urandom(20).hex()}"') for _ in range(500)]
    packed = gzip.compress("".join(games).encode(), 1)
    torn = tmp_path / "torn.pgn.gz"
    torn.write_bytes(packed[: len(packed) * 2 // 3])
    other = write(tmp_path / "other.pgn", OTHER)
    done = index_files(library, [torn, tmp_path / "missing.pgn", other])
    assert ["end too early" in str(done.failures[0]), "no such file" in str(done.failures[1])] == [True, True]
    assert 100 < done.new_games < 500
    assert rows(library, "SELECT DISTINCT plies FROM games ORDER BY 1") == [(6,), (13,)]
    torn.write_bytes(packed)
    done = index_files(library, [torn])
    assert done.failures == []
    assert library.counts().games == 501


def test_games_with_an_illegal_move_are_indexed_up_to_it(library: Library, tmp_path: Path) -> None:
    done = index_files(library, [write(tmp_path / "g.pgn", FELL, ILLEGAL, ILLEGAL.replace("K", "M", 1), OTHER)])
    assert (done.games, done.new_games, done.skipped, done.notes) == (4, 4, {}, {"illegal-move": 2})
    assert rows(library, "SELECT plies FROM games WHERE white IN ('K', 'M')") == [(2,), (2,)]
    assert index_files(library, [write(tmp_path / "empty.pgn")]).games == 0


def test_the_start_and_the_variant_of_a_game_are_kept(library: Library, tmp_path: Path) -> None:
    chess960 = chess.Board.from_chess960_pos(100)
    game = f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{chess960.fen()}"]\n\n1. e4 e5 *\n\n'
    index_files(library, [write(tmp_path / "g.pgn", MIRRORED, game, OTHER)])
    stored = rows(library, "SELECT white, variant, start_fen IS NULL FROM games ORDER BY id")
    assert stored == [("G", "", 0), ("", "Chess960", 0), ("I", "", 1)]


def test_a_file_of_another_variant_alone_has_no_games_and_is_no_error(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "crazyhouse.pgn"
    path.write_text('[Variant "Crazyhouse"]\n\n1. e4 { [%clk 0:01:00] } e5 { [%clk 0:01:00] } *\n\n')
    index_files(library, [path])
    assert library.counts().games == 0
