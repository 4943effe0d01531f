"""Secrets of the server: the token for writing, the key that signs the cookies of visitors, and what it signs."""

import hashlib
import hmac
import os
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
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
    return data_folder() / f"{hashlib.blake2b(library.encode(), digest_size=8).hexdigest()}{KEY_SUFFIX}"


def session_key(path: Path) -> bytes:
    """The key of the sessions, from its file, which is made where there is none, for its owner only.

    Raises `InputError` for a file that cannot be read or that holds no key, and `OutputError` if it cannot be written.
    """
    try:
        if path.parent == data_folder():
            path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(number, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
    except OSError as error:
        raise OutputError(
            f"the key of the sessions cannot be written to {path}: {error.strerror}; without it nobody can sign in"
        ) from None
    try:
        with open_regular(path) as file:
            key = file.read(KEY_BYTES + 1)
    except OSError as error:
        raise InputError(f"the key of the sessions {path} cannot be read: {error.strerror}") from None
    if len(key) != KEY_BYTES:
        raise InputError(f"{path} holds no key of sessions; remove the file, and everybody signs in again")
    return key


def sign(key: bytes, text: str, seconds: int) -> str:
    """Value of a cookie with a text that holds for so many seconds."""
    content = urlsafe_b64encode(f"{int(time.time()) + seconds} {text}".encode()).decode()
    return f"{content}.{_signature(content, key)}"


def signed_text(key: bytes, cookie: str) -> str:
    """The text of a cookie that `sign` made with this key and that has not ended; else empty."""
    content, _, signature = cookie.partition(".")
    if not hmac.compare_digest(_signature(content, key).encode(), signature.encode()):
        return ""
    ends, _, text = urlsafe_b64decode(content).decode().partition(" ")
    return text if int(ends) > time.time() else ""


def _signature(content: str, key: bytes) -> str:
    return hmac.new(key, content.encode(), hashlib.sha256).hexdigest()
