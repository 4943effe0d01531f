"""What all tests share: libraries in files and on a server, and that CI skips nothing."""

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import create_engine, make_url, text

from tests.support import templates

SERVER = "TRAPLINE_TEST_POSTGRES"
#: The URL of a PostgreSQL server, as `tests/support/with_postgres` sets it.
POSTGRES = os.environ.get(SERVER)

NewLibrary = Callable[[], str]
"""Gives the address of a library that is empty or not there yet, another one each time: a path or a URL."""

_schemas = itertools.count()


# What most tests say of our own search holds whatever programs this machine has. Tests of an engine name it.
os.environ["TRAPLINE_ENGINE"] = "off"

# Tests leave the library of their user alone.
_home = tempfile.TemporaryDirectory(prefix="trapline-tests-")
os.environ["XDG_DATA_HOME"] = _home.name

# How long an example takes says more about what else the machine does than about the test.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


def pytest_configure(config: pytest.Config) -> None:
    """Take the server's URL out of the environment, where the program would refuse it as an unknown setting."""
    # Whoever only hands tests on to other processes (pytest-xdist) hands them the environment as well.
    hands_on = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if not hands_on:
        os.environ.pop(SERVER, None)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skipped test is a failed run: what was not tested is not known to work."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter is not None and reporter.stats.get("skipped") and exitstatus == 0:
        reporter.write_line(f"CI: {len(reporter.stats['skipped'])} tests were skipped, which counts as a failure")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def by_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what is told of the library's traps, whatever else a game has, and however positions are compared.

    This way needs no index beside the library.
    """
    monkeypatch.setenv("TRAPLINE_MEASURE", "sequences")
    monkeypatch.setenv("TRAPLINE_TELL", "similar")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What works on a library of a server is marked ``postgres``, so that it can be left out."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        if callspec is not None and callspec.params.get("new_library") == "postgresql":
            item.add_marker("postgres")


@pytest.fixture(scope="session", autouse=True)
def templates_folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> None:
    """One folder for the templates of all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    templates.folder = base.parent if hasattr(request.config, "workerinput") else base


@pytest.fixture(params=["sqlite", "postgresql"])
def new_library(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[NewLibrary]:
    """For tests that hold whatever database a library is in: files, and schemas of a server."""
    if request.param == "sqlite":
        numbers = itertools.count()

        def new_file() -> str:
            path = tmp_path / f"library{next(numbers) or ''}.sqlite"
            templates.copy_empty_library(path)
            return str(path)

        yield new_file
        return
    if not POSTGRES:
        pytest.skip(f"{SERVER} names no server; `tests/support/with_postgres COMMAND` runs one beside a command")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    server = make_url(POSTGRES).set(drivername="postgresql+psycopg")
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    made = []

    def new() -> str:
        made.append(f"test_{os.getpid()}_{next(_schemas)}")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE SCHEMA {made[-1]}"))
        return server.update_query_dict({"options": f"-csearch_path={made[-1]}"}).render_as_string(hide_password=False)

    yield new
    with engine.connect() as connection:
        for schema in made:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()
