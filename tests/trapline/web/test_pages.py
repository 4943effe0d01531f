"""The pages as a server answers them, without a browser: what they say, what they escape, what they refuse."""

import gzip
import html
import re
import time
from collections.abc import Iterator
from xml.etree import ElementTree

import chess
import httpx
import pytest

from db.library.open import open_library
from db.proof.prover import TrapProver
from db.traps.board_svg import described
from db.traps.temptation import Profile
from db.traps.trap import make_trap
from db.wording.languages.english import ENGLISH
from tests.support.polling import PATIENCE_SECONDS
from tests.support.trap_games import FELL, game
from tests.support.web_server import GAMES, LEGAL, Served, links, make_library, served, words
from trapcore.proof.verdict import DepthValue
from trapline.web.pages.game_viewer import view_game
from trapline.web.pages.plots import profile_plot, result_bar
from trapline.web.service import LibraryCache

EVIL = '<img src=x onerror="alert(1)">'
FOOLED = "1. f3 e5 2. g4 { <b>no</b> [%cal Rd8h4,Gd8h4] } ( 2. e4 Nc6 { fine } 3. d4 ) 2... Qh4# 0-1"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("pages") / "library.sqlite"
    make_library(path)
    evil = make_trap(name=EVIL, family="evil<b>", moves="f3 e5", bait="g4", killer_line="Qh4#", slug="evil")
    with open_library(path) as library:
        library.add(TrapProver().prove(evil))
    with served(path, path.parent, web_upload_megabytes=1) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as found:
        found.headers["accept"] = "text/html,application/xhtml+xml"
        yield found


def text_of(answer: httpx.Response) -> str:
    """The words of a page."""
    assert answer.headers["content-type"].startswith("text/html")
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/", "What do you lose to?"),
        ("/?q=legal", "Search: legal"),
        ("/traps", "Traps by family"),
        ("/traps?family=legal", "Légal's mate"),
        ("/traps/legal-mate", "Légal's mate"),
        ("/position", "Position"),
        ("/position/setup", "Set up a position"),
        ("/annotate", "Annotate games"),
        ("/practise", "Practise"),
        ("/practise?go=1", "Practise"),
        ("/about", "What is proved and what is not"),
        ("/openings", "Traps by opening"),
        ("/openings/italian-game", "Italian Game"),
        ("/openings/italian-game-two-knights-defense", "Italian Game: Two Knights Defense"),
    ],
)
def test_each_page_has_its_title_language_landmarks_and_policy(client: httpx.Client, path: str, title: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert f"<title>{html.escape(title, quote=False)}".replace("'", "&#39;") in answer.text
    for part in ('<html lang="en">', '<main id="main"', "<header", "<footer", 'href="#main"', "<h1>"):
        assert part in answer.text, part
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self'")
    assert "unsafe" not in policy
    # Nothing in the page needs an exception from it.
    assert not re.search(r'<script(?![^>]*\bsrc=)|<style|\sstyle="|\son\w+="', answer.text)
    # A link to lichess is followed by people alone.
    inside = ("/", "#", "https://lichess.org/analysis/")
    assert {url for url in re.findall(r'(?:src|href)="([^"]*)"', answer.text) if not url.startswith(inside)} == set()
    assert not re.search(r'src="[^/]', answer.text)


def test_the_box_says_what_it_understood_and_what_not(client: httpx.Client) -> None:
    answer = client.get("/", params={"q": "traps in the Italian for black xyzzy"})
    said = text_of(answer)
    assert "Understood: Victim: White; Opening contains: Italian Game." in said
    assert "Not understood: xyzzy." in said
    said = text_of(client.get("/", params={"q": "xyzzy"}))
    assert "Not understood: xyzzy." in said
    assert "Understood" not in said
    assert 'href="/traps/legal-mate"' in client.get("/", params={"q": "https://lichess.org/analysis/" + LEGAL}).text


def test_an_opening_shows_its_traps_for_both_sides_and_is_linked(client: httpx.Client) -> None:
    page = client.get("/openings/italian-game")
    assert "Légal's mate" in text_of(page)
    assert "Traps for White" in text_of(page)
    assert "3...d6 4.Nc3" in text_of(page)
    assert 'href="/openings/italian-game"' in client.get("/openings").text
    assert 'href="/openings/italian-game"' in client.get("/position", params={"moves": "e4 e5 Nf3 Nc6 Bc4"}).text
    assert 'href="/openings/' in client.get("/traps/legal-mate").text
    missing = client.get("/openings/no-such-opening")
    assert missing.status_code == 404
    assert "no opening" in text_of(missing)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"q": "e4 e5 Qxf7"}, "'Qxf7' is no legal move"),
        ({"q": "8/8/8/9 w"}, "FEN"),
        ({"min_length": "two"}, "Min_length must be a number, not 'two'"),
        ({"family": "leegal"}, "did you mean 'legal'?"),
        ({"eco": "Z99"}, "C41"),
        ({"sort": "colour"}, "Unknown sort 'colour': known are"),
        ({"q": "legal", "after": "nonsense"}, ""),
    ],
)
def test_what_cannot_be_asked_is_told_in_the_form_which_keeps_it(
    client: httpx.Client, params: dict[str, str], said: str
) -> None:
    answer = client.get("/", params=params)
    assert answer.status_code == 400
    alert = re.search(r'role="alert">([^<]+)<', answer.text)
    assert alert is not None
    assert said in html.unescape(alert[1])
    if "q" in params:
        assert f'value="{html.escape(params["q"])}"' in answer.text


