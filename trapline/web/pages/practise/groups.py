"""Pages of a coach's groups: the list, a group, and joining one.

On a private instance the owner sees and edits all groups. On a public one a group belongs to the account that made it.
Pupils sign in and join by a secret link. They see only the exercises and their own answers. All others get the same
answer as for a group that does not exist.
"""

import hmac
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse, Response

from coach.group.assignment import COUNT, MOST, assign, assigned_exercises, choose_exercises
from coach.group.group import (
    LONGEST_NAME,
    Group,
    add_pupils,
    create_group,
    delete_group,
    groups,
    named_players,
    remove_pupil,
    renew_link,
)
from coach.group.report import GroupReport, group_report
from coach.group.report_sheet import assignment_words, group_sheet, pupil_sheet
from coach.practice.collect import Filter
from coach.practice.progress import answers_to
from coach.practice.schedule import now_utc
from coach.practice.wording import theme_key
from coach.report.sheet import Sheet
from db.games.accounts import account_at
from db.library.library import Library
from db.wording.languages.grammar import Grammar
from trapcore.errors import Message, UsageError
from trapline.web.api.params import read_form
from trapline.web.pages.boards import Picture
from trapline.web.pages.rendering import address, capital, language_of, page
from trapline.web.problems import NotFound
from trapline.web.profile import SIGN_IN_FIRST, Profile, profile_of, required_profile
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

SECONDS = 60.0
"""Longest time in which the report of a group is put together."""

ASSIGN_SECONDS = 300.0
"""Longest time in which exercises are chosen: each may be searched."""

Slug = Annotated[str, Path(max_length=80)]
Token = Annotated[str, Path(max_length=100)]

_NOT_YOURS = Message("there is no such group, or you are not in it")
_NO_JOINING = Message("this link leads to no group; ask your coach for a new one")


class Role(StrEnum):
    """What a visitor is in a group."""

    COACH = "coach"
    PUPIL = "pupil"


def role_in(group: Group, profile: Profile) -> Role | None:
    """What the visitor is in a group; None if he has no part in it."""
    if profile.account is None or str(profile.account) == group.coach:
        return Role.COACH
    return Role.PUPIL if group.has(str(profile.account)) else None


def group_at(library: Library, profile: Profile, slug: str) -> tuple[Group, Role]:
    """A group in which the visitor has a part, and which. Raises `NotFound` and `LibraryError`."""
    for group in groups(library):
        role = role_in(group, profile)
        if group.slug == slug and role is not None:
            return group, role
    raise NotFound(_NOT_YOURS)


@router.get("/groups")
async def overview(request: Request) -> Response:
    """Page with the groups in which the visitor has a part."""
    profile = profile_of(request)
    return _sign_in(request) if profile is None else await _overview(request, profile)


@router.post("/groups")
async def create(request: Request) -> Response:
    """Make a group, and redirect to its page."""
    service, profile = service_of(request), required_profile(request)
    name = (await _fields(request)).get("name", "")

    def work() -> Group:
        with service.open_for_writing() as library:
            return create_group(library, name, profile.account)

    try:
        made = await service.run(request, lambda stop: work())
    except UsageError as error:
        return await _overview(request, profile, error.message)
    return RedirectResponse(f"/groups/{made.slug}", status_code=303)


@router.get("/groups/join/{token}")
async def invitation(request: Request, token: Token) -> Response:
    """Page that asks whether the visitor wants to join a group."""
    service, profile = service_of(request), profile_of(request)
    group = await service.run(request, lambda stop: _invited(service, token))
    if profile is None:
        return _sign_in(request)
    coach = account_at(group.coach)
    return page(
        request,
        "practise/groups.html",
        is_stored=False,
        state="join",
        group=group,
        coach=None if coach is None else coach.name,
        join=f"/groups/join/{token}",
    )


@router.post("/groups/join/{token}")
async def join(request: Request, token: Token) -> Response:
    """Put the visitor into a group, and redirect to its page."""
    service, account = service_of(request), required_profile(request).account
    if account is None:
        raise NotFound(_NO_JOINING)

    def work() -> Group:
        group = _invited(service, token)
        with service.open_for_writing() as library:
            add_pupils(library, group, [(account, account.name)])
        return group

    group = await service.run(request, lambda stop: work())
    return RedirectResponse(f"/groups/{group.slug}", status_code=303)


@router.get("/groups/{slug}")
async def show(request: Request, slug: Slug) -> Response:
    """Page of a group: for its coach all of it, for a pupil what is assigned and his own answers."""
    profile = profile_of(request)
    return _sign_in(request) if profile is None else await _show(request, profile, slug)


@router.post("/groups/{slug}")
async def change(request: Request, slug: Slug) -> Response:
    """Change a group as the form says, and redirect to its page."""
    service, profile = service_of(request), required_profile(request)
    group, role = await service.run(request, lambda stop: group_at(service.library, profile, slug))
    fields, language = await _fields(request), language_of(request)
    wanted = fields.get("do", "")
    work = _changes(service, profile, group, fields, language).get((role, wanted))
    if work is None:
        raise NotFound("this cannot be done to a group")
    run = service.export if wanted == "assign" else service.run
    try:
        await run(request, lambda stop: work(), seconds=ASSIGN_SECONDS if wanted == "assign" else SECONDS)
    except UsageError as error:
        return await _show(request, profile, slug, error.message)
    gone = wanted in ("delete", "leave")
    return RedirectResponse("/groups" if gone else f"/groups/{slug}", status_code=303)


