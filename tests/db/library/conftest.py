"""The library that most tests of this folder begin with."""

from pathlib import Path

import pytest

from db.library.open import open_library
from tests.support.db_traps import legal


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A file with one trap."""
    path = tmp_path / "library.sqlite"
    with open_library(path, create=True) as opened:
        opened.add(legal())
    return path
