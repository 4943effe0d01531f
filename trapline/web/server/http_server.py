"""The HTTP server under the application: uvicorn's settings, and answers to HEAD."""

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

GRACE_SECONDS = 10
"""How long answers may still go out after a request to stop."""

MOST_CONNECTIONS = 1000
"""At the same time; what comes beyond is answered with 503."""

HEAD_BYTES = 64 * 1024
"""Longest head of a request."""


def server_config(app: ASGIApp) -> uvicorn.Config:
    """Configuration of the server of an application."""
    return uvicorn.Config(
        app,
        http="h11",
        h11_max_incomplete_event_size=HEAD_BYTES,
        log_config=None,
        # With a line for each bad request their sender could fill the disk.
        log_level="error",
        access_log=False,
        ws="none",
        server_header=False,
        # Whom to believe is decided in trapline.web.server.limits.
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
    )


class HeadMiddleware:
    """ASGI middleware that answers HEAD as GET; the server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)
