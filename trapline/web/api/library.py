"""Routes that read the library: traps, sightings, families, explorer, proposals."""

from dataclasses import asdict, replace
from pathlib import PurePath
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from coach.repertoire.people import ExploredPeople, people_of
from db.games.explorer import board_of
from db.games.explorer import explore as explored
from db.games.sightings import SightingPage, sightings
from db.library.families import families
from db.query.ahead import AheadPage, traps_ahead
from db.query.answer import PageAnswer, TrapInGames, trap_in_games
from db.query.condition import query_of
from db.query.mistakes import MistakePage, find_mistakes
from db.query.query import AheadQuery, MistakeQuery
from db.query.query import Query as LibraryQuery
from db.query.words import SearchAnswer, read_words
from db.similarity.propose import Proposals, Question
from db.traps.position_value import PositionValue
from db.traps.trap import Trap as StoredTrap
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.parallel.budget import Cancellation
from trapline.web.api.json_response import Content, json_response
from trapline.web.api.models import Families
from trapline.web.api.params import (
    ExploreParams,
    ProposeParams,
    SearchParams,
    SightingParams,
    described,
    no_params,
)
from trapline.web.problems import NotFound
from trapline.web.profile import check_player, shown_games, told_fallers
from trapline.web.service import Service, service_of

router = APIRouter(prefix="/api/v1", tags=["library"])

NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "What `If-None-Match` names is still so."}}

Slug = Annotated[str, Path(max_length=200, description="Name of a trap for programs.")]


@router.get(
    "/traps",
    response_model=PageAnswer,
    responses=NOT_MODIFIED,
    summary="Find traps",
    openapi_extra=described(LibraryQuery),
)
async def traps(request: Request) -> Response:
    """Traps by position, by name and by their fields, a page at a time; every condition that is given must hold."""
    service, query = service_of(request), query_of(LibraryQuery, request.query_params)
    check_player(request, query.player)
    return await json_response(
        request, service, lambda stop: service.query_engine.ask(query).to_dict(), search=query.similar is not None
    )


@router.get("/search", response_model=SearchAnswer, responses=NOT_MODIFIED, summary="Find traps by words")
async def search(params: Annotated[SearchParams, Query()], request: Request) -> Response:
    """Traps by what people type: names, openings, moves, a FEN, a link, plain words; and what was understood of it."""
    service, only = service_of(request), shown_games(request)

    def compute(stop: Cancellation) -> Content:
        reading = read_words(service.library, params.q, only)
        more = {"limit": str(params.limit)} | ({} if params.after is None else {"after": params.after})
        if not reading.conditions:
            return reading.to_dict() | {"query": {}, "total": 0, "next": None, "hits": [], "other_castling": []}
        return service.query_engine.ask(reading.query(**more)).to_dict() | reading.to_dict()

    return await json_response(request, service, compute, search=True)


@router.get(
    "/mistakes",
    response_model=MistakePage,
    responses=NOT_MODIFIED,
    summary="Find losing moves",
    openapi_extra=described(MistakeQuery),
)
async def mistakes(request: Request) -> Response:
    """Losing moves by what they are like, or by cause, mechanism and place: of the indexed games, on a public server of
    one's own, and those that come with trapline."""
    service, only = service_of(request), shown_games(request)
    query = query_of(MistakeQuery, request.query_params)
    return await json_response(
        request, service, lambda stop: find_mistakes(service.library, query, only).to_dict(), search=True
    )


@router.get(
    "/ahead",
    response_model=AheadPage,
    responses=NOT_MODIFIED,
    summary="Traps ahead",
    openapi_extra=described(AheadQuery),
)
async def ahead(request: Request) -> Response:
    """The traps that can still arise from an opening, a line of moves or a position, and how many fell."""
    service, query = service_of(request), query_of(AheadQuery, request.query_params)
    return await json_response(
        request, service, lambda stop: traps_ahead(service.library, query).to_dict(), search=True
    )


