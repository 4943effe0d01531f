"""The live board of the pages: pieces are dragged, and the page follows; Stockfish in the browser judges moves."""

import re
from collections.abc import Iterator

import httpx
import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.practice_library import copy_practice_library
from tests.support.web_browser import CHROMIUM, DRIVER, MISSING, PHONE, Browser, browsing
from tests.support.web_server import Served, served
from trapline.web.pages.rendering import STATIC

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=MISSING),
    pytest.mark.skipif(
        not (STATIC / "engine").is_dir(), reason="needs board and engine: npm, and python deploy/fetch_board.py"
    ),
]

LOADED = ("page.js", "board.js", "chessground/chessground.min.js")
"""Scripts of a page whose reader has not asked for the engine."""

VALUE = re.compile(r"^Stockfish: (#|[+-]?\d+\.\d\d · )")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = copy_practice_library(tmp_path_factory.mktemp("board") / "library.sqlite")
    with served(path, path.parent) as running:
        yield running


@pytest.fixture
def browser(server: Served) -> Iterator[Browser]:
    with browsing(server.url) as found:
        yield found
        found.note()
        assert [url for url in found.asked if not url.startswith((found.url + "/", "data:"))] == []
        assert [said for said in found.complaints if "favicon" not in said] == []


def test_moves_are_dragged_to_a_position_whose_traps_appear(browser: Browser) -> None:
    browser.open("/position")
    browser.driver.execute_script("window.stays = true")
    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6", "b1c3", "c8g4", "f3e5"]
    for ply, move in enumerate(moves, start=1):
        browser.drag(move[:2], move[2:])
        browser.wait_address(f"line={'%2C'.join(moves[:ply])}")
    assert "Légal's mate" in browser.wait_text("#known ~ .hits h3", "Légal")
    # What takes longer follows by itself.
    browser.wait_text("#played ~ p, #played ~ .wide", "")
    browser.one("body").send_keys("f")
    browser.wait_address("side=black")
    browser.one("body").send_keys(Keys.ARROW_LEFT)
    browser.wait_text(".moves [aria-current]", "Bg4")
    assert browser.driver.execute_script("return window.stays") is True, "the page was loaded anew"


def test_what_a_dragged_pawn_becomes_is_asked(browser: Browser) -> None:
    browser.open("/position?fen=7k/P7/8/8/8/8/8/K7+w+-+-+0+1")
    browser.drag("a7", "a8")
    assert browser.accessibility() == []
    browser.press("dialog.promotion button[value=n]")
    browser.wait_address("line=a7a8n")
    # Without a choice nothing is played.
    browser.open("/position?fen=7k/P7/8/8/8/8/8/K7+w+-+-+0+1")
    browser.drag("a7", "a8")
    browser.one("dialog.promotion").send_keys(Keys.ESCAPE)
    assert "line=" not in browser.driver.current_url
    browser.drag("a7", "a8")
    browser.press("dialog.promotion button[value=q]")
    browser.wait_address("line=a7a8q")


def test_the_line_of_a_trap_is_played_on_the_board_that_other_sites_may_frame(browser: Browser) -> None:
    browser.open("/traps/legals-mate")
    browser.drag("g4", "d1")
    browser.wait_address("ply=1")
    browser.drag("c4", "f7")
    browser.wait_address("ply=2")
    answer = httpx.get(f"{browser.url}/traps/legals-mate/embed")
    assert "frame-ancestors *" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in httpx.get(f"{browser.url}/traps/legals-mate").headers["content-security-policy"]


def test_pages_ask_for_no_engine_until_a_reader_does(browser: Browser) -> None:
    for path in ("/", "/position", "/traps/legals-mate"):
        browser.open(path)
        browser.one("body")
    browser.one("#engine-switch")
    browser.note()
    scripts = {url.partition("?")[0] for url in browser.asked if re.search(r"\.js\b", url)}
    assert scripts == {f"{browser.url}/static/{name}" for name in LOADED}
    assert sum((STATIC / name).stat().st_size for name in LOADED) < 100_000


def test_all_scripts_without_the_engine_are_small() -> None:
    sizes = [path.stat().st_size for path in STATIC.rglob("*.js") if path.name != "stockfish.js"]
    assert sum(sizes) < 350_000


def test_engine_judges_a_move_that_is_played_on_a_phone(server: Served) -> None:
    with browsing(server.url, phone=True) as browser:
        browser.open("/position")
        browser.press("#engine-switch")
        assert VALUE.match(browser.wait_text("[data-value]", "chance"))
        browser.driver.execute_script("arguments[0].scrollIntoView()", browser.one(".board"))
        browser.drag("g2", "g4")
        browser.wait_address("line=g2g4")
        said = browser.wait_text("[data-mine]", "1.g4")
        assert re.search(
            r"Your move 1\.g4: -\d\.\d\d\. Stockfish answers 1\.\.\.\w+\. Stockfish’s first choice was 1\.\w+:", said
        )
        assert "(trapline)" in browser.text("[data-say]")
        assert browser.accessibility() == []
        assert browser.driver.execute_script("return document.documentElement.scrollWidth") == PHONE[0]
        browser.picture("phone-engine")
        # It stays on over the pages of this tab.
        browser.open("/traps/legals-mate")
        assert VALUE.match(browser.wait_text("[data-value]", "chance"))
        assert browser.accessibility() == []
        browser.press("#engine-switch")
        assert not browser.one(".engine-results").is_displayed()


def test_engine_follows_moves_that_the_line_of_a_trap_does_not_have(browser: Browser) -> None:
    browser.open("/traps/legals-mate")
    browser.press("#engine-switch")
    browser.wait_text("[data-value]", "chance")
    browser.drag("g4", "f3")
    browser.wait_text("[data-mine]", "Your move 5...Bf3: #2. Stockfish answers 6.Bxf7+.")
    browser.drag("d1", "f3")
    assert browser.wait_text("[data-line]", "6.Qxf3") == "5...Bf3 6.Qxf3"
    assert browser.accessibility() == []
    browser.one("body").send_keys(Keys.ARROW_LEFT)
    browser.wait_text("[data-line]", "5...Bf3")
    browser.press("#engine-reset")
    assert not browser.one("#engine-back").is_displayed()
    # A move of the line steps on, as without the engine.
    browser.drag("g4", "d1")
    browser.wait_address("ply=1")
    browser.wait_text("[data-mine]", "Your move 5...Bxd1: #2.")


def test_a_browser_without_webassembly_shows_traplines_value_and_says_so(server: Served) -> None:
    with browsing(server.url) as browser:
        without = {"source": "delete window.WebAssembly"}
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", without)
        browser.open("/position")
        assert "has no WebAssembly" in browser.wait_text("#engine", "WebAssembly")
        assert re.search(r"chance: 5\d % \(trapline\)", browser.text("[data-say]"))
        assert not browser.one("#engine-switch").is_displayed()
    with browsing(server.url, scripts=False) as browser:
        browser.open("/position")
        assert "(trapline)" in browser.text("[data-say]")
        assert browser.text("#engine") == ""
