"""Server on a loopback port, in a thread of its own, with access to its faults and its record."""

import asyncio
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar
from weakref import WeakSet

from aiohttp import web

from tests.fake_lichess.faults import Fault, Faults
from tests.fake_lichess.http.published import published
from tests.fake_lichess.http.routes import Handler, Routes, answer, date_header
from tests.fake_lichess.http.wire import Wire, drop, reset
from tests.fake_lichess.people import Account, Refused, Token
from tests.fake_lichess.site import Site
from tests.fake_lichess.virtual_clock import VirtualClock

T = TypeVar("T")
#: Seconds between the lines that keep a stream alive, as lichess has it.
KEEP_ALIVE = 7.0
HOST = "127.0.0.1"


class Server:
    """Start with ``with Server() as server``; access to the state goes through ``do``.

    ``speed`` makes the site's time run faster (0: it stands until ``advance``); ``keep_alive`` is in real seconds;
    port 0 takes a free one. Every request is checked against lichess's published description, where the file is there;
    if one was not as published, leaving the block raises AssertionError, unless ``strict`` is False.
    """

    def __init__(
        self,
        port: int = 0,
        speed: float = 1.0,
        keep_alive: float = KEEP_ALIVE,
        seed: int = 0,
        strict: bool = True,
    ) -> None:
        self.port = port
        self.strict = strict
        self.published = published()
        self.keep_alive = keep_alive
        self.faults = Faults(seed=seed)
        self.site = Site(VirtualClock(speed), seed)
        self._runner: web.AppRunner | None = None
        self._listening: web.SockSite | None = None
        self._socket: socket.socket | None = None
        self._restarting: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._transports: WeakSet[asyncio.Transport] = WeakSet()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="lichess", daemon=True)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        wrong = [one.detail for one in self.site.record.of("unpublished_request")]
        if self.strict and kind is None and wrong:
            raise AssertionError(f"requests that are not as published: {'; '.join(dict.fromkeys(wrong))}")

    def do(self, work: Callable[[Site], T]) -> T:
        """Run ``work`` on the site in its own thread and give back what it returns or raises."""
        assert self._loop is not None, "the server is not running"

        async def there() -> T:
            return work(self.site)

        return asyncio.run_coroutine_threadsafe(there(), self._loop).result(timeout=30)

    def order(self, *faults: Fault) -> None:
        """Inject these faults at the next opportunity; restarts and skews happen at once."""
        for fault in faults:
            if fault.kind in ("restart", "skew"):
                self.do(lambda _, fault=fault: self._at_once(fault))  # type: ignore[misc]
            else:
                self.do(lambda _, fault=fault: self.faults.order(fault))  # type: ignore[misc]

    def advance(self, seconds: float) -> None:
        self.do(lambda site: site.clock.advance(seconds))

    def bot(self, name: str = "TrapBot", secret: str | None = None) -> tuple[Account, Token]:
        """A bot account and its token."""

        def make(site: Site) -> tuple[Account, Token]:
            account = site.join(name, "BOT")
            return account, site.token(account, secret)

        return self.do(make)

    # In the server's thread

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:
            # Raised where it can be answered: in the thread that waits for the start.
            self._failed = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        routes = Routes(self.site, lambda request: Wire(request, self.faults, self.keep_alive))

        @web.middleware
        async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                return await self._around(request, handler)
            except ConnectionResetError:
                # Nobody is left to answer, by order or because the client went.
                raise asyncio.CancelledError from None

        app = web.Application(middlewares=[around])
        app.add_routes(routes.table())
        app.on_response_prepare.append(self._date)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        try:
            await self._listen()
        except OSError as error:
            await self._runner.cleanup()
            raise OSError(f"cannot listen on {HOST}:{self.port}: {error.strerror}") from error
        self.site.base = self.url
        times = asyncio.create_task(self.site.clock.run())
        self._ready.set()
        await self._stop.wait()
        times.cancel()
        if self._restarting is not None:
            self._restarting.cancel()
        await self._end()

    async def _end(self) -> None:
        """End every connection: one whose client reads no more would otherwise outlive the loop, half closed."""
        assert self._runner is not None
        assert self._runner.server is not None
        await self._listen_no_more()
        self._transports.update(one.transport for one in self._runner.server.connections if one.transport is not None)
        await self._runner.cleanup()
        # One that waits to be written out is no longer among the connections.
        for transport in self._transports:
            transport.abort()
        await asyncio.sleep(0)

    async def _listen(self) -> None:
        assert self._runner is not None
        self._socket = socket.create_server((HOST, self.port))
        self._listening = web.SockSite(self._runner, self._socket)
        await self._listening.start()
        self.port = self._runner.addresses[-1][1]

    async def _listen_no_more(self) -> None:
        """Accept nothing first: what is accepted while the loop's server ends is never closed."""
        assert self._loop is not None
        assert self._listening is not None
        assert self._socket is not None
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket)
            # One that was accepted last takes a few turns of the loop until the server knows of it.
            for _ in range(4):
                await asyncio.sleep(0)
            await self._listening.stop()

    async def _date(self, request: web.Request, response: web.StreamResponse) -> None:
        response.headers["Date"] = date_header(self.site.clock.wall_ms())

    async def _around(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Faults, records and refusals of every request."""
        if request.transport is not None:
            self._transports.add(request.transport)
        record = self.site.record
        route = request.match_info.route.resource
        record.requests[f"{request.method} {route.canonical if route else request.path}"] += 1
        record.user_agents.add(request.headers.get("User-Agent", ""))
        await self._check_request(request)
        fault = self.faults.on_request(request.path)
        if fault is not None and (spoiled := await self._spoil(fault, request)) is not None:
            return spoiled
        try:
            done = await handler(request)
        except Refused as refused:
            return answer(refused.body, refused.status)
        except web.HTTPException as error:
            if error.status in (404, 405):
                record.add_violation(
                    "unknown_address", "", "", f"{request.method} {request.path}", self.site.clock.now()
                )
                return answer({"error": "Not found"}, error.status)
            raise
        if request.method == "POST" and self.faults.on_answer(request.path) is not None:
            reset(request)
        return done

    async def _check_request(self, request: web.Request) -> None:
        """Record what of a request is not as published."""
        if self.published is None:
            return
        kind, body = request.headers.get("Content-Type", ""), await request.read()
        for fault in self.published.faults(request.method, request.path_qs, kind, body):
            self.site.record.add_violation("unpublished_request", "", "", fault, self.site.clock.now())

    async def _spoil(self, fault: Fault, request: web.Request) -> web.StreamResponse | None:
        if fault.kind in ("restart", "skew"):
            self._at_once(fault)
            if fault.kind == "restart":
                reset(request)
        elif fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
        elif fault.kind == "401":
            return answer({"error": "No such token"}, 401)
        elif fault.kind == "500":
            return answer({"error": "Internal server error"}, 500)
        elif fault.kind in ("502", "503"):
            page = f"<html><title>{fault.kind}</title></html>"
            return web.Response(text=page, content_type="text/html", status=int(fault.kind))
        else:
            refused = answer({"error": "Too many requests. Try again later."}, 429)
            if fault.kind == "429-retry":
                refused.headers["Retry-After"] = str(max(1, round(fault.seconds)))
            return refused
        return None

    def _at_once(self, fault: Fault) -> None:
        if fault.kind == "skew":
            self.site.clock.skew = fault.seconds
        elif self._restarting is None or self._restarting.done():
            self._restarting = asyncio.create_task(self._restart(fault.seconds))

    async def _restart(self, seconds: float) -> None:
        assert self._runner is not None
        assert self._runner.server is not None
        await self._listen_no_more()
        for connection in list(self._runner.server.connections):
            drop(connection.transport)
        await asyncio.sleep(seconds)
        await self._listen()
