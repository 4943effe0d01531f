"""The pages of groups: the owner's on a private server, a coach's and his pupils' on a public one."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from coach.group.group import create_group
from db.games.accounts import SiteAccount
from db.library.open import open_library
from tests.support.practice_library import BOB, CEC, LEA, PUPILS_SITE, copy_group_library
from tests.support.web_server import served, words
from tests.trapline.web.pages.test_practise import hidden
from tests.trapline.web.test_sign_in import Elsewhere, public, sign_in_as

LICHESS = Elsewhere(PUPILS_SITE)
COACH, PUPIL, OTHER = (SiteAccount(PUPILS_SITE, name) for name in ("Trainer", "Bob", "Dora"))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return copy_group_library(tmp_path / "library.sqlite")


@pytest.fixture
def client(library: Path) -> Iterator[httpx.Client]:
    with public(library, LICHESS) as found:
        yield found


def do(client: httpx.Client, what: str, slug: str = "u12", **fields: str) -> httpx.Response:
    return client.post(f"/groups/{slug}", data={"do": what, **fields})


def made(client: httpx.Client, library: Path) -> str:
    """Signs the coach in and makes his group; the path of the link by which pupils join."""
    sign_in_as(client, library, COACH)
    assert client.post("/groups", data={"name": "U12"}).headers["location"] == "/groups/u12"
    return invitation(client)


def invitation(client: httpx.Client) -> str:
    (path,) = re.findall(r"<code>https://traps.example(/groups/join/[\w-]+)</code>", client.get("/groups/u12").text)
    return str(path)


def test_the_owner_of_a_private_server_edits_and_prints_groups(library: Path) -> None:
    with served(library, library.parent) as running, running.client() as client:
        client.headers["accept"] = "text/html"
        assert "There is no group yet." in words(client.get("/groups"))
        made = client.post("/groups", data={"name": "Mittwoch"})
        assert (made.status_code, made.headers["location"]) == (303, "/groups/mittwoch")
        again = client.post("/groups", data={"name": "mittwoch"})
        assert (again.status_code, "There is a group called 'mittwoch' already." in words(again)) == (400, True)
        for name in ("lea", "bob", "cec"):
            assert do(client, "add", "mittwoch", player=name).status_code == 303
        wrong = do(client, "add", "mittwoch", player="Cecil")
        assert (wrong.status_code, "the nearest are Cec Poe" in words(wrong)) == (400, True)
        assert do(client, "assign", "mittwoch", count="2").status_code == 303
        shown = client.get("/groups/mittwoch")
        assert shown.headers["cache-control"] == "no-store"
        assert "5 losing moves in 5 games, by 2 of 3 pupils: Lea Ann 3; Bob 2." in words(shown)
        assert "/board.svg?" in shown.text
        assert "group assign" not in words(shown)
        assert "/groups/join/" not in shown.text
        german = client.get("/groups/mittwoch", params={"lang": "de"})
        assert "Gemeinsame Schwäche: " in words(german)
        client.cookies.clear()
        # The set leads to practice, and what is answered there stands on the page.
        practise = dict(re.findall(r'<a href="(/practise\?[^"]*)">([^<]*)</a>', shown.text))
        (url,) = [html.unescape(each) for each, name in practise.items() if name == LEA]
        exercise = client.get(url)
        assert hidden(exercise)["group"] == "mittwoch"
        answered = client.post("/practise", data={**hidden(exercise), "answer": "Nxe5"})
        assert "group=mittwoch" in answered.headers["location"]
        assert "Right: 5...Nxe5." in words(client.get(answered.headers["location"]))
        assert "1 of 2" in words(client.get("/groups/mittwoch"))
        assert "no pupil of Mittwoch" in words(client.get(url.replace("Lea+Ann", "Anna")))
        assert do(client, "remove", "mittwoch", player=CEC).status_code == 303
        assert f"{CEC} left the group on " in words(client.get("/groups/mittwoch"))
        assert do(client, "leave", "mittwoch").status_code == 404
        assert do(client, "delete", "mittwoch").headers["location"] == "/groups"
        assert client.get("/groups/mittwoch").status_code == 404
        assert client.get("/groups/join/x").status_code == 404


def test_a_group_of_a_public_server_is_its_coachs_and_its_pupils_alone(client: httpx.Client, library: Path) -> None:
    with open_library(library) as opened:
        create_group(opened, "Of the machine")
    link = made(client, library)
    for account in (None, OTHER):
        client.headers["cookie"] = ""
        if account is not None:
            sign_in_as(client, library, account)
            assert "You are in no group yet." in words(client.get("/groups"))
        else:
            assert "Sign in with lichess" in words(client.get("/groups"))
        for path in ("/groups/u12", "/groups/of-the-machine", "/practise?go=1&group=u12"):
            answer = client.get(path)
            assert answer.status_code in (400, 403, 404)
            assert "U12" not in words(answer)
        for what in ("assign", "remove", "link", "delete", "add", "leave"):
            assert do(client, what, player=str(PUPIL)).status_code in (403, 404)
    # A link that is made up leads to nothing, with the same words as an old one.
    assert client.get("/groups/join/made-up").status_code == 404
    sign_in_as(client, library, COACH)
    assert do(client, "link").status_code == 303
    assert client.get(link).status_code == 404
    assert client.get(invitation(client)).status_code == 200
    # Accounts join by themselves, and nobody is put into a group.
    assert do(client, "add", player=LEA).status_code == 404


def test_a_pupil_joins_by_the_link_and_sees_his_own_answers(client: httpx.Client, library: Path) -> None:
    link = made(client, library)
    client.headers["cookie"] = ""
    asked = client.get(link)
    assert (asked.status_code, "Sign in with lichess" in words(asked)) == (403, True)
    assert f"/sign-in?back={link.replace('/', '%2F')}" in html.unescape(asked.text)
    assert client.post(link).status_code == 403
    for account in (OTHER, PUPIL):
        sign_in_as(client, library, account)
        assert "trainer invites you into this group." in words(client.get(link))
        assert client.post(link).headers["location"] == "/groups/u12"
    sign_in_as(client, library, COACH)
    assert do(client, "assign", count="2").status_code == 303
    coachs = words(client.get("/groups/u12"))
    assert "Dora: no game is in the library, or none any more." in coachs
    assert "Bob 2 2 2 1.0 walked into a mate 2" in coachs
    sign_in_as(client, library, OTHER)
    page = client.get("/groups/u12")
    assert "You solved 0 of 2." in words(page)
    assert not [name for name in (BOB, LEA, "Anna", "walked into") if name in words(page)]
    # Without a game of hers she practises the set, and nothing says whose move it was.
    (url,) = re.findall(r'<a class="button" href="(/practise\?[^"]*)">', page.text)
    exercise = client.get(html.unescape(url))
    assert exercise.status_code == 200
    answered = client.post("/practise", data={**hidden(exercise), "answer": "Nxe5"})
    shown = words(client.get(answered.headers["location"]))
    assert "Right: 5...Nxe5." in shown
    assert not [name for name in (BOB, "Anna") if name in shown]
    assert "You solved 1 of 2." in words(client.get("/groups/u12"))
    # Of another's answer she hears nothing.
    sign_in_as(client, library, PUPIL)
    assert "You solved 0 of 2." in words(client.get("/groups/u12"))
    assert client.get(answered.headers["location"]).status_code == 404
    for what in ("assign", "remove", "link", "delete", "add"):
        assert do(client, what, player=str(OTHER)).status_code == 404
    assert do(client, "leave").headers["location"] == "/groups"
    assert client.get("/groups/u12").status_code == 404
    assert client.get("/practise", params={"go": "1", "group": "u12"}).status_code == 404
    sign_in_as(client, library, COACH)
    assert "Bob left the group on " in words(client.get("/groups/u12"))
