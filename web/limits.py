"""What is asked of every request before anything is done for it: how often, how much, from where.

All of it is plain ASGI: nothing here touches the body of an answer.
"""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web.problems import SECURITY, BrokenOff, Forbidden, Refusal, TooLarge, TooOften, TooSlow, problem_of
from web.settings import WebSettings

Network = IPv4Network | IPv6Network

SMALL_BODY = 64 * 1024
"""Bytes that a request may have which uploads no games."""

UPLOADS = ("/api/v1/annotate", "/api/v1/annotations", "/annotate")
"""Where games are uploaded."""

_MOST_ADDRESSES = 20_000  # that have a bucket; who is forgotten first is who has not asked for the longest time
_SMALL_SECONDS = 20.0  # in which a small body must have come
_DRAIN_SECONDS = 2.0  # in which a body that is refused may still come


class Buckets:
    """A token bucket for each address: ``burst`` at once, ``rate`` a second in the long run."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        """Addresses that have one."""
        return len(self._levels)

    def wait(self, address: str, now: float) -> float:
        """Take a token; 0, or the seconds until there will be one. ``now`` is in seconds and never goes back."""
        level, since = self._levels.pop(address, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        allowed = level >= 1.0
        self._levels[address] = (level - 1.0 if allowed else level, now)
        if len(self._levels) > _MOST_ADDRESSES:
            self._levels.popitem(last=False)
        return 0.0 if allowed else (1.0 - level) / self._rate


class Limits:
    """The limits of the settings, around an application."""

    def __init__(self, app: ASGIApp, web: WebSettings) -> None:
        self._app = app
        self._web = web
        self._buckets = Buckets(web.rate, web.burst) if web.rate else None
        self._proxies = [ip_network(proxy) for proxy in web.proxies]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a problem, or hand on with the body counted."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    told.setdefault(name, value)
            await send(message)

        try:
            self._check_rate(scope, headers)
            self._check_site(scope, headers)
            body = self._body(scope, headers, receive)
        except Refusal as refusal:
            # The body is not read to its end, so the connection cannot be used again.
            refusal.headers["Connection"] = "close"
            await _drain(receive)
            await problem_of(refusal)(scope, receive, guarded)
            return
        # What is not finished is seen to be broken: the server closes the connection. There is no bug to be logged.
        with suppress(BrokenOff):
            await self._app(scope, body, guarded)

    def _check_rate(self, scope: Scope, headers: Headers) -> None:
        if self._buckets is None:
            return
        client = scope.get("client")
        address = bucket_of(client_address(client[0] if client else "", headers, self._proxies))
        seconds = self._buckets.wait(address, time.monotonic())
        if seconds:
            raise TooOften(
                f"at most {self._web.rate:g} requests a second are answered for one address, and "
                f"{self._web.burst} at once",
                {"Retry-After": str(math.ceil(seconds))},
            )

    def _check_site(self, scope: Scope, headers: Headers) -> None:
        """A page of another site must not have a visitor's browser write or upload here."""
        origin = headers.get("origin")
        if origin is None or scope["method"] in ("GET", "HEAD", "OPTIONS") or origin in self._web.origins:
            return
        if urlsplit(origin).netloc != headers.get("host"):
            raise Forbidden(f"pages of {origin} may not do this here; the setting web.origins names those that may")

    def _body(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        upload = scope["path"] in UPLOADS
        most = self._web.upload_megabytes * 1024 * 1024 if upload else SMALL_BODY
        seconds = self._web.annotation_minutes * 60 if upload else _SMALL_SECONDS
        told = headers.get("content-length", "0")
        if not told.isdecimal() or len(told) > 20:
            raise Refusal("Content-Length must be a number of bytes")
        if int(told) > most:
            raise _too_large(most)
        end = time.monotonic() + seconds
        read = 0
        whole = False

        async def counted() -> Message:
            nonlocal read, whole
            if whole:
                return await receive()  # waits until the client goes
            try:
                async with asyncio.timeout(end - time.monotonic()):
                    message = await receive()
            except TimeoutError as error:
                raise TooSlow(f"the request was not sent within {seconds:g} seconds") from error
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                whole = not message.get("more_body", False)
                if read > most:
                    raise _too_large(most)
            return message

        return counted


async def _drain(receive: Receive) -> None:
    """Read on for a while and forget it: a connection that is closed over unread bytes is reset, and who still sends
    would see that instead of the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
                pass


def client_address(peer: str, headers: Headers, proxies: Sequence[Network]) -> str:
    """Who asks: the peer of the connection, or, if that is a trusted proxy, whom the last trusted one names."""
    address = peer
    named = [part.strip() for line in headers.getlist("x-forwarded-for") for part in line.split(",")]
    while named and _is_in(address, proxies):
        address = named.pop()
    return address


def bucket_of(address: str) -> str:
    """What shares a bucket: an IPv4 address, or the network that one client of IPv6 has for itself."""
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
