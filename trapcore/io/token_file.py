"""A secret token: from the environment, or from a file of its own. It is never part of a message."""

import os
import re
import stat
from pathlib import Path

from pydantic import SecretStr

from trapcore.errors import InputError
from trapcore.io.regular_file import open_regular

_LONGEST = 200
_MOST_BYTES = 4096


def token_of(
    token: SecretStr | None,
    token_file: Path | None,
    *,
    variable: str,
    wanted: str,
    least: int = 1,
    letters: str = "!-~",
) -> SecretStr | None:
    """The token that ``variable`` gave, else that of the file; None if there is neither.

    It has ``least`` (1 or more) to 200 of the ``letters``, a character class of regular expressions: by default all
    printable ASCII characters but the space. Raises `InputError`, which says what
    is ``wanted``, for a file that cannot be read, one that everybody may read, and for bad text.
    """
    if token is not None:
        text, where = token.get_secret_value(), variable
    elif token_file is not None:
        try:
            with open_regular(token_file) as file:
                mode = os.fstat(file.fileno()).st_mode
                text, where = file.read(_MOST_BYTES).decode(), str(token_file)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise InputError(f"the token file {token_file} cannot be read: {reason}") from None
        if mode & stat.S_IRWXO:
            raise InputError(
                f"the token file {token_file} can be read by everybody on this machine (mode {mode & 0o777:03o}); "
                f"chmod 600 {token_file}, and if anybody may have read it, take a new token"
            )
    else:
        return None
    word = text.strip()
    if not re.fullmatch(f"[{letters}]{{{least},{_LONGEST}}}", word):
        raise InputError(f"{where} holds no token: {wanted} is expected")
    return SecretStr(word)
