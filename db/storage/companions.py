"""Check of what lies beside a SQLite file: SQLite believes it, also where the file is from somebody else.

A journal may name a further file, which SQLite deletes when it has put the journal back; a log with a second name is
overwritten under both; a pipe is waited for. What this program leaves beside a library, however it is killed, is none
of these.
"""

import os
import stat
from pathlib import Path

from trapcore.errors import LibraryError
from trapcore.io.output_check import COMPANIONS

_JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"


def check_companions(path: Path) -> None:
    """Raise `LibraryError` if beside a SQLite file lies what no library of this program has; nothing is changed."""
    real = os.path.realpath(path)
    for suffix in COMPANIONS:
        companion = f"{real}{suffix}"
        try:
            wrong = _what_is_wrong(companion)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise LibraryError(f"{companion} cannot be read: {error.strerror}") from error
        if wrong:
            raise LibraryError(
                f"{companion} lies beside the library {path} and {wrong}; nothing was touched. Move it away, and "
                "ask whoever gave you the library for its traps as PGN, which `trapline library export` writes"
            )


def _what_is_wrong(companion: str) -> str:
    # Not followed, and not waited for.
    status = os.lstat(companion)
    if not stat.S_ISREG(status.st_mode):
        return "is no file of its own" if stat.S_ISLNK(status.st_mode) else "is no regular file"
    if status.st_nlink > 1:
        return "has another name on its disk (a hard link), under which it would be overwritten as well"
    if companion.endswith("-journal"):
        descriptor = os.open(companion, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            # A name stands at the end, before its length and this: https://www.sqlite.org/fileformat2.html#the_rollback_journal
            file.seek(max(0, os.fstat(descriptor).st_size - len(_JOURNAL_MAGIC)))
            if file.read() == _JOURNAL_MAGIC:
                return "names a file that would be deleted with it"
    return ""
