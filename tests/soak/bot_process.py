"""The real bot in a process of its own: started, measured, killed, started again."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.soak.samples import Sample, sample_process
from tests.support.trap_games import records

ROOT = Path(__file__).parents[2]


@dataclass
class BotProcess:
    """``trapline bot`` with a configuration and a state of its own in ``folder``."""

    folder: Path
    url: str
    token: str
    health_port: int
    settings: Sequence[str]
    #: The library, if it is not one of its own.
    shared: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    lives: int = 0
    samples: list[Sample] = field(default_factory=list)
    #: Monotonic seconds from a kill to the moment the next process was started.
    killed: list[float] = field(default_factory=list)
    #: Ends that nobody asked for: exit codes.
    died: list[int] = field(default_factory=list)
    _log: IO[bytes] | None = None

    @property
    def library(self) -> Path:
        return self.shared or self.folder / "library.sqlite"

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

    def prepare(self) -> None:
        """The library and the configuration. CalledProcessError if the library cannot be made."""
        self.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            self.trapline("library", "init", "--db", str(self.library)),
            env=self.environment(),
            cwd=self.folder,
            check=True,
            capture_output=True,
        )
        self.write_settings()

    def write_settings(self) -> None:
        """The configuration, for a library that is there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lines = [
            f'db = "{self.library}"',
            "[bot]",
            f'folder = "{self.folder / "bot"}"',
            f"health_port = {self.health_port}",
            *self.settings,
        ]
        (self.folder / "trapline.toml").write_text("\n".join(lines) + "\n", "utf-8")

    def start(self) -> None:
        self._log = self.log.open("ab")
        self.lives += 1
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
        self.killed.append(time.monotonic())
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._close_log()
        self.start()

    def restart_if_dead(self) -> bool:
        """Start it again as systemd would; an end that nobody asked for is remembered."""
        assert self.process is not None
        code = self.process.poll()
        if code is None:
            return False
        self.died.append(code)
        self._close_log()
        self.start()
        return True

    def stop(self, patience: float = 30.0) -> int:
        """Ask it to end in order and give back its exit code; -9 if it had to be killed."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self._close_log()

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def measure(self, games: int) -> Sample | None:
        """What the process holds now; None if it is gone."""
        assert self.process is not None
        sample = sample_process(self.process.pid, self.lives, games)
        if sample is not None:
            self.samples.append(sample)
        return sample

    def health(self) -> dict[str, Any] | None:
        """What the bot says of itself; None while it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health_port}/health", timeout=2) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            # A bot that is not well says so with an error, and why in the body.
            text = error.read()
            error.close()
        except OSError:
            return None
        found: dict[str, Any] = json.loads(text)
        return found

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
