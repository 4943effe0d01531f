"""Pages as somebody meets them: seconds from the press or the drop until what was asked for is seen, in Chromium.

A real server over the bundled traps, on loopback; each row is the median of several. Processors that do other things
as well make them slower.
"""

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workshop.benchmarks.commands.serve import server
from workshop.benchmarks.material import master_games
from workshop.benchmarks.table import Row

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

BOARD = Path(__file__).parents[3] / "trapline" / "web" / "pages" / "static" / "engine"
GAMES = 5
"""Games of `PLIES` half-moves, or one more, that are pasted one after the other."""
PLIES = 80
REPORTED = 100
DROPPED = ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6", "b1c3", "c8g4")
WANTED_VIEW, WANTED_REPORT, WANTED_TRAPS = 3.0, 60.0, 0.1
"""Seconds."""

_PATIENCE = 300.0
_PASTE = "document.getElementById('pgn').value = arguments[0]"
# From the release of the piece to the first paint behind the exchange of the view.
_TIMED = """
window.shown = null;
document.addEventListener("mouseup", () => {
  const view = () => document.getElementById("view"), began = performance.now(), old = view();
  const look = new MutationObserver(() => {
    if (!view() || view() === old) return;
    look.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.shown = performance.now() - began; }));
  });
  look.observe(document.body, { childList: true, subtree: true });
}, { capture: true, once: true });
"""


def rows() -> list[Row]:
    """A pasted game to its annotated view, games to the report, a move on the board to its traps."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None or not BOARD.is_dir():
        missing = "needs chromium and chromedriver, and the board: npm, python deploy/fetch_board.py"
        return [Row("pages in a browser", "", missing)]
    with tempfile.TemporaryDirectory() as name:
        library = Path(name) / "library.sqlite"
        subprocess.run([sys.executable, "-m", "trapline", "library", "init", "--db", library], check=True)
        with server(library, Path(name)) as url, _browser(chromium, driver) as browser:
            views = [_viewed(browser, url, game) for game in _games(GAMES)]
            traps = _dropped(browser, url)
            report = _reported(browser, url)
    return [
        _row(f"a pasted game of {PLIES // 2} moves, until its annotated view", statistics.median(views), WANTED_VIEW),
        _row(f"{REPORTED} pasted games, until the report", report, WANTED_REPORT),
        _row("a piece dropped on the board, until the traps of the position", statistics.median(traps), WANTED_TRAPS),
    ]


def _row(name: str, seconds: float, wanted: float) -> Row:
    shown = f"{seconds:.1f} s" if wanted >= 1 else f"{1000 * seconds:.0f} ms"
    return Row(
        name, shown, f"{wanted:g} s wanted" if wanted >= 1 else f"{1000 * wanted:.0f} ms wanted", wanted / seconds, 1.0
    )


def _games(count: int) -> list[bytes]:
    """Master games of that length."""

    def is_long_enough(game: bytes) -> bool:
        numbers = re.findall(rb"(?:^|\s)(\d+)\.", game.split(b"\n\n", 1)[1])
        return bool(numbers) and int(numbers[-1]) == PLIES // 2

    return [game for game in master_games(2000) if is_long_enough(game)][:count]


def _viewed(browser: "Chrome", url: str, game: bytes) -> float:
    browser.get(f"{url}/annotate")
    browser.execute_script(_PASTE, game.decode("latin-1"))
    began = time.perf_counter()
    _press(browser, "form[action='/annotate'] button")
    _wait(browser, lambda: _has(browser, "#view:not([data-again]) [data-say]"))
    if _has(browser, ".hits h3 a"):
        _press(browser, ".hits h3 a")
        _wait(browser, lambda: _has(browser, ".moves"))
    return time.perf_counter() - began


def _reported(browser: "Chrome", url: str) -> float:
    browser.get(f"{url}/report")
    browser.execute_script(_PASTE, b"\n".join(master_games(REPORTED)).decode("latin-1"))
    began = time.perf_counter()
    _press(browser, "#look")
    _wait(browser, lambda: "player=" in browser.current_url and _has(browser, "#moves"))
    return time.perf_counter() - began


def _dropped(browser: "Chrome", url: str) -> list[float]:
    """Seconds from each of the moves to the traps."""
    from selenium.webdriver.common.action_chains import ActionChains

    browser.get(f"{url}/position")
    _wait(browser, lambda: _has(browser, ".ground cg-board"))
    times = []
    for move in DROPPED:
        board = browser.find_element("css selector", ".ground cg-board")
        size = board.size["width"] / 8
        (x, y), (to_x, to_y) = (
            (int(("abcdefgh".index(square[0]) - 3.5) * size), int((4.5 - int(square[1])) * size))
            for square in (move[:2], move[2:])
        )
        browser.execute_script("arguments[0].scrollIntoView()", board)
        browser.execute_script(_TIMED)
        drag = ActionChains(browser).move_to_element_with_offset(board, x, y).click_and_hold()
        drag.move_by_offset(to_x - x, to_y - y).release().perform()
        _wait(browser, lambda: browser.execute_script("return window.shown !== null"))
        times.append(float(browser.execute_script("return window.shown")) / 1000)
        time.sleep(1)  # what takes longer follows by itself
    return times


def _has(browser: "Chrome", selector: str) -> bool:
    return bool(browser.find_elements("css selector", selector))


def _press(browser: "Chrome", selector: str) -> None:
    browser.find_element("css selector", selector).click()


def _wait(browser: "Chrome", reached: Callable[[], bool]) -> None:
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.support.wait import WebDriverWait

    waiting = WebDriverWait(browser, _PATIENCE, 0.02, ignored_exceptions=[StaleElementReferenceException])
    waiting.until(lambda _: reached())


@contextmanager
def _browser(chromium: str, driver: str) -> Iterator["Chrome"]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    # As root, and where shared memory is small, as in containers, Chromium starts in no other way.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,1000"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield browser
    finally:
        browser.quit()