def test_the_library_is_shown_family_by_family(client: httpx.Client) -> None:
    found: list[str] = []
    path = "/traps"
    while path:
        answer = client.get(path)
        found += re.findall(r'<h3><a href="/traps/([^"]+)"', answer.text)
        more = re.search(r'rel="next" href="([^"]+)"', answer.text)
        path = html.unescape(more[1]) if more else ""
    listed = client.get("/api/v1/families", headers={"accept": "application/json"}).json()["families"]
    assert len(set(found)) == len(found)
    assert {family["family"] for family in listed} >= {"legal", "evil<b>"}
    # Of a large family the first ones stand here.
    assert len(found) == sum(min(8, family["traps"]) for family in listed)


def test_a_trap_is_stepped_through_by_links(client: httpx.Client) -> None:
    seen = []
    path = "/traps/legal-mate"
    while path:
        answer = client.get(path)
        seen.append(text_of(answer)[text_of(answer).index("Position 5...") :])
        following = re.search(r'href="([^"]+)" rel="next"', answer.text)
        path = html.unescape(following[1]) if following else ""
    assert len(seen) == 5
    assert "The bait is Bxd1" in seen[0]
    assert "White answers Bxf7+" in seen[1]
    assert "White has played Nd5#. That is mate." in seen[4]
    assert client.get("/traps/legal-mate?ply=99").text.count("aria-current") == client.get(
        "/traps/legal-mate?ply=4"
    ).text.count("aria-current")
    assert "flipped=1" in client.get("/traps/legal-mate?side=black").text


def test_the_page_of_a_trap_begins_with_why_it_works_and_how_to_avoid_it(client: httpx.Client) -> None:
    page = client.get("/traps/legal-mate")
    said = words(page)
    why = "5...Bxd1 ignores the threat of mate in 2: 6.Bxf7+ Ke7 7.Nd5#."
    assert said.index(why) < said.index("Before each move, ask what your opponent would play") < said.index("Proof and")
    played = client.get(links(page, "Play it from move 1")[0])
    assert [text for text in ("e4", "Nxe5") if f">{text}<" not in played.text] == []
    german = words(client.get("/traps/legal-mate?lang=de"))
    assert "5...Bxd1 übersieht die Drohung Matt in 2: 6.Bxf7+" in german


def test_the_page_of_a_trap_tells_its_proof_and_its_files_are_there(client: httpx.Client) -> None:
    text = text_of(client.get("/traps/legal-mate"))
    for part in ("proved, mate in 2", "trapline-mate", "Tempts: by rank", "best other move", "Similar traps"):
        assert part in text, part
    pgn = client.get("/traps/legal-mate.pgn")
    assert '[TrapSlug "legal-mate"]' in pgn.text
    ElementTree.fromstring(client.get("/traps/legal-mate.svg").text)


