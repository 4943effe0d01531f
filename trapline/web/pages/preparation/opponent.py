"""Page about an opponent: the sheet of ``trapline prepare``."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from coach.preparation.games import games_named
from coach.preparation.opponent import Preparation, prepare
from coach.preparation.opponent_sheet import opponent_sheet
from db.games.players import players
from trapcore.errors import Message, UsageError
from trapline.web.pages.preparation.own import MOST_NAMES, SECONDS
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.profile import check_player
from trapline.web.service import service_of

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Query(max_length=200)]


@router.get("/prepare")
async def opponent(request: Request, against: Name = "", site: Name = "") -> Response:
    """Page where an opponent is named, or with the sheet about him."""
    service, language = service_of(request), language_of(request)
    wanted = against.strip()
    check_player(request, wanted)
    is_private = service.settings.web.is_private

    def work() -> tuple[Preparation | None, dict[str, int], Message | str]:
        known = players(service.library) if is_private else {}
        if not wanted:
            return None, known, ""
        try:
            return _prepared(), known, ""
        except UsageError as error:
            return None, known, error.message

    def _prepared() -> Preparation:
        return service.page_cache.get(
            service.state(),
            ("prepare", wanted, site),
            lambda: prepare(service.library, games_named(service.library, wanted, site=site or None)),
        )

    found, known, wrong = await service.search(request, lambda stop: work(), seconds=SECONDS)
    sites = [] if found is None else [(each, games) for each, games in found.sites.items() if len(found.sites) > 1]
    return page(
        request,
        "preparation/opponent.html",
        400 if wrong else 200,
        is_stored=False,
        is_private=is_private,
        against=wanted,
        wrong=capital(language.message(wrong)),
        known=sorted(known, key=lambda name: (-known[name], name))[:MOST_NAMES],
        sheet=None if found is None else opponent_sheet(found, language),
        sites=[(each, games, address("/prepare", against=wanted, site=each)) for each, games in sites],
        all_sites=address("/prepare", against=wanted) if site else None,
    )
