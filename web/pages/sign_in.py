"""Signing in with lichess on a public server, and signing out."""

import hmac
import threading
from typing import Annotated

from cachetools import TTLCache
from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from lichess.oauth import SignIn
from web.problems import NotFound, RequestError
from web.profile import SESSION, SESSION_SECONDS, can_sign_in, session
from web.service import Service, service_of

router = APIRouter(include_in_schema=False)

ATTEMPT = "trapline-sign-in"
"""Name of the cookie of an attempt: what comes back from lichess must come to the browser that went there."""

ATTEMPT_SECONDS = 600
MOST_ATTEMPTS = 10_000
SECONDS = 30.0
"""Longest time for what is asked of lichess."""

Text = Annotated[str, Query(max_length=2000)]

_attempts: TTLCache[str, tuple[SignIn, str]] = TTLCache(MOST_ATTEMPTS, ATTEMPT_SECONDS)
_lock = threading.Lock()


@router.get("/sign-in")
def begin(request: Request, back: Text = "/report") -> Response:
    """Redirect to lichess, which asks whether the visitor agrees."""
    service = _service(request)
    web = service.settings.web
    attempt = SignIn.begin(web.lichess, f"{web.address}/sign-in/done")
    # Only to pages of this server.
    local = back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/report"
    with _lock:
        _attempts[attempt.state] = (attempt, local)
    answer = RedirectResponse(attempt.address(), status_code=303)
    _set(answer, service, ATTEMPT, attempt.state, ATTEMPT_SECONDS)
    return answer


@router.get("/sign-in/done")
async def done(request: Request, code: Text = "", state: Text = "", error: Text = "") -> Response:
    """Take who comes back from lichess for who he is there, and redirect to where he came from."""
    service = _service(request)
    with _lock:
        attempt, back = _attempts.pop(state, (None, ""))
    same = hmac.compare_digest(request.cookies.get(ATTEMPT, "").encode(), state.encode())
    if attempt is None or not same:
        raise RequestError("this sign-in was not begun here, or too long ago; begin again")
    if error or not code:
        raise RequestError("lichess was not allowed to say who you are; nothing was done")
    name = await service.run(request, lambda stop: attempt.name(code), seconds=SECONDS)
    answer = RedirectResponse(back, status_code=303)
    _set(answer, service, SESSION, session(name, service.session_key), SESSION_SECONDS)
    answer.delete_cookie(ATTEMPT)
    return answer


@router.post("/sign-out")
def leave(request: Request) -> Response:
    """Forget who asks."""
    answer = RedirectResponse("/report", status_code=303)
    answer.delete_cookie(SESSION)
    return answer


def _service(request: Request) -> Service:
    service = service_of(request)
    if not can_sign_in(service):
        raise NotFound("nobody can sign in here: the server is private, or the setting web.address is not set")
    return service


def _set(answer: Response, service: Service, name: str, value: str, seconds: int) -> None:
    secure = service.settings.web.address.startswith("https://")
    answer.set_cookie(name, value, max_age=seconds, httponly=True, samesite="lax", secure=secure)
    answer.headers["Cache-Control"] = "no-store"
