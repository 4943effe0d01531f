"""State that survives a restart: a small JSON file for each running game and one for the bot, written atomically."""

import json
import logging
import threading
import time
from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from trapcore.errors import OutputError
from trapcore.io.atomic_write import replacing

log = logging.getLogger(__name__)

T = TypeVar("T", "SavedGame", "SavedBot")


TRAPS_CHOSEN, TRAPS_TAKEN = "chosen", "taken"
"""Names in the statistics: moves of ours that set a proved trap, and baits of these that were taken."""
TRAPS_ON_PURPOSE, TRAPS_KNOWN = "purpose", "known"
"""The same of moves that were chosen although another was valued higher, and of those that set a trap of the library;
all others were the best moves anyway."""


@dataclass
class SavedGame:
    """State of one game; its fields are the keys of the JSON file. Save it with `SavedState.save`."""

    id: str
    said: list[str] = field(default_factory=list)
    """`bot.chat.replies.key` of each message that was sent, except answers."""
    remarks: int = 0
    answers: dict[str, int] = field(default_factory=dict)
    """Number of answers to questions, by room."""
    answered: dict[str, int] = field(default_factory=dict)
    """How often each question in the players' room was answered, by author and text."""
    trainings: int = 0
    """Challenges that were asked for by ``!train``."""
    takebacks: int = 0
    """Takebacks that were granted."""
    set_traps: list[dict[str, Any]] = field(default_factory=list)
    """Baits of the traps that were set, see `bot.moves.set_traps.SetTraps`."""
    clocks: dict[str, int] = field(default_factory=dict)
    """Milliseconds that were left on the mover's clock after a ply, by its number from 1."""
    evals: dict[str, int] = field(default_factory=dict)
    """What the bot's search gave its moves, by ply: centipawns for White, see `bot.moves.engines.Searched`."""
    coaching: bool = False
    begun: bool = False
    """Whether its stream was read."""
    summed_up: bool = False


@dataclass
class SavedBot:
    """State of the bot; its fields are the keys of the JSON file."""

    openings: list[float] = field(default_factory=list)
    """Latest openings of the account's stream, seconds since 1970."""
    seeks: list[float] = field(default_factory=list)
    """Latest challenges of its own, seconds since 1970."""
    stats: dict[str, int] = field(default_factory=dict)
    unindexed: list[str] = field(default_factory=list)
    """Files of games that are not in the library yet."""


class SavedState:
    """Folder with these files; may be used by any number of threads."""

    def __init__(self, folder: Path) -> None:
        """Raises `OutputError` if it cannot be made or written."""
        self._games = folder / "running"
        self._file = folder / "bot.json"
        self._at_work = folder / "at_work"
        self._lock = threading.RLock()
        self._known: dict[str, SavedGame] = {}
        self._complained = False
        try:
            self._games.mkdir(parents=True, exist_ok=True)
            write_whole(folder / ".writable", b"")
            (folder / ".writable").unlink()
        except OSError as error:
            raise OutputError(f"the bot's folder {folder} cannot be written: {error.strerror}") from error
        self.bot = _load(self._file, SavedBot) or SavedBot()

    def begin(self) -> float | None:
        """Leave a mark that the bot is at work, with the time.

        If an earlier run has left its own, because it did not end with `end`, this one stays. Returns its time in
        seconds since 1970.
        """
        try:
            return float(self._at_work.read_text("utf-8"))
        except (OSError, ValueError):
            with suppress(OSError, OutputError):
                write_whole(self._at_work, str(time.time()).encode())
            return None

    def end(self) -> None:
        """Remove the mark, unless a file could not be written; a full disk lets it be removed, too."""
        if not self._complained:
            self._at_work.unlink(missing_ok=True)

    def unfinished(self) -> list[str]:
        """Games that were running when the bot stopped, by id; a copy of a file under another name is no game."""
        return sorted(path.stem for path in self._games.glob("*.json") if path.stem.isalnum())

    def game(self, game: str) -> SavedGame:
        """What is known of a game."""
        with self._lock:
            if game not in self._known:
                self._known[game] = _load(self._path(game), SavedGame) or SavedGame(game)
            return self._known[game]

    def save(self, game: SavedGame) -> None:
        """Write the state of a game."""
        with self._lock:
            if game.id in self._known:
                self._write(self._path(game.id), asdict(game))

    def record_message(self, game: SavedGame, key: str) -> bool:
        """Record a message by its key; False if it was recorded before.

        To be called before sending, so that a bot that is killed in between sends the message not at all rather than
        twice.
        """
        with self._lock:
            if key in game.said:
                return False
            game.said.append(key)
            self.save(game)
            return True

    def forget(self, game: str) -> None:
        """Delete the state of a game that is over and recorded."""
        with self._lock:
            self._known.pop(game, None)
            self._path(game).unlink(missing_ok=True)

    def save_bot(self) -> None:
        """Write the state of the bot."""
        with self._lock:
            self._write(self._file, asdict(self.bot))

    def count(self, names: Iterable[str]) -> None:
        """Add one to each of these statistics."""
        with self._lock:
            for name in names:
                self.bot.stats[name] = self.bot.stats.get(name, 0) + 1
            self.save_bot()

    def to_index(self, file: str) -> None:
        """Record the file of a game that is not in the library yet."""
        with self._lock:
            self.bot.unindexed = [*self.bot.unindexed, file]
            self.save_bot()

    def indexed(self, files: Container[str]) -> None:
        """Record that the games of these files are in the library."""
        with self._lock:
            self.bot.unindexed = [file for file in self.bot.unindexed if file not in files]
            self.save_bot()

    def _path(self, game: str) -> Path:
        if not game.isalnum():
            raise ValueError(f"no id of a game: {game!r}")
        return self._games / f"{game}.json"

    def _write(self, path: Path, content: dict[str, Any]) -> None:
        try:
            write_whole(path, json.dumps(content).encode())
        except (OSError, OutputError) as error:
            # A full disk must not stop a game.
            if not self._complained:
                log.error("%s cannot be written (%s): after a restart a message may be sent twice", path, error)
            self._complained = True


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name, then rename it. Raises `OSError`."""
    with replacing(path) as building:
        building.write_bytes(content)


# Made once, before there are threads: pydantic parses source for them, see `db.traps.json_form`.
_ADAPTERS: dict[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (SavedGame, SavedBot)}


def _load(path: Path, kind: type[T]) -> T | None:
    try:
        content = json.loads(path.read_bytes())
        known = {name: value for name, value in content.items() if name in kind.__dataclass_fields__}
        found: T = _ADAPTERS[kind].validate_python(known)
        return found
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        log.warning("%s cannot be read and is begun anew: %s", path, error)
        return None
