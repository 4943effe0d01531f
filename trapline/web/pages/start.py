"""The start page: games are given or named there; below them the library is searched, and famous traps are shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fastapi import APIRouter, Request
from fastapi.responses import Response

from db.library.families import families
from db.library.library import Counts
from db.query.answer import Page
from db.query.condition import conditions_of
from db.query.query import Query, Sort
from db.query.words import Reading, read_words
from db.traps.trap import Trap
from trapcore.errors import InputError, Message, UsageError
from trapcore.parallel.budget import Cancellation
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.profile import check_player, profile_of, shown_games
from trapline.web.report_jobs import MOST_FETCHED, Site
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

HITS_PER_PAGE = 12
"""Hits of a page."""

FIELDS = {name: each for name, each in conditions_of(Query).items() if each.label}
"""Conditions with a field of their own; the search box takes words for all of them."""

FAMOUS = (
    "legal-mate",
    "noahs-ark-trap",
    "elephant-trap",
    "fishing-pole",
    "lasker-trap",
    "blackburne-shilling-gambit",
    "scholars-mate",
    "siberian-trap",
    "kieninger-trap",
    "englund-gambit-trap",
    "mortimer-trap",
    "rubinstein-trap",
)
"""Slugs of the traps that the page begins with, as far as the library has them."""

TILES = 12
"""Traps on the page before a search."""


@dataclass(frozen=True, slots=True)
class SearchForm:
    """Search form as it was sent, to be shown again with its errors."""

    q: str
    fields: Mapping[str, str]
    conditions: ClassVar = FIELDS

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "SearchForm":
        """Form of the query parameters of a URL; unknown ones are ignored, as browsers and mailers add some."""
        return cls(params.get("q", "").strip(), {name: params.get(name, "").strip() for name in FIELDS})

    def __getitem__(self, name: str) -> str:
        """Value of a field, for templates: ``form.family``."""
        return self.fields[name]

    @property
    def filtered(self) -> bool:
        """Whether any field but the search box was filled in."""
        return any(self.fields.values())

    def params(self) -> dict[str, str]:
        """Query parameters of the fields that are not empty."""
        return {name: text for name, text in {"q": self.q, **self.fields}.items() if text}

    def query(self, reading: Reading, after: str | None) -> Query | None:
        """Query of the library, by what the box was read as and by the fields; None if nothing was understood.

        Raises `UsageError` for values that are not allowed.
        """
        fields = self.params()
        fields.pop("q", None)
        if not reading.conditions and not fields:
            return None
        return reading.query(**fields, limit=str(HITS_PER_PAGE), **({"after": after} if after else {}))


@router.get("/")
async def home(request: Request) -> Response:
    """Page where games are given, or with what the search of the library finds."""
    form = SearchForm.of(request.query_params)
    if not form.params():
        return await start_page(request)
    service, language = service_of(request), language_of(request)
    check_player(request, form["player"])
    only = shown_games(request)
    after = request.query_params.get("after") or None

    def work(stop: Cancellation) -> tuple[Page | None, Message | str, Reading, dict[str, int]]:
        reading, known = read_words(service.library, form.q, only), families_of(service)
        try:
            query = form.query(reading, after)
            return None if query is None else service.query_engine.ask(query), "", reading, known
        except (UsageError, InputError) as error:
            return None, error.message, reading, known

    found, wrong, reading, known = await service.run(request, work)
    return page(
        request,
        "search.html",
        400 if wrong else 200,
        form=form,
        wrong=capital(language.message(wrong)),
        page=found,
        more=None if found is None or found.next is None else address("/", **form.params(), after=found.next),
        families=known,
        understood=reading.described(language),
        unknown=reading.unknown,
        elsewhere=None if reading.position is None else address("/position", **reading.position),
    )


async def start_page(request: Request, status: int = 200, wrong: Message | str = "") -> Response:
    """The page before a search; ``wrong`` says why the games that were given are not taken."""
    service, profile = service_of(request), profile_of(request)

    def work(stop: Cancellation) -> tuple[list[Trap], dict[str, int], Counts]:
        first = service.page_cache.get(service.state(), "start", lambda: _first_traps(service))
        return first, families_of(service), service.counts()

    first, known, counts = await service.run(request, work)
    return page(
        request,
        "start.html",
        status,
        is_stored=profile is not None and profile.name is None and not wrong,
        profile=profile,
        wrong_games=capital(language_of(request).message(wrong)),
        wrong="",
        sign_in="/sign-in" if service.settings.web.can_sign_in else None,
        sites=list(Site) if service.fetch_games is not None else [],
        most=MOST_FETCHED,
        megabytes=service.settings.web.upload_megabytes,
        form=SearchForm.of({}),
        first=first,
        is_famous=any(trap.slug in FAMOUS for trap in first),
        families=known,
        counts=counts,
    )


def families_of(service: Service) -> dict[str, int]:
    """Families of the library's traps, each with how many it has."""

    def counted() -> dict[str, int]:
        return {family.family: family.traps for family in families(service.library)}

    return service.page_cache.get(service.traps_state(), "families", counted)


def _first_traps(service: Service) -> list[Trap]:
    """The famous traps of the library, then those whose baits players take most, one of each family."""
    found = [trap for slug in FAMOUS if (trap := service.library.find(slug)) is not None]
    if len(found) < TILES:
        asked = service.query_engine.ask(Query(verdict="proved", sort=Sort.FREQUENCY, limit=100))
        found += [hit.trap for hit in asked.hits]
    of_family: dict[str, Trap] = {}
    for trap in found:
        of_family.setdefault(trap.family, trap)
    return list(of_family.values())[:TILES]
