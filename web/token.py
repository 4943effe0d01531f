"""The token for writing: from the environment or from a file of its own."""

from pydantic import SecretStr

from trapcore.io.token_file import token_of
from web.settings import WebSettings

MIN_LENGTH = 16
"""Characters; a shorter one could be guessed."""


def read_token(settings: WebSettings) -> SecretStr | None:
    """The token, or None if there is none. Raises `InputError` for a file that cannot be read and for a bad token."""
    return token_of(
        settings.token,
        settings.token_file,
        variable="TRAPLINE_WEB_TOKEN",
        wanted=f"one word of {MIN_LENGTH} to 200 letters and digits",
        least=MIN_LENGTH,
    )
