"""Secrets of the server: the token for writing, and the key that signs the sessions of signed-in visitors."""

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from pydantic import SecretStr

from trapcore.errors import InputError, OutputError
from trapcore.io.regular_file import open_regular
from trapcore.io.token_file import token_of
from trapcore.settings import data_folder
from trapline.web.settings import WebSettings

MIN_LENGTH = 16
"""Characters; a shorter one could be guessed."""

KEY_BYTES = 32
"""Length of the key of the sessions."""

KEY_SUFFIX = ".session-key"
"""Of its file."""


def read_token(settings: WebSettings) -> SecretStr | None:
    """The token, or None if there is none. Raises `InputError` for a file that cannot be read and for a bad token."""
    return token_of(
        settings.token,
        settings.token_file,
        variable="TRAPLINE_WEB_TOKEN",
        wanted=f"one word of {MIN_LENGTH} to 200 letters and digits",
        least=MIN_LENGTH,
    )


def session_key_file(library: str) -> Path:
    """Where the key of the sessions lies: beside a library that is a file; for one on a database server, whose address
    (without a password) names it, in the folder of user data of this machine."""
    if "://" not in library:
        return Path(f"{os.path.realpath(library)}{KEY_SUFFIX}")
    return data_folder() / f"{blake2b(library.encode(), digest_size=8).hexdigest()}{KEY_SUFFIX}"


def session_key(path: Path) -> bytes:
    """The key of the sessions, from its file, which is made where there is none, for its owner only.

    Raises `InputError` for a file that cannot be read, that others may read, or that holds no key, and `OutputError`
    if it cannot be written.
    """
    try:
        if not path.exists():
            if path.parent == data_folder():
                path.parent.mkdir(parents=True, exist_ok=True)
            _make_key(path)
    except OSError as error:
        raise OutputError(
            f"the key of the sessions cannot be written to {path}: {error.strerror}; without it nobody can sign in"
        ) from None
    try:
        with open_regular(path) as file:
            mode = os.fstat(file.fileno()).st_mode
            key = file.read(KEY_BYTES + 1)
    except OSError as error:
        raise InputError(f"the key of the sessions {path} cannot be read: {error.strerror}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(
            f"the key of the sessions {path} is open to others on this machine (mode {mode & 0o777:03o}), and whoever "
            "has it can sign in as anybody; remove the file, and everybody signs in again"
        )
    if len(key) != KEY_BYTES:
        raise InputError(f"{path} holds no key of sessions; remove the file, and everybody signs in again")
    return key


def _make_key(path: Path) -> None:
    """Write a new key, whole or not at all; one that another server has written meanwhile stays."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 600
    try:
        with os.fdopen(number, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()
