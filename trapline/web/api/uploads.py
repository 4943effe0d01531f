"""Routes that annotate uploaded games.

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
from annotator.settings import Tell
from db.wording.languages.available import Language
from trapcore.errors import Message
from trapcore.measures.options import IndexedMeasure
from trapline.web.api.json_response import encode_json
from trapline.web.api.models import AnnotationStatus
from trapline.web.api.params import QueryParams, no_params, read_form
from trapline.web.jobs import State
from trapline.web.problems import (
    ClientDisconnected,
    Conflict,
    RequestError,
    ResponseAborted,
    UnprocessableContent,
    UnsupportedMediaType,
)
from trapline.web.profile import shown_games
from trapline.web.server.limits import address_of
from trapline.web.service import Service, service_of
from trapline.web.settings import WebOptions
from trapline.web.upload_jobs import POLL_SECONDS, UploadJob, annotate_upload

router = APIRouter(prefix="/api/v1", tags=["annotation"])

PGN = "application/x-chess-pgn"
PLAIN_TYPES = (
    PGN,
    "application/vnd.chess-pgn",
    "text/plain",
    "application/octet-stream",
    "application/gzip",
    "application/x-gzip",
    "application/zstd",
    "application/x-bzip2",
)
"""Media types of a body that is only the games; the compression is recognised by its first bytes."""

BATCH_BYTES = 64 * 1024
"""Size of a batch in bytes, smaller than that of the command: clients see results earlier, and may cancel earlier."""

PASTED_BYTES = 4 << 20
"""Most bytes of pasted games, which lie in memory; more go into a file."""

_DISCONNECTED = Message("the client has disconnected")

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


NO_PARAMS = [Depends(no_params)]


class AnnotateParams(QueryParams):
    """Parameters of an annotation: the options of ``trapline annotate``."""

    tell: Tell | None = Field(
        default=None,
        description="What is reported: known traps, also similar ones, also every other losing move, or all moves that "
        "cost something.",
    )
    measure: IndexedMeasure | None = Field(default=None, description="Similarity measure.")
    min_similarity: float | None = Field(
        default=None, ge=0, le=1, allow_inf_nan=False, description="How similar a position must be to be searched."
    )
    nodes: int | None = Field(
        default=None, ge=1, description="Nodes of the prover for one candidate; at most what the server's settings say."
    )
    unproved: bool = Field(default=False, description="Report also what only resembles a trap, marked as unproved.")
    side: Side = Field(default=Side.BOTH, description="Report only the moves of this side.")
    player: str | None = Field(
        default=None, min_length=1, max_length=200, description="Report only the moves of this player."
    )
    language: Language | None = Field(default=None, description="Language of the comments; the server's by default.")
    eval: bool = Field(
        default=False, description="Write also the value of every move that has none, and the accuracy of both sides."
    )

    def request(self, settings: WebOptions) -> AnalysisRequest:
        """Request to the annotator. Raises `UsageError` for options that exclude each other."""
        options = AnalysisOptions(
            tell=self.tell,
            measure=self.measure,
            min_similarity=self.min_similarity,
            nodes=min(self.nodes or settings.nodes, settings.nodes),
            unproved=self.unproved,
            language=self.language,
            selection=Selection(self.side, self.player),
            evaluations=self.eval,
        )
        request = AnalysisRequest.from_settings(settings, options)
        return replace(request, batch_bytes=min(BATCH_BYTES, request.batch_bytes))


@router.post("/annotate", responses=_GAMES, response_class=Response, openapi_extra=_BODY, summary="Annotate games")
async def annotate(params: Annotated[AnnotateParams, Query()], request: Request) -> Response:
    """Upload games and get them back annotated, while that is going on.

    The header `Link` (`rel="status"`) names the annotation, whose status tells what was found and skipped. If something
    fails after the first games were sent, the answer breaks off. Whoever hangs up ends the annotation.
    """
    service = service_of(request)
    job = await start_upload(request, service, params)
    chunks = job.stream()
    first: bytes | None = None
    try:
        first = await _first_chunk(request, job, chunks)
    except RequestError as error:
        service.jobs.remove(job)
        raise UnprocessableContent(error.message) from error
    finally:
        if first is None:
            job.cancel(_DISCONNECTED)

    async def body() -> AsyncIterator[bytes]:
        try:
            yield first or b""
            async for chunk in chunks:
                yield chunk
        except RequestError as error:
            raise ResponseAborted(str(error)) from error
        finally:
            job.cancel(_DISCONNECTED)

    headers = _download_headers() | {"Link": f'<{_status_path(job)}>; rel="status"'}
    return StreamingResponse(body(), 200, headers, PGN)


@router.post(
    "/annotations",
    status_code=202,
    response_model=AnnotationStatus,
    openapi_extra=_BODY,
    summary="Begin to annotate games",
    responses={202: {"headers": {"Location": {"schema": {"type": "string"}, "description": "Its status."}}}},
)
async def begin(params: Annotated[AnnotateParams, Query()], request: Request) -> Response:
    """Upload games; the header `Location` names the annotation, which goes on by itself."""
    job = await start_upload(request, service_of(request), params)
    headers = {"Location": _status_path(job), "Cache-Control": "no-store"}
    return Response(encode_json(job.to_dict()), 202, headers, "application/json")


@router.get(
    "/annotations/{id}", response_model=AnnotationStatus, dependencies=NO_PARAMS, summary="How far an annotation is"
)
async def status(id: str, request: Request) -> Response:
    """Games and positions so far, what was found, what was skipped and why."""
    job = service_of(request).jobs.find(id, UploadJob)
    return Response(encode_json(job.to_dict()), 200, {"Cache-Control": "no-store"}, "application/json")


@router.get(
    "/annotations/{id}/result",
    responses=_GAMES,
    response_class=Response,
    dependencies=NO_PARAMS,
    summary="Fetch annotated games",
)
async def result(id: str, request: Request) -> Response:
    """The annotated games, once they are done; until then a conflict."""
    job = service_of(request).jobs.find(id, UploadJob)
    if job.state is State.RUNNING:
        raise Conflict("it is not finished; its status tells how far it is", {"Retry-After": "1"})
    if job.state is not State.DONE:
        raise Conflict("there is no result: {reason}", reason=job.problem)
    headers = _download_headers() | {"Content-Length": str(job.written)}
    return StreamingResponse(job.stream(), 200, headers, PGN)


@router.delete("/annotations/{id}", status_code=204, dependencies=NO_PARAMS, summary="End and remove an annotation")
async def remove(id: str, request: Request) -> Response:
    """End it if it is still running, and let its result go."""
    jobs = service_of(request).jobs
    jobs.remove(jobs.find(id, UploadJob))
    return Response(status_code=204)


async def start_upload(request: Request, service: Service, params: AnnotateParams) -> UploadJob:
    """Job that annotates the upload of a request. Raises `RequestError` if it is not accepted, and `UsageError`."""
    params.request(service.settings)  # checked before anything is uploaded
    address = address_of(request.scope)
    service.jobs.check(address)
    upload, size, fields = await _read_upload(request)
    try:
        if fields:
            given = params.model_dump(exclude_unset=True)
            params = AnnotateParams.model_validate(given | dict(request.query_params) | fields)
        analysis = params.request(service.settings)
        return annotate_upload(service, upload, size, analysis, shown_games(request), address)
    except BaseException:
        upload.close()
        raise


async def _read_upload(request: Request) -> tuple[BinaryIO, int, dict[str, str]]:
    """File without a name that holds the upload, its size, and the other fields if it is a form."""
    media_type = request.headers.get("content-type", PGN).partition(";")[0].strip().lower()
    if media_type == "multipart/form-data":
        upload, size, fields = await read_games_form(request, len(AnnotateParams.model_fields))
        if upload is None:
            raise UnprocessableContent("the form has no games; add a file with them, or paste them")
        return upload, size, fields
    if media_type not in PLAIN_TYPES:
        raise UnsupportedMediaType(
            f"{media_type[:100]} is not read here: send the games as {PGN} (with curl: -H 'Content-Type: {PGN}' "
            "--data-binary @games.pgn), or as a form"
        )
    file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - the job closes it
    try:
        async for chunk in request.stream():
            file.write(chunk)
    except BaseException:
        file.close()
        raise
    return file, file.tell(), {}


async def read_games_form(request: Request, most_fields: int) -> tuple[BinaryIO | None, int, dict[str, str]]:
    """The games of a form and their size in bytes, and its other fields that are not empty, at most ``most_fields``.

    The games are a file without a name: what was uploaded, or the text of the field ``pgn``; None if there is neither.
    """
    form = await read_form(request, max_files=1, max_fields=most_fields + 1, max_part_size=PASTED_BYTES)
    # Browsers send the empty fields of a form as well.
    fields = {name: value for name, value in form.items() if isinstance(value, str) and value}
    pasted = fields.pop("pgn", "").strip()
    # A browser sends a file without a name where none was chosen.
    upload = next((value for value in form.values() if isinstance(value, UploadFile)), None)
    if upload is not None and (pasted or not upload.size):
        upload.file.close()
        if upload.size:
            raise UnprocessableContent("the form has a file and pasted games; give one of them")
    elif upload is not None:
        return upload.file, upload.size or 0, fields
    if not pasted:
        return None, 0, fields
    file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(f"{pasted}\n".encode())
    return file, file.tell(), fields


async def _first_chunk(request: Request, job: UploadJob, chunks: AsyncIterator[bytes]) -> bytes:
    """First chunk of the result, or empty. Raises `ClientDisconnected`, and `RequestError` if the job fails."""
    while job.state is State.RUNNING and not job.written:
        await asyncio.sleep(POLL_SECONDS)
        if await request.is_disconnected():
            raise ClientDisconnected
    return await anext(chunks, b"")


def _download_headers() -> dict[str, str]:
    return {"Content-Disposition": 'attachment; filename="annotated.pgn"', "Cache-Control": "no-store"}


def _status_path(job: UploadJob) -> str:
    return f"{router.prefix}/annotations/{job.id}"
