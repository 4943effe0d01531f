"""Signing in with OAuth and PKCE as lichess offers it: the visitor agrees at once, or is not there."""

import hashlib
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from aiohttp import web

from tests.fake_lichess.people import Account, Refused
from tests.fake_lichess.site import Site


@dataclass(frozen=True)
class _Code:
    account: Account
    challenge: str
    redirect: str
    client: str


class OAuthRoutes:
    """Request handlers; `Site.visitor` is who sits at the browser."""

    def __init__(self, site: Site, answer: Callable[..., web.Response]) -> None:
        self.site = site
        self._answer = answer
        self._codes: dict[str, _Code] = {}

    def table(self) -> list[web.RouteDef]:
        return [
            web.get("/oauth", self.authorize),
            web.post("/api/token", self.grant),
            web.delete("/api/token", self.revoke),
        ]

    async def authorize(self, request: web.Request) -> web.StreamResponse:
        query = request.query
        if query.get("response_type") != "code" or query.get("code_challenge_method") != "S256":
            raise Refused("unsupported request", 400)
        back = {"state": query["state"]}
        if self.site.visitor is None:
            back["error"] = "access_denied"
        else:
            code = f"liu_{secrets.token_hex(8)}"
            self._codes[code] = _Code(
                self.site.visitor, query["code_challenge"], query["redirect_uri"], query["client_id"]
            )
            back["code"] = code
        raise web.HTTPSeeOther(f"{query['redirect_uri']}?{urlencode(back)}")

    async def grant(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        # A code serves once, whatever comes of it.
        code = self._codes.pop(str(form.get("code")), None)
        digest = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
        given = (challenge, form.get("redirect_uri"), form.get("client_id"), form.get("grant_type"))
        if code is None or given != (code.challenge, code.redirect, code.client, "authorization_code"):
            return self._answer({"error": "invalid_grant", "error_description": "hash of code_verifier"}, 400)
        token = self.site.token(code.account, scopes=())
        return self._answer({"token_type": "Bearer", "access_token": token.secret, "expires_in": 31_536_000})

    async def revoke(self, request: web.Request) -> web.StreamResponse:
        self.site.tokens.pop(request.headers.get("Authorization", "").partition(" ")[2], None)
        return web.Response(status=204)
