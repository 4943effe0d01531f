"""The pages as somebody sees and uses them: with a real browser, a real server and a real library."""

import time
from collections.abc import Iterator

import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.trap_games import FELL, game
from tests.support.web_browser import CHROMIUM, DRIVER, MISSING, PHONE, Browser, browsing
from tests.support.web_server import LEGAL, Served, make_library, served

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=MISSING)]

LEGAL_MOVES = "e4 e5 Nf3 Nc6 Bc4 d6 Nc3 Bg4 Nxe5 Bxd1"
PAGES = {
    "start": "/",
    "hits": "/?q=legal&verdict=proved",
    "wrong": "/?q=e4+e5+Qxf7",
    "library": "/traps",
    "family": "/traps?family=legal",
    "trap": "/traps/legal-mate",
    "trap-step": "/traps/legal-mate?ply=4&side=black",
    "position": "/position",
    "position-trap": f"/position?fen={LEGAL.replace(' ', '+')}",
    "position-killer": f"/position?moves={LEGAL_MOVES.replace(' ', '+')}&from=c4",
    "setup": "/position/setup",
    "embedded": "/traps/legal-mate/embed?ply=2",
    "annotate": "/annotate",
    "report": "/report?player=Zed",
    "report-games": "/report/games?player=Zed",
    "practise": "/practise",
    "exercise": "/practise?go=1&hints=1",
    "repertoire": "/repertoire",
    "repertoire-checked": "/repertoire?player=Morphy",
    "drill": "/repertoire/drill?player=Morphy",
    "opponent": "/prepare",
    "opponent-sheet": "/prepare?against=Morphy",
    "play": "/play",
    "playing": "/play/game?level=1400&style=solid&side=white&line=e2e4",
    "played": "/play/game?level=1400&style=trickster&side=white&line=f2f3,e7e5,g2g4,d8h4",
    "about": "/about",
    "words": "/?q=smothered+mate+xyzzy",
    "openings": "/openings",
    "opening": "/openings/italian-game",
    "missing": "/traps/legl-mate",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("pages") / "library.sqlite"
    make_library(path)
    with served(path, path.parent) as running:
        yield running


def checked(browser: Browser) -> None:
    """Nothing was asked of anybody else, and nothing violated the policy or failed."""
    browser.note()
    assert browser.asked
    assert [url for url in browser.asked if not url.startswith((browser.url + "/", "data:"))] == []
    assert [said for said in browser.complaints if "favicon" not in said] == []


@pytest.fixture
def browser(server: Served) -> Iterator[Browser]:
    with browsing(server.url) as found:
        yield found
        checked(found)


@pytest.fixture
def plain(server: Served) -> Iterator[Browser]:
    """A browser that runs no scripts."""
    with browsing(server.url, scripts=False) as found:
        yield found
        checked(found)


def test_a_trap_is_searched_and_stepped_through_with_the_arrow_keys(browser: Browser) -> None:
    browser.open("/")
    browser.one("#q").send_keys("legall mate", Keys.ENTER)
    first = browser.one(".hit h3 a")
    assert first.text == "Légal's mate"
    browser.picture("hits")
    first.click()
    assert browser.text("h1") == "Légal's mate"
    assert "proved, mate in 2" in browser.text(".mark")
    browser.driver.execute_script("window.stays = true")
    browser.picture("trap")
    body = browser.one("body")
    for ply, move in enumerate(("Bxd1", "Bxf7+", "Ke7", "Nd5#"), start=1):
        body.send_keys(Keys.ARROW_RIGHT)
        assert browser.wait_text(".moves [aria-current]", move) == move
        browser.wait_address(f"ply={ply}")
    assert "That is mate" in browser.wait_text("#said", "mate") or browser.text("[data-say]").endswith("mate.")
    assert "last move c3 to d5" in (browser.one("img[data-board]").get_attribute("alt") or "")
    browser.picture("trap-mate")
    body.send_keys(Keys.HOME)
    browser.wait_text(".moves [aria-current]", "Position")
    alt = browser.one("img[data-board]").get_attribute("alt") or ""
    assert "red arrow for the bait from g4 to d1" in alt
    assert "green arrow for the killer from c4 to f7" in alt
    browser.press("#step-next")
    browser.wait_text(".moves [aria-current]", "Bxd1")
    # The button keeps the focus, so Enter goes on.
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    browser.wait_text(".moves [aria-current]", "Bxf7+")
    assert browser.driver.execute_script("return window.stays") is True, "the page was loaded anew"


def test_a_position_is_set_up_with_the_keyboard_alone(browser: Browser) -> None:
    browser.open("/position/setup?fen=8/8/8/8/8/8/8/8+w+-+-+0+1&piece=K")
    assert "king" in browser.wait_text("[role=alert]", "king").lower()
    browser.one("#square-a8").send_keys(Keys.ARROW_RIGHT)
    assert browser.driver.switch_to.active_element.get_attribute("id") == "square-b8"
    for key in (Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER):
        browser.driver.switch_to.active_element.send_keys(key)
    browser.wait_address("1K6")
    for piece, square, fen in (("black-k", "b8", "1k6"), ("white-r", "h1", "7R")):
        browser.one(f"#piece-{piece}").send_keys(Keys.ENTER)
        browser.one(f"#piece-{piece}[aria-current]")
        browser.one(f"#square-{square}").send_keys(Keys.ENTER)
        browser.wait_address(fen)
    browser.picture("setup")
    browser.one("#done").send_keys(Keys.ENTER)
    assert "mate in 1, proved" in browser.wait_text("#wins ~ .wide", "Rh8#")


def test_a_game_against_trapline_goes_on_in_the_page(browser: Browser) -> None:
    browser.open("/play?side=white")
    browser.press("main form button")
    browser.wait_text("[data-say]", "You are to move.")
    browser.driver.execute_script("window.stays = true")
    browser.drag("e2", "e4")
    browser.one(".moves li:nth-child(2)")
    browser.wait_text("[data-say]", "You are to move.")
    assert browser.driver.execute_script("return window.stays") is True, "the page was loaded anew"
    browser.press("#give-up")
    browser.wait_text("[data-say]", "You resigned.")
    browser.picture("play")
    browser.press("main form button")
    browser.wait_text("h1", "Annotated games")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of games with Legal's mate."""
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    path.write_text(game(FELL) * 8)
    return str(path)


def test_pasted_games_lead_to_what_one_loses_to_in_three_clicks(browser: Browser) -> None:
    games = "".join(game(FELL, white=f"Rival {day}", black="Zed", Date=f"2022.03.{day:02}") for day in range(1, 13))
    browser.open("/")
    field = browser.one("#pgn")
    browser.driver.execute_script("arguments[0].value = arguments[1]", field, games + game(FELL))
    browser.press("#look")
    browser.one("#who")
    assert browser.text("#player-1") == "Zed"
    browser.picture("who")
    # The page puts itself in place anew while the games are looked through.
    browser.driver.execute_script("document.querySelector('#player-1').click()")
    assert "you walked into a mate (12 times)" in browser.wait_text("#summary", "costs you most")
    assert browser.all("#patterns")
    browser.picture("patterns")
    browser.press('main a[href^="/practise"]')
    assert browser.text("h1") == "Practise"
    assert "Zed" in browser.text("#view")


REPERTOIRE = '[Orientation "white"]\n\n1. e4 e5 2. Nf3 d6 (2... Nc6 3. Bc4 (3. Bb5)) 3. d4 (3. Bc4) *'


def test_a_repertoire_is_given_and_drilled_on_the_board(browser: Browser) -> None:
    browser.open("/repertoire")
    browser.one("#player").send_keys("Morphy")
    browser.driver.execute_script("arguments[0].value = arguments[1]", browser.one("#pgn"), REPERTOIRE)
    browser.press("#check")
    assert browser.wait_text("h1", "Morphy") == "The repertoire of Morphy, Paul"
    assert "Two moves of yours in one position" in [each.text for each in browser.all("h2")]
    browser.picture("repertoire")
    browser.press("#drill")
    assert browser.wait_text("h2", "White") == "White: the start"
    browser.one("#move").send_keys("d4", Keys.ENTER)
    assert browser.wait_text("[data-say]", "Your repertoire") == "Your repertoire has 1.e4."
    browser.picture("drill-wrong")
    browser.press("#next")
    assert browser.wait_text("h2", "Pawn").startswith("White, King's Pawn Game: 1.e4 e5")
    browser.one("#move").send_keys("Nf3", Keys.ENTER)
    assert "Right." in browser.wait_text("[data-say]", "Right.")


def test_a_repertoire_is_drilled_without_scripts(plain: Browser) -> None:
    plain.open("/repertoire")
    plain.one("#pgn").send_keys('[Orientation "black"]\n\n1. e4 c5 2. Nf3 d6 *')
    plain.press("#check")
    plain.press("#drill")
    plain.press("#square-c7")
    plain.press("#square-c5")
    assert plain.text("[data-say]") == "Right."
    plain.press("#square-e7")
    plain.press("#square-e5")
    assert plain.text("[data-say]") == "Your repertoire has 2...d6."
    plain.press("#next")
    assert plain.text("#next") == "Next line"


def test_everything_works_without_scripts(plain: Browser, games: str) -> None:
    plain.open("/?q=legal")
    plain.press(".hit h3 a")
    plain.press("#step-next")
    assert plain.text(".moves [aria-current]") == "Bxd1"
    plain.press("#step-last")
    assert "That is mate." in plain.text("[data-say]")
    plain.open("/position")
    for square in ("e2", "e4", "e7", "e5"):
        plain.press(f"#square-{square}")
    assert [move.text for move in plain.all("ol.moves a")] == ["e4", "e5"]
    plain.press("#set-up")
    plain.press("#piece-none")
    plain.press("#square-e4")
    plain.press("#done")
    assert "e4, empty" in (plain.one("#square-e4").get_attribute("aria-label") or "")
    plain.open("/annotate")
    plain.one("#file").send_keys(games)
    plain.press("form[data-upload] button")
    plain.wait_text("[data-say]", "Done:")
    plain.press(".hit h3 a")
    plain.press("#step-next")
    assert "Takes the bait" in plain.text("[data-say]")
    plain.picture("game-plain")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_page_has_serious_barriers(server: Served, dark: bool) -> None:
    with browsing(server.url, dark=dark) as browser:
        found = {}
        for name, path in PAGES.items():
            browser.open(path)
            for details in browser.all("details:not([open]) > summary"):
                details.click()
            browser.picture(f"{'dark-' if dark else ''}{name}")
            found[name] = browser.accessibility()
        assert {name: barriers for name, barriers in found.items() if barriers} == {}


def test_on_a_phone_nothing_is_wider_than_the_screen(server: Served) -> None:
    with browsing(server.url, phone=True) as browser:
        wide = {}
        for name, path in PAGES.items():
            browser.open(path)
            time.sleep(0.1)
            width = browser.driver.execute_script("return document.documentElement.scrollWidth")
            if width > PHONE[0]:
                wide[name] = width
            browser.picture(f"phone-{name}")
        assert wide == {}
