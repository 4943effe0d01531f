"""Syzygy tables of the user's, which every search of the process asks from then on."""

from collections.abc import Sequence
from pathlib import Path

from trapcore import _native


def use_syzygy(folders: Sequence[Path]) -> str:
    """Open the tables in these folders for the rest of the process; what was opened, in words, empty without folders.

    Positions of at most so many men, without castling, are then valued by the tables: won, drawn or lost. Raises
    `InputError` for a folder that cannot be read or has no tables, and for a file that is no table.
    """
    if not folders:
        return ""
    return f"{', '.join(map(str, folders))}: tables of up to {_native.open_syzygy(folders)} men"
