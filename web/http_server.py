"""The HTTP server under the application: limits on connections and the time for a request's head; answers to HEAD."""

import asyncio
from collections import Counter
from ipaddress import ip_network
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from web.limits import is_in, rate_limit_key
from web.settings import WebSettings

GRACE_SECONDS = 10
"""How long answers may still go out after a request to stop."""

MOST_CONNECTIONS = 1000
"""At the same time; beyond that a request is refused with 503."""

HEAD_SECONDS = 10.0
"""In which a request's head must have been received, from the connection or from its first byte on."""


def server_config(app: ASGIApp, web: WebSettings) -> uvicorn.Config:
    """Configuration of the server of an application."""
    return uvicorn.Config(
        app,
        http=_protocol(web),
        log_config=None,
        access_log=False,
        server_header=False,
        # Whom to believe is decided in web.limits.
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
    )


def _protocol(web: WebSettings) -> type[H11Protocol]:
    """Protocol whose connections count together; those of trusted proxies are not limited."""
    of_address: Counter[str] = Counter()
    proxies = [ip_network(proxy) for proxy in web.proxies]

    class LimitedProtocol(H11Protocol):
        _address = ""
        _head_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            peer = self.client[0] if self.client else ""
            if not is_in(peer, proxies):
                self._address = rate_limit_key(peer)
                of_address[self._address] += 1
                if of_address[self._address] > web.connections:
                    transport.abort()
                    return
            self._await_head()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._head_is_in()
            if self._address:
                of_address[self._address] -= 1
                if not of_address[self._address]:
                    del of_address[self._address]

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._head_is_in()
            elif self._head_timer is None:
                self._await_head()

        def _await_head(self) -> None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

        def _head_is_in(self) -> None:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None

    return LimitedProtocol


class HeadMiddleware:
    """ASGI middleware that answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        started = asyncio.Event()

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                started.set()

        async def receive_until_started() -> Message:
            # Nobody waits for the body, which may have no end.
            return {"type": "http.disconnect"} if started.is_set() else await receive()

        as_get: dict[str, Any] = {**scope, "method": "GET"}
        await self._app(as_get, receive_until_started, send_head)