def _changes(
    service: Service, profile: Profile, group: Group, fields: dict[str, str], language: Grammar
) -> dict[tuple[Role, str], Callable[[], None]]:
    """What may be done to a group, by whom and by the name of the form's button."""

    def writing(work: Callable[[Library], None]) -> Callable[[], None]:
        def run() -> None:
            with service.open_for_writing() as library:
                work(library)

        return run

    def leave(key: str) -> Callable[[Library], None]:
        def remove(library: Library) -> None:
            for each in group.pupils:
                if each.key == key:
                    remove_pupil(library, group, each)

        return remove

    def choose() -> None:
        count = fields.get("count", "")
        wanted = Filter(theme=theme_key(fields.get("theme", ""), language), pattern=fields.get("pattern", ""))
        wished = int(count) if count.isdecimal() else COUNT
        found = choose_exercises(service.library, group, wanted, service.open_for_writing, count=wished)
        with service.open_for_writing() as library:
            assign(library, group, found, now_utc(), about=wanted.pattern)

    possible: dict[tuple[Role, str], Callable[[], None]] = {
        (Role.COACH, "assign"): choose,
        (Role.COACH, "remove"): writing(leave(fields.get("player", ""))),
        (Role.COACH, "link"): writing(lambda library: renew_link(library, group)),
        (Role.COACH, "delete"): writing(lambda library: delete_group(library, group)),
        (Role.PUPIL, "leave"): writing(leave(str(profile.account))),
    }
    if profile.account is None:
        # On a public server pupils join by themselves.
        possible[Role.COACH, "add"] = writing(
            lambda library: add_pupils(library, group, named_players(library, [fields.get("player", "")]))
        )
    return possible


def _invited(service: Service, token: str) -> Group:
    """The group whose link has this secret. Raises `NotFound` and `LibraryError`."""
    if service.settings.web.can_sign_in:
        for group in groups(service.library):
            if hmac.compare_digest(group.token.encode(), token.encode()):
                return group
    raise NotFound(_NO_JOINING)


async def _fields(request: Request) -> dict[str, str]:
    return {name: value.strip()[:200] for name, value in (await read_form(request)).items() if isinstance(value, str)}


async def _overview(request: Request, profile: Profile, wrong: Message | None = None) -> Response:
    service, language = service_of(request), language_of(request)

    def work() -> list[tuple[Group, Role, str]]:
        found = []
        for group in groups(service.library):
            role = role_in(group, profile)
            if role is not None:
                count = len(assigned_exercises(service.library, group))
                found.append((group, role, assignment_words(group, count, language)))
        return found

    found = await service.run(request, lambda stop: work())
    told = "" if wrong is None else capital(language.message(wrong))
    values = {"groups": found, "wrong": told, "longest": LONGEST_NAME, "is_public": profile.account is not None}
    return page(request, "practise/groups.html", 400 if wrong else 200, is_stored=False, state="list", **values)


async def _show(request: Request, profile: Profile, slug: str, wrong: Message | None = None) -> Response:
    service, language = service_of(request), language_of(request)

    def work() -> tuple[Group, Role, Sheet, GroupReport | None]:
        group, role = group_at(service.library, profile, slug)
        if role is Role.COACH:
            report = service.page_cache.get(
                service.state(), ("group", group.id), lambda: group_report(service.library, group)
            )
            return group, role, group_sheet(report, language, commands=False), report
        assert profile.account is not None
        exercises = assigned_exercises(service.library, group)
        answers = answers_to(service.library, profile.account, exercises)
        return group, role, pupil_sheet(group, exercises, answers, language), None

    group, role, sheet, report = await service.run(request, lambda stop: work(), seconds=SECONDS)
    web, weaknesses = service.settings.web, () if report is None else report.weaknesses
    players = [profile.name] if profile.name else [each.name for each in group.pupils]
    return page(
        request,
        "practise/group.html",
        400 if wrong else 200,
        is_stored=False,
        group=group,
        is_coach=role is Role.COACH,
        is_public=profile.account is not None,
        sheet=sheet,
        pictures=[None if each.picture is None else Picture(**asdict(each.picture)) for each in sheet.sections],
        patterns=[(each.pattern.key, each.pattern.name(language, each.moves[0].colour)) for each in weaknesses],
        practise=[(name, address("/practise", go=1, group=group.slug, player=name)) for name in players],
        invite=f"{web.address}/groups/join/{group.token}" if web.can_sign_in else None,
        wrong="" if wrong is None else capital(language.message(wrong)),
        count=COUNT,
        most=MOST,
    )


def _sign_in(request: Request) -> Response:
    can_sign_in = service_of(request).settings.web.can_sign_in
    return page(
        request,
        "practise/groups.html",
        403,
        is_stored=False,
        state="sign in",
        wrong=capital(language_of(request).message(SIGN_IN_FIRST)),
        sign_in=address("/sign-in", back=request.url.path) if can_sign_in else None,
    )
