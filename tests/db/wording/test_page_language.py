"""In which language the pages answer, and that every page does."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from db.wording.languages.available import Language
from tests.support.practice_library import PLAYER, copy_practice_library
from tests.support.web_server import GAMES, Served, served, words
from trapline.web.pages.rendering import COOKIE, accepted

GERMAN = {"accept": "text/html", "accept-language": "de-AT,de;q=0.9,en;q=0.8"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("language") / "library.sqlite"
    copy_practice_library(path)
    with served(path, path.parent) as running:
        yield running


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/", "bekannt"),
        ("/?q=legal", "Suche: legal"),
        ("/?q=x&min_length=a", "die kleinste Länge muss eine Zahl sein"),
        ("/traps", "Fallen nach Familie"),
        ("/traps/legals-mate", "Schwarz ist am Zug. Der Köder ist"),
        ("/traps/no-such-trap", "Nicht gefunden"),
        ("/position", "Weiß ist am Zug"),
        ("/position?fen=8/8/8/8/8/8/8/8+w+-+-", "Keine regelgerechte Stellung: kein weißer König"),
        ("/position/setup", "Weiß: König e1"),
        ("/annotate", "Partien als PGN"),
        ("/report", "Woran scheitern Sie?"),
        (f"/report?player={PLAYER}", "Woher sie kommen"),
        ("/practise", "Was Sie falsch machen, kommt wieder"),
        (f"/practise?go=1&player={PLAYER}", "fällig"),
        (f"/practise/progress?player={PLAYER}", "Fortschritt von"),
        ("/practise?go=1&player=nobody-at-all", "niemand|keine Partie"),
        ("/repertoire", "Geben Sie Ihr Repertoire"),
        ("/prepare", "Nennen Sie jemanden"),
        (f"/prepare?against={PLAYER}", "Woran er verliert"),
        ("/prepare?against=nobody-at-all", "keine Partie hat einen Spieler"),
        ("/about", "Was bewiesen ist und was nicht"),
        ("/nothing-here", "unter /nothing-here gibt es nichts"),
    ],
)
def test_every_page_is_german_for_a_german_reader(server: Served, path: str, told: str) -> None:
    with server.client() as client:
        answer = client.get(path, headers=GERMAN)
    assert answer.status_code in (200, 400, 404)
    assert '<html lang="de">' in answer.text
    assert answer.headers["content-language"] == "de"
    assert {"Accept-Language", "Cookie"} <= {name.strip() for name in answer.headers["vary"].split(",")}
    said = words(answer).casefold()
    assert any(part.casefold() in said for part in told.split("|")), said
    # The navigation of the English page.
    assert "skip to the content" not in said
    assert "practise" not in said


def test_a_language_that_was_chosen_is_remembered(server: Served) -> None:
    with server.client() as client:
        client.headers["accept"] = "text/html"
        first = client.get("/about")
        assert '<html lang="en">' in first.text
        assert "set-cookie" not in first.headers
        link = re.search(r'href="([^"]+)" lang="de" hreflang="de">Deutsch</a>', first.text)
        assert link is not None
        assert link[1] == "/about?lang=de"
        chosen = client.get(link[1])
        assert '<html lang="de">' in chosen.text
        assert chosen.cookies[COOKIE] == "de"
        assert '<html lang="de">' in client.get("/traps").text
        # The choice outweighs what the browser asks for.
        client.get("/about?lang=en")
        assert '<html lang="en">' in client.get("/traps", headers=GERMAN).text
        assert '<html lang="en">' in client.get("/traps?lang=xx").text


def test_the_setting_outweighs_the_browser(tmp_path: Path) -> None:
    library = copy_practice_library(tmp_path / "library.sqlite")
    with served(library, tmp_path, language="en") as running, running.client() as client:
        assert '<html lang="en">' in client.get("/about", headers=GERMAN).text
        assert '<html lang="de">' in client.get("/about?lang=de", headers=GERMAN).text


def test_reasons_of_unread_games_are_german_for_a_german_reader(server: Served) -> None:
    atomic = '[White "A"]\n[Black "B"]\n[Variant "Atomic"]\n\n1. e4 e5 *\n\n'
    with server.client() as client:
        client.headers.update(GERMAN)

        def ended(pgn: str) -> httpx.Response:
            sent = client.post("/annotate", files={"file": ("", b"")}, data={"pgn": pgn})
            while "data-again" in (page := client.get(sent.headers["location"])).text:
                pass
            return page

        some = ended(atomic + GAMES.read_text("utf-8"))
        assert (some.status_code, "1 unbekannte Variante" in words(some)) == (200, True)
        none = ended(atomic)
        assert "Keine dieser Partien ist lesbar (1 unbekannte Variante)" in words(none)
        job = client.post("/report", files={"file": ("", b"")}, data={"pgn": atomic})
        while "data-again" in (page := client.get(job.headers["location"])).text:
            pass
        assert "Keine dieser Partien ist lesbar (1 unbekannte Variante)" in words(page)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", None),
        ("fr, es;q=0.5", None),
        ("de", Language.DE),
        ("DE-ch", Language.DE),
        ("fr, en;q=0.8, de;q=0.7", Language.EN),
        ("*", None),
    ],
)
def test_the_first_language_that_there_is_counts(header: str, language: Language | None) -> None:
    assert accepted(header) == language
