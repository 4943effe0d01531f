"""Picture of the page of a trap for the README: ``python examples/screenshot.py docs/images/page.png``.

It serves the bundled library on loopback and has Chromium, which must be installed, take the picture.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
PAGE = "traps/legals-mate-vienna-with-6-fxe5"
SIZE = "1100,755"
"""Width and height in pixels."""


def main() -> None:
    """Write the picture to the path that is the only argument."""
    picture = Path(sys.argv[1]).resolve()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("screenshot: Chromium is not installed")
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/library.sqlite"
        trapline = [sys.executable, "-m", "trapline"]
        subprocess.run([*trapline, "library", "init", "--db", library], cwd=ROOT, check=True)
        games = str(ROOT / "examples" / "games.pgn")
        subprocess.run([*trapline, "index", games, "--db", library], cwd=ROOT, check=True)
        serve = [*trapline, "serve", "--db", library, "--port", "0"]
        with subprocess.Popen(serve, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
            try:
                address = next(found[1] for line in server.stderr or () if (found := re.search(r" at (http\S+)", line)))
                urlopen(address + PAGE).close()  # raises an error where there is no such page
                # As root, and where shared memory is small, as in containers, Chromium starts in no other way.
                options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"]
                options += [f"--user-data-dir={folder}/chromium", f"--window-size={SIZE}", f"--screenshot={picture}"]
                subprocess.run([chromium, *options, address + PAGE], check=True, stderr=subprocess.DEVNULL, timeout=120)
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
