"""The application: its parts put together, and its life from start to stop."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.openapi.utils import get_openapi

from db.library.library import Library
from db.library.open import made_by
from web.api import edit, monitoring, uploads
from web.api import library as library_api
from web.limits import Limits
from web.metrics import Measured
from web.pages.site import add_pages
from web.problems import CONTENT_TYPE, Problem, tell_problems
from web.service import Service
from web.settings import WebOptions

GZIP_LEVEL = 5
"""Beyond it an answer takes twice as long for a few per cent."""


def create_app(library: Library, settings: WebOptions) -> FastAPI:
    """The application that serves an open library; it closes the library when it stops.

    Raises `InputError` for a token that cannot be read.
    """
    service = Service(library, settings)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    # The usual pages of documentation fetch their scripts from strangers; the description itself is at /openapi.json.
    app = FastAPI(
        title="trapline",
        version=made_by().removeprefix("trapline "),
        description="A library of chess traps: found by position and by name, with their proofs; and games annotated.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    tell_problems(app)
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
    app.add_middleware(Limits, web=settings.web)
    app.add_middleware(Measured, metrics=service.metrics)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    return app


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "What went wrong (RFC 9457).",
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}


def _described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with problems in the place of FastAPI's own errors."""
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
