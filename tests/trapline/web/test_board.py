"""The live board of the pages: pieces are dragged, and the page follows without being loaded anew."""

from collections.abc import Iterator

import httpx
import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.practice_library import copy_practice_library
from tests.support.web_browser import CHROMIUM, DRIVER, MISSING, Browser, browsing
from tests.support.web_server import Served, served
from trapline.web.pages.rendering import STATIC

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=MISSING),
    pytest.mark.skipif(
        not (STATIC / "chessground").is_dir(), reason="needs the board: npm, and python deploy/fetch_board.py"
    ),
]


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
    browser.one("dialog.promotion button[value=n]").click()
    browser.wait_address("line=a7a8n")
    # Without a choice nothing is played.
    browser.open("/position?fen=7k/P7/8/8/8/8/8/K7+w+-+-+0+1")
    browser.drag("a7", "a8")
    browser.one("dialog.promotion").send_keys(Keys.ESCAPE)
    assert "line=" not in browser.driver.current_url
    browser.drag("a7", "a8")
    browser.one("dialog.promotion button[value=q]").click()
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
