"""Page of losing moves: those like a move, a position or a trap, and those of a pattern."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from urllib.parse import quote_plus

import httpx
import pytest

from db.games.accounts import SiteAccount
from db.library.open import open_library
from db.patterns.bundled import add_patterns, bundled_patterns
from db.proof.prover import TrapProver
from tests.db.patterns.samples import game, mistake, store
from tests.support.db_traps import legal
from tests.support.trap_games import QUIET
from tests.support.trap_games import game as trap_game
from tests.support.web_server import links, served, words
from tests.trapline.web.test_sign_in import Elsewhere, public, sign_in_as

SITE = f"{Elsewhere().url}/abcdefg"
GAMES = (
    *(game("legal", f"White{n}", "Bob", f"2020.01.{n + 1:02}", Site=f"{SITE}{n}") for n in range(3)),
    *(game("legal", f"White{n}", "Dan", f"2021.02.{n + 1:02}") for n in range(14)),
    game("noah", "Bob", "Eve", "2022.01.01", Site=f"{SITE}9"),
    game("noah", "Kim", "Eve", "2022.02.01"),
    *(trap_game(QUIET, "Kim", f"Black{n}", Date=f"2022.03.{n + 1:02}") for n in range(10)),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mistakes") / "library.sqlite"
    with open_library(path, create=True) as opened:
        opened.add(TrapProver().prove(legal()))
        store(opened, path.with_name("games.pgn"), GAMES)
    return path


@pytest.fixture(scope="module")
def client(library: Path) -> Iterator[httpx.Client]:
    with served(library, library.parent) as running, running.client() as found:
        found.headers["accept"] = "text/html"
        yield found


def test_moves_like_one_are_the_players_own_then_those_of_others(client: httpx.Client) -> None:
    page = client.get("/mistakes", params={"like": "1#10", "player": "Bob"})
    said = words(page)
    assert page.status_code == 200
    assert said.index("Losing moves of Bob") < said.index("Losing moves of others")
    # The move itself is above, and the two others of his before the ten of Dan.
    assert said.count("White0 – Bob") == 1
    assert [said.count(f"White{n} – Bob") for n in (1, 2)] == [1, 1]
    assert said.count("– Dan") == 10
    own, others = said.split("Losing moves of others")
    assert own.count("Similar, 1.00. Both: ") == 2
    assert "Dan" not in own
    assert "Bob" not in others
    assert len(links(page, "Board")) == 12


def test_pattern_has_a_page_that_goes_on(client: httpx.Client) -> None:
    place = mistake("legal").place
    page = client.get("/mistakes", params={"place": place, "player": "Dan"})
    said = words(page)
    assert "Losing moves of Dan" in said
    assert "By opening: Italian Game 14." in said
    assert "seconds left" not in said  # no clock is known
    assert said.count("– Dan") == 12
    (practice,) = links(page, "Practise it")
    assert dict(httpx.URL(practice).params) == {"go": "1", "player": "Dan", "pattern": place}
    (more,) = links(page, "More")
    said = words(client.get(more))
    assert (said.count("– Dan"), said.count("– Bob")) == (2, 3)
    assert said.rindex("– Dan") < said.index("Losing moves of others") < said.index("– Bob")
    cause = words(client.get("/mistakes", params={"cause": mistake("legal").cause}))
    assert "Before " in cause  # the advice
    text = words(client.get("/mistakes", params={"mechanism": "mate"}))
    assert "“mate”" in text


def test_report_begins_with_the_patterns_of_the_written_one(client: httpx.Client) -> None:
    page = client.get("/report", params={"player": "Dan"})
    said, place = words(page), mistake("legal").place
    assert said.index("What you lose to") < said.index("Losing moves, the costliest first")
    (link, name), *_ = re.findall(r'<h3 id="pattern-1"><a href="([^"]+)">([^<]+)', page.text)
    assert dict(httpx.URL(html.unescape(link)).params) == {"place": place, "player": "Dan"}
    listed = words(client.get(html.unescape(link)))
    assert (html.unescape(name) in listed, listed.count("– Dan")) == (True, 12)
    practice = httpx.URL(links(page, "Practise it")[0])
    assert dict(practice.params) == {"go": "1", "player": "Dan", "pattern": place}
    assert "By opening: Italian Game 14." in said
    (figures,) = re.findall(r"14 losing moves, .*? of 100 games", said)
    assert figures in words(client.get("/report/traps", params={"player": "Dan"}))
    assert "What you lose to" not in words(client.get("/report", params={"player": "Dan", "phase": "opening"}))
    assert "A pattern needs 10 or more" in words(client.get("/report", params={"player": "Bob"}))
    assert "No losing move comes back in 3 games or more" in words(client.get("/report", params={"player": "Kim"}))


@pytest.mark.parametrize(
    ("params", "code", "told"),
    [
        ({}, 400, "give one of like, cause, mechanism and place"),
        ({"cause": "thret"}, 400, "did you mean 'threat'?"),
        ({"like": "99#1"}, 400, "the library has no game '99'"),
        ({"like": "nonsense/x"}, 422, "FEN"),
        ({"place": "fork:N@c7", "player": "Nobody"}, 400, "no indexed game has a player called 'Nobody'"),
    ],
)
def test_what_cannot_be_asked_says_why(client: httpx.Client, params: dict[str, str], code: int, told: str) -> None:
    answer = client.get("/mistakes", params=params)
    assert answer.status_code == code
    assert told.lower() in words(answer).lower()


def test_public_server_shows_a_players_own_games_only(library: Path) -> None:
    with public(library, Elsewhere()) as client:
        assert client.get("/mistakes", params={"like": "1#10"}).status_code == 403
        assert not links(client.get(f"/traps/{legal().slug}"), "Losing moves like it")
        sign_in_as(client, library, SiteAccount(Elsewhere().url, "Bob"))
        said = words(client.get("/mistakes", params={"place": mistake("legal").place, "player": "Dan"}))
        assert said.count("– Bob") == 3
        assert "– Dan" not in said
        assert "White2 – Bob" in words(client.get("/mistakes", params={"like": "1#10"}))
        hidden = client.get("/mistakes", params={"like": "4#10"})
        assert (hidden.status_code, "there is no such game" in words(hidden).lower()) == (404, True)


def test_bundled_moves_stand_behind_those_of_games(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    copyfile(library, path)
    with open_library(path) as opened:
        add_patterns(opened)
    pattern = next(each for each in bundled_patterns() if each.cause != mistake("legal").cause)
    with served(path, tmp_path) as running, running.client() as client:
        page = client.get("/mistakes", params={"like": pattern.epd}, headers={"accept": "text/html"})
    said = words(page)
    assert page.status_code == 200
    assert "Comes with trapline Similar, 1.00." in said
    assert links(page, "Board")[0] == f"/position?fen={quote_plus(pattern.epd)}"
