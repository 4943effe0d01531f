"""Limits that every request has to meet before it is handled: rate, size, duration, origin.

It is plain ASGI: the body of a response is not touched.
"""

import asyncio
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from cachetools import LRUCache
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trapline.web.problems import (
    SECURITY_HEADERS,
    Forbidden,
    MisdirectedRequest,
    Overloaded,
    RateLimited,
    RequestError,
    RequestTimeout,
    ResponseAborted,
    TooLarge,
    error_response,
)
from trapline.web.settings import WebSettings

Network = IPv4Network | IPv6Network

SMALL_BODY = 64 * 1024
"""Largest body in bytes of a request that uploads no games."""

UPLOADS = ("/api/v1/annotate", "/api/v1/annotations", "/annotate", "/report")
"""Paths to which games are uploaded."""

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""Names that always lead to this machine."""

_HOST = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
_ORIGIN = re.compile(r"null|[a-z][a-z0-9+.-]*://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE)
_SITES = ("same-origin", "same-site", "cross-site", "none")  # https://www.w3.org/TR/fetch-metadata/
_ADDRESS = "trapline.address"  # entry of a scope
_MAX_ADDRESSES = 20_000  # buckets; the least recently used one is dropped first
_SMALL_SECONDS = 20.0  # in which a small body must have been received; an upload has the minutes of an annotation
_BODIES_OF_ADDRESS = 4  # uploads that one address may be sending at the same time,
_BODIES = 16  # and all addresses
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


class BodyCount:
    """Uploads whose body is being received: their places are limited, for each address and in all."""

    def __init__(self) -> None:
        self._of_address: Counter[str] = Counter()

    def begin(self, address: str) -> Callable[[], None]:
        """A body begins; call what is returned when it ends, once or more often. Raises `Overloaded`."""
        if self._of_address[address] >= _BODIES_OF_ADDRESS or self._of_address.total() >= _BODIES:
            raise Overloaded(
                "more uploads are being sent than are taken at once; try again later", {"Retry-After": "5"}
            )
        self._of_address[address] += 1
        waiting = [address]

        def end() -> None:
            while waiting:
                self._of_address[waiting.pop()] -= 1
                self._of_address = +self._of_address

        return end


class LimitsMiddleware:
    """ASGI middleware that enforces the limits of the settings."""

    def __init__(self, app: ASGIApp, web: WebSettings) -> None:
        self._app = app
        self._web = web
        self._buckets = TokenBuckets(web.rate, web.burst) if web.rate else None
        self._proxies = [ip_network(proxy) for proxy in web.proxies]
        self._bodies = BodyCount()

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
        body_ends: Callable[[], None] = _nothing
        try:
            self._check_rate(address)
            self._check_host(headers)
            self._check_site(scope, headers)
            if scope["path"] in UPLOADS and scope["method"] == "POST":
                body_ends = self._bodies.begin(address)
            body = self._body(scope, headers, receive, body_ends)
        except RequestError as error:
            body_ends()
            # The body is not read to its end, so the connection cannot be reused.
            error.headers["Connection"] = "close"
            await _discard_body(receive)
            await error_response(error)(scope, receive, send)
            return
        # The server closes the connection of an incomplete response; that is no bug to be logged.
        try:
            with suppress(ResponseAborted):
                await self._app(scope, body, send)
        finally:
            body_ends()

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
        """Raise `MisdirectedRequest` for a name that is not this server's: a page may have had its own name lead here.

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
            raise MisdirectedRequest(
                f"this server does not answer for {host[:100]}; the setting web.hosts says for what it does"
            )

    def _check_site(self, scope: Scope, headers: Headers) -> None:
        """Raise `Forbidden` if a page of another site has a visitor's browser write or upload here."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and not _ORIGIN.fullmatch(origin):
            raise RequestError("the header Origin must be like https://chess.example")
        if site is not None and site not in _SITES:
            raise RequestError(f"the header Sec-Fetch-Site must be one of {', '.join(_SITES)}")
        if scope["method"] in ("GET", "HEAD", "OPTIONS") or (origin is not None and origin in self._web.origins):
            return
        other = origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower()
        # A page that sends no referrer has no origin either; what its browser says of the site cannot be made up.
        if (other and site != "same-origin") or site == "cross-site":
            who = origin if origin is not None else "another site"
            raise Forbidden(f"pages of {who} may not do this here; the setting web.origins names those that may")

    def _body(self, scope: Scope, headers: Headers, receive: Receive, ends: Callable[[], None]) -> Receive:
        """``receive`` with the limits on size and time; ``ends`` is called when the body is whole."""
        upload = scope["path"] in UPLOADS
        most = self._web.upload_megabytes * 1024 * 1024 if upload else SMALL_BODY
        seconds = self._web.annotation_minutes * 60 if upload else _SMALL_SECONDS
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 20:
            raise RequestError("Content-Length must be a number of bytes")
        if int(length) > most:
            raise _too_large(most)
        ends_at = time.monotonic() + seconds
        read = 0
        whole = False

        async def receive_counted() -> Message:
            nonlocal read, whole
            if whole:
                return await receive()  # waits until the client disconnects
            try:
                async with asyncio.timeout(ends_at - time.monotonic()):
                    message = await receive()
            except TimeoutError as error:
                raise RequestTimeout(f"the request was not sent within {seconds:g} seconds") from error
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                whole = not message.get("more_body", False)
                if whole:
                    ends()
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


def _nothing() -> None:
    pass


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


def _too_large(most: int) -> TooLarge:
    size = f"{most // 1024 // 1024} MiB" if most >= 1 << 20 else f"{most // 1024} KiB"
    return TooLarge("at most {size} are taken here; send larger files in pieces", size=size)
