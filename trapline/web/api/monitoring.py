"""Routes for monitoring: health and metrics."""

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from db.library.library import Counts
from trapcore.errors import LibraryError
from trapcore.parallel.budget import Cancellation
from trapline.web.api.json_response import encode_json
from trapline.web.api.models import Health
from trapline.web.api.params import no_params
from trapline.web.service import service_of

router = APIRouter(tags=["monitoring"], dependencies=[Depends(no_params)])

_NO_STORE = {"Cache-Control": "no-store"}


@router.get("/health", response_model=Health, responses={503: {"model": Health}}, summary="Whether the server is well")
async def health(request: Request) -> Response:
    """200 while the library can be read, 503 with the reason otherwise."""
    service = service_of(request)
    answer = await service.run_health(request, lambda stop: service.health())
    return Response(encode_json(answer), 200 if answer["ok"] else 503, _NO_STORE, "application/json")


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    summary="Figures for Prometheus",
)
async def metrics(request: Request) -> Response:
    """Requests and their times by route and status, questions that wait, annotations, size of the library."""
    service = service_of(request)

    def count(stop: Cancellation) -> bytes:
        counts: Counts | None
        try:
            counts = service.counts()
        except LibraryError:
            counts = None  # /health reports the error; the other metrics are still valid
        return service.metrics.render(counts)

    service.metrics.waiting.set(service.pending)
    return Response(await service.run_health(request, count), 200, _NO_STORE, CONTENT_TYPE_LATEST)
