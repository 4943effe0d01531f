"""The FastAPI application: routes, middleware, and the OpenAPI description."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.openapi.utils import get_openapi

from coach.repertoire.people import ExploredPeople
from db.games.sightings import SightingPage
from db.library.library import Library
from db.library.open import made_by
from db.query.answer import HitAnswer, TrapInGames
from db.similarity.propose import LosingMove, Proposals, WinningMove
from db.traps import json_form
from db.traps.answer import TrapAnswer
from trapline.web.api import edit, monitoring, uploads
from trapline.web.api import library as library_api
from trapline.web.api.json_response import encode_json
from trapline.web.metrics import MetricsMiddleware
from trapline.web.pages.rendering import templates
from trapline.web.pages.site import add_pages
from trapline.web.problems import CONTENT_TYPE, Problem, install_error_handlers
from trapline.web.server.http_server import HeadMiddleware
from trapline.web.server.limits import LimitsMiddleware
from trapline.web.service import FetchGames, FetchStudy, Service
from trapline.web.settings import WebOptions

GZIP_LEVEL = 5
"""Compression level; a higher one takes twice the time for a few per cent."""

WRITTEN = (ExploredPeople, HitAnswer, LosingMove, Proposals, SightingPage, TrapAnswer, TrapInGames, WinningMove)
"""Dataclasses whose JSON the routes write."""


def create_app(
    library: Library,
    settings: WebOptions,
    fetch_games: FetchGames | None = None,
    fetch_study: FetchStudy | None = None,
) -> FastAPI:
    """Application that serves an open library, and closes it at shutdown; the functions are those of `Service`.

    Raises `InputError` for a token that cannot be read.
    """
    service = Service(library, settings, fetch_games, fetch_study)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        life = asyncio.create_task(service.note_life())
        yield
        life.cancel()
        service.close()

    # The usual pages of documentation load scripts from other servers; the description itself is at /openapi.json.
    app = FastAPI(
        title="trapline",
        version=made_by().removeprefix("trapline "),
        description="A library of chess traps: found by position and by name, with their proofs; and games annotated.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    install_error_handlers(app)
    for module in (library_api, edit, uploads, monitoring):
        app.include_router(module.router, responses=_PROBLEMS)
    add_pages(app)
    # The last one added is the outermost.
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=GZIP_LEVEL)
    if settings.web.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.web.origins,
            allow_methods=("GET", "HEAD", "POST", "DELETE"),
            allow_headers=("Authorization", "Content-Type", "If-None-Match"),
            expose_headers=("ETag", "Link", "Location", "Retry-After"),
        )
    app.add_middleware(HeadMiddleware)
    app.add_middleware(LimitsMiddleware, web=settings.web)
    app.add_middleware(MetricsMiddleware, metrics=service.metrics)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    _prepare(app)
    return app


def _prepare(app: FastAPI) -> None:
    """Make what takes long, before the first request: the routes with their models, JSON forms, templates.

    Nothing of it may be left to the threads of the requests: pydantic reads descriptions by parsing source, and CPython
    3.11 fails with a `SystemError` where two threads parse at once (https://github.com/python/cpython/issues/106905).
    """
    written = encode_json(app.openapi())  # once: it takes as long as many pages

    @app.get("/openapi.json", include_in_schema=False)
    async def description() -> Response:
        return Response(written, media_type="application/json")

    json_form.prepare(*WRITTEN)
    environment = templates().env
    for name in environment.list_templates():
        environment.get_template(name)


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "What went wrong (RFC 9457).",
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}


def _openapi(app: FastAPI) -> dict[str, Any]:
    """OpenAPI description, with problem details instead of FastAPI's own errors."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = found["components"]["schemas"]
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        schemas["Problem"] = Problem.model_json_schema()
        for operations in found["paths"].values():
            for operation in operations.values():
                operation["responses"].pop("422", None)
        app.openapi_schema = found
    return app.openapi_schema
