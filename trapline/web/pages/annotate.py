"""Pages of uploads: the form, the progress of the annotation, and the annotated games one by one."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from db.traps.terms import Event
from db.wording.languages.available import Language
from trapcore.errors import InputError, Message, UsageError
from trapline.web.api.uploads import AnnotateParams, start_upload
from trapline.web.jobs import State
from trapline.web.pages.game_viewer import GameView, view_game
from trapline.web.pages.games import GamePlace, game_page
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.problems import NotFound, RequestError, headers_of, nothing_read, status_of
from trapline.web.profile import profile_of
from trapline.web.service import service_of
from trapline.web.upload_jobs import MAX_GAMES_SHOWN, GameResult, UploadJob

router = APIRouter(include_in_schema=False)

GAMES_PER_PAGE = 25


@router.get("/annotate")
async def form(request: Request) -> Response:
    """Page with the form for an upload."""
    return _form(request, 200, "")


@router.post("/annotate")
async def upload(request: Request) -> Response:
    """Start to annotate the games of the form, and redirect to the page of the job."""
    try:
        language = Language(language_of(request).code)
        job = await start_upload(request, service_of(request), AnnotateParams(language=language))
    except (RequestError, InputError, UsageError) as error:
        answer = _form(request, status_of(error), error.message)
        answer.headers.update(headers_of(error))
        return answer
    return RedirectResponse(_job_path(job), status_code=303)


@router.get("/annotate/{id}")
async def annotated(request: Request, id: str, from_: Annotated[int, Query(alias="from", ge=0)] = 0) -> Response:
    """Page of a job: its progress, and the games with traps so far."""
    job = service_of(request).jobs.find(id, UploadJob)
    if job.state is State.DONE and job.tally.games == 1 and job.found and not from_:
        return RedirectResponse(f"{_job_path(job)}/games/1", status_code=303, headers={"Cache-Control": "no-store"})
    games = job.found[from_ : from_ + GAMES_PER_PAGE]
    left = len(job.found) > from_ + GAMES_PER_PAGE
    unread = nothing_read(job.tally.skipped) if job.state is State.DONE and not job.tally.positions else ""
    return page(
        request,
        "annotated.html",
        is_stored=False,
        annotation=job.to_dict(),
        path=_job_path(job),
        running=job.state is State.RUNNING,
        done=job.state is State.DONE,
        problem=capital(language_of(request).message(job.problem or "")),
        unread=capital(language_of(request).message(unread)),
        games=list(enumerate(games, start=from_ + 1)),
        more=address(_job_path(job), **{"from": from_ + GAMES_PER_PAGE}) if left else None,
        most=MAX_GAMES_SHOWN if len(job.found) == MAX_GAMES_SHOWN else None,
    )


@router.get("/annotate/{id}/games/{place}")
async def game(
    request: Request,
    id: str,
    place: int,
    ply: int | None = None,
    side: Annotated[str, Query(max_length=5)] = "white",
    best: bool = False,
) -> Response:
    """Page of an annotated game at one of its moves, by default at the first trap."""
    service = service_of(request)
    job = service.jobs.find(id, UploadJob)
    if not 1 <= place <= len(job.found):
        raise NotFound(
            "there are {count} games with traps in this upload, not {place}", count=len(job.found), place=place
        )
    found = job.found[place - 1]
    flipped = side == "black"
    view: GameView = await service.run(request, lambda stop: view_game(job.pgn(found), found.encoding, flipped=flipped))
    first, language = found.events[0].ply if found.events else 0, language_of(request)
    path = _job_path(job)
    return await game_page(
        request,
        view,
        place=GamePlace(
            f"{path}/games/{place}",
            [(language.text("Annotate"), "/annotate"), (language.text("games with traps"), path)],
            following=f"{path}/games/{place + 1}" if place < len(job.found) else None,
            likes={} if profile_of(request) is None else _likes(found, view),
        ),
        at=first if ply is None else ply,
        told={event.ply: event.text for event in reversed(found.events)},
        best=best,
        values=found.values,
    )


def _likes(found: GameResult, view: GameView) -> dict[int, str]:
    """Addresses of the losing moves like those of a game that is in no library: by the positions before them."""
    fell = {event.ply for event in found.events if event.event == Event.FELL and event.ply < len(view.plies)}
    return {ply: address("/mistakes", like=view.plies[ply - 1].epd) for ply in fell}


def _form(request: Request, status: int, wrong: Message | str) -> Response:
    megabytes = service_of(request).settings.web.upload_megabytes
    return page(
        request, "annotate.html", status, wrong=capital(language_of(request).message(wrong)), megabytes=megabytes
    )


def _job_path(job: UploadJob) -> str:
    return f"/annotate/{job.id}"
