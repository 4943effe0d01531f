"""Games uploaded, annotated, and looked at one by one."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from trapcore.errors import InputError, UsageError
from web.api.uploads import Options, begun
from web.pages.game_viewer import GameView, view_game
from web.pages.line_viewer import around
from web.pages.rendering import address, capital, page
from web.problems import NotFound, Refusal, status_of
from web.service import service_of
from web.upload_jobs import MOST_SHOWN, Annotation, GameFound, State

router = APIRouter(include_in_schema=False)

GAMES = 25
"""Of a page."""
_FRESH = {"Cache-Control": "no-store"}


@router.get("/annotate")
async def form(request: Request) -> Response:
    """The form for an upload."""
    return _form(request, 200, "")


@router.post("/annotate")
async def upload(request: Request) -> Response:
    """Begin to annotate the games of the form, and go to where they will be seen."""
    try:
        annotation = await begun(request, service_of(request), Options())
    except (Refusal, InputError, UsageError) as error:
        return _form(request, status_of(error), str(error))
    return RedirectResponse(_place(annotation), status_code=303)


@router.get("/annotate/{id}")
async def annotated(request: Request, id: str, from_: Annotated[int, Query(alias="from", ge=0)] = 0) -> Response:
    """How far an annotation is, and the games with traps so far."""
    annotation = service_of(request).annotations.find(id)
    games = annotation.found[from_ : from_ + GAMES]
    left = len(annotation.found) > from_ + GAMES
    answer = page(
        request,
        "annotated.html",
        annotation=annotation.content(),
        place=_place(annotation),
        running=annotation.state is State.RUNNING,
        done=annotation.state is State.DONE,
        problem=capital(annotation.problem or ""),
        games=list(enumerate(games, start=from_ + 1)),
        more=address(_place(annotation), **{"from": from_ + GAMES}) if left else None,
        most=MOST_SHOWN if len(annotation.found) == MOST_SHOWN else None,
    )
    answer.headers.update(_FRESH)
    return answer


@router.get("/annotate/{id}/games/{place}")
async def game(
    request: Request,
    id: str,
    place: int,
    ply: int | None = None,
    side: Annotated[str, Query(max_length=5)] = "white",
) -> Response:
    """One annotated game at one of its moves; first of all at the first trap."""
    service = service_of(request)
    annotation = service.annotations.find(id)
    if not 1 <= place <= len(annotation.found):
        raise NotFound(f"there are {len(annotation.found)} games with traps in this upload, not {place}")
    found = annotation.found[place - 1]
    flipped = side == "black"
    view: GameView = await service.work(
        request, lambda stop: view_game(annotation.game(found), found.encoding, flipped=flipped)
    )
    at = found.told[0].ply if ply is None else ply
    at = max(0, min(at, len(view.plies) - 1))
    path = f"{_place(annotation)}/games/{place}"

    def url(number: int, black: bool = flipped) -> str:
        return address(path, ply=str(number), side="black" if black else "")

    answer = page(
        request,
        "game.html",
        game=found,
        tags=view.tags,
        plies=view.plies,
        here=view.plies[at],
        url=url,
        told={told.ply for told in found.told},
        steppers=(*around([url(number) for number in range(len(view.plies))], at), url(at, not flipped)),
        list=_place(annotation),
        following=f"{_place(annotation)}/games/{place + 1}" if place < len(annotation.found) else None,
        elsewhere=address("/position", fen=view.plies[at].picture.fen, side="black" if flipped else ""),
        said=_said(view, at, found),
    )
    answer.headers.update(_FRESH)
    return answer


def _said(view: GameView, at: int, found: GameFound) -> str:
    """What is told of the move that was just made."""
    words = [told.words for told in found.told if told.ply == at]
    return ". ".join(words) + "." if words else view.plies[at].san or "The beginning of the game."


def _form(request: Request, status: int, wrong: str) -> Response:
    megabytes = service_of(request).settings.web.upload_megabytes
    return page(request, "annotate.html", status, wrong=capital(wrong), megabytes=megabytes)


def _place(annotation: Annotation) -> str:
    return f"/annotate/{annotation.id}"
