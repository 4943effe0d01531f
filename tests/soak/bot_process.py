"""The real bot in a process of its own: started, measured, killed, started again."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.soak.server_process import end_in_order
from tests.support.trap_games import records

ROOT = Path(__file__).parents[2]


@dataclass
class BotProcess:
    """``trapline bot`` on a library that others use too, with a configuration and a state of its own in ``folder``."""

    folder: Path
    url: str
    token: str
    health_port: int
    settings: Sequence[str]
    """Lines of the table ``[bot]``."""
    library: Path
    analysis: Sequence[str] = ()
    """Lines above the tables."""
    process: subprocess.Popen[bytes] | None = None
    #: Ends that nobody asked for: exit codes.
    died: list[int] = field(default_factory=list)
    _log: IO[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder / "bot.log"

    def environment(self) -> dict[str, str]:
        known = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return known | {
            "HOME": str(self.folder),
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "PYTHONFAULTHANDLER": "1",
            "TRAPLINE_BOT_TOKEN": self.token,
        }

    def trapline(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "trapline", *arguments]

    def write_settings(self) -> None:
        """Writes the configuration."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lines = [
            f'db = "{self.library}"',
            *self.analysis,
            "[bot]",
            f'folder = "{self.folder / "bot"}"',
            f"health_port = {self.health_port}",
            *self.settings,
        ]
        (self.folder / "trapline.toml").write_text("\n".join(lines) + "\n", "utf-8")

    def start(self) -> None:
        self._log = self.log.open("ab")
        self.process = subprocess.Popen(
            self.trapline("--config", str(self.folder / "trapline.toml"), "bot", "--url", self.url),
            env=self.environment(),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def kill_and_restart(self) -> None:
        """What a power cut does."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._close_log()
        self.start()

    def restart_if_dead(self) -> None:
        """Start it again as systemd would; an end that nobody asked for is remembered."""
        assert self.process is not None
        code = self.process.poll()
        if code is not None:
            self.died.append(code)
            self._close_log()
            self.start()

    def stop(self, patience: float = 30.0) -> int:
        """Ask it to end in order and give back its exit code; -9 if it had to be killed."""
        assert self.process is not None
        try:
            return end_in_order(self.process, patience)
        finally:
            self._close_log()

    def health(self) -> dict[str, Any]:
        """What the bot says of itself now; empty if it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health_port}/health", timeout=10) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            return dict(json.load(error))
        except OSError:
            return {}

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def recorded_games(self) -> set[str]:
        """Ids of the games the bot has written to the disk."""
        return {path.stem for path in self._game_files()}

    def recorded_digests(self) -> dict[str, bytes]:
        """For each of them what the library knows the game by: of two games with the same moves it keeps one."""
        found = {}
        for path in self._game_files():
            (record,) = records(path.read_bytes()).records
            found[path.stem] = record.digest
        return found

    def _game_files(self) -> list[Path]:
        return list((self.folder / "bot" / "games").glob("*/*.pgn"))

    def waiting_games(self) -> set[str]:
        """Ids of the games that the next start records again, or indexes."""
        state = json.loads((self.folder / "bot" / "bot.json").read_text("utf-8"))
        again = {path.stem for path in (self.folder / "bot" / "running").glob("*.json")}
        return again | {Path(name).stem for name in state["unindexed"]}
