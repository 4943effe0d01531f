"""Fetches the board of the pages beside them: ``python deploy/fetch_board.py``, which ``make`` and ``make wheel`` do.

It is chessground (GPL-3.0-or-later, https://github.com/lichess-org/chessground) in the version and with the digest that
``trapline/web/package-lock.json`` names. Without npm nothing is fetched: the pages keep the board that
needs no scripts.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "out" / "board"
PLACE = ROOT / "trapline" / "web" / "pages" / "static" / "chessground"
FILES = {
    "dist/chessground.min.js": "chessground.min.js",
    "assets/chessground.base.css": "chessground.base.css",
    "LICENSE": "LICENSE.txt",
}


def fetch() -> bool:
    """Fetch the board; False if there is no npm. Raises `subprocess.CalledProcessError` if npm fails."""
    npm = shutil.which("npm")
    if npm is None:
        return False
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "trapline" / "web" / name, WORK)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    PLACE.mkdir(exist_ok=True)
    package = WORK / "node_modules" / "@lichess-org" / "chessground"
    for source, name in FILES.items():
        shutil.copy(package / source, PLACE / name)
    shutil.rmtree(WORK)
    return True


if __name__ == "__main__":
    try:
        fetched = fetch()
    except subprocess.CalledProcessError:
        sys.exit("npm could not fetch the board; the pages keep the one that needs no scripts")
    print("the pages have the board" if fetched else "there is no npm; the pages keep the board that needs no scripts")
