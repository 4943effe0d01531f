"""Problem details for errors: ``application/problem+json`` (RFC 9457), with a sentence that helps."""

import errno
import json
import logging
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from trapcore.errors import (
    EngineError,
    InputError,
    LibraryBusyError,
    LibraryError,
    Message,
    OutputError,
    TraplineError,
    UsageError,
)
from trapcore.io.plain_text import harmless

CONTENT_TYPE = "application/problem+json"

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of every answer; a page may bring its own in place of one."""

CLIENT_CLOSED_REQUEST = 499
"""Status in the metrics of a request whose client disconnected before it was answered; no client sees it."""

FAILED = Message("the server failed at this; what happened is in its log")
"""The reason that a page shows for a bug."""

STOPS = Message("the server stops")
"""The reason for work that ends because the server ends."""

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Problem(BaseModel):
    """Problem details of RFC 9457."""

    type: str = Field(default="about:blank", description="The status says what kind of problem it is.")
    title: str = Field(description="Name of the status.")
    status: int = Field(ge=400, le=599)
    detail: str = Field(description="What is wrong and what to do.")


class RequestError(TraplineError):
    """Error of a request: ``status`` is the HTTP status of the answer, ``headers`` are sent with it."""

    status = 400

    def __init__(
        self,
        template: str | Message,
        headers: Mapping[str, str] | None = None,
        /,
        *,
        status: int | None = None,
        **values: object,
    ) -> None:
        super().__init__(template, **values)
        self.headers = dict(headers or {})
        self.status = self.status if status is None else status


class Forbidden(RequestError):
    """Error 403: the token is missing or wrong, or the request comes from a page of another site."""

    status = 403


class NotFound(RequestError):
    """Error 404: there is nothing of that name."""

    status = 404


class Conflict(RequestError):
    """Error 409: the request contradicts the state of what it names."""

    status = 409


class UnsupportedMediaType(RequestError):
    """Error 415: the media type of the body is not supported."""

    status = 415


class UnprocessableContent(RequestError):
    """Error 422: the body has a supported type and cannot be read."""

    status = 422


class RateLimited(RequestError):
    """Error 429: the client sends too many requests."""

    status = 429


class Overloaded(RequestError):
    """Error 503: too many requests are pending, or this one took too long and was cancelled."""

    status = 503


class ResponseAborted(Exception):
    """A response that was sent in part cannot be completed: the connection is closed in the middle."""


class ClientDisconnected(Exception):
    """The client closed the connection before the answer."""


def status_of(error: TraplineError) -> int:
    """HTTP status of an error."""
    if isinstance(error, RequestError):
        return error.status
    known = {InputError: 422, UsageError: 400, LibraryError: 503, OutputError: 503, EngineError: 503}
    return next((status for kind, status in known.items() if isinstance(error, kind)), 500)


def headers_of(error: TraplineError) -> Mapping[str, str]:
    """Headers of the answer to an error."""
    if isinstance(error, RequestError):
        return error.headers
    return {"Retry-After": "1"} if isinstance(error, LibraryBusyError) else {}


class ProblemResponse(Response):
    """Response with problem details, which must not be cached.

    ``hint`` is for programs alone: a page shows the ``message``, in the reader's language.
    """

    def __init__(
        self,
        status: int,
        message: Message | str,
        headers: Mapping[str, str] | None = None,
        *,
        hint: str = "",
    ) -> None:
        details = Problem(title=HTTPStatus(status).phrase, status=status, detail=f"{message}{hint}")
        uncached = {"Cache-Control": "no-store", **(headers or {})}
        content = harmless(json.dumps(details.model_dump(), ensure_ascii=False))
        super().__init__(content, status, uncached, CONTENT_TYPE)
        self.message = message if isinstance(message, Message) else Message(message)


def error_response(error: TraplineError) -> ProblemResponse:
    """Response for an error of ours, with its headers."""
    return ProblemResponse(status_of(error), error.message, headers_of(error))


def install_error_handlers(app: FastAPI) -> None:
    """Exception handlers that answer every error with problem details, installed in the application."""
    app.add_exception_handler(TraplineError, _handle_error)
    for kind in (ClientDisconnected, ClientDisconnect):
        app.add_exception_handler(kind, _handle_disconnect)
    app.add_exception_handler(OSError, _handle_full_disk)
    app.add_exception_handler(RequestValidationError, _handle_validation)
    app.add_exception_handler(ValidationError, _handle_validation)
    app.add_exception_handler(HTTPException, _handle_http)
    app.add_exception_handler(Exception, _handle_bug)


def _handle_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TraplineError)
    return error_response(error)


def _handle_disconnect(request: Request, error: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED_REQUEST)


def _handle_full_disk(request: Request, error: Exception) -> Response:
    if not isinstance(error, OSError) or error.errno not in _NO_SPACE:
        return _handle_bug(request, error)
    message = Message("the server cannot store what was sent: {reason}; try again later", {"reason": error.strerror})
    return ProblemResponse(503, message, {"Retry-After": "60"})


def _handle_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError | ValidationError)
    # As for our own errors: 400 for a parameter, 422 for the content.
    of_body = any(found["loc"][:1] == ("body",) for found in error.errors())
    sentences = [_validation_message(found["loc"], found["msg"]) for found in error.errors()[:3]]
    return ProblemResponse(422 if of_body else 400, "; ".join(sentences))


def _validation_message(location: tuple[int | str, ...], message: str) -> str:
    """Message of one of pydantic's errors, with the name of the field; our own validators raise whole sentences."""
    ours = message.removeprefix("Value error, ")
    name = ".".join(str(part) for part in location if part not in ("query", "path", "body"))
    if ours != message or not name:
        return ours
    return f"{name}: {ours[0].lower()}{ours[1:]}"


def _handle_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, RequestError):  # raised while the body was read
        return error_response(error.__cause__)
    message, hint, path = Message(str(error.detail)), "", request.url.path
    if error.status_code == 404:
        message, hint = Message("there is nothing at {path}", {"path": path}), "; /openapi.json lists what there is"
    elif error.status_code == 405:
        message = Message("{method} cannot be done to {path}", {"method": request.method, "path": path})
        hint = "; /openapi.json lists what can"
    return ProblemResponse(error.status_code, message, error.headers, hint=hint)


def _handle_bug(request: Request, error: Exception) -> Response:
    logging.getLogger(__name__).error("%s %s", request.method, request.url.path, exc_info=error)
    # This handler runs outside the middleware of `trapline.web.server.limits`, which adds these headers otherwise.
    return ProblemResponse(500, FAILED, SECURITY_HEADERS)


def nothing_read(skipped: Mapping[str, int]) -> Message:
    """What is wrong with a text in which no game could be read; ``skipped`` counts by reason what was not."""
    if skipped.keys() <= {"no-game", "binary"}:
        return Message(
            'there is no game in this text; a game begins with its tags, as [White "…"], and then has its moves'
        )
    often = sorted(skipped.items(), key=lambda each: -each[1])
    reasons = tuple(
        Message("{count:,} {reason}", {"count": count, "reason": skip_reason(reason)}) for reason, count in often
    )
    return Message(
        "none of these games can be read ({reasons}); only standard chess and Chess960 are searched",
        {"reasons": reasons},
    )


def skip_reason(reason: str) -> Message:
    """Why a game was not read, for a reader."""
    return Message(reason.replace("-", " "))
