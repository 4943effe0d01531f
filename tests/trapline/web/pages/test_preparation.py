"""The pages of one's own repertoire, of its drill and of an opponent, as a browser without scripts uses them."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from db.games.index_games import index_files
from db.library.open import open_library
from tests.fake_lichess.archive.stored import Study
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.support.db_traps import write
from tests.support.practice_library import PLAYER, copy_practice_library
from tests.support.trap_games import game
from tests.support.web_server import links, served, words
from tests.trapline.web.test_sign_in import public, signed_in, visits

NOTHING = {"file": ("", b"")}
BLACK = '[Orientation "black"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Nxe5 (5... dxe5) *'
TO_THE_TRAP = "e2e4,e7e5,g1f3,b8c6,f1c4,d7d6,b1c3,c8g4,f3e5"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = copy_practice_library(tmp_path_factory.mktemp("preparation") / "library.sqlite")
    games = [game("1. e4 e5 2. Nf3 Nc6 3. Bc4 1-0", "Zoe", "Tom", Round=str(number)) for number in range(2)]
    with open_library(path) as opened:
        index_files(opened, [write(path.with_name("zoe.pgn"), *games)])
    return path


@pytest.fixture(scope="module")
def client(library: Path) -> Iterator[httpx.Client]:
    with served(library, library.parent) as running, running.client() as found:
        found.headers["accept"] = "text/html"
        yield found


def give(client: httpx.Client, text: str = "", **fields: str) -> httpx.Response:
    return client.post("/repertoire", files=NOTHING, data={"pgn": text, **fields})


def given(client: httpx.Client, text: str = BLACK, **fields: str) -> httpx.Response:
    answer = give(client, text, **fields)
    assert answer.status_code == 303, words(answer)
    return client.get(answer.headers["location"])


def hidden(answer: httpx.Response) -> dict[str, str]:
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', answer.text)
    return {name: html.unescape(value) for name, value in found}


def test_a_repertoire_is_kept_and_shown_with_its_check(client: httpx.Client) -> None:
    shown = given(client, player="kiss")
    said = words(shown)
    assert f"The repertoire of {PLAYER}" in said
    assert "You left the repertoire first in 1 of 1 (100 %)" in said
    assert re.search(r"5\.\.\.Bxd1 Nxe5, dxe5 1 0 % \(\+0 =0 −1\) [67]\d %", said)
    assert "Two moves of yours in one position" in said
    assert shown.headers["cache-control"] == "no-store"
    # It is there the next time, and can be taken away as it was given.
    assert words(client.get("/repertoire", params={"player": "Kiss"})) == said
    assert f"Given before: {PLAYER}" in words(client.get("/repertoire"))
    (url,) = links(shown, "Take it as PGN")
    assert client.get(url).text == BLACK


def test_games_of_one_site_are_chosen(client: httpx.Client) -> None:
    shown = given(client, player="kiss")
    assert "The same name at two sites may be two people" in words(shown)
    (url,) = links(shown, "lichess.org")
    one = words(client.get(url))
    assert "1 game by site: lichess.org 1." in one
    assert "may be two people" not in one
    missing = client.get("/repertoire", params={"player": "kiss", "site": "chess.com"})
    assert missing.status_code == 400
    assert f"No indexed game of {PLAYER} is from chess.com; there are 2 from elsewhere, 1 from lichess.org" in words(
        missing
    )


def test_a_repertoire_is_taken_from_games(client: httpx.Client) -> None:
    taken = given(client, "", player="zoe", take="games")
    assert "Repertoire for White 6 positions. You scored 100 % (+2 =0 −0) in 2 games." in words(taken)
    assert "3. Bc4 { 2 of 2 games, 100% scored. }" in " ".join(
        client.get(links(taken, "Take it as PGN")[0]).text.split()
    )
    alone = give(client, player="anna", take="games")
    assert alone.status_code == 400
    assert "No move of Anna was played in 2 games or more" in words(alone)
    assert "Whose games?" in words(give(client, take="games"))


def test_without_a_name_there_are_traps_and_a_drill(client: httpx.Client) -> None:
    shown = given(client)
    assert "No game of yours with this colour is indexed." in words(shown)
    (url,) = links(shown, "Drill this")
    assert client.get(url).headers["location"].startswith("/repertoire/drill?color=black")


@pytest.mark.parametrize(
    ("text", "fields", "told"),
    [
        ("", {}, "Paste a repertoire, choose a file, or give the address of a study"),
        ("1. e4 e5 2. Ke3 *", {}, "PGN, game 1: move 2: Ke3 is not legal after 1.e4 e5"),
        ("<b>1. e4 e5 *", {}, "PGN, game 1"),
        ("1. e4 e5 *", {}, "nothing says whose repertoire this is; choose the colour"),
        (BLACK, {"player": "Eve Kisss"}, f"the nearest are {PLAYER}"),
        ("https://lichess.org/@/somebody", {}, "is no study: give the eight letters"),
    ],
)
def test_what_cannot_be_is_said_and_the_text_stays(
    client: httpx.Client, text: str, fields: dict[str, str], told: str
) -> None:
    answer = give(client, text, **fields)
    assert answer.status_code in (400, 422)
    assert told in words(answer)
    (kept,) = re.findall(r"<textarea[^>]*>([^<]*)</textarea>", answer.text)
    assert html.unescape(kept) == text
    assert "<b>1." not in answer.text


def test_a_file_that_is_no_text_is_refused_and_not_put_into_the_form(client: httpx.Client) -> None:
    answer = client.post("/repertoire", files={"file": ("mine.pgn", b"\x89PNG\r\n\0\0")}, data={"color": "white"})
    assert answer.status_code == 422
    assert "PGN: this is no text; give PGN" in words(answer)
    assert "\x89PNG" not in answer.text


def test_a_file_that_is_too_long_is_refused(client: httpx.Client) -> None:
    long = {"file": ("mine.pgn", b"1. e4 e5 *\n\n" * 100_000)}
    answer = client.post("/repertoire", files=long, data={"color": "white"})
    assert answer.status_code == 422
    assert "A repertoire may have 1 MiB here" in words(answer)


def test_studies_are_read_by_address_and_a_private_one_is_said_to_be(library: Path) -> None:
    def prepare(site: Site) -> None:
        site.archive.studies["studyOPE"] = Study("studyOPE", "owner", BLACK + "\n", 0)
        site.archive.studies["studyPRI"] = Study("studyPRI", "owner", BLACK + "\n", 0, private=True)

    with Server() as lichess, served(library, library.parent, service_url=lichess.url) as running:
        lichess.do(prepare)
        with running.client() as client:
            client.headers["accept"] = "text/html"
            assert "From the lichess study studyOPE" in words(given(client, f"{lichess.url}/study/studyOPE"))
            private = give(client, f"{lichess.url}/study/studyPRI")
            assert private.status_code == 422
            assert "Study studyPRI: it is private or was deleted" in words(private)


def test_a_drill_asks_answers_and_goes_on_by_links_and_forms(client: httpx.Client) -> None:
    given(client, player="kiss")
    first = client.get("/repertoire/drill", params={"player": "kiss"})
    assert first.status_code == 303
    asked = client.get(first.headers["location"])
    assert "Black, King's Pawn Game: 1.e4" in words(asked)
    assert "flipped=1" in asked.text
    bad = client.post("/repertoire/drill", data={**hidden(asked), "answer": "<b>Ke9"})
    assert bad.status_code == 400
    assert "is no legal move here" in words(bad)
    right = client.post("/repertoire/drill", data={**hidden(asked), "square": "e7e5"})
    after = client.get(right.headers["location"])
    assert "Right. 1...e5 2.Nf3" in words(after)
    assert "today 1 right, 0 wrong" in words(after)
    wrong = client.post("/repertoire/drill", data={**hidden(after), "answer": "f6"})
    shown = client.get(wrong.headers["location"])
    assert "Your repertoire has 2...Nc6." in words(shown)
    assert "killer=b8c6" in shown.text
    (on,) = links(shown, "Play it and go on")
    assert "2.Nf3 Nc6 3.Bc4" in words(client.get(client.get(on).headers["location"]))


def test_a_wrong_move_into_a_trap_is_told_and_the_line_ends(client: httpx.Client) -> None:
    given(client, player="kiss")
    place = {"player": "kiss", "color": "black", "start": "0", "moves": TO_THE_TRAP}
    wrong = client.post("/repertoire/drill", data={**place, "answer": "Bxd1"})
    said = words(client.get(wrong.headers["location"]))
    assert "Your repertoire has 5...Nxe5, 5...dxe5." in said
    assert "5...Bxd1 falls into a trap, Légal's mate (proved, mate in 2): 6.Bxf7+ Ke7 7.Nd5#." in said
    right = client.post("/repertoire/drill", data={**place, "answer": "dxe5"})
    end = client.get(right.headers["location"])
    assert "The line ends here." in words(end)
    assert links(end, "Next line")


def test_a_position_that_is_put_off_does_not_come_again(client: httpx.Client) -> None:
    given(client, '[Orientation "white"]\n\n1. a3 *')
    asked = client.get(client.get("/repertoire/drill?player=").headers["location"])
    (skip,) = links(asked, "Skip")
    assert "Nothing is due now." in words(client.get(skip))


def test_an_address_of_another_repertoire_says_what_to_do(client: httpx.Client) -> None:
    given(client, player="kiss")
    for where in ({"color": "black", "moves": "d2d4"}, {"color": "white"}, {"color": "black", "start": "9"}):
        answer = client.get("/repertoire/drill", params={"player": "kiss", **where})
        assert answer.status_code == 404
        assert "begin the drill anew" in words(answer)
    assert client.get("/repertoire/drill", params={"player": "anna"}).status_code == 404
    assert client.get("/repertoire/mine.pgn", params={"player": "anna"}).status_code == 404


def test_the_sheet_about_an_opponent_says_its_sample_and_its_sites(client: httpx.Client) -> None:
    sheet = client.get("/prepare", params={"against": "kiss"})
    said = words(sheet)
    assert "The sample is small: 3 games." in said
    assert "If he takes the bait: 5...Bxd1? 6.Bxf7+ Ke7 7.Nd5#." in said
    assert "/board.svg?" in sheet.text
    (url,) = links(sheet, "elsewhere")
    assert "all sites" in words(client.get(url))
    missing = client.get("/prepare", params={"against": "zzz"})
    assert missing.status_code == 400
    assert "No indexed game has a player called 'zzz'" in words(missing)


def test_a_public_server_asks_who_is_there_and_shows_no_opponent(library: Path) -> None:
    with served(library, library.parent, web_public="true") as running, running.client() as client:
        client.headers["accept"] = "text/html"
        assert "a repertoire belongs to one player" in words(client.get("/repertoire", params={"player": PLAYER}))
        assert give(client, BLACK, player="kiss").status_code == 403
        assert client.get("/repertoire/drill").status_code == 403
        assert PLAYER not in client.get("/prepare").text
        assert client.get("/prepare", params={"against": "kiss"}).status_code == 403


def test_who_has_signed_in_has_a_repertoire_of_his_own(library: Path) -> None:
    with Server(speed=0.0) as lichess, public(library, lichess) as client:
        visits(lichess, "Bob")
        client.headers["cookie"] = signed_in(client)
        assert "Give your repertoire." in words(client.get("/repertoire"))
        # He cannot speak for others, and sees nothing of theirs.
        shown = given(client, player=PLAYER)
        assert "The repertoire of Bob" in words(shown)
        assert "No game of yours with this colour is indexed." in words(shown)
        assert "The repertoire of Bob" in words(client.get("/repertoire", params={"player": PLAYER}))
        (url,) = links(shown, "Drill this")
        asked = client.get(client.get(url).headers["location"])
        assert "Black, King's Pawn Game: 1.e4" in words(asked)
