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

The text of an error is a `Message`: an English template with named values. The template is the key by which
`db.wording.languages.grammar` finds the words of another language::

    raise UsageError("{what} must be a number, not {text!r}", what=Message("the share"), text=text)
"""

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import ClassVar


class Sentence(string.Formatter):
    """Formatter of templates. The parts of a tuple are joined with commas."""

    def format_field(self, value: object, format_spec: str) -> str:
        """Returns the text of one gap."""
        if isinstance(value, tuple):
            return ", ".join(self.format_field(part, format_spec) for part in value)
        if isinstance(value, Message | TraplineError):
            return str(value)
        return str(super().format_field(value, format_spec))


@dataclass(frozen=True, slots=True)
class Message:
    """A text for the user: an English template, and the values of its gaps, which may be messages and tuples of them.

    A template without values stands as it is, braces too.
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        """The text in English."""
        return Sentence().vformat(self.template, (), self.values) if self.values else self.template


class TraplineError(Exception):
    """The base of every error that is not a bug; ``str()`` of it is one English sentence for the user."""

    exit_code: ClassVar[int] = 1

    def __init__(self, template: str | Message, /, **values: object) -> None:
        """Takes a template with its values, see `Message`, or the message of another error."""
        self.message = template if isinstance(template, Message) else Message(template, values)
        super().__init__(str(self.message))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the command line prints, a line each."""
        return (str(self),)


class UsageError(TraplineError, ValueError):
    """An option or argument outside its range, or options that exclude each other."""

    exit_code: ClassVar[int] = 2


class InputError(TraplineError):
    """A file, stream or text that cannot be read as what it should be."""

    exit_code: ClassVar[int] = 3


class PositionError(InputError, ValueError):
    """A FEN or EPD, or a position of another game, that does not parse or is not legal; ``fen`` is the text given."""

    def __init__(self, template: str | Message, fen: str = "", /, **values: object) -> None:
        super().__init__(template, **values)
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


def unknown_name(what: str, given: str, known: Iterable[str]) -> UsageError:
    """The error for ``given``, which is no ``what``: names the nearest of ``known``, or all of them if none is near.

    >>> str(unknown_name("measure", "sequence", ["sequences", "structural"]))
    "unknown measure 'sequence': did you mean 'sequences'?"
    """
    names = {name.lower(): str(name) for name in known}  # of a member of an enumeration its value
    near = get_close_matches(given.lower(), names, n=1)
    if near:
        return UsageError(
            f"unknown {what} {{given!r}}: did you mean {{nearest!r}}?", given=given, nearest=names[near[0]]
        )
    return UsageError(f"unknown {what} {{given!r}}: known are {{known}}", given=given, known=tuple(names.values()))
