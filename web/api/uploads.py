"""The interface to annotations: games are uploaded, and come back with their traps named.

``POST /annotate`` answers with the annotated games while they are made; ``POST /annotations`` answers at once and has
the result fetched when it is done. Both begin the same annotation, whose status either client can ask for: the first is
for one command in a shell, the second for a page that shows progress and for uploads that take minutes.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field
from starlette.datastructures import UploadFile

from annotator.request import AnalysisOptions, AnalysisRequest
from annotator.selection import Selection, Side
from trapcore.measures.options import MAX_DEPTH, IndexedMeasure
from trapcore.trees.chess_game import Labels
from web.api.json_response import encoded
from web.api.models import AnnotationStatus
from web.api.params import Asked, nothing_asked
from web.problems import BrokenOff, ClientGone, Refusal, Unreadable, WrongKind
from web.service import Service, service_of
from web.settings import WebOptions
from web.upload_jobs import Annotation, State

router = APIRouter(prefix="/api/v1", tags=["annotation"])

PGN = "application/x-chess-pgn"
PLAIN_KINDS = (
    PGN,
    "application/vnd.chess-pgn",
    "text/plain",
    "application/octet-stream",
    "application/gzip",
    "application/x-gzip",
    "application/zstd",
    "application/x-bzip2",
)
"""What a body that is nothing but the games may be called; what it really is, its first bytes tell."""

BATCH_BYTES = 64 * 1024
"""Games are judged in smaller batches than by the command: whoever waits sees something, and may go."""

_BEAT_SECONDS = 15.0  # so often an event goes out even if there is nothing new: proxies close what is silent
_PAUSE_SECONDS = 0.25  # between two events

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "Games as PGN, plain or packed by gzip, bzip2 or Zstandard; or a form with them as its only "
        "file, whose other fields are options.",
        "content": {
            PGN: {"schema": {"type": "string", "format": "binary"}},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": {"type": "string", "format": "binary"}},
                    "required": ["file"],
                }
            },
        },
    }
}
_GAMES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The annotated games.", "content": {PGN: {"schema": {"type": "string", "format": "binary"}}}}
}


NOTHING = [Depends(nothing_asked)]


class Options(Asked):
    """What is looked for; the options of ``trapline annotate``."""

    measure: IndexedMeasure | None = Field(default=None, description="Similarity measure.")
    depth: int | None = Field(default=None, ge=1, le=MAX_DEPTH, description="Plies of the trees that are compared.")
    labels: Labels = Field(default=Labels.UCI, description="How moves are named when they are compared.")
    captures: bool = Field(default=False, description="The captured piece belongs to the name of a move.")
    min_similarity: float | None = Field(
        default=None, ge=0, le=1, allow_inf_nan=False, description="How similar a position must be to be looked into."
    )
    nodes: int | None = Field(
        default=None, ge=1, description="Nodes of the prover for one candidate; at most what the server's settings say."
    )
    unproved: bool = Field(default=False, description="Tell also what only resembles a trap, marked as unproved.")
    side: Side = Field(default=Side.BOTH, description="Tell only what this side's moves did.")
    player: str | None = Field(
        default=None, min_length=1, max_length=200, description="Tell only what this player's moves did."
    )
    skip_plies: int = Field(default=0, ge=0, le=10_000, description="Leave the first half-moves of each game alone.")

    def request(self, settings: WebOptions) -> AnalysisRequest:
        """What the annotator is asked. Raises `UsageError` for options that exclude each other."""
        options = AnalysisOptions(
            measure=self.measure,
            depth=self.depth,
            labels=self.labels,
            captures=self.captures,
            min_similarity=self.min_similarity,
            nodes=min(self.nodes or settings.nodes, settings.nodes),
            unproved=self.unproved,
            skip_plies=self.skip_plies,
            selection=Selection(self.side, self.player),
        )
        return replace(AnalysisRequest.from_settings(settings, options), batch_bytes=BATCH_BYTES)


@router.post("/annotate", responses=_GAMES, response_class=Response, openapi_extra=_BODY, summary="Annotate games")
async def annotate(asked: Annotated[Options, Query()], request: Request) -> Response:
    """Upload games and get them back annotated, while that is going on.

    The header `Link` (`rel="status"`) names the annotation, whose status tells what was found and skipped. If something
    fails after the first games were sent, the answer breaks off. Whoever hangs up ends the annotation.
    """
    service = service_of(request)
    annotation = await begun(request, service, asked)
    pieces = annotation.follow()
    first: bytes | None = None
    try:
        first = await _first(request, annotation, pieces)
    except Refusal as refusal:
        service.annotations.remove(annotation.id)
        raise Unreadable(str(refusal)) from refusal
    finally:
        if first is None:
            annotation.end("the client has gone")

    async def body() -> AsyncIterator[bytes]:
        try:
            yield first or b""
            async for piece in pieces:
                yield piece
        except Refusal as refusal:
            raise BrokenOff(str(refusal)) from refusal
        finally:
            annotation.end("the client has gone")

    headers = _as_file() | {"Link": f'<{_place(annotation)}>; rel="status"'}
    return StreamingResponse(body(), 200, headers, PGN)


@router.post(
    "/annotations",
    status_code=202,
    response_model=AnnotationStatus,
    openapi_extra=_BODY,
    summary="Begin to annotate games",
    responses={202: {"headers": {"Location": {"schema": {"type": "string"}, "description": "Its status."}}}},
)
async def begin(asked: Annotated[Options, Query()], request: Request) -> Response:
    """Upload games; the header `Location` names the annotation, which goes on by itself."""
    annotation = await begun(request, service_of(request), asked)
    headers = {"Location": _place(annotation), "Cache-Control": "no-store"}
    return Response(encoded(annotation.content()), 202, headers, "application/json")


@router.get(
    "/annotations/{id}", response_model=AnnotationStatus, dependencies=NOTHING, summary="How far an annotation is"
)
async def status(id: str, request: Request) -> Response:
    """Games and positions so far, what was found, what was skipped and why."""
    found = service_of(request).annotations.find(id)
    return Response(encoded(found.content()), 200, {"Cache-Control": "no-store"}, "application/json")


@router.get(
    "/annotations/{id}/events",
    response_class=Response,
    responses={
        200: {"description": "Events `status`.", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    },
    dependencies=NOTHING,
    summary="Follow an annotation",
)
async def events(id: str, request: Request) -> Response:
    """The status as Server-Sent Events, each time that it changes; the last one is that of the end."""
    annotation = service_of(request).annotations.find(id)

    async def told() -> AsyncIterator[bytes]:
        while True:
            state = annotation.state
            yield b"event: status\ndata: " + encoded(annotation.content()) + b"\n\n"
            if state is not State.RUNNING:
                return
            if await annotation.news(_BEAT_SECONDS) and annotation.state is State.RUNNING:
                await asyncio.sleep(_PAUSE_SECONDS)

    return StreamingResponse(told(), 200, {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}, "text/event-stream")


@router.get(
    "/annotations/{id}/result",
    responses=_GAMES,
    response_class=Response,
    dependencies=NOTHING,
    summary="Fetch annotated games",
)
async def result(id: str, request: Request) -> Response:
    """The annotated games, once they are done; until then a conflict."""
    annotation = service_of(request).annotations.result(id)
    headers = _as_file() | {"Content-Length": str(annotation.written)}
    return StreamingResponse(annotation.follow(), 200, headers, PGN)


@router.delete("/annotations/{id}", status_code=204, dependencies=NOTHING, summary="End and remove an annotation")
async def remove(id: str, request: Request) -> Response:
    """End it if it is still running, and let its result go."""
    service_of(request).annotations.remove(id)
    return Response(status_code=204)


async def begun(request: Request, service: Service, asked: Options) -> Annotation:
    """An annotation of what is uploaded, begun. Raises `Refusal` for what is not taken, and `UsageError`."""
    annotations = service.annotations
    asked.request(service.settings)  # refused before anything is uploaded
    annotations.take_place()
    upload: BinaryIO | None = None
    try:
        upload, size, fields = await _received(request)
        if fields:
            asked = Options.model_validate(dict(request.query_params) | fields)
        return annotations.begin(upload, size, asked.request(service.settings), service.known)
    except BaseException:
        annotations.leave_place()
        if upload is not None:
            upload.close()
        raise


async def _received(request: Request) -> tuple[BinaryIO, int, dict[str, str]]:
    """The upload in a file without a name, its size, and the other fields if it is a form."""
    kind = request.headers.get("content-type", PGN).partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _form(request)
    if kind not in PLAIN_KINDS:
        raise WrongKind(
            f"{kind[:100]} is not read here: send the games as {PGN} (with curl: -H 'Content-Type: {PGN}' "
            "--data-binary @games.pgn), or as a form"
        )
    file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - the annotation closes it
    try:
        async for chunk in request.stream():
            file.write(chunk)
    except BaseException:
        file.close()
        raise
    return file, file.tell(), {}


async def _form(request: Request) -> tuple[BinaryIO, int, dict[str, str]]:
    form = await request.form(max_files=1, max_fields=len(Options.model_fields))
    files = [value for value in form.values() if isinstance(value, UploadFile)]
    if not files:
        raise Unreadable("the form has no file; add one with the games")
    # What a person leaves empty in a form is sent all the same.
    fields = {name: value for name, value in form.items() if isinstance(value, str) and value}
    return files[0].file, files[0].size or 0, fields


async def _first(request: Request, annotation: Annotation, pieces: AsyncIterator[bytes]) -> bytes:
    """The first piece of the result, empty if there is none. Raises `ClientGone`, and `Refusal` if it fails."""
    while annotation.state is State.RUNNING and not annotation.written:
        await annotation.news(0.1)
        if await request.is_disconnected():
            raise ClientGone
    return await anext(pieces, b"")


def _as_file() -> dict[str, str]:
    return {"Content-Disposition": 'attachment; filename="annotated.pgn"', "Cache-Control": "no-store"}


def _place(annotation: Annotation) -> str:
    return f"{router.prefix}/annotations/{annotation.id}"
