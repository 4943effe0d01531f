"""Fetches what the pages take from npm: ``python deploy/fetch_board.py``, which ``make`` and ``make wheel`` do.

``trapline/web/package-lock.json`` names versions and digests:

===========  =======================================================================================
chessground  the board (GPL-3.0-or-later, https://github.com/lichess-org/chessground)
stockfish    the engine, its small build for one thread (GPL-3.0, https://github.com/nmrugg/stockfish.js)
chessops     the rules for moves beside the engine (GPL-3.0-or-later, https://github.com/niklasf/chessops)
===========  =======================================================================================

The engine's folders have the version in their names, because browsers keep these files. The package of the engine has
161 MB, so nothing is fetched if what is there is of this lock file. Without npm nothing is fetched: the pages keep the
board that needs no scripts.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "out" / "board"
WEB = ROOT / "trapline" / "web"
STATIC = WEB / "pages" / "static"
MODULES = ("attacks", "board", "chess", "compat", "fen", "san", "setup", "squareSet", "types", "util")
FILES = {
    "chessground": {
        "@lichess-org/chessground/dist/chessground.min.js": "chessground.min.js",
        "@lichess-org/chessground/assets/chessground.base.css": "chessground.base.css",
        "@lichess-org/chessground/LICENSE": "LICENSE.txt",
    },
    "engine/stockfish-{stockfish}": {
        "stockfish/bin/stockfish-19-lite-single.js": "stockfish.js",
        "stockfish/bin/stockfish-19-lite-single.wasm": "stockfish.wasm",
        "stockfish/Copying.txt": "LICENSE.txt",
    },
    "engine/chessops-{chessops}": {
        **{f"chessops/dist/esm/{name}.js": f"{name}.js" for name in MODULES},
        "chessops/LICENSE.txt": "LICENSE.txt",
        "@badrap/result/dist/mjs/index.mjs": "result.js",
        "@badrap/result/LICENSE": "LICENSE-result.txt",
    },
}
SOURCE = """The source code of this program, Stockfish.js {stockfish}, with the script that compiles it:
https://github.com/nmrugg/stockfish.js/tree/v{stockfish}

It is the file stockfish-19-lite-single of the npm package stockfish {stockfish},
unchanged. It is free software under the GNU General Public License, version 3: LICENSE.txt.
"""
LOCK = STATIC / "engine" / "package-lock.json"
"""The lock file by which the files there were fetched."""


def fetch() -> bool:
    """Fetch what is not there; False if there is no npm. Raises `subprocess.CalledProcessError` if npm fails."""
    wanted = (WEB / "package-lock.json").read_text("utf-8")
    if LOCK.is_file() and LOCK.read_text("utf-8") == wanted:
        return True
    npm = shutil.which("npm")
    if npm is None:
        return False
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(WEB / name, WORK)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(STATIC / "engine", ignore_errors=True)
    locked = json.loads(wanted)["packages"]
    versions = {name: locked[f"node_modules/{name}"]["version"] for name in ("stockfish", "chessops")}
    for folder, files in FILES.items():
        place = STATIC / folder.format(**versions)
        place.mkdir(parents=True, exist_ok=True)
        for source, name in files.items():
            shutil.copyfile(WORK / "node_modules" / source, place / name)
    for module in ("chess.js", "fen.js"):  # a browser finds no package by its name
        path = STATIC / "engine" / f"chessops-{versions['chessops']}" / module
        path.write_text(path.read_text("utf-8").replace("'@badrap/result'", "'./result.js'"), "utf-8")
    offer = STATIC / "engine" / f"stockfish-{versions['stockfish']}" / "SOURCE.txt"
    offer.write_text(SOURCE.format(**versions), "utf-8")
    LOCK.write_text(wanted, "utf-8")
    shutil.rmtree(WORK)
    return True


if __name__ == "__main__":
    try:
        fetched = fetch()
    except subprocess.CalledProcessError:
        sys.exit("npm could not fetch the board; the pages keep the one that needs no scripts")
    print("the pages have the board" if fetched else "there is no npm; the pages keep the board that needs no scripts")
