"""Signing in with lichess: OAuth 2 with PKCE (RFC 7636), which lichess offers without registration.

A program names itself by any client id and has no secret; it asks for no scope here, only who somebody is.
https://lichess.org/api#tag/OAuth
"""

import hashlib
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from urllib.parse import urlencode

from pydantic import SecretStr

from lichess.http import Session, refusal, translate_errors, user_agent

CLIENT = "trapline"
"""Client id; lichess lets everybody choose one."""

TIMEOUT_SECONDS = 10.0


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
        """Name of who has agreed, by the code that came back. The token that lichess gives for it is revoked at once
        and kept nowhere. Raises `LichessError`."""
        with translate_errors():
            session = Session(None, TIMEOUT_SECONDS)
            session.headers["User-Agent"] = user_agent("")
            form = {
                "grant_type": "authorization_code",
                "code": code,
                "code_verifier": self.verifier.get_secret_value(),
                "redirect_uri": self.redirect,
                "client_id": CLIENT,
            }
            try:
                answer = session.post(f"{self.url}/api/token", data=form)
                if not answer.ok:
                    raise refusal(answer)
                token = SecretStr(str(answer.json()["access_token"]))
            finally:
                session.close()
            with_token = Session(token, TIMEOUT_SECONDS)
            with_token.headers["User-Agent"] = user_agent("")
            try:
                account = with_token.get(f"{self.url}/api/account")
                if not account.ok:
                    raise refusal(account)
                return str(account.json()["username"])
            finally:
                with_token.delete(f"{self.url}/api/token").close()
                with_token.close()
