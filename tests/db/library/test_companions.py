"""What somebody else has put beside a library harms no other file, and nothing is waited for."""

import os
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from db.library.backup import restore
from db.library.open import open_library
from trapcore.errors import LibraryError
from trapcore.io.output_check import COMPANIONS

MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"


def journal_that_names(other: Path, library: Path) -> bytes:
    """A journal of a transaction over several files, which SQLite deletes ``other`` with."""
    page = 8192
    head = MAGIC + struct.pack(">IIIII", 0, 0, library.stat().st_size // page, 512, page)
    name = str(other).encode()
    end = struct.pack(">II", len(name), sum(name)) + MAGIC
    return head.ljust(512, b"\0") + struct.pack(">I", 0x40000000 // page + 1) + name + end


HARM: dict[str, Callable[[Path, Path], object]] = {
    "journal-that-names": lambda beside, other: beside.write_bytes(
        journal_that_names(other, beside.with_name("library.sqlite"))
    ),
    "link": lambda beside, other: beside.symlink_to(other),
    "hard-link": lambda beside, other: beside.hardlink_to(other),
    "pipe": lambda beside, other: os.mkfifo(beside),
    "folder": lambda beside, other: beside.mkdir(),
}
OPENING: dict[str, Callable[[Path, Path], object]] = {
    "read": lambda path, copy: open_library(path, read_only=True),
    "write": lambda path, copy: open_library(path),
    "restore-it": lambda path, copy: restore(path, path.with_name("new.sqlite")),
    "restore-over-it": lambda path, copy: restore(copy, path, replace=True),
}


@pytest.mark.parametrize(
    ("suffix", "harm"),
    [(suffix, harm) for suffix in COMPANIONS for harm in HARM if harm != "journal-that-names" or suffix == "-journal"],
)
def test_what_lies_beside_a_library_harms_nothing(suffix: str, harm: str, library: Path, tmp_path: Path) -> None:
    folder, given = tmp_path / "given", tmp_path / "given" / "library.sqlite"
    folder.mkdir()
    copy, other, linked = tmp_path / "copy.sqlite", tmp_path / "other.txt", tmp_path / "linked.sqlite"
    shutil.copy(library, copy)
    shutil.copy(library, given)
    linked.symlink_to(given)
    other.write_text("of the user\n" * 100)
    HARM[harm](Path(f"{given}{suffix}"), other)
    before = {each.name: each.lstat().st_mtime_ns for each in folder.iterdir()}
    for opening in OPENING.values():
        for path in (given, linked):
            with pytest.raises(LibraryError, match=rf"library\.sqlite{suffix}"):
                opening(path, copy)
            assert other.read_text() == "of the user\n" * 100
            assert {each.name: each.lstat().st_mtime_ns for each in folder.iterdir()} == before


def test_sqlite_deletes_the_file_that_such_a_journal_names(library: Path, tmp_path: Path) -> None:
    """What the check is for."""
    other = tmp_path / "other.txt"
    other.write_text("of the user\n")
    Path(f"{library}-journal").write_bytes(journal_that_names(other, library))
    with closing(sqlite3.connect(library)) as connection:
        connection.execute("SELECT count(*) FROM traps").fetchone()
    assert not other.exists()
