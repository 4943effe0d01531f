"""Signing in with lichess: OAuth 2 with PKCE (RFC 7636), which lichess offers without registration.

A program names itself by any client id and has no secret; it asks for no scope here, only who somebody is.
https://lichess.org/api#tag/OAuth
"""

import hashlib
import secrets
from base64 import urlsafe_b64encode
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Annotated, Self, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from requests import RequestException, Response

from lichess.api import LichessError
from lichess.http import Session, refusal, translate_errors, user_agent

CLIENT = "trapline"
"""Client id; lichess lets everybody choose one."""

TIMEOUT_SECONDS = 5.0
"""Of one answer, or of the next piece of one."""

NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{1,29}"
"""Pattern of the names of accounts."""


class _Answer(BaseModel):
    # Of a wrong type nothing is read, and no error repeats a token.
    model_config = ConfigDict(strict=True, hide_input_in_errors=True)


class _Grant(_Answer):
    access_token: Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,500}$")]


class _Account(_Answer):
    id: str
    username: Annotated[str, Field(pattern=rf"^{NAME}$")]

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.id != self.username.lower():
            raise ValueError("the id is not the name in small letters")
        return self


_AnswerT = TypeVar("_AnswerT", bound=_Answer)


def _read(kind: type[_AnswerT], body: bytes) -> _AnswerT:
    """An answer of lichess. Raises `ValueError`, which names the field, for one of another form."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, found['loc']))}: {found['msg']}") from None


@dataclass(frozen=True, slots=True)
class SignIn:
    """One attempt to sign in, from the way to lichess until somebody comes back from there."""

    url: str
    """Of lichess."""
    redirect: str
    """Address that lichess sends the browser back to."""
    state: str
    """What must come back with it."""
    verifier: SecretStr

    @classmethod
    def begin(cls, url: str, redirect: str) -> "SignIn":
        """New attempt with secrets of its own."""
        return cls(url.rstrip("/"), redirect, secrets.token_urlsafe(24), SecretStr(secrets.token_urlsafe(48)))

    def address(self) -> str:
        """Address at lichess to send the browser to."""
        digest = hashlib.sha256(self.verifier.get_secret_value().encode()).digest()
        params = {
            "response_type": "code",
            "client_id": CLIENT,
            "redirect_uri": self.redirect,
            "code_challenge_method": "S256",
            "code_challenge": urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "state": self.state,
        }
        return f"{self.url}/oauth?{urlencode(params)}"

    def name(self, code: str) -> str:
        """Name of the account that has agreed, by the code that came back.

        The token that lichess gives for it is revoked at once and kept nowhere. Raises `LichessError`.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": self.verifier.get_secret_value(),
            "redirect_uri": self.redirect,
            "client_id": CLIENT,
        }
        session = Session(None, TIMEOUT_SECONDS)
        session.headers["User-Agent"] = user_agent("")
        with closing(session), translate_errors():
            granted = _accepted(session.post(f"{self.url}/api/token", data=form))
            bearer = {"Authorization": f"Bearer {_read(_Grant, granted).access_token}"}
            try:
                account = _accepted(session.get(f"{self.url}/api/account", headers=bearer))
            finally:
                # Without an answer the token lapses by itself; nobody has it.
                with suppress(LichessError, RequestException):
                    session.delete(f"{self.url}/api/token", headers=bearer).close()
            return _read(_Account, account).username


def _accepted(answer: Response) -> bytes:
    if not answer.ok:
        raise refusal(answer)
    return answer.content
