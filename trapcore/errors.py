"""Errors that are shown to users, with their exit codes.

::

    TraplineError                 exit code 1
    ├── UsageError                exit code 2   an option or argument that cannot be
    ├── InputError                exit code 3   a file, position or game that cannot be read
    │   └── PositionError                       a FEN or EPD, or another game's text, that is no position
    ├── OutputError               exit code 4   a file that cannot be written
    ├── LibraryError              exit code 5   the trap library is missing, foreign, broken or of another version
    │   ├── LibraryBusyError                    another program writes to it; to wait and try again helps
    │   └── IndexFileError                      the search index beside it is; the library can build it anew
    ├── EngineError               exit code 6   a UCI engine that cannot be started or that died
    ├── ClusterError              exit code 7   a cluster that does not answer, lost its workers or has other versions
    └── lichess.api.Unauthorized  exit code 8   a token that lichess does not know any more, or that lacks a scope

The command line prints ``trapline: <message>`` as one line and exits with ``exit_code``; a traceback means a bug.
Exit code 130 is an interrupted run.
"""

from typing import ClassVar


class TraplineError(Exception):
    """The base of every error that is not a bug; ``str()`` of it is one sentence for the user."""

    exit_code: ClassVar[int] = 1


class UsageError(TraplineError, ValueError):
    """An option or argument outside its range, or options that exclude each other."""

    exit_code: ClassVar[int] = 2


class InputError(TraplineError):
    """A file, stream or text that cannot be read as what it should be."""

    exit_code: ClassVar[int] = 3


class PositionError(InputError, ValueError):
    """A FEN or EPD, or a position of another game, that does not parse or is not legal; ``fen`` is the text given."""

    def __init__(self, message: str, fen: str = "") -> None:
        super().__init__(message)
        self.fen = fen


class OutputError(TraplineError):
    """An output that cannot be written: no permission, no space, a folder, or one that another run writes."""

    exit_code: ClassVar[int] = 4


class LibraryError(TraplineError):
    """A trap library that is missing, not a trapline database, damaged, locked or of another version."""

    exit_code: ClassVar[int] = 5


class LibraryBusyError(LibraryError):
    """Another program writes to the trap library; to wait and try again helps."""


class IndexFileError(LibraryError):
    """A search index that is missing, foreign, damaged or of another version; it can be built anew from the library."""


class EngineError(TraplineError):
    """A UCI engine that cannot be started, does not answer, or died more than once."""

    exit_code: ClassVar[int] = 6


class ClusterError(TraplineError):
    """A Dask cluster that does not answer, has no workers any more, or whose workers cannot do this work."""

    exit_code: ClassVar[int] = 7
