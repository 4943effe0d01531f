"""The pages of practice as a browser without scripts uses them: links and forms."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import func, select

from coach.practice.collect import Filter
from coach.practice.exercise import Task
from coach.practice.session import open_practice
from db.library.open import open_library
from db.storage.tables import PracticeReviewRow
from tests.support.practice_library import PLAYER, copy_practice_library
from tests.support.web_server import served, words


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return copy_practice_library(tmp_path / "library.sqlite")


@pytest.fixture
def client(library: Path) -> Iterator[httpx.Client]:
    with served(library, library.parent) as running, running.client() as found:
        found.headers["accept"] = "text/html"
        yield found


def exercise(client: httpx.Client, **params: str) -> httpx.Response:
    answer = client.get("/practise", params={"go": "1", "player": "kiss", "theme": "mate", **params})
    assert answer.status_code == 200
    return answer


def hidden(answer: httpx.Response) -> dict[str, str]:
    """The fields that the form of the page sends by itself."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', answer.text)
    return {name: html.unescape(value) for name, value in found}


def stored(library: Path) -> int:
    with open_library(library, read_only=True) as opened, opened.database.read() as connection:
        return connection.scalar(select(func.count()).select_from(PracticeReviewRow)) or 0


def test_a_wrong_answer_is_refuted_on_the_board_and_kept(client: httpx.Client, library: Path) -> None:
    page = exercise(client)
    assert "Black to move: a natural move loses here. Find one that does not." in words(page)
    assert page.headers["cache-control"] == "no-store"
    answer = client.post("/practise", data={**hidden(page), "answer": "Bxd1"})
    assert answer.status_code == 303
    where = answer.headers["location"]
    shown = client.get(where)
    assert "5...Bxd1 loses to a mate in 2: 6.Bxf7+ Ke7 7.Nd5#." in words(shown)
    # The board stands after the refutation's first move, and can be stepped through.
    assert "last=c4f7" in shown.text
    assert "Nd5#" in words(client.get(f"{where}&ply=4"))
    assert "today 0 right, 1 wrong" in words(shown)
    assert stored(library) == 1
    # After a restart of the server the page is as it was.
    with served(library, library.parent) as again, again.client() as other:
        assert words(other.get(where, headers={"accept": "text/html"})) == words(shown)


def test_traps_of_the_library_stay_chosen_from_page_to_page(client: httpx.Client) -> None:
    assert 'name="traps" value="1"' in exercise(client, traps="1").text
    assert 'name="traps" value=""' in exercise(client).text


def test_hints_say_more_and_an_illegal_answer_is_asked_again(client: httpx.Client, library: Path) -> None:
    page = exercise(client, hints="2")
    assert "The move to avoid loses to a mate in 2." in words(page)
    assert "Look at the knight on c6." in words(page)
    again = client.post("/practise", data={**hidden(page), "answer": "<b>Ke9"})
    assert again.status_code == 400
    assert "is no legal move here; write one like Nf3" in words(again)
    assert "<b>Ke9" not in again.text
    assert "Look at the knight on c6." in words(again)
    assert stored(library) == 0


def test_progress_is_shown_and_exercises_are_taken_elsewhere(client: httpx.Client) -> None:
    page = exercise(client)
    (progress,) = re.findall(r'<a href="(/practise/progress[^"]*)"', page.text)
    shown = words(client.get(html.unescape(progress)))
    assert f"Progress of {PLAYER}" in shown
    assert "Against others rated" in shown
    links = [html.unescape(url) for url in re.findall(r'<a href="(/practise/exercises[^"]*)"', page.text)]
    pgn, deck = (client.get(url) for url in links)
    assert "Find one that does not." in pgn.text
    assert deck.content.startswith(b"PK")
    assert deck.headers["content-disposition"] == 'attachment; filename="exercises.apkg"'
    assert client.get("/practise/exercises.exe", params={"player": PLAYER}).status_code == 404
    assert client.get("/practise/progress", params={"player": "nobody"}).status_code == 404


