"""Opening repertoires of traps, one for each colour and rating of opponents, built by the bot itself.

    python -m bot.moves.repertoires FOLDER NAME LIBRARY TRAP_LOSS SECONDS BOT

builds one and writes it; that is how the bot does it: in another process of the lowest priority, so that no running
game waits for it. They lie in a folder of the bot and are built again when the library they were built of has
changed.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bot.settings import BotOptions, Variant
from coach.repertoire.folder import NAMES, RepertoireName, build_into, read_all, repertoire_name
from coach.repertoire.stored import MadeOf, StoredRepertoire, made_of
from db.library.open import open_library
from db.traps.temptation import UNKNOWN_RATING, rating_band
from lichess.api import GameInfo
from trapcore.errors import InputError, TraplineError
from trapcore.io.log_once import OnceLogger
from trapcore.parallel.budget import Cancellation

log = logging.getLogger(__name__)

AGAIN_SECONDS = 3600.0
"""Interval at which it is looked whether the library has changed."""
LIBRARY_SECONDS = 10.0
"""Interval at which it is looked whether there is a library."""
STOP_SECONDS = 5.0


_USUAL = tuple(name for name in NAMES if not name.against_engines and name.band is not UNKNOWN_RATING)
"""Those that are built whether a game needs them or not."""


class Repertoires:
    """The repertoires of a folder, and a thread that has the missing and the old ones built."""

    def __init__(self, settings: BotOptions) -> None:
        self._settings = settings
        self._folder = repertoire_folder(settings)
        self._seconds = 60 * settings.bot.repertoire_minutes if settings.bot.trap_loss > 0 else 0.0
        self._found: dict[RepertoireName, StoredRepertoire] = {}
        self._wanted: list[RepertoireName] = []
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._once = OnceLogger(log)
        self._thread = threading.Thread(target=self._run, name="repertoires", daemon=True)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._found)

    @property
    def is_complete(self) -> bool | None:
        """Whether all that are built without being asked for are there, and all that games have asked for.

        None if none is built.
        """
        if self._seconds <= 0:
            return None
        return all(name in self._found for name in (*_USUAL, *self._wanted))

    def start(self) -> None:
        """Read what there is and build what is missing, in the background."""
        if self._seconds > 0:
            self._thread.start()

    def stop(self) -> None:
        """Build no more; what is being built is given up."""
        self._stopped.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def find(self, info: GameInfo) -> StoredRepertoire | None:
        """The repertoire for a game, if it was built; else it will be. Never waits."""
        if self._seconds <= 0 or info.variant != Variant.STANDARD:
            return None
        name = RepertoireName(info.color, rating_band(info.opponent.rating), info.opponent.is_bot)
        found = self._found.get(name)
        if found is None:
            with self._lock:
                if name not in self._wanted:
                    self._wanted.append(name)
                    self._wake.set()
        return found

    # In the thread ----------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._found.update(read_all(self._folder))
        except Exception:
            log.exception("the repertoires that there are cannot be read")
        while not self._stopped.is_set():
            if not self._settings.db.exists():
                # It is made at the first start.
                self._stopped.wait(LIBRARY_SECONDS)
                continue
            try:
                self._round()
            except Exception:
                log.exception("repertoires are built later")
                self._stopped.wait(LIBRARY_SECONDS)

    def _round(self) -> None:
        """Build what is missing or old, then what games ask for until it is time to look again."""
        until = time.monotonic() + AGAIN_SECONDS
        try:
            with open_library(self._settings.db, read_only=True) as library:
                now = made_of(library, 0.0)
        except TraplineError as error:
            self._once.write(logging.WARNING, "library", "no repertoires are built: %s", error)
            self._stopped.wait(AGAIN_SECONDS)
            return
        done: set[RepertoireName] = set()
        while not self._stopped.is_set() and (left := until - time.monotonic()) > 0:
            with self._lock:
                self._wake.clear()
                waiting = [name for name in (*self._wanted, *self._found, *_USUAL) if name not in done]
            if not waiting:
                self._wake.wait(left)
                continue
            done.add(waiting[0])
            self._provide(waiting[0], now)

    def _provide(self, name: RepertoireName, now: MadeOf) -> None:
        there = self._found.get(name)
        cost = name.cost(self._settings.bot.trap_loss)
        if there is not None and not there.made_of.is_old(replace(now, max_cost=cost)):
            return
        began = time.monotonic()
        try:
            if not self._built(name):
                return
            self._found[name] = StoredRepertoire.read(name.path(self._folder))
        except (OSError, TraplineError) as error:
            self._once.write(logging.WARNING, str(name), "the repertoire %s could not be built: %s", name, error)
            return
        self._once.reset(str(name))
        log.info("the repertoire %s was built in %.0f s", name, time.monotonic() - began)

    def _built(self, name: RepertoireName) -> bool:
        """Have one built by another process; False if there was no time to. Raises `InputError` if that failed."""
        given = (self._folder, name, self._settings.db, self._settings.bot.trap_loss, self._seconds, os.getpid())
        command = [sys.executable, "-m", "bot.moves.repertoires", *map(str, given)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            while True:
                try:
                    _, said = process.communicate(timeout=0.5)
                    break
                except subprocess.TimeoutExpired:
                    if self._stopped.is_set():
                        process.kill()
                        return False
        if process.returncode != 0:
            raise InputError(said.strip().rpartition("\n")[2] or f"it ended with {process.returncode}")
        return True


def repertoire_folder(settings: BotOptions) -> Path:
    """Where they lie."""
    return settings.bot.folder / "repertoires"


def main(arguments: Sequence[str]) -> int:
    """Build one; ends early if the bot that wants it, the process of that number, has ended."""
    folder, name, db, trap_loss, seconds, parent = arguments
    if hasattr(os, "nice"):
        os.nice(19)
    stop = Cancellation()

    def watch() -> None:
        # Asked for here, the number of a bot that was killed meanwhile would be that of another process.
        while os.getppid() == int(parent):
            time.sleep(1)
        stop.cancel()

    threading.Thread(target=watch, daemon=True).start()
    try:
        build_into(Path(folder), repertoire_name(name), Path(db), float(trap_loss), float(seconds), stop)
    except (OSError, TraplineError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
