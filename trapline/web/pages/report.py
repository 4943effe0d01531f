"""Pages of a player's report: the progress, his losing moves and where they are, his games, one of them."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Annotated, BinaryIO

import chess.pgn
from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, Field

from coach.report import html
from coach.report.losses import clock_band, costliest_first, time_of_day
from coach.report.patterns import PatternLinks, shown_patterns
from coach.report.reasons import REASONS, reason_name, reason_of
from coach.report.report import report as traps_report
from coach.report.summary import Summary, summary_of
from db.games.accounts import SiteAccount
from db.games.losing_moves import LostMove, lost_moves
from db.games.phases import PHASES
from db.games.stored_game import side_of, stored_game
from db.games.trap_occurrences import Games, games_of_player
from db.patterns.keys import Pattern
from db.patterns.recurring import LEAST_GAMES, Recurring, recurring
from db.query.mistakes import Answer
from db.wording.languages.grammar import Grammar
from db.wording.sentences import Narrator
from trapcore import _native
from trapcore.errors import InputError, UsageError
from trapline.web.api.uploads import read_games_form
from trapline.web.jobs import State
from trapline.web.pages.boards import Picture
from trapline.web.pages.game_viewer import MOST_PLIES, view_of
from trapline.web.pages.games import GamePlace, game_page
from trapline.web.pages.mistakes import move_url, pattern_url, small_board, told_of
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.pages.start import start_page
from trapline.web.problems import Forbidden, NotFound, RequestError, headers_of, status_of
from trapline.web.profile import SIGN_IN_FIRST, Profile, name_of, player_of, profile_of, required_profile
from trapline.web.report_jobs import MOST_FETCHED, Account, ReportJob, Site, make_report
from trapline.web.server.limits import address_of
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

MOVES_PER_PAGE = 12
"""Losing moves on a page of a report."""

SECONDS = 60.0
"""Longest time in which a report is put together."""

GAMES_PER_PAGE = 50
"""Games on a page of the list of a player's games."""

OPENINGS = 12
"""Rows of the table of openings."""

PLAYERS_ASKED = 12
"""Players of the games among whom the visitor finds himself, those with most games."""

_FIELDS = 5  # of the form, beside the games
_LONGEST_NAME = 100  # bytes of an account or its address, in place of games
_ACCOUNT = re.compile(
    rb"\s*(?:https?://)?(?:www\.)?(?:(?P<lichess>lichess\.org/@/)|(?P<chesscom>chess\.com/member/))?"
    rb"(?P<name>[\w-]{2,30})/?\s*",
    re.ASCII,
)
_NO_STORE = {"Cache-Control": "no-store"}

Name = Annotated[str, Field(max_length=200)]


@dataclass(frozen=True, slots=True)
class Part:
    """Losing moves that have something in common: a row of a table."""

    name: str
    key: str
    """Value of the parameter that shows only these."""
    count: int
    cost: float
    """Win chance that they gave away together, in whole games: 2 of the scale -1..1 are one."""
    is_chosen: bool


class Wanted(BaseModel):
    """Parameters of a report: whose, and which of his losing moves are shown."""

    player: Name = ""
    reason: Name = ""
    phase: Name = ""
    opening: Name = ""
    clock: Name = ""
    time: Name = ""
    zone: Annotated[float, Field(ge=-12, le=14)] = 0.0
    """Hours by which the player's clock is before UTC's."""
    from_: Annotated[int, Field(ge=0, alias="from")] = 0


_KINDS: tuple[tuple[str, str], ...] = (
    ("reason", "Why they lost"),
    ("phase", "Phase of the game"),
    ("opening", "Opening"),
    ("clock", "Time left"),
    ("time", "Time of day"),
)
"""Tables of the report, by their parameters."""


@router.get("/report")
async def report(request: Request, wanted: Annotated[Wanted, Query()]) -> Response:
    """Page with the report of a player; without one the start page."""
    service, profile = service_of(request), profile_of(request)
    name = wanted.player.strip()
    if profile is None or not (name or profile.name):
        return await start_page(request)
    try:
        language = language_of(request)
        work = partial(_report, service, profile, wanted, name, language)
        found = await service.run(request, lambda stop: work(), seconds=SECONDS)
    except UsageError as error:
        return await start_page(request, 400, error.message)
    return page(request, "report/report.html", is_stored=False, zone=wanted.zone, **found)  # type: ignore[arg-type]


