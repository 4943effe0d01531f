"""A browser for the tests of the pages: Debian's Chromium without a window, and what it did behind the scenes."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from selenium import webdriver
from selenium.common.exceptions import (
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
MISSING = "needs Chromium and its driver (Debian: apt-get install chromium chromium-driver)"
SCREENS = Path(__file__).parents[2] / "out" / "screens"
PHONE = (360, 780)
WAIT = 120.0
"""Seconds until what is waited for counts as missing: what pages ask of the search takes long on a busy machine."""

T = TypeVar("T")

_REPLACED = (StaleElementReferenceException, NoSuchElementException, ElementNotInteractableException)
"""What is raised for an element that the page has replaced, or not shown yet."""


class Browser:
    """A browser that looks at one server, and keeps account of what it asked for and complained about."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver = driver
        self.url = url.rstrip("/")
        self.asked: list[str] = []
        """Addresses of all requests."""
        self.complaints: list[str] = []
        """What the console said."""

    def open(self, path: str) -> None:
        """Go there."""
        self.driver.get(self.url + path)

    def one(self, selector: str) -> WebElement:
        """The first element of this CSS selector, waited for."""
        return WebDriverWait(self.driver, WAIT).until(lambda driver: driver.find_element(By.CSS_SELECTOR, selector))

    def all(self, selector: str) -> list[WebElement]:
        """The elements that are there now."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """The text of the first element of this CSS selector, waited for."""
        return self._on(selector, lambda element: element.text)

    def press(self, selector: str) -> None:
        """Click on it."""
        self._on(selector, lambda element: element.click())

    def square(self, name: str, kind: str = "") -> None:
        """Choose a square of a board by its link; where a live board lies over the links, as the keyboard does."""
        self._on(f"#square-{name}{kind}", lambda element: element.send_keys(Keys.ENTER))

    def _on(self, selector: str, act: Callable[[WebElement], T]) -> T:
        """What ``act`` gives for the element; again, if the page replaces the element before it is done."""
        waiting = WebDriverWait(self.driver, WAIT, ignored_exceptions=_REPLACED)
        # A tuple, since waiting ends with the first value that is true.
        return waiting.until(lambda driver: (act(driver.find_element(By.CSS_SELECTOR, selector)),))[0]

    def drag(self, origin: str, target: str) -> None:
        """Drag a piece of the live board, White below."""
        board = self.one(".ground cg-board")
        size = board.size["width"] / 8

        def at(name: str) -> tuple[float, float]:
            return ("abcdefgh".index(name[0]) - 3.5) * size, (4.5 - int(name[1])) * size

        (x, y), (to_x, to_y) = at(origin), at(target)
        half = (to_x - x) / 2, (to_y - y) / 2
        moving = ActionChains(self.driver).move_to_element_with_offset(board, int(x), int(y)).click_and_hold()
        moving.move_by_offset(int(half[0]), int(half[1])).move_by_offset(int(half[0]), int(half[1])).release().perform()

    def wait_text(self, selector: str, part: str) -> str:
        """The text of the element once it has this part."""

        def found(driver: webdriver.Chrome) -> str | None:
            texts = [element.text for element in driver.find_elements(By.CSS_SELECTOR, selector)]
            return next((text for text in texts if part in text), None)

        waiting = WebDriverWait(self.driver, WAIT, ignored_exceptions=_REPLACED)
        text = waiting.until(found, f"no {part!r} in {selector}")
        assert text is not None
        return text

    def wait_address(self, part: str) -> None:
        """Until the address has this part."""
        WebDriverWait(self.driver, WAIT).until(lambda driver: part in driver.current_url, f"not at {part}")

    def picture(self, name: str) -> None:
        """Keep what is seen, the whole page, as ``out/screens/NAME.png``."""
        SCREENS.mkdir(parents=True, exist_ok=True)
        (SCREENS / f"{name}.png").write_bytes(self.driver.get_screenshot_as_png())

    def note(self) -> None:
        """Take over what the browser has logged since the last time."""
        for entry in self.driver.get_log("performance"):  # type: ignore[no-untyped-call]
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.asked.append(message["params"]["request"]["url"])
        self.complaints += [str(entry["message"]) for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def accessibility(self) -> list[str]:
        """What axe-core finds serious or critical on the page as it is."""
        script = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
        self.driver.execute_script(script)
        found: dict[str, Any] = self.driver.execute_async_script(
            "axe.run(document, {resultTypes: ['violations']}).then(arguments[arguments.length - 1])"
        )
        return [
            f"{violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]


@contextmanager
def browsing(url: str, *, phone: bool = False, dark: bool = False, scripts: bool = True) -> Iterator[Browser]:
    """A browser, closed afterwards."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    # As root, and where shared memory is small, as in containers, Chromium starts in no other way.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_argument("--window-size=1280,1000")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    if phone:
        options.add_experimental_option(
            "mobileEmulation", {"deviceMetrics": {"width": PHONE[0], "height": PHONE[1], "pixelRatio": 2.0}}
        )
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    try:
        driver.set_script_timeout(60)
        if dark:
            scheme = [{"name": "prefers-color-scheme", "value": "dark"}]
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        yield Browser(driver, url)
    finally:
        driver.quit()