def test_a_trap_that_is_not_there_is_a_page_that_names_the_nearest(client: httpx.Client) -> None:
    answer = client.get("/traps/legl-mate")
    assert answer.status_code == 404
    assert '<a href="/traps/legal-mate">legal-mate</a>' in answer.text
    for path in ("/nothing", "/traps/legl-mate.pgn", "/annotate/none"):
        gone = client.get(path)
        assert (gone.status_code, gone.headers["content-type"]) == (404, "text/html; charset=utf-8"), path
    # Programs get what they read.
    told = client.get("/traps/legl-mate", headers={"accept": "application/json"})
    assert told.headers["content-type"] == "application/problem+json"
    assert client.get("/api/v1/traps/legl-mate").headers["content-type"] == "application/problem+json"


def test_names_are_text_and_never_markup(client: httpx.Client) -> None:
    for path in (
        "/?q=img",
        "/traps/evil",
        "/traps?family=evil%3Cb%3E",
        "/traps",
        f"/?q={EVIL}",
        f"/position?fen={EVIL}",
    ):
        text = client.get(path).text
        assert "<img src=x" not in text, path
        assert "evil<b>" not in text, path
    assert html.escape(EVIL, quote=False).replace('"', "&#34;") in client.get("/traps/evil").text


def test_a_position_tells_what_is_known_and_what_was_just_fallen_for(client: httpx.Client) -> None:
    text = text_of(client.get("/position", params={"fen": LEGAL}))
    assert "Black is to move." in text
    assert "The very position." in text
    # What looks like a killer here is the bait, and is called that.
    assert "the bait of Légal's mate (proved, mate in 2)" in text
    moves = "e4 e5 Nf3 Nc6 Bc4 d6 Nc3 Bg4 Nxe5 Bxd1"
    text = text_of(client.get("/position", params={"moves": moves}))
    assert "That was the bait of Légal's mate (proved, mate in 2). The killer: Bxf7+ Ke7 Nd5#" in text
    assert "mate in 2, proved" in text
    played = text_of(client.get("/position", params={"moves": "e4"}))
    assert re.search(r"In \d+ games of this library", played)
    assert "1. e4" in played


def test_position_shows_what_people_play_and_marks_only_judged_moves(client: httpx.Client) -> None:
    page = client.get("/position", params={"fen": LEGAL}).text
    section = page[page.index('aria-labelledby="people"') : page.index('aria-labelledby="played"')]
    rows = {html.unescape(re.sub("<.*?>", " ", row)).split()[0]: row for row in re.findall("<tr>.*?</tr>", section)}
    assert "popular and wrong" in rows["Bxd1"]
    assert 'class="bait"' in rows["Bxd1"]
    assert 'class="bait"' not in rows["Nxe5"]
    assert "Practical" in rows
    asked = client.get("/api/v1/explore", params={"fen": LEGAL, "people": True}).json()["people"]
    assert [move["san"] for move in asked["moves"] if move["cost"] is not None] == ["Bxd1"]


def test_a_position_shows_the_traps_ahead_with_their_moves(client: httpx.Client) -> None:
    text = client.get("/position", params={"line": "e2e4,e7e5,g1f3"}).text
    section = text.partition('id="ahead"')[2].partition("</section>")[0]
    assert 'href="/traps/legal-mate"' in section
    (legal,) = [row for row in section.split("<tr>") if "/traps/legal-mate" in row]
    address = html.unescape(re.findall(r'href="(/position[^"]*)"', legal)[0])
    there = client.get(address).text
    assert 'href="/traps/legal-mate"' in there.partition('id="known"')[2].partition("</section>")[0]
    # In the trap's own position it is known, and no more ahead.
    assert "/traps/legal-mate" not in there.partition('id="ahead"')[2].partition("</section>")[0]


