"""Limits that every request has to meet before it is handled: rate, size, duration, origin.

It is plain ASGI: the body of a response is not touched.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from cachetools import LRUCache
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web.problems import (
    SECURITY_HEADERS,
    Forbidden,
    RateLimited,
    RequestError,
    RequestTimeout,
    ResponseAborted,
    TooLarge,
    error_response,
)
from web.settings import WebSettings

Network = IPv4Network | IPv6Network

SMALL_BODY = 64 * 1024
"""Largest body in bytes of a request that uploads no games."""

UPLOADS = ("/api/v1/annotate", "/api/v1/annotations", "/annotate", "/report")
"""Paths to which games are uploaded."""

_MAX_ADDRESSES = 20_000  # buckets; the least recently used one is dropped first
_SMALL_SECONDS = 20.0  # in which a small body must have been received
_DRAIN_SECONDS = 2.0  # for which the body of a refused request is still read


class TokenBuckets:
    """Token bucket for each address: ``burst`` requests at once, ``rate`` a second in the long run."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._levels: LRUCache[str, tuple[float, float]] = LRUCache(_MAX_ADDRESSES)

    def __len__(self) -> int:
        """Number of addresses that have a bucket."""
        return len(self._levels)

    def take(self, address: str, now: float) -> float:
        """Seconds until the next token: 0 if one was taken. ``now`` is a monotonic time in seconds."""
        level, since = self._levels.get(address, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        allowed = level >= 1.0
        self._levels[address] = (level - 1.0 if allowed else level, now)
        return 0.0 if allowed else (1.0 - level) / self._rate


class LimitsMiddleware:
    """ASGI middleware that enforces the limits of the settings."""

    def __init__(self, app: ASGIApp, web: WebSettings) -> None:
        self._app = app
        self._web = web
        self._buckets = TokenBuckets(web.rate, web.burst) if web.rate else None
        self._proxies = [ip_network(proxy) for proxy in web.proxies]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or answer it with problem details if it exceeds a limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                response_headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    response_headers.setdefault(name, value)
            await send(message)

        try:
            self._check_rate(scope, headers)
            self._check_site(scope, headers)
            body = self._body(scope, headers, receive)
        except RequestError as error:
            # The body is not read to its end, so the connection cannot be reused.
            error.headers["Connection"] = "close"
            await _discard_body(receive)
            await error_response(error)(scope, receive, send_secured)
            return
        # The server closes the connection of an incomplete response; that is no bug to be logged.
        with suppress(ResponseAborted):
            await self._app(scope, body, send_secured)

    def _check_rate(self, scope: Scope, headers: Headers) -> None:
        if self._buckets is None:
            return
        client = scope.get("client")
        address = rate_limit_key(client_address(client[0] if client else "", headers, self._proxies))
        seconds = self._buckets.take(address, time.monotonic())
        if seconds:
            raise RateLimited(
                f"at most {self._web.rate:g} requests a second are answered for one address, and "
                f"{self._web.burst} at once",
                {"Retry-After": str(math.ceil(seconds))},
            )

    def _check_site(self, scope: Scope, headers: Headers) -> None:
        """Raise `Forbidden` if a page of another site has a visitor's browser write or upload here."""
        origin = headers.get("origin")
        if origin is None or scope["method"] in ("GET", "HEAD", "OPTIONS") or origin in self._web.origins:
            return
        if urlsplit(origin).netloc != headers.get("host"):
            raise Forbidden(f"pages of {origin} may not do this here; the setting web.origins names those that may")

    def _body(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        upload = scope["path"] in UPLOADS
        most = self._web.upload_megabytes * 1024 * 1024 if upload else SMALL_BODY
        seconds = self._web.annotation_minutes * 60 if upload else _SMALL_SECONDS
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 20:
            raise RequestError("Content-Length must be a number of bytes")
        if int(length) > most:
            raise _too_large(most)
        end = time.monotonic() + seconds
        read = 0
        whole = False

        async def receive_counted() -> Message:
            nonlocal read, whole
            if whole:
                return await receive()  # waits until the client disconnects
            try:
                async with asyncio.timeout(end - time.monotonic()):
                    message = await receive()
            except TimeoutError as error:
                raise RequestTimeout(f"the request was not sent within {seconds:g} seconds") from error
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                whole = not message.get("more_body", False)
                if read > most:
                    raise _too_large(most)
            return message

        return receive_counted


async def _discard_body(receive: Receive) -> None:
    """Read the rest of a body for a while: a connection closed over unread bytes is reset, and a client that is still
    sending would see that instead of the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
                pass


def client_address(peer: str, headers: Headers, proxies: Sequence[Network]) -> str:
    """Address of the client: the peer of the connection, or the one that the last trusted proxy names."""
    address = peer
    named = [part.strip() for line in headers.getlist("x-forwarded-for") for part in line.split(",")]
    while named and _is_in(address, proxies):
        address = named.pop()
    return address


def rate_limit_key(address: str) -> str:
    """Key of the token bucket: an IPv4 address, or the /64 network of an IPv6 one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ip_network((parsed, 64), strict=False))
    return str(parsed)


def _is_in(address: str, networks: Sequence[Network]) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in networks)


def _too_large(most: int) -> TooLarge:
    size = f"{most // 1024 // 1024} MiB" if most >= 1 << 20 else f"{most // 1024} KiB"
    return TooLarge(f"at most {size} are taken here; send larger files in pieces")
