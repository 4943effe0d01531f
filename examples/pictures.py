"""Pictures of the pages for README and guide: ``python examples/pictures.py docs/images``.

It reads the example games into a new library, serves it on loopback and has Chromium, which must be installed, take
the pictures.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
PLAYER = "cancer0707"
REPORT = f"report?player={PLAYER}"
PAGES = {
    "page": ("traps/legals-mate-vienna-with-6-fxe5", "1100,755"),
    "start": ("", "900,640"),
    "report": (REPORT, "900,900"),
    "practise": (f"practise?go=1&player={PLAYER}", "900,720"),
    "openings": ("openings", "900,640"),
}
"""By the name of the picture: address, and width and height in pixels. The game is the first one of the report."""

GAME_SIZE = "1000,860"


def main() -> None:
    """Write the pictures into the folder that is the only argument."""
    folder = Path(sys.argv[1]).resolve()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("pictures: Chromium is not installed")
    with tempfile.TemporaryDirectory() as scratch:
        library = f"{scratch}/library.sqlite"
        trapline = [sys.executable, "-m", "trapline"]
        # The pictures do not depend on the settings of who makes them.
        own = {**os.environ, "TRAPLINE_ENGINE": "off", "TRAPLINE_LANGUAGE": "en", "TRAPLINE_CONFIG": os.devnull}
        subprocess.run([*trapline, "library", "init", "--db", library], cwd=ROOT, check=True, env=own)
        games = str(ROOT / "examples" / "games.pgn")
        subprocess.run([*trapline, "index", games, "--tell", "losses", "--db", library], cwd=ROOT, check=True, env=own)
        serve = [*trapline, "serve", "--db", library, "--port", "0"]
        with subprocess.Popen(serve, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=own) as server:
            try:
                address = next(found[1] for line in server.stderr or () if (found := re.search(r" at (http\S+)", line)))
                for name, (page, size) in PAGES.items():
                    _take(chromium, address + page, size, folder / f"{name}.png", scratch)
                _take(chromium, address + _first_game(address), GAME_SIZE, folder / "game.png", scratch)
            finally:
                server.terminate()


def _first_game(address: str) -> str:
    """Address of the game with the costliest losing move of the player."""
    with urlopen(address + REPORT) as answer:
        found = re.search(r'href="/(games/[^"]+)"', answer.read().decode())
    if found is None:
        sys.exit("pictures: the report leads to no game")
    return unescape(found[1])


def _take(chromium: str, page: str, size: str, picture: Path, scratch: str) -> None:
    """Write the picture of a page. Raises an error where there is no such page."""
    urlopen(page).close()
    # As root, and where shared memory is small, as in containers, Chromium starts in no other way.
    options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"]
    options += [f"--user-data-dir={scratch}/chromium", f"--window-size={size}", f"--screenshot={picture}"]
    subprocess.run([chromium, *options, page], check=True, stderr=subprocess.DEVNULL, timeout=120)


if __name__ == "__main__":
    main()