def test_the_squares_of_a_position_lead_to_its_legal_moves_only(client: httpx.Client) -> None:
    def squares(path: str) -> dict[str, str]:
        text = client.get(path).text
        return {name: html.unescape(url) for name, url in re.findall(r'id="square-(\w\w)" href="([^"]+)"', text)}

    assert set(squares("/position")) == {f"{file}2" for file in "abcdefgh"} | {"b1", "g1"}
    chosen = squares("/position?from=e2")
    assert {name for name, url in chosen.items() if "line=" in url} == {"e3", "e4"}
    promoting = "/position?fen=8/P6k/8/8/8/8/8/K7+w+-+-+0+1&from=a7"
    choice = client.get(squares(promoting)["a8"])
    assert [name for name in ("Queen", "Rook", "Bishop", "Knight") if f">{name}</a>" in choice.text] == [
        "Queen",
        "Rook",
        "Bishop",
        "Knight",
    ]
    under = re.search(r'href="([^"]+a7a8n)"', choice.text)
    assert under is not None
    assert "a8=N" in text_of(client.get(html.unescape(under[1])))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("fen=nonsense", "Not a FEN"),
        ("fen=8/8/8/8/8/8/8/8+w+-+-+0+1", "Not a legal position"),
        ("line=e2e5", "'e2e5' is no legal move"),
        ("line=xx", "'xx' is no legal move"),
        ("moves=e4+e5+Ke3", "'Ke3' is no legal move"),
    ],
)
def test_a_position_that_is_none_is_told_with_the_reason(client: httpx.Client, query: str, said: str) -> None:
    answer = client.get(f"/position?{query}")
    assert answer.status_code == 400
    assert said in text_of(answer)


def test_a_position_is_set_up_square_by_square(client: httpx.Client) -> None:
    path = "/position/setup?fen=8/8/8/8/8/8/8/8+w+-+-+0+1&piece=K"
    assert "king" in text_of(client.get(path)).lower()
    for piece, square in (("K", "e1"), ("k", "e8"), ("R", "h1")):
        path = re.sub(r"piece=\w", f"piece={piece}", path)
        found = re.search(rf'id="square-{square}" href="([^"]+)"', client.get(path).text)
        assert found is not None
        path = html.unescape(found[1])
    castling = re.search(r'id="toggle-K" data-turn="step" href="([^"]+)"', client.get(path).text)
    assert castling is not None
    done = re.search(r'id="done" href="([^"]+)"', client.get(html.unescape(castling[1])).text)
    assert done is not None
    assert "fen=4k3%2F8%2F8%2F8%2F8%2F8%2F8%2F4K2R+w+K+-+0+1" in html.unescape(done[1])


def annotated(client: httpx.Client, name: str, data: bytes, **fields: str) -> tuple[str, str]:
    """Address and words of the page of an upload that has been annotated."""
    start_upload = client.post("/annotate", files={"file": (name, data)}, data=fields)
    assert start_upload.status_code == 303, start_upload.text
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        answer = client.get(start_upload.headers["location"])
        if "data-again" not in answer.text:
            return start_upload.headers["location"], text_of(answer)
        time.sleep(0.1)
    raise AssertionError(text_of(answer))


def test_an_upload_becomes_pages_of_its_games(client: httpx.Client) -> None:
    at, text = annotated(client, "games.pgn", GAMES.read_bytes(), player="", side="both")
    assert "Done: " in text
    assert "Takes the bait" in text
    result = client.get(re.sub("/annotate/", "/api/v1/annotations/", at) + "/result").content
    game = client.get(f"{at}/games/1")
    words = text_of(game)
    assert "Sets " in words
    # What the page shows of a game is what the file says, without the mark.
    comments = [" ".join(found.split()) for found in re.findall(r"\{\s([^}\[]+)\s\[%tl", result.decode()[:3000])]
    assert comments
    assert comments[0] in words
    assert "[%" not in words
    assert client.get(f"{at}/games/9999").status_code == 404
    assert client.get(f"{at}/games/1?ply=-5").status_code == 200
    assert game.headers["cache-control"] == "no-store"


def test_an_upload_marks_every_move_in_the_language_of_the_page(client: httpx.Client) -> None:
    client.headers["accept-language"] = "de"
    try:
        at, _ = annotated(client, "games.pgn", game(FELL).encode() * 2, tell="all", side="both")
    finally:
        del client.headers["accept-language"]
    result = client.get(re.sub("/annotate/", "/api/v1/annotations/", at).partition("/games")[0] + "/result").text
    assert "Der teuerste Zug ist" in result
    assert re.search(r" \$[26] ", result)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"hello", "There is no game in this text; a game begins with its tags"),
        (b'[Variant "Atomic"]\n\n1. e4 e5 *\n', "None of these games can be read (1 unknown variant)"),
    ],
)
def test_an_upload_without_a_game_says_so_and_nothing_of_traps(client: httpx.Client, text: bytes, told: str) -> None:
    _, words = annotated(client, "games.pgn", text)
    assert told in words
    assert "Done" not in words
    assert "No trap was found" not in words