@router.post("/report")
async def begin(request: Request) -> Response:
    """Begin to read and look through the games of the form, and redirect to the page of the job."""
    service, profile = service_of(request), profile_of(request)
    if profile is None:
        raise Forbidden(SIGN_IN_FIRST)
    client = address_of(request.scope)
    service.jobs.check(client)
    try:
        with ExitStack() as unless_begun:
            upload, size, fields = await read_games_form(request, _FIELDS)
            if upload is not None and size <= _LONGEST_NAME and (written := _written_account(upload)):
                upload.close()
                upload, fields = None, fields | written
            if upload is None:
                account = _account(service, profile, fields)
                job = make_report(service, account.name, account, client)
            else:
                unless_begun.callback(upload.close)
                if profile.name is not None:
                    raise UsageError(
                        "on a public server a report is of games that are fetched from lichess; paste none"
                    )
                job = make_report(service, fields.get("player", "")[:200].strip(), upload, client)
            unless_begun.pop_all()
    except (RequestError, InputError, UsageError) as error:
        answer = await start_page(request, status_of(error), error.message)
        answer.headers.update(headers_of(error))
        return answer
    return RedirectResponse(f"/report/jobs/{job.id}", status_code=303)


@router.get("/report/jobs/{id}")
async def progress(request: Request, id: str, player: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Page of a job: how far it is, and which player is meant; in the end it leads to the report."""
    profile = required_profile(request)
    job = service_of(request).jobs.find(id, ReportJob)
    chosen = profile.player(job.player or (player if player in job.names else ""))
    if job.state is State.DONE and chosen:
        return RedirectResponse(address("/report", player=chosen), status_code=303, headers=_NO_STORE)
    asked = [] if chosen else job.names.most_common(PLAYERS_ASKED)
    return page(
        request,
        "report/job.html",
        is_stored=False,
        job=job,
        chosen=chosen,
        least=LEAST_GAMES,
        asked=[(name, count, address(f"/report/jobs/{job.id}", player=name)) for name, count in asked],
        running=job.state is State.RUNNING,
        problem=job.problem or "",
    )


@router.get("/report/games")
async def games(
    request: Request,
    player: Annotated[str, Query(max_length=200)],
    from_: Annotated[int, Query(alias="from", ge=0)] = 0,
) -> Response:
    """Page of a player's games, the latest first, each with the losing moves that he played in it."""
    service, profile = service_of(request), required_profile(request)

    def work() -> tuple[str, Games, Counter[int]]:
        whose = player_of(service, profile, player)
        own = (move for move in _losses_of(service, whose)[0] if move.is_players)
        return name_of(whose), games_of_player(service.library, whose), Counter(move.game.id for move in own)

    try:
        name, found, lost = await service.run(request, lambda stop: work(), seconds=SECONDS)
    except UsageError as error:
        raise NotFound(error.message) from error
    latest = sorted(found.rows, key=lambda number: (found.rows[number].date, number), reverse=True)
    more = from_ + GAMES_PER_PAGE
    shown = [(found.rows[each], address(f"/games/{each}", player=name), lost[each]) for each in latest[from_:more]]
    return page(
        request,
        "report/games.html",
        is_stored=False,
        name=name,
        back=address("/report", player=name),
        total=len(latest),
        games=shown,
        more=address("/report/games", player=name, **{"from": more}) if more < len(latest) else None,
    )


@router.get("/report/traps")
async def traps(request: Request, player: Annotated[str, Query(max_length=200)]) -> Response:
    """Report on the traps of a player: what ``trapline report`` writes."""
    service, profile = service_of(request), required_profile(request)

    def work() -> str:
        whose = player_of(service, profile, player)
        names = [whose] if isinstance(whose, str) else whose
        made = traps_report(service.library, names)
        links = PatternLinks(practise=partial(_practise_url, player), page=partial(pattern_url, player=player))
        return html.page(made, language_of(request), links)

    try:
        text = await service.run(request, lambda stop: work(), seconds=SECONDS)
    except UsageError as error:
        raise NotFound(error.message) from error
    # The file has its styles and pictures in it.
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
    return HTMLResponse(text, headers={**_NO_STORE, "Content-Security-Policy": policy})


@router.get("/games/{number}")
async def game(
    request: Request,
    number: Annotated[int, Path(ge=0, le=2**63 - 1)],
    ply: int | None = None,
    side: Annotated[str, Query(max_length=5)] = "",
    player: Annotated[str, Query(max_length=200)] = "",
    best: bool = False,
) -> Response:
    """Page of a game of the library at one of its moves, by default at its first losing move."""
    service, profile = service_of(request), required_profile(request)
    language = language_of(request)
    narrator = Narrator(language)
    found = await service.run(request, lambda stop: stored_game(service.library, number, narrator))
    if found is None or not profile.may_see(found[0].headers):
        raise NotFound("there is no such game in this library")
    stored, lost = found
    own = profile.player(player)
    at = ply if ply is not None else (lost[0].move.ply if lost else 0)
    if best:
        # The comments report the findings of the search as well.
        epd = _epd_at(stored, at)
        await service.search(request, lambda stop: service.values.best(epd, stop), seconds=SECONDS)
        found = await service.run(request, lambda stop: stored_game(service.library, number, narrator)) or found
        stored, lost = found
    flipped = side == "black" or (not side and side_of(stored.headers, own) == "black")
    return await game_page(
        request,
        view_of(stored, flipped=flipped),
        place=GamePlace(
            f"/games/{number}",
            [(language.text("Report"), address("/report", player=own))],
            player,
            likes={move.move.ply: move_url(number, move.move.ply, player) for move in lost},
        ),
        at=at,
        told={move.move.ply: f"{move.number}{'.' if move.colour == 'white' else '...'}{move.san}" for move in lost},
        best=best,
    )


def _epd_at(game: chess.pgn.Game, ply: int) -> str:
    """EPD of the position after so many half-moves, or of the last one."""
    node: chess.pgn.GameNode = game
    for _ in range(min(ply, MOST_PLIES)):
        node = node.next() or node
    return _native.epd(node.board().fen())


def _written_account(upload: BinaryIO) -> dict[str, str]:
    """The fields of an account whose name or address was written in place of games; empty if it is something else."""
    upload.seek(0)
    written = _ACCOUNT.fullmatch(upload.read())
    if written is None:
        return {}
    site = Site.CHESSCOM if written["chesscom"] else Site.LICHESS if written["lichess"] else None
    return {"account": written["name"].decode(), **({} if site is None else {"site": site})}


def _account(service: Service, profile: Profile, fields: dict[str, str]) -> Account:
    """The account of the form. Raises `UsageError` for what cannot be one."""
    name = profile.player(fields.get("account", "").strip())
    if not name:
        raise UsageError("paste games, choose a file, or write the name of an account")
    if service.fetch_games is None:
        raise UsageError("this server fetches no games; give them as PGN")
    if not (2 <= len(name) <= 30 and all(letter.isascii() and (letter.isalnum() or letter in "_-") for letter in name)):
        raise UsageError("{name!r} can be no account: names have 2 to 30 letters, digits, _ and -", name=name[:40])
    site = fields.get("site", Site.LICHESS)
    if site not in tuple(Site):
        raise UsageError("games are fetched from lichess or chess.com, not from {site!r}", site=site[:40])
    if profile.name is not None and site != Site.LICHESS:
        raise UsageError("if you sign in with lichess, the report is of your games there")
    most = fields.get("most", "100")
    if not (most.isdecimal() and len(most) <= 4 and 1 <= int(most) <= MOST_FETCHED):
        raise UsageError("the number of games is from 1 to {most}, not {given!r}", most=MOST_FETCHED, given=most[:20])
    return Account(Site(site), name, int(most))


def _report(service: Service, profile: Profile, wanted: Wanted, player: str, language: Grammar) -> dict[str, object]:
    """What the page of the report shows. Raises `UsageError` if the player is in no game."""
    whose = player_of(service, profile, player)
    name = name_of(whose)
    moves, games, patterns, summary = _losses_of(service, whose)
    own = costliest_first(move for move in moves if move.is_players)
    keys: dict[str, Callable[[LostMove], Sequence[str]]] = {
        "reason": lambda move: (reason_of(move),),
        "phase": lambda move: (move.phase,),
        "opening": lambda move: (move.opening,),
        "clock": lambda move: (clock_band(move.move.clock),),
        "time": lambda move: (time_of_day(move.utc_time, wanted.zone),),
    }
    chosen = {kind: getattr(wanted, kind) for kind, _ in _KINDS if getattr(wanted, kind)}
    shown = [move for move in own if all(value in keys[kind](move) for kind, value in chosen.items())]
    here = {"player": name, "zone": f"{wanted.zone:g}" if wanted.zone else "", **chosen}
    tables = [
        {
            "kind": kind,
            "title": language.text(title),
            "rows": [
                (part, address("/report", **{**here, kind: "" if part.is_chosen else part.key}))
                for part in _parts(own, keys[kind], kind, chosen.get(kind, ""), language)
            ],
        }
        for kind, title in _KINDS
    ]
    more = wanted.from_ + MOVES_PER_PAGE
    return {
        "name": name,
        "own": profile.name is not None,
        **shown_patterns(patterns, summary, games, name, _pattern_links(name)),
        "first": not wanted.from_,
        "games": games,
        "moves": len(own),
        "punished": sum(move.move.answer == "sprung" for move in own),
        "tables": tables,
        "chosen": [_part_name(kind, value, language) for kind, value in chosen.items()],
        "all": address("/report", player=name, zone=here["zone"]),
        "shown": len(shown),
        "told": [told_of(Answer(move, None, ()), language, name, own=True) for move in shown[wanted.from_ : more]],
        "more": address("/report", **{**here, "from": more}) if more < len(shown) else None,
        "practise": address("/practise", go=1, player=name),
        "traps": address("/report/traps", player=name),
        "list": address("/report/games", player=name),
    }


_Losses = tuple[list[LostMove], int, tuple[Recurring, ...], Summary]
"""The losing moves in the games of a player, how many of these were looked through, his patterns, and what the report
begins with."""


def _losses_of(service: Service, whose: str | SiteAccount) -> _Losses:
    def found() -> _Losses:
        games = games_of_player(service.library, whose)
        moves, judged = lost_moves(service.library, games)
        return moves, judged, recurring(service.library, games, moves, judged), summary_of(games, moves)

    return service.page_cache.get(service.state(), ("losing moves", whose), found)


def _pattern_links(player: str) -> PatternLinks:
    return PatternLinks(
        picture=_picture,
        game=lambda lost: address(f"/games/{lost.game.id}", ply=lost.move.ply, player=player),
        practise=partial(_practise_url, player),
        page=partial(pattern_url, player=player),
    )


def _picture(lost: LostMove) -> tuple[str, Picture]:
    picture = small_board(lost)
    return picture.url, picture


def _practise_url(player: str, pattern: Pattern) -> str:
    return address("/practise", go=1, player=player, pattern=pattern.key)


def _part_name(kind: str, value: str, language: Grammar) -> str:
    """What a row is called, in a sentence; names of openings are what they are."""
    if kind == "reason":
        return reason_name(value, language) if value in REASONS else value
    return language.message(value)


def _parts(
    moves: Sequence[LostMove], key: Callable[[LostMove], Sequence[str]], kind: str, chosen: str, language: Grammar
) -> list[Part]:
    """The rows of a table, worst first: by the win chance that they gave away together."""
    counts: Counter[str] = Counter()
    costs: Counter[str] = Counter()
    for move in moves:
        for name in key(move):
            counts[name] += 1
            costs[name] += move.expected_cost / 2  # type: ignore[assignment]
    ordered = sorted(counts, key=lambda name: (-costs[name], -counts[name], name))
    if kind == "phase":
        ordered.sort(key=lambda name: (-costs[name], PHASES.index(name)))
    rows = ordered[:OPENINGS] if kind == "opening" else ordered
    return [
        Part(
            name=capital(_part_name(kind, name, language)),
            key=name,
            count=counts[name],
            cost=float(costs[name]),
            is_chosen=name == chosen,
        )
        for name in rows
    ]
