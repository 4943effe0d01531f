"""Routes, static files and HTML error pages of the application."""

import inspect
import re
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

from trapline.web.pages import annotate, mistakes, position, report, sign_in, start, traps
from trapline.web.pages.practise import groups, play
from trapline.web.pages.practise import routes as practise
from trapline.web.pages.preparation import drill, opponent, repertoire
from trapline.web.pages.rendering import IMMUTABLE, STATIC, language_of, page
from trapline.web.problems import ProblemResponse

_FOR_PROGRAMS = re.compile(r"/(api/|health|metrics|openapi)")
_ENGINE_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'"
_HEADINGS = {404: "Not found", 413: "Too large", 429: "Too many requests", 503: "Too busy"}

ErrorHandler = Callable[[Request, Exception], Response | Awaitable[Response]]


class _StaticFiles(StaticFiles):
    """Static files. Those of the engine have a version in their address, and browsers keep them.

    A worker obeys the policy of its own script: the engine's may compile WebAssembly, and no page may.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file."""
        answer = await super().get_response(path, scope)
        if path.startswith("engine/"):
            answer.headers["Cache-Control"] = IMMUTABLE
            if path.endswith("/stockfish.js"):
                answer.headers["Content-Security-Policy"] = _ENGINE_POLICY
        return answer


def add_pages(app: FastAPI) -> None:
    """Add the pages to an application whose error handlers are installed already."""
    practising = (practise, play, groups, repertoire, drill, opponent)
    for module in (start, traps, position, annotate, report, mistakes, *practising, sign_in):
        app.include_router(module.router)
    app.mount("/static", _StaticFiles(directory=STATIC), name="static")
    for kind, handler in list(app.exception_handlers.items()):
        app.add_exception_handler(kind, _html_error_handler(handler))


def _html_error_handler(handler: Any) -> ErrorHandler:
    """Error handler that answers as ``handler`` does, but with an HTML page for browsers."""

    async def handle(request: Request, error: Exception) -> Response:
        answer = handler(request, error)
        if inspect.isawaitable(answer):
            answer = await answer
        assert isinstance(answer, Response)
        wants_html = "text/html" in request.headers.get("accept", "")
        if _FOR_PROGRAMS.match(request.url.path) or not wants_html or not isinstance(answer, ProblemResponse):
            return answer
        error_page = page(
            request,
            "error.html",
            answer.status_code,
            heading=language_of(request).text(_HEADINGS.get(answer.status_code, "That did not work")),
            reason=answer.message,
            nearest=answer.message.values.get("nearest") if request.url.path.startswith("/traps/") else None,
        )
        for name in ("retry-after", "allow", "connection"):
            if name in answer.headers:
                error_page.headers[name] = answer.headers[name]
        error_page.headers["cache-control"] = "no-store"
        return error_page

    return handle