def test_an_upload_that_cannot_be_taken_is_told_in_the_form(client: httpx.Client) -> None:
    for answer in (
        client.post("/annotate", files={"file": ("", b"")}),
        client.post("/annotate", data={"side": "both"}, files={"other": ("", b"")}),
        client.post("/annotate", files={"file": ("g.pgn", b"1. e4 *")}, data={"side": "upwards"}),
    ):
        assert 400 <= answer.status_code < 500
        assert 'role="alert"' in answer.text
    _, text = annotated(client, "bad.gz", gzip.compress(GAMES.read_bytes())[:-500])
    assert "Stopped." in text


def test_a_form_of_another_site_is_refused(client: httpx.Client) -> None:
    answer = client.post("/annotate", files={"file": ("g.pgn", b"1. e4 *")}, headers={"origin": "https://evil.example"})
    assert answer.status_code == 403
    # With another policy browsers would not tell where a form of our own comes from.
    assert client.get("/annotate").headers["referrer-policy"] == "same-origin"


def test_boards_are_pictures_without_styles_that_may_be_kept(client: httpx.Client) -> None:
    answer = client.get("/board.svg", params={"fen": LEGAL, "bait": "g4d1", "killer": "c4f7"})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "immutable" in answer.headers["cache-control"]
    root = ElementTree.fromstring(answer.text)
    assert not any("style" in element.attrib for element in root.iter())
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == described(chess.Board(LEGAL))
    for wrong in ({"fen": "x"}, {"fen": LEGAL, "bait": "zz"}, {}, {"fen": "8" * 300}):
        assert 400 <= client.get("/board.svg", params=wrong).status_code < 500
    assert client.get("/piece.svg", params={"piece": "N"}).status_code == 200
    assert client.get("/piece.svg", params={"piece": "X"}).status_code == 422


# The parts ----------------------------------------------------------------------------------------------------------


def test_a_game_is_viewed_with_comments_variations_and_arrows() -> None:
    view = view_game(FOOLED.encode(), "utf-8", flipped=True)
    assert [ply.san for ply in view.plies] == ["", "f3", "e5", "g4", "Qh4#"]
    third = view.plies[3]
    assert third.comments == ("<b>no</b>", "(2.e4 Nc6 [fine] 3.d4)")
    assert (third.picture.bait, third.picture.killer, third.picture.flipped) == ("d8h4", "d8h4", True)
    assert [ply.number for ply in view.plies] == ["", "1.", "", "2.", ""]


def test_the_plot_is_well_formed_and_keeps_mates_at_its_edge() -> None:
    depths = (DepthValue(depth=1, bait=450, best=30), DepthValue(depth=2, bait=-29998, best=25))
    plot = profile_plot(Profile(rank=1, gain=400, depths=depths), "B<x>d1", ENGLISH)
    root = ElementTree.fromstring(plot)
    heights = [float(dot.attrib["cy"]) for dot in root if dot.attrib.get("class") == "bait-dot"]
    assert len(heights) == 2
    assert all(0 < height < 240 for height in heights)
    assert heights[1] > heights[0]
    assert profile_plot(Profile(rank=1, gain=0), "x", ENGLISH) == ""
    widths = [float(part.attrib["width"]) for part in ElementTree.fromstring(result_bar(2, 1, 1, ENGLISH))]
    assert widths == [50, 25, 25]
    assert len(ElementTree.fromstring(result_bar(0, 0, 0, ENGLISH))) == 0


def test_the_cache_holds_the_latest_values_of_one_state() -> None:
    computed: list[object] = []

    def compute(value: object) -> object:
        computed.append(value)
        return value

    cache = LibraryCache(2)
    for state, key in (("a", 1), ("a", 1), ("a", 2), ("a", 1), ("a", 3), ("a", 2), ("b", 1), (None, 1), (None, 1)):
        assert cache.get(state, key, lambda key=key: compute(key)) == key  # type: ignore[misc]
    assert computed == [1, 2, 3, 2, 1, 1, 1]
