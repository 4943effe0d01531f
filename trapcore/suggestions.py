"""Misspelt names: the error that names the nearest valid one."""

from collections.abc import Iterable
from difflib import get_close_matches

from trapcore.errors import UsageError


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
