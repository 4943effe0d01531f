"""Pages of the library: families, openings, a trap, what is proved, and the pictures of boards."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import chess
from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, Response

from db.formats.pgn_export import trap_game
from db.games.sightings import SightingPage, sightings
from db.library.families import traps_by_family
from db.library.library import Counts
from db.query.ahead import AheadPage, TrapAhead, traps_ahead
from db.query.answer import Hit
from db.query.condition import conditions_of
from db.query.openings import NEAR, OpeningTraps, openings_with_traps
from db.query.query import MOST_HITS, AheadQuery
from db.query.query import Query as LibraryQuery
from db.traps.board_svg import draw, draw_piece
from db.traps.openings import named_positions, names_by_slug
from db.traps.position_value import Values
from db.traps.temptation import Frequency, RatingBand
from db.traps.terms import SIDES
from db.traps.trap import Trap
from db.wording.causes import advice
from db.wording.claims import is_rated, percent_of_chance, temptation
from db.wording.evidence import Evidence
from db.wording.languages.grammar import Grammar, Verbosity
from db.wording.sentences import Narrator
from trapcore import _native
from trapcore.errors import Message
from trapcore.parallel.budget import Cancellation
from trapcore.proof.causes import Mistake, explain
from trapcore.proof.verdict import Verdict
from trapline.web.api.library import trap_or_not_found
from trapline.web.pages.boards import Picture, dests, ground, with_gaps
from trapline.web.pages.game_viewer import Step, around, trap_steps
from trapline.web.pages.games import lichess_analysis, white_chance
from trapline.web.pages.plots import profile_plot
from trapline.web.pages.rendering import IMMUTABLE, address, ahead_rows, language_of, numbered, page, start_number
from trapline.web.pages.start import families_of
from trapline.web.problems import SECURITY_HEADERS, NotFound
from trapline.web.profile import profile_of, shown_games
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

FAMILIES_PER_PAGE = 10
TRAPS_OF_FAMILY = 8
"""Traps of each family there; its own page has the rest."""
TRAPS_PER_PAGE = 48
"""Traps on a page of a family."""
SIMILAR = 4
"""Similar traps beside a trap."""
SIGHTINGS_PER_PAGE = 20
BETTER_NODES = 60_000
"""Of the search for the better move of a trap on the page of an opening."""
BETTER_SEARCHES = 8
"""Such searches for one request: the next one goes on."""


@dataclass(frozen=True, slots=True)
class _TrapPage:
    trap: Trap
    frequency: Frequency
    bands: dict[RatingBand, Frequency]
    similar: list[Hit]
    sightings: SightingPage
    explanation: _native.Explanation | None
    """Of a proved trap."""
    better: str
    """The best move as far as a deep search is known, SAN; else empty."""


Text = Annotated[str, Query(max_length=200)]
Move = Annotated[str, Query(max_length=5)]
Moves = Annotated[str, Query(max_length=100)]

EMBEDDED = SECURITY_HEADERS["Content-Security-Policy"].replace("frame-ancestors 'none'", "frame-ancestors *")
"""Policy of the board that other sites may frame; it has no form, and knows nobody."""

_IMMUTABLE = {"Cache-Control": IMMUTABLE}


@router.get("/board.svg")
def board(
    fen: Text, bait: Moves = "", killer: Moves = "", last: Move = "", flipped: Move = "", plain: Move = ""
) -> Response:
    """Picture of a board. It never changes, so browsers may cache it."""
    picture = Picture(fen=fen, bait=bait, killer=killer, last=last, flipped=flipped == "1", plain=plain == "1")
    return Response(draw(picture), media_type="image/svg+xml", headers=_IMMUTABLE)


@router.get("/piece.svg")
def piece(piece: Annotated[str, Query(max_length=1)]) -> Response:
    """Picture of one piece."""
    return Response(draw_piece(piece), media_type="image/svg+xml", headers=_IMMUTABLE)


@router.get("/traps")
async def library(request: Request, family: Text = "", after: Annotated[str, Query(max_length=1000)] = "") -> Response:
    """Page of the library: families with their first traps, or all traps of one family."""
    service = service_of(request)

    def work(stop: Cancellation) -> tuple[dict[str, int], dict[str, list[Trap]], str | None, Counts]:
        known, counts = families_of(service), service.counts()
        if family:
            answer = service.query_engine.ask(LibraryQuery(family=family, limit=TRAPS_PER_PAGE, after=after or None))
            later = None if answer.next is None else address("/traps", family=family, after=answer.next)
            return known, {family: [hit.trap for hit in answer.hits]}, later, counts
        names = [name for name in known if name > after]
        found = service.page_cache.get(
            service.traps_state(),
            ("shelves", after),
            lambda: traps_by_family(service.library, names[:FAMILIES_PER_PAGE], TRAPS_OF_FAMILY),
        )
        later = address("/traps", after=names[FAMILIES_PER_PAGE - 1]) if names[FAMILIES_PER_PAGE:] else None
        return known, found, later, counts

    known, shown, later, counts = await service.run(request, work)
    return page(
        request,
        "traps.html",
        chosen=family,
        beginning=not after,
        families=known,
        shelves=shown,
        later=later,
        counts=counts,
        most=TRAPS_OF_FAMILY,
    )


@router.get("/traps/{slug}.pgn")
async def trap_pgn(request: Request, slug: str) -> Response:
    """Trap as a game in PGN."""
    trap = await _trap(request, slug)
    return PlainTextResponse(trap_game(trap), headers=_file(f"{slug}.pgn"), media_type="application/x-chess-pgn")


@router.get("/traps/{slug}.svg")
async def trap_picture(request: Request, slug: str) -> Response:
    """Trap as a picture with its arrows."""
    trap = await _trap(request, slug)
    picture = Picture(fen=trap.epd, bait=trap.bait, killer=trap.killer_line[0])
    return Response(draw(picture), media_type="image/svg+xml", headers=_file(f"{slug}.svg"))


@router.get("/traps/{slug}/embed")
async def embedded(
    request: Request, slug: str, ply: int = 0, side: Annotated[str, Query(max_length=5)] = "white"
) -> Response:
    """Board of a trap with its steps alone, which pages of other sites may frame."""
    trap, flipped, language = await _trap(request, slug), side == "black", language_of(request)
    path = f"/traps/{slug}/embed"
    steps = trap_steps(trap, language, flipped=flipped, path=path)
    step = steps[max(0, min(ply, len(steps) - 1))]
    turned = trap_steps(trap, language, flipped=not flipped, path=path)[step.ply].url
    answer = page(
        request,
        "embed.html",
        trap=trap,
        step=step,
        ground=ground(step.picture),
        steppers=(*around([each.url for each in steps], step.ply), turned),
    )
    answer.headers["Content-Security-Policy"] = EMBEDDED
    return answer


@router.get("/traps/{slug}")
async def trap(
    request: Request,
    slug: str,
    ply: int = 0,
    side: Annotated[str, Query(max_length=5)] = "white",
    after: Annotated[str, Query(max_length=1000)] = "",
) -> Response:
    """Page of a trap at one of its steps: board, proof, temptation, games, similar traps."""
    service, only = service_of(request), shown_games(request)
    least = service.settings.least_similarity

    def load() -> _TrapPage:
        trap = trap_or_not_found(service, slug)
        # The trap itself is the first hit of its position.
        query = LibraryQuery(fen=trap.epd, similar=SIMILAR + 1, min_similarity=least, limit=SIMILAR + 1)
        similar = service.query_engine.ask(query).hits
        return _TrapPage(
            trap,
            service.library.frequency(slug),
            service.library.frequencies_by_rating(slug).get(slug, {}),
            [hit for hit in similar if hit.trap.slug != slug][:SIMILAR],
            sightings(service.library, trap=slug, only=only, limit=SIGHTINGS_PER_PAGE, after=after or None),
            _explanation(trap),
            _better(trap, service.values.known([trap.epd])),
        )

    flipped, language = side == "black", language_of(request)

    def look(stop: Cancellation) -> tuple[_TrapPage, list[Step], Step, float]:
        found = service.page_cache.get(service.state(), (slug, after, only), load)
        steps = trap_steps(found.trap, language, flipped=flipped)
        step = steps[max(0, min(ply, len(steps) - 1))]
        return found, steps, step, white_chance(service, step.picture.fen, stop)

    found, steps, step, chance = await service.run(request, look)
    trap = found.trap
    turned = trap_steps(trap, language, flipped=not flipped)[step.ply].url
    path, following = f"/traps/{slug}", found.sightings.next
    plot = None if trap.profile is None else profile_plot(trap.profile, steps[1].san, language)
    return page(
        request,
        "trap.html",
        trap=trap,
        steps=steps,
        step=step,
        chance=percent_of_chance(chance),
        ground=_ground(trap, steps, step),
        embed=f"{request.base_url}traps/{slug}/embed",
        lichess=lichess_analysis(step.picture.fen, flipped=flipped),
        steppers=(*around([each.url for each in steps], step.ply), turned),
        elsewhere=address("/position", fen=step.picture.fen, side="black" if flipped else ""),
        from_start=address("/position", moves=trap.moves, side="black" if flipped else "") if trap.moves else None,
        why=_why(trap, found.explanation, language),
        avoid=_advice(found.explanation, language),
        better=found.better,
        like=None if profile_of(request) is None else address("/mistakes", like=slug),
        plot=plot,
        tempting=temptation(trap.profile, found.frequency, language),
        victim=language.sides[trap.victim == "white"],
        frequency=found.frequency,
        bands=found.bands if is_rated(found.bands) else {},
        similar=found.similar,
        least=least,
        sightings=found.sightings.sightings,
        more=None if following is None else address(path, after=following) + "#sightings",
    )


def _explanation(trap: Trap) -> _native.Explanation | None:
    if trap.verdict is not Verdict.PROVED or trap.is_disputed:
        return None
    return explain([Mistake(trap.epd, trap.bait, trap.killer_line, mate_in=trap.mate_in)])[0]


def _why(trap: Trap, explanation: _native.Explanation | None, language: Grammar) -> str:
    """Why the bait of a proved trap loses, in the sentence that a comment has for it; empty if it is not proved."""
    if explanation is None:
        return ""
    board, cause = start_number(trap), next(iter(explanation.causes), None)
    evidence = Evidence(
        fen=trap.epd,
        half_move=2 * board.fullmove_number + (not board.turn),
        bait=trap.bait,
        killer_line=trap.killer_line,
        mate_in=trap.mate_in,
        cause="" if cause is None else cause.name,
        cause_squares=() if cause is None else tuple(cause.squares),
    )
    told = Narrator(language, Verbosity.BRIEF).fell(evidence)
    return f"{numbered(trap)[0]} {told[:1].lower()}{told[1:]}"


def _advice(explanation: _native.Explanation | None, language: Grammar) -> str:
    return "" if explanation is None or not explanation.causes else advice(explanation.causes[0].name, language)


def _better(trap: Trap, known: Values) -> str:
    value = known.get(trap.epd)
    if value is None or value.effort < BETTER_NODES or value.line[:1] in ((), (trap.bait,)):
        return ""
    return _native.sans(trap.epd, value.line[:1])[0]


def _ground(trap: Trap, steps: list[Step], step: Step) -> str:
    """The board: the line's next move steps on, another one leads to the page of its position."""
    side = "black" if step.picture.flipped else ""
    board = chess.Board(step.picture.fen)
    return ground(
        step.picture,
        dests=dests(board.legal_moves),
        play=with_gaps(address("/position", fen=step.picture.fen, line="{uci}", side=side)),
        leaves=True,
        next=[trap.line[step.ply], steps[step.ply + 1].url] if step.ply < len(trap.line) else None,
    )


