"""Limits that every request has to meet before it is handled: rate, size, host, origin.

It is plain ASGI: the body of a response is not touched.
"""

import asyncio
import math
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from cachetools import LRUCache
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trapline.web.problems import (
    SECURITY_HEADERS,
    Forbidden,
    RateLimited,
    RequestError,
    ResponseAborted,
    error_response,
)
from trapline.web.settings import WebSettings

Network = IPv4Network | IPv6Network

SMALL_BODY = 64 * 1024
"""Largest body in bytes of a request that uploads no games."""

UPLOADS = ("/api/v1/annotate", "/api/v1/annotations", "/annotate", "/report", "/repertoire")
"""Paths to which games are uploaded."""

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""Names that always lead to this machine."""

_HOST = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
_ADDRESS = "trapline.address"  # entry of a scope
_MAX_ADDRESSES = 20_000  # buckets; the least recently used one is dropped first
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

        client = scope.get("client")
        address = rate_limit_key(client_address(client[0] if client else "", headers, self._proxies))
        scope[_ADDRESS] = address
        await self._handle(scope, headers, address, receive, send_secured)

    async def _handle(self, scope: Scope, headers: Headers, address: str, receive: Receive, send: Send) -> None:
        try:
            self._check_rate(address)
            self._check_host(headers)
            self._check_site(scope, headers)
            body = self._body(scope, headers, receive)
        except RequestError as error:
            # The body is not read to its end, so the connection cannot be reused.
            error.headers["Connection"] = "close"
            await _discard_body(receive)
            await error_response(error)(scope, receive, send)
            return
        # The server closes the connection of an incomplete response; that is no bug to be logged.
        with suppress(ResponseAborted):
            await self._app(scope, body, send)

    def _check_rate(self, address: str) -> None:
        if self._buckets is None:
            return
        seconds = self._buckets.take(address, time.monotonic())
        if seconds:
            raise RateLimited(
                "at most {rate:g} requests a second are answered for one address, and {burst} at once",
                {"Retry-After": str(math.ceil(seconds))},
                rate=self._web.rate,
                burst=self._web.burst,
            )

    def _check_host(self, headers: Headers) -> None:
        """Raise `RequestError` for a name that is not this server's: a page may have had its own name lead here.

        An address is no name that somebody could have lead elsewhere.
        """
        given = headers.getlist("host")
        found = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        if found is None:
            raise RequestError("the header Host must be there once, as a name or an address, with or without a port")
        host = found["host"].lower().rstrip(".")
        web = self._web
        allowed = host in (*LOOPBACK_NAMES, web.host) or host in web.hosts
        if not allowed and not (web.public and _is_address(host.strip("[]"))):
            raise RequestError(
                f"this server does not answer for {host[:100]}; the setting web.hosts says for what it does", status=421
            )

    def _check_site(self, scope: Scope, headers: Headers) -> None:
        """Raise `Forbidden` if a page of another site has a visitor's browser write or upload here."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if scope["method"] in ("GET", "HEAD", "OPTIONS") or (origin is not None and origin in self._web.origins):
            return
        other = origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower()
        # A page that sends no referrer has no origin either; what its browser says of the site cannot be made up.
        if (other and site != "same-origin") or site == "cross-site":
            who = origin if origin is not None else "another site"
            raise Forbidden(f"pages of {who} may not do this here; the setting web.origins names those that may")

    def _body(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """``receive`` with the limit on size."""
        most = self._web.upload_megabytes * 1024 * 1024 if scope["path"] in UPLOADS else SMALL_BODY
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 20:
            raise RequestError("Content-Length must be a number of bytes")
        if int(length) > most:
            raise _too_large(most)
        read = 0

        async def receive_counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise _too_large(most)
            return message

        return receive_counted


def address_of(scope: Scope) -> str:
    """Key of the client's address, as the limits count it."""
    return str(scope.get(_ADDRESS, ""))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


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
    while named and is_in(address, proxies):
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


def is_in(address: str, networks: Sequence[Network]) -> bool:
    """Whether an address is in one of the networks; no for what is no address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in networks)


def _too_large(most: int) -> RequestError:
    size = f"{most // 1024 // 1024} MiB" if most >= 1 << 20 else f"{most // 1024} KiB"
    return RequestError("at most {size} are taken here; send larger files in pieces", status=413, size=size)
