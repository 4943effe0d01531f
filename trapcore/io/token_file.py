"""A secret token: from the environment, or from a file of its own. It is never part of a message."""

from pathlib import Path

from pydantic import SecretStr

from trapcore.errors import InputError

_LONGEST = 200


def token_of(
    token: SecretStr | None, token_file: Path | None, *, variable: str, wanted: str, least: int = 1
) -> SecretStr | None:
    """The token that ``variable`` gave, else that of the file; None if there is neither.

    It has ``least`` (1 or more) to 200 printable ASCII characters without a space. Raises `InputError`, which says what
    is ``wanted``, for a file that cannot be read and for text that is none.
    """
    if token is not None:
        text, where = token.get_secret_value(), variable
    elif token_file is not None:
        try:
            text, where = token_file.read_text("utf-8"), str(token_file)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise InputError(f"the token file {token_file} cannot be read: {reason}") from None
    else:
        return None
    word = text.strip()
    if not least <= len(word) <= _LONGEST or not word.isascii() or not word.isprintable() or " " in word:
        raise InputError(f"{where} holds no token: {wanted} is expected")
    return SecretStr(word)
