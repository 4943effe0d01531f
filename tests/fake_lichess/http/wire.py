"""A stream on its connection: lines, keep-alives, and what was ordered to go wrong with them."""

import asyncio
import json
import socket
import struct
from typing import NoReturn

from aiohttp import web

from tests.fake_lichess.faults import Fault, Faults
from tests.fake_lichess.http.stream import Json, Stream

#: Real seconds that a delayed line waits for another to overtake it.
OVERTAKE = 1.0
#: What can befall an answer that is no stream of events.
BREAKING = ("cut", "end", "half", "silence")


class Wire:
    """Writes one stream to one client."""

    def __init__(self, request: web.Request, faults: Faults, keep_alive: float) -> None:
        self.request = request
        self.faults = faults
        self.keep_alive = keep_alive
        self.sent = 0
        self.response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})

    async def pour(self, stream: Stream) -> web.StreamResponse:
        """Write until the stream ends, a fault ends it, or the client goes (CancelledError, or a reset)."""
        await self.response.prepare(self.request)
        delayed: bytes | None = None
        while True:
            try:
                event = await stream.next(OVERTAKE if delayed else self.keep_alive)
            except EOFError:
                break
            if event is None and delayed is not None:
                await self._write(delayed)
                delayed = None
                continue
            line = b"\n" if event is None else json.dumps(event, ensure_ascii=False).encode() + b"\n"
            fault = self.faults.on_line(self.request.path, self.sent, line)
            if fault is not None and fault.kind == "reorder" and delayed is None:
                delayed = line
                continue
            if not await (self._write(line) if fault is None else self._spoil(fault, line, event)):
                return self.response
            if delayed is not None:
                await self._write(delayed)
                delayed = None
        if delayed is not None:
            await self._write(delayed)
        await self.response.write_eof()
        return self.response

    async def pour_lines(self, content_type: str, lines: list[bytes]) -> web.StreamResponse:
        """Write an answer that is complete, line by line; what was ordered to go wrong does, as far as it can here."""
        self.response.headers["Content-Type"] = content_type
        await self.response.prepare(self.request)
        for line in lines:
            fault = self.faults.on_line(self.request.path, self.sent, line)
            if fault is not None and fault.kind in BREAKING:
                if not await self._spoil(fault, line, None):
                    return self.response
            else:
                await self._write(line)
        await self.response.write_eof()
        return self.response

    async def pour_queue(self, content_type: str, queue: "asyncio.Queue[str]") -> web.StreamResponse:
        """Write games as they come, each with empty lines behind it, until the client goes or a fault ends it."""
        self.response.headers["Content-Type"] = content_type
        await self.response.prepare(self.request)
        while True:
            try:
                line = f"{await asyncio.wait_for(queue.get(), self.keep_alive)}\n\n\n".encode()
            except TimeoutError:
                line = b"\n"
            fault = self.faults.on_line(self.request.path, self.sent, line)
            if fault is not None and fault.kind in BREAKING:
                if not await self._spoil(fault, line, None):
                    return self.response
            else:
                await self._write(line)

    async def _write(self, data: bytes) -> bool:
        self.sent += len(data)
        await self.response.write(data)
        return True

    async def _spoil(self, fault: Fault, line: bytes, event: Json | None) -> bool:
        """Write the line as ordered; False if nothing can follow."""
        if fault.kind == "cut":
            await self._write(line[: max(0, fault.after - self.sent)])
            # What was written leaves the machine before the reset does.
            await asyncio.sleep(0.02)
            reset(self.request)
        elif fault.kind == "silence":
            await asyncio.Event().wait()
        elif fault.kind == "end":
            await self.response.write_eof()
        elif fault.kind == "half":
            await self._write(line[: len(line) // 2])
            await self.response.write_eof()
        elif fault.kind == "duplicate":
            return await self._write(line + line)
        elif fault.kind == "malformed":
            return await self._write(b'{"type":"gameState","moves":"e2e4 e7\n' + line)
        elif fault.kind == "unknown":
            more = json.dumps({**(event or {}), "tomorrow": {"new": [1, None]}}, ensure_ascii=False).encode()
            return await self._write(b'{"type":"somethingNew","id":"x"}\n' + more + b"\n")
        else:
            return await self._write(line)
        return False


def drop(transport: asyncio.BaseTransport | None) -> None:
    """Reset a connection, so that its other end sees no clean end."""
    if isinstance(transport, asyncio.WriteTransport):
        connection = transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()


def reset(request: web.Request) -> NoReturn:
    """Drop the connection of a request; its handler ends here."""
    drop(request.transport)
    raise ConnectionResetError("ordered")
