"""The HTTP server under the application: limits on connections, on the time for a request's head and on the pieces of a
body; answers to HEAD.
"""

import asyncio
import logging
import time
from ipaddress import ip_network
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from trapline.web.problems import ProblemResponse
from trapline.web.server.fair_queue import Rounds
from trapline.web.server.limits import GONE, TokenBuckets, is_in, rate_limit_key
from trapline.web.settings import WebSettings

GRACE_SECONDS = 10
"""How long answers may still go out after a request to stop."""

MOST_CONNECTIONS = 1000
"""At the same time. One more ends the oldest one of the address that has most; where all are of trusted proxies, or
each of another address, every request but one for `HEALTH` is refused with 503."""

HEALTH = "/health"
"""Paths that must still answer while others hold all connections. Else a watching program would restart the server."""

CONNECTIONS_OF_REQUEST = 2
"""Times as many connections may an address make as requests: those between are refused with an answer."""

BACKLOG = 128
"""Connections that are accepted in one round of the event loop,"""

READINGS = 16
"""and in which something is read, so that a round does not get long and new connections get into the next one."""

HEAD_SECONDS = 10.0
"""In which a request's head must have been received, from the connection or from its first byte on."""


HEAD_BYTES = 16 * 1024
"""Longest head of a request, and longest line of a body that comes in chunks."""

MOST_CHUNKS = 1000
"""Chunks of a body of which each may have a single byte;"""

LEAST_CHUNK_BYTES = 128
"""with more, so many bytes of the body have to come on each: reading a chunk takes as long as reading kilobytes."""


def server_config(app: ASGIApp, web: WebSettings) -> uvicorn.Config:
    """Configuration of the server of an application."""
    return uvicorn.Config(
        app,
        http=_protocol(web),
        log_config=None,
        access_log=False,
        # Nothing here speaks it, and a connection that was handed on would not be counted any more.
        ws="none",
        server_header=False,
        # Whom to believe is decided in web.server.limits.
        proxy_headers=False,
        # See LimitedProtocol, which lets one path through.
        limit_concurrency=None,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
    )


class StrictConnection(h11.Connection):
    """Server's side of a connection that refuses what RFC 9112 allows to refuse, and what costs more than it brings.

    A request with both Content-Length and Transfer-Encoding ends elsewhere for a proxy that goes by the other one, so
    that what follows would be taken for a request of somebody else.
    """

    def __init__(self) -> None:
        super().__init__(h11.SERVER, HEAD_BYTES)
        self._chunks = self._bytes = 0

    def _extract_next_receive_event(self) -> Any:
        # Overridden here rather than in `next_event`, which sets the state that an error leaves.
        event = super()._extract_next_receive_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("the request has both Content-Length and Transfer-Encoding")
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_end
            self._bytes += len(event.data)
            if self._chunks > MOST_CHUNKS and self._bytes < self._chunks * LEAST_CHUNK_BYTES:
                raise h11.RemoteProtocolError("the body comes in chunks that are too small")
        return event


def _protocol(web: WebSettings) -> type[H11Protocol]:
    """Protocol whose connections count together; those of trusted proxies are not limited."""
    proxies = [ip_network(proxy) for proxy in web.proxies]
    places, rounds = _Places(web), Rounds(READINGS)
    log = logging.getLogger("uvicorn.error.request")
    # With a line for each bad request their sender could fill the disk.
    log.setLevel(logging.ERROR)

    class LimitedProtocol(H11Protocol):
        _address: str | None = None  # None of a trusted proxy
        _head_timer: asyncio.TimerHandle | None = None

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.conn = StrictConnection()
            self._unread: list[bytes] = []
            self.app = self._limited(self.app)
            self.logger = log

        def _limited(self, app: ASGIApp) -> ASGIApp:
            async def limited(scope: Scope, receive: Receive, send: Send) -> None:
                cycle = self.cycle
                scope[GONE] = lambda: cycle.disconnected
                if places.are_full() and scope["path"] != HEALTH:
                    refused = ProblemResponse(503, "the server has too many connections", {"Connection": "close"})
                    await refused(scope, receive, send)
                else:
                    await app(scope, receive, send)

            return limited

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            peer = self.client[0] if self.client else ""
            self._address = None if is_in(peer, proxies) else rate_limit_key(peer)
            if places.take(self, self._address):
                self._await_head()
            else:
                transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._head_is_in()
            places.give_back(self, self._address)

        def data_received(self, data: bytes) -> None:
            self._unread.append(data)
            if len(self._unread) == 1 and not rounds.add(self._address or "", self._read):
                self.transport.pause_reading()

        def _read(self) -> None:
            """Look at what was received, in a round in which there is time for it."""
            data = b"".join(self._unread)
            self._unread.clear()
            if self.transport.is_closing():
                return
            super().data_received(data)
            if not self.flow.read_paused:
                self.transport.resume_reading()
            if self.cycle is not None and not self.cycle.response_complete:
                self._head_is_in()
            elif self._head_timer is None:
                self._await_head()

        def send_400_response(self, msg: str) -> None:
            try:
                super().send_400_response(msg)
            except h11.LocalProtocolError:  # the answer has begun already
                self.transport.abort()
            if self.cycle is not None:  # whose body was wrong: it has its answer
                self.cycle.disconnected = True
                self.cycle.message_event.set()

        def _await_head(self) -> None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

        def _head_is_in(self) -> None:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None

    return LimitedProtocol


class _Places:
    """Connections that there are, by address."""

    def __init__(self, web: WebSettings) -> None:
        self._most = web.connections
        # The oldest first.
        self._of_address: dict[str | None, dict[H11Protocol, None]] = {}
        self._rate = (
            TokenBuckets(CONNECTIONS_OF_REQUEST * web.rate, CONNECTIONS_OF_REQUEST * web.burst) if web.rate else None
        )
        self._count = 0

    def are_full(self) -> bool:
        return self._count > MOST_CONNECTIONS

    def take(self, connection: H11Protocol, address: str | None) -> bool:
        """Count a new connection, which may end another one; whether it may be there. No address has a proxy."""
        if address is not None:
            if len(self._of_address.get(address, ())) >= self._most:
                return False
            if self._rate is not None and self._rate.take(address, time.monotonic()):
                return False
        own = self._of_address.setdefault(address, {})
        own[connection] = None
        self._count += 1
        if self.are_full():
            largest = max((each for each in self._of_address if each is not None), key=self._number_of, default=None)
            if largest is not None and self._number_of(largest) > 1:
                ended = next(iter(self._of_address[largest]))
                self.give_back(ended, largest)
                ended.transport.abort()
        return True

    def give_back(self, connection: H11Protocol, address: str | None) -> None:
        """The connection has ended; a second call does nothing."""
        own = self._of_address.get(address, {})
        if connection in own:
            del own[connection]
            self._count -= 1
            if not own:
                del self._of_address[address]

    def _number_of(self, address: str | None) -> int:
        return len(self._of_address[address])


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