def test_what_cannot_be_says_what_to_do(client: httpx.Client) -> None:
    missing = client.get("/practise", params={"go": "1", "player": "Eve Kisss"})
    assert missing.status_code == 400
    assert f"the nearest are {PLAYER}" in words(missing)
    assert "did you mean 'mate'" in words(client.get("/practise", params={"go": "1", "theme": "mat"}))
    assert client.get("/practise", params={"go": "1", "review": "99"}).status_code == 404
    gone = client.post("/practise", data={"exercise": "0", "answer": "e4"})
    assert gone.status_code == 404
    foreign = client.post("/practise", data={}, headers={"origin": "https://evil.example"})
    assert foreign.status_code == 403


@pytest.mark.parametrize("hints", ["9" * 5000, "²", "-1", "1e400", "٣", ""], ids=len)
def test_no_number_of_hints_breaks_an_answer(hints: str, client: httpx.Client) -> None:
    answer = client.post("/practise", data={**hidden(exercise(client)), "answer": "Bxd1", "hints": hints})
    assert answer.status_code == 303


@pytest.mark.parametrize("charset", ["undefined", "utf-7", "unicode_escape", "idna", "punycode", "utf-16"])
def test_a_form_is_read_as_utf_8_or_not_at_all(charset: str, client: httpx.Client) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="answer"\r\n\r\n+2AA-\\ud800\r\n--x--\r\n'
    for path in ("/practise", "/annotate", "/report", "/api/v1/annotate"):
        for given, statuses in ((charset, (415,)), ("UTF-8", (400, 404, 422))):
            kind = {"content-type": f"multipart/form-data; boundary=x; charset={given}"}
            assert client.post(path, content=body, headers=kind).status_code in statuses


def test_a_library_that_another_program_writes_to_has_the_answer_given_again(
    client: httpx.Client, library: Path
) -> None:
    page = exercise(client)
    with open_library(library) as writing, writing.database.write():
        answer = client.post("/practise", data={**hidden(page), "answer": "Bxd1"})
    assert answer.status_code == 503
    assert "The answer was not stored, give it again" in words(answer)
    assert stored(library) == 0


def test_a_public_instance_has_no_practice(library: Path) -> None:
    with served(library, library.parent, web_public=True) as running, running.client() as client:
        client.headers["accept"] = "text/html"
        page = client.get("/practise", params={"go": "1", "player": PLAYER})
        assert page.status_code == 400
        assert "This instance is public" in words(page)
        assert client.post("/practise", data={"player": PLAYER, "answer": "e4"}).status_code == 403


def test_first_question_of_a_decoy_is_answered_by_a_button(client: httpx.Client, library: Path) -> None:
    chosen = {"go": "1", "player": PLAYER, "pattern": "mate:N:K"}
    with open_library(library) as opened:
        practice = open_practice(opened, PLAYER, Filter(pattern="mate:N:K"))
    decoy = next(each for each in practice.exercises if each.is_decoy and each.best)
    real = next(each for each in practice.exercises if each.task is Task.KILLER and not each.is_decoy)
    pages = [client.get("/practise", params={**chosen, "exercise": each.id}) for each in (decoy, real)]
    for page in pages:
        assert "is there a winning move, and which?" in words(page)
        assert '<button name="wins" value="no">' in page.text
    # Of the real one a move is asked then, and nothing is stored yet.
    more = client.post("/practise", data={**hidden(pages[1]), "wins": "yes"})
    assert more.status_code == 303
    asked = client.get(more.headers["location"])
    assert "There is. " in words(asked)
    assert 'name="wins"' not in asked.text
    assert hidden(asked)["sure"] == "1"
    assert stored(library) == 0
    wrong = client.get(client.post("/practise", data={**hidden(pages[1]), "wins": "no"}).headers["location"])
    assert "There is a winning move." in words(wrong)
    assert "Try again" in words(wrong)
    # Of the decoy any other answer than no is wrong, and the page says why.
    for answer, said in (({"wins": "yes"}, "Nothing wins here."), ({"wins": "no"}, "Right, nothing wins.")):
        shown = client.get(client.post("/practise", data={**hidden(pages[0]), **answer}).headers["location"])
        assert said in words(shown)
        assert " fails: " in words(shown)
        assert f"last={decoy.line[1]}" in shown.text
        assert "Try again" not in words(shown)
    assert stored(library) == 3
    links = [html.unescape(url) for url in re.findall(r'<a href="(/practise/exercises[^"]*)"', shown.text)]
    assert "pattern=mate" in links[0]
    assert "Nothing wins here." in client.get(links[0]).text
