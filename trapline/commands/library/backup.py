"""The commands ``trapline library backup`` and ``trapline library restore``."""

from __future__ import annotations

from typing import Annotated

import typer

from trapline.commands.options import DbOption
from trapline.commands.resources import check_outputs, default_library, open_existing


def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The copy. An older one of that name is replaced.")],
    db: DbOption = None,
) -> None:
    """Copy the library into a file, also while others write to it. The copy is checked before it gets its name."""
    from pathlib import Path

    from db.library.backup import back_up
    from trapline.commands.terminal import say

    check_outputs([file], db, databases=True)
    with open_existing(db) as opened:
        size = back_up(opened, Path(file))
    say(f"{opened.name} was copied to {file}, {size:,} bytes")


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A copy made by `trapline library backup`.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace the library that is there.")] = False,
    db: DbOption = None,
) -> None:
    """Put a backup in the library's place. It is checked first. An existing library needs --replace."""
    from pathlib import Path

    from db.library.backup import restore as put_back
    from trapcore.errors import LibraryError
    from trapline.commands.terminal import say

    if db is not None and "://" in db:
        raise LibraryError(f"{db} is on a database server: restore it with its own tool, e.g. pg_restore")
    path = put_back(Path(file), default_library() if db is None else Path(db), replace=replace)
    say(f"{path} is what {file} is now")
