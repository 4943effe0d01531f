"""Signing in with lichess on a public server, and signing out."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from db.games.accounts import SiteAccount
from trapline.web.problems import NotFound, RequestError
from trapline.web.profile import SESSION, SESSION_SECONDS, session
from trapline.web.server.limits import address_of
from trapline.web.service import Service, service_of
from trapline.web.sign_ins import ATTEMPT_SECONDS

router = APIRouter(include_in_schema=False)

ATTEMPT = "trapline-sign-in"
"""Name of the cookie of an attempt: what comes back from lichess must come to the browser that went there."""

Text = Annotated[str, Query(max_length=2000)]


@router.get("/sign-in")
async def begin(request: Request, back: Text = "/report") -> Response:
    """Redirect to lichess, which asks whether the visitor agrees."""
    service = _service(request)
    # Only to pages of this server.
    local = back if back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable() else "/report"
    address, cookie = service.sign_ins.begin(local)
    answer = RedirectResponse(address, status_code=303)
    _set(answer, service, ATTEMPT, cookie, ATTEMPT_SECONDS)
    return answer


@router.get("/sign-in/done")
async def done(request: Request, code: Text = "", state: Text = "", error: Text = "") -> Response:
    """Sign in a visitor who comes back from lichess, and redirect to where he came from."""
    service = _service(request)
    attempt, back = service.sign_ins.read(state, request.cookies.get(ATTEMPT, ""))
    if error or not code:
        raise RequestError("lichess was not allowed to say who you are; nothing was done")
    with service.sign_ins.asking(address_of(request.scope), code):
        name = await service.sign_in(request, lambda _: attempt.name(code))
    answer = RedirectResponse(back, status_code=303)
    account = SiteAccount(service.settings.web.lichess, name)
    _set(answer, service, SESSION, session(account, service.session_key), SESSION_SECONDS)
    answer.delete_cookie(ATTEMPT)
    return answer


@router.post("/sign-out")
def leave(request: Request) -> Response:
    """Sign the visitor out."""
    answer = RedirectResponse("/report", status_code=303)
    answer.delete_cookie(SESSION)
    return answer


def _service(request: Request) -> Service:
    service = service_of(request)
    if not service.settings.web.can_sign_in:
        raise NotFound("nobody can sign in here: the server is private, or the setting web.address is not set")
    return service


def _set(answer: Response, service: Service, name: str, value: str, seconds: int) -> None:
    secure = service.settings.web.address.startswith("https://")
    answer.set_cookie(name, value, max_age=seconds, httponly=True, samesite="lax", secure=secure)
    answer.headers["Cache-Control"] = "no-store"
