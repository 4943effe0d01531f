"""Self-check for ``trapline service --check``: whether everything is there that the service needs.

Nothing is changed, and nothing is made that is not there yet.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from db.library.open import open_library
from lichess.api import LichessError
from lichess.client import Connection
from lichess.self_check import Finding, attempt, exposed
from lichess.token import read_token
from trapcore.errors import InputError, OutputError, TraplineError
from trapcore.settings import at_home
from trapline.service.digest_senders import mail_server
from trapline.service.jobs import JOBS
from trapline.service.settings import ServiceOptions, ServiceSettings
from trapline.service.sources.dumps import address_of

READING = "study:read"
"""Scope that private studies and broadcasts need."""

MESSAGES = "msg:write"
"""Scope that a digest by message needs."""

LEAST_SPACE = 1 << 30
"""Bytes that are to be free where games and backups are kept."""


def check(settings: ServiceOptions, connect: Callable[..., Connection] = Connection) -> Iterator[Finding]:
    """Run all checks, in the order in which the service needs things."""
    mine = settings.service
    named = [job.name for job in JOBS.values() if job.seconds(mine) > 0]
    fetching = [name for name in named if JOBS[name].fetches]
    yield Finding(
        "configuration",
        "good",
        f"jobs that run: {', '.join(named) or 'none'}" + ("" if fetching else "; nothing is named that is fetched"),
    )
    yield from _token(settings, connect)
    yield from _library(settings)
    yield from attempt("folder", lambda: check_folder(mine.folder))
    if mine.backup_hours:
        yield from attempt("backups", lambda: check_folder(mine.backup_folder or mine.folder / "backups"))
    if mine.digest_mail:
        yield from attempt("mail", lambda: _mail(mine))
    for folder in mine.folders:
        yield from attempt("watched folder", lambda folder=folder: _readable(folder, folder.is_dir()))  # type: ignore[misc]
    for dump in mine.dumps:
        if address_of(dump, mine.database_url) is None:
            path = at_home(Path(dump))
            yield from attempt("dump", lambda path=path: _readable(path, path.is_file()))  # type: ignore[misc]


def _token(settings: ServiceOptions, connect: Callable[..., Connection]) -> Iterator[Finding]:
    mine = settings.service
    try:
        token = read_token(mine)
    except TraplineError as error:
        yield Finding("token", "bad", str(error))
        return
    if token is None:
        yield Finding("token", "good", "there is none; private studies and broadcasts are not read")
        return
    yield from exposed(mine)
    lichess = connect(mine.url, token)
    try:
        scopes = lichess.scopes()
    except LichessError as error:
        yield Finding("token", "unchecked", str(error))
        return
    finally:
        lichess.close()
    if mine.digest_message and MESSAGES not in scopes:
        yield Finding("token", "bad", f"it lacks the scope {MESSAGES}, which service.digest_message needs")
    if READING in scopes:
        yield Finding("token", "good", "may read private studies and broadcasts")
    else:
        has = ", ".join(sorted(scopes - {""})) or "none, or lichess does not know the token"
        yield Finding("token", "bad", f"it lacks the scope {READING} (scopes: {has})")


def _library(settings: ServiceOptions) -> Iterator[Finding]:
    if not settings.db.exists():
        yield Finding("library", "unchecked", f"{settings.db} does not exist yet; it is made at the first start")
        return
    try:
        with open_library(settings.db, read_only=True) as library:
            counts = library.counts()
    except TraplineError as error:
        yield Finding("library", "bad", str(error))
        return
    yield Finding("library", "good", f"{settings.db}, {counts.traps:,} traps and {counts.games:,} games")


def check_folder(folder: Path) -> str:
    """The folder with its free space, for a finding. Raises `OutputError` unless the first folder on the way that is
    there can be written and has `LEAST_SPACE`.
    """
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise OutputError(f"{there} cannot be written")
    free = shutil.disk_usage(there).free
    if free < LEAST_SPACE:
        raise OutputError(f"{there} has {free / 2**20:,.0f} MiB left, which a backup or a month of games soon fills")
    return f"{folder}, {free / 2**30:,.0f} GiB free"


def _mail(mine: ServiceSettings) -> str:
    with mail_server(mine) as server:
        server.noop()
    return f"{mine.digest_mail} gets the digest by {urlsplit(mine.mail_server).hostname}"


def _readable(path: Path, is_there: bool) -> str:
    if not is_there:
        raise InputError(f"there is no {path}")
    if not os.access(path, os.R_OK):
        raise InputError(f"{path} cannot be read")
    return str(path)
