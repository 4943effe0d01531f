"""Errors as whoever asked reads them: ``application/problem+json`` (RFC 9457), with a sentence that helps."""

import logging
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException

from trapcore.errors import EngineError, InputError, LibraryBusyError, LibraryError, TraplineError, UsageError

CONTENT_TYPE = "application/problem+json"

SECURITY = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of every answer; a page may bring its own in place of one."""

GONE = 499
"""Status in the metrics of a request whose client went before it was answered; nobody ever sees it."""


class Problem(BaseModel):
    """What went wrong, as RFC 9457 has it."""

    type: str = Field(default="about:blank", description="The status says what kind of problem it is.")
    title: str = Field(description="Name of the status.")
    status: int = Field(ge=400, le=599)
    detail: str = Field(description="What is wrong and what to do.")


class Refusal(TraplineError):
    """The server does not do what it is asked; ``status`` is that of the answer, ``headers`` go with it."""

    status = 400

    def __init__(self, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.headers = dict(headers or {})


class Forbidden(Refusal):
    """Not without the right token, or not from that site."""

    status = 403


class NotFound(Refusal):
    """There is nothing of that name."""

    status = 404


class TooSlow(Refusal):
    """The client took too long to send its question."""

    status = 408


class Conflict(Refusal):
    """It does not fit what is there."""

    status = 409


class TooLarge(Refusal):
    """More was sent than is taken."""

    status = 413


class WrongKind(Refusal):
    """What was sent is of a kind that is not read."""

    status = 415


class Unreadable(Refusal):
    """What was sent is of the right kind, but cannot be read."""

    status = 422


class TooOften(Refusal):
    """The client asks too often."""

    status = 429


class TooMuch(Refusal):
    """There is too much to do at the moment, or the question took too long and was ended."""

    status = 503


class BrokenOff(Exception):
    """An answer of which something has gone out already cannot be finished: the connection is closed in the middle."""


class ClientGone(Exception):
    """Whoever asked has hung up; there is nobody to answer."""


def status_of(error: TraplineError) -> int:
    """What a typed error is in HTTP."""
    if isinstance(error, Refusal):
        return error.status
    # The first that fits counts.
    known = {InputError: 422, UsageError: 400, LibraryError: 503, EngineError: 503}
    return next((status for kind, status in known.items() if isinstance(error, kind)), 500)


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that tells a problem."""
    told = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail)
    never_kept = {"Cache-Control": "no-store", **(headers or {})}
    return JSONResponse(told.model_dump(), status, never_kept, CONTENT_TYPE)


def problem_of(error: TraplineError) -> Response:
    """The answer that tells a typed error."""
    headers: Mapping[str, str] = {}
    if isinstance(error, Refusal):
        headers = error.headers
    elif isinstance(error, LibraryBusyError):
        headers = {"Retry-After": "1"}
    return problem(status_of(error), str(error), headers)


def tell_problems(app: FastAPI) -> None:
    """Have the application answer every error with a problem."""
    app.add_exception_handler(TraplineError, _typed)
    app.add_exception_handler(ClientGone, _gone)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ValidationError, _invalid)
    app.add_exception_handler(HTTPException, _other)
    app.add_exception_handler(Exception, _bug)


def _typed(request: Request, error: Exception) -> Response:
    assert isinstance(error, TraplineError)
    return problem_of(error)


def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=GONE)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError | ValidationError)
    # As for our own errors: what is wrong with a parameter is 400, what is wrong with the content 422.
    of_body = any(found["loc"][:1] == ("body",) for found in error.errors())
    sentences = [_sentence(found["loc"], found["msg"]) for found in error.errors()[:3]]
    return problem(422 if of_body else 400, "; ".join(sentences))


def _sentence(place: tuple[int | str, ...], message: str) -> str:
    """One complaint of pydantic's; our own validators complain in whole sentences."""
    ours = message.removeprefix("Value error, ")
    name = ".".join(str(part) for part in place if part not in ("query", "path", "body"))
    if ours != message or not name:
        return ours
    return f"{name}: {ours[0].lower()}{ours[1:]}"


def _other(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, Refusal):  # raised while the body was read
        return problem_of(error.__cause__)
    detail = str(error.detail)
    if error.status_code == 404:
        detail = f"there is nothing at {request.url.path}; /openapi.json lists what there is"
    elif error.status_code == 405:
        detail = f"{request.method} cannot be done to {request.url.path}; /openapi.json lists what can"
    return problem(error.status_code, detail, error.headers)


def _bug(request: Request, error: Exception) -> Response:
    logging.getLogger(__name__).error("%s %s", request.method, request.url.path, exc_info=error)
    # Answered outside of everything that `web.limits` adds.
    return problem(500, "the server failed at this; what happened is in its log", SECURITY)
