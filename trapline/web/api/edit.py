"""Routes that add and remove traps; they need the token."""

import hmac
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from db.library.library import Added, Library
from db.proof.prover import SEARCH_NODES, TrapProver
from db.traps.trap import Trap, make_trap
from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import UsageError
from trapcore.parallel.budget import Cancellation
from trapline.web.api.json_response import encode_json
from trapline.web.api.library import Slug, trap_content, trap_or_not_found
from trapline.web.api.models import NewTrap, Written
from trapline.web.api.params import WriteParams, no_params
from trapline.web.problems import Conflict, Forbidden, NotFound
from trapline.web.service import Service, service_of

router = APIRouter(prefix="/api/v1", tags=["writing"])

PROVING_SECONDS = 120.0
"""Longest time to prove a trap that is added."""

Token = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]


def check_token(request: Request, credentials: Token) -> None:
    """Raise `Forbidden` unless the request has the token of the settings."""
    token = service_of(request).token
    if token is None:
        raise Forbidden("this library is served for reading only; the server has no token for writing")
    presented = "" if credentials is None else credentials.credentials
    if not hmac.compare_digest(presented.encode(), token.get_secret_value().encode()):
        raise Forbidden("to write, the request needs the header `Authorization: Bearer TOKEN` with the server's token")


@router.post(
    "/traps",
    status_code=201,
    response_model=Written,
    dependencies=[Depends(check_token)],
    summary="Add a trap",
    responses={
        200: {"model": Written, "description": "It was there already, or took the place of another."},
        201: {"headers": {"Location": {"schema": {"type": "string"}, "description": "The trap."}}},
    },
)
async def add(new: NewTrap, params: Annotated[WriteParams, Query()], request: Request) -> Response:
    """Check a trap, prove it as far as that can be done, and store it. One that cannot be a trap is refused."""
    service = service_of(request)

    def prove(stop: Cancellation) -> Trap:
        fields = new.model_dump()
        return _proved(service, make_trap(killer_line=fields.pop("line"), **fields))

    proved = await service.search(request, prove, seconds=PROVING_SECONDS)

    def write(stop: Cancellation) -> tuple[bytes, str, Added]:
        with service.open_for_writing() as library:
            result, slug = _add(library, proved, replace=params.replace)
        service.renew_index()
        answer = {"result": result.value, "trap": trap_content(service, slug)}
        return encode_json(answer), slug, result

    body, slug, result = await service.run(request, write)
    headers = {"Location": f"{router.prefix}/traps/{slug}", "Cache-Control": "no-store"}
    return Response(body, 201 if result is Added.ADDED else 200, headers, "application/json")


@router.delete(
    "/traps/{slug}",
    status_code=204,
    dependencies=[Depends(no_params), Depends(check_token)],
    summary="Remove a trap",
)
async def remove(slug: Slug, request: Request) -> Response:
    """Take a trap out of the library, with what was seen of it in games."""
    service = service_of(request)

    def write(stop: Cancellation) -> None:
        trap_or_not_found(service, slug)
        with service.open_for_writing() as library:
            try:
                library.remove(slug)
            except UsageError as error:  # another request has removed it meanwhile
                raise NotFound(error.message) from error
        service.renew_index()

    await service.run(request, write)
    return Response(status_code=204)


def _proved(service: Service, trap: Trap) -> Trap:
    settings = service.settings
    command = settings.engine_command
    if command is None:
        return TrapProver(search_nodes=SEARCH_NODES).prove(trap)
    with UciEngine(command) as engine:
        return TrapProver(engine=engine, engine_nodes=settings.engine_nodes, search_nodes=SEARCH_NODES).prove(trap)


def _add(library: Library, trap: Trap, *, replace: bool) -> tuple[Added, str]:
    """Result of adding the trap, and the slug of the stored one."""
    try:
        result = library.add(trap, replace=replace)
    except UsageError as error:
        raise Conflict(error.message) from error
    library.record_occurrences()
    (stored,) = [known for known in library.find_by_key(trap.key) if known.bait == trap.bait]
    return result, stored.slug