@router.get("/openings")
async def openings(request: Request) -> Response:
    """Page of the openings that have a trap near, by their families."""
    service = service_of(request)
    found = await service.run(request, lambda stop: _openings(service))
    families: dict[str, list[OpeningTraps]] = {}
    for each in found:
        families.setdefault(each.name.partition(":")[0], []).append(each)
    shown = [
        (family, next((each for each in some if each.name == family), None), [e for e in some if e.name != family])
        for family, some in families.items()
    ]
    return page(request, "openings.html", name="", families=shown, total=len(found), near=NEAR)


@router.get("/openings/{slug}")
async def opening(request: Request, slug: str) -> Response:
    """Page of an opening: the traps that it leads to, for White and for Black."""
    service, name = service_of(request), names_by_slug().get(slug)
    if name is None:
        raise NotFound(Message("there is no opening {slug!r}", {"slug": slug[:100]}))

    def load() -> AheadPage:
        return traps_ahead(service.library, AheadQuery(start=name, limit=MOST_HITS))

    def work(stop: Cancellation) -> tuple[list[TrapAhead], list[OpeningTraps]]:
        found = service.page_cache.get(service.state(), ("opening", slug), load)
        return _with_better(service, found.traps, stop), _openings(service)

    found, others = await service.search(request, work)
    epd, eco = next((epd, each.eco) for epd, each in named_positions().items() if each.name == name)
    return page(
        request,
        "openings.html",
        name=name,
        family=name.partition(":")[0],
        eco=eco,
        picture=Picture(fen=epd),
        elsewhere=address("/position", fen=epd),
        variations=[each for each in others if each.name.startswith((f"{name}:", f"{name},"))],
        ahead={side: ahead_rows(each for each in found if each.trap.victim == side) for side in SIDES},
        plies=conditions_of(AheadQuery)["plies"].default,
        nodes=BETTER_NODES,
    )


@router.get("/about")
async def about(request: Request) -> Response:
    """Page that says what is proved and what is not."""
    service = service_of(request)
    counts = await service.run(request, lambda stop: service.counts())
    return page(request, "about.html", counts=counts, minutes=service.settings.web.annotation_minutes)


def _with_better(service: Service, traps: Sequence[TrapAhead], stop: Cancellation) -> list[TrapAhead]:
    """The traps with the better move of each; of those that nobody has searched, the first ones are."""
    lacking = [each.trap.epd for each in traps if not each.better]
    known = service.values.known(lacking)
    first = [epd for epd in lacking if epd not in known or known[epd].effort < BETTER_NODES][:BETTER_SEARCHES]
    known |= service.values.of(first, stop, BETTER_NODES)
    return [replace(each, better=each.better or _better(each.trap, known)) for each in traps]


def _openings(service: Service) -> list[OpeningTraps]:
    return service.page_cache.get(service.traps_state(), "openings", lambda: openings_with_traps(service.library))


async def _trap(request: Request, slug: str) -> Trap:
    service = service_of(request)
    return await service.run(request, lambda stop: trap_or_not_found(service, slug))


def _file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'inline; filename="{name}"', "Cache-Control": "no-cache"}
