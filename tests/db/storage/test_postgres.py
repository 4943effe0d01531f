"""A library on a PostgreSQL server: made, locked, refused; what holds for files too is tested elsewhere."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text

from db.games.index_games import index_files
from db.library.open import open_library
from db.storage.database import server_engine
from db.storage.tables import Base
from tests.conftest import NewLibrary
from tests.support.db_traps import AVOIDED, FELL, OTHER, elephant, legal, write
from trapcore.errors import LibraryError

pytestmark = pytest.mark.parametrize("new_library", ["postgresql"], indirect=True)


@pytest.fixture
def url(new_library: NewLibrary) -> str:
    address = new_library()
    with open_library(address, create=True) as opened:
        opened.add(legal())
    return address


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    engine = server_engine(url)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection
    engine.dispose()


def refused(url: str, **options: object) -> str:
    with pytest.raises(LibraryError) as caught:
        open_library(url, **options).close()  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_library_has_the_tables_of_the_models(url: str) -> None:
    with connected(url) as connection:
        assert sorted(inspect(connection).get_table_names()) == sorted(Base.metadata.tables)


def test_another_version_of_the_keys_is_refused(url: str) -> None:
    with connected(url) as connection:
        connection.execute(text("UPDATE meta SET value = '0' WHERE key = 'position_key_version'"))
    assert "position key version 0" in refused(url)


def test_a_server_without_a_library_is_left_as_it_is(new_library: NewLibrary) -> None:
    url = new_library()
    assert "not a trap library" in refused(url)
    with connected(url) as connection:
        assert inspect(connection).get_table_names() == []


def test_a_password_is_in_no_message(url: str) -> None:
    with open_library(url.replace("trapline@", "trapline:secret@", 1)) as opened:
        assert "trapline:***@" in opened.name


def test_a_locked_library_is_said_to_be_and_can_be_read(url: str) -> None:
    with open_library(url) as writer, writer.database.write() as connection:
        connection.execute(text("UPDATE traps SET name = 'changed'"))
        with open_library(url, read_only=True) as reader:
            assert reader.traps() == [legal()]
        with open_library(url, busy_seconds=0.1) as second, pytest.raises(LibraryError, match="is locked by another"):
            second.add(elephant())
        assert second.database.name == writer.name


def test_writers_go_one_after_the_other(url: str, tmp_path: Path) -> None:
    files = [write(tmp_path / f"{n}.pgn", *(FELL.replace('"A"', f'"{n}.{m}"') for m in range(20))) for n in range(4)]
    ready = threading.Barrier(4, timeout=30)

    def index(file: Path) -> int:
        with open_library(url) as opened:
            ready.wait()
            return index_files(opened, [file], batch_bytes=1000).new_games

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(index, files)) == [20] * 4
    with open_library(url, read_only=True) as opened:
        assert (opened.counts().games, opened.counts().sightings) == (80, 80)


def test_a_reader_sees_one_state_throughout(url: str, tmp_path: Path) -> None:
    count = text("SELECT count(*) FROM games")
    with open_library(url, read_only=True) as reader, reader.database.read() as connection:
        assert connection.scalar(count) == 0
        with open_library(url) as writer:
            index_files(writer, [write(tmp_path / "g.pgn", AVOIDED, OTHER)])
        assert connection.scalar(count) == 0


def test_what_reads_cannot_write(url: str) -> None:
    with open_library(url, read_only=True) as opened:
        with pytest.raises(LibraryError, match="for reading only"):
            opened.add(elephant())
        with pytest.raises(LibraryError, match="check the rights"), opened.database.read() as connection:
            connection.execute(text("DELETE FROM traps"))


def test_a_server_that_cannot_be_reached_is_said_so(url: str, tmp_path: Path) -> None:
    assert "cannot be reached" in refused(f"postgresql://trapline@/postgres?host={tmp_path}")
    assert "cannot be reached" in refused(url.replace("/postgres?", "/no_such_database?", 1))


def test_text_that_a_server_cannot_hold_is_left_out(url: str, tmp_path: Path) -> None:
    with open_library(url) as opened:
        done = index_files(opened, [write(tmp_path / "g.pgn", FELL.replace('"A"', '"A\0B"'))])
        assert (done.new_games, opened.counts().sightings) == (1, 1)