@router.get(
    "/traps/{slug}",
    response_model=TrapInGames,
    responses=NOT_MODIFIED,
    dependencies=[Depends(no_params)],
    summary="A trap",
)
async def trap(slug: Slug, request: Request) -> Response:
    """All that is known of one trap: line, proof, opinions, how the bait looks by depth, how often it was played."""
    service = service_of(request)
    return await json_response(request, service, lambda stop: trap_content(service, slug))


@router.get(
    "/traps/{slug}/sightings", response_model=SightingPage, responses=NOT_MODIFIED, summary="Where a trap was seen"
)
async def trap_sightings(slug: Slug, params: Annotated[SightingParams, Query()], request: Request) -> Response:
    """The games in which the trap was seen and what happened there, a page at a time; on a public server one's own."""
    service, only = service_of(request), shown_games(request)

    def compute(stop: Cancellation) -> Content:
        trap_or_not_found(service, slug)
        page = sightings(service.library, trap=slug, only=only, **params.model_dump())
        # Clients must not see the paths of the server.
        named = tuple(replace(sighting, file=PurePath(sighting.file).name) for sighting in page.sightings)
        return replace(page, sightings=named).to_dict()

    return await json_response(request, service, compute)


@router.get("/explore", response_model=ExploredPeople, responses=NOT_MODIFIED, summary="What was played")
async def explore(params: Annotated[ExploreParams, Query()], request: Request) -> Response:
    """The moves that were played in a position, how they ended, which of them are baits, and who took these; with
    ``people`` also what people of several ratings play, and what that costs."""
    service, only = service_of(request), shown_games(request)

    def compute(stop: Cancellation) -> Content:
        asked = params.model_dump(exclude={"people"})
        found, people = explored(service.library, **asked), None
        if params.people:
            people = people_of(service.library, board_of(params.fen, params.moves), found, stop)
        moves = (replace(move, fallers=told_fallers(only, move)) for move in found.moves)
        return ExploredPeople.of(replace(found, moves=tuple(moves)), people).to_dict()

    return await json_response(request, service, compute, search=params.people)


@router.get(
    "/families", response_model=Families, responses=NOT_MODIFIED, dependencies=[Depends(no_params)], summary="Families"
)
async def all_families(request: Request) -> Response:
    """The families of traps, and how many there are of each."""
    service = service_of(request)
    return await json_response(
        request, service, lambda stop: {"families": [asdict(family) for family in families(service.library)]}
    )


@router.get("/propose", response_model=Proposals, responses=NOT_MODIFIED, summary="Propose moves")
async def propose(params: Annotated[ProposeParams, Query()], request: Request) -> Response:
    """The moves that win and the moves that lose in any position, each with its proof and the known trap it is like."""
    service = service_of(request)

    def compute(stop: Cancellation) -> Content:
        nodes = min(params.nodes, service.settings.nodes)
        suggester = service.suggester(params.top, nodes, unproved=params.unproved, explain=params.explain)
        found = suggester.answer(Question(params.fen, params.bait), stop)
        return _valued(service, found, nodes, stop).to_dict()

    return await json_response(request, service, compute, search=True)


def _valued(service: Service, found: Proposals, nodes: int, stop: Cancellation) -> Proposals:
    """The proposals, made with so many nodes, with the value that the position has on every page."""
    epd = _native.epd(found.after)
    wins = []
    for move in found.wins:
        if move.win_chance is not None:
            # The search that saw it had a third of the nodes at least.
            seen = PositionValue(move.win_chance, nodes // 3, move.line, _native.TESTER_VERSION)
            move = replace(move, win_chance=service.values.keep({epd: seen}, stop)[epd].chance)
        wins.append(move)
    return replace(found, wins=tuple(wins))


def trap_content(service: Service, slug: str) -> Content:
    """A trap as an answer tells it. Raises `NotFound`, which names the nearest one, if there is none."""
    found = trap_or_not_found(service, slug)
    frequency, events = service.library.frequency(found.slug), service.library.events(found.slug)
    return trap_in_games(found, frequency, events).to_dict()


def trap_or_not_found(service: Service, slug: str) -> StoredTrap:
    """Trap of a slug. Raises `NotFound`, which names the nearest one, if there is none."""
    try:
        return service.library.trap(slug[:200])
    except UsageError as error:
        raise NotFound(error.message) from error
