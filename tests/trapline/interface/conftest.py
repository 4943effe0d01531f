"""A default library of the bundled traps, made once in a run and copied for each module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.formats.bundled import make_bundled
from tests.support.templates import copy_of
from trapline.interface import library as interface


def _make(path: Path) -> None:
    make_bundled(path, lambda _: None)


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the bundled traps."""
    path = tmp_path_factory.mktemp("library") / "library.sqlite"
    copy_of("bundled.sqlite", _make, path)
    return path


@pytest.fixture(autouse=True)
def usual_settings(bundled: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Settings of a new user, whose default library is that one."""
    monkeypatch.setenv("TRAPLINE_CONFIG", "/dev/null")
    monkeypatch.setenv("TRAPLINE_DB", str(bundled))
    yield
    interface._opened(bundled).close()
    interface._opened.cache_clear()
