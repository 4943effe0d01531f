"""A library with two names on its disk, which SQLite cannot tell from two libraries."""

import threading
from pathlib import Path

import pytest

from db.library.open import open_library
from trapcore.errors import LibraryError


def test_a_library_with_two_names_is_read_but_not_written(library: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    other.hardlink_to(library)
    for path in (library, other):
        open_library(path, read_only=True).close()
        with pytest.raises(LibraryError, match="another name on its disk"):
            open_library(path)
    other.unlink()
    other.symlink_to(library)
    for path in (library, other):
        open_library(path).close()


def test_a_name_that_goes_at_once_is_waited_for(library: Path, tmp_path: Path) -> None:
    """As of a library that another program is just making."""
    other = tmp_path / "other.sqlite"
    other.hardlink_to(library)
    later = threading.Timer(0.2, other.unlink)
    later.start()
    try:
        open_library(library).close()
    finally:
        later.join()
