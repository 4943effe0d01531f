"""Benchmark runs that are kept as files.

A run lies in ``docs/research/benchmarks`` as ``YYYY-MM-DD-<name>.json``: date, commit, machine, and the rows of each
benchmark.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trapcore.errors import InputError, OutputError, UsageError
from workshop.benchmarks.table import Row

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "research" / "benchmarks"
BUSY_LOAD = 0.5
"""With more processes than this waiting for a processor when a run began, its machine was busy."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a run was made on."""

    cpu: str
    cores: int
    system: str
    python: str
    load: float | None
    """Processes at work or waiting, mean of the minute before the run; None where the system does not count them."""

    @property
    def is_busy(self) -> bool:
        """Whether other processes were at work when the run began."""
        return self.load is not None and self.load > BUSY_LOAD


@dataclass(frozen=True, slots=True)
class Run:
    """One run of some benchmarks."""

    name: str
    date: str
    """When it began: ISO 8601, UTC."""
    commit: str
    """What was measured; ends in ``+changes`` if files differed from it."""
    machine: Machine
    benchmarks: Mapping[str, Sequence[Row]]
    """Rows by the name of their benchmark."""

    def to_json(self) -> str:
        """JSON as it lies in the file."""
        found = {**asdict(self), "busy": self.machine.is_busy}
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def this_machine() -> Machine:
    """The machine as it is now."""
    return Machine(
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    )


def this_commit() -> str:
    """The commit of the checkout, or ``unknown`` outside of one."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return f"{commit}+changes" if _git("status", "--porcelain", "--untracked-files=no") else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def start_run(name: str) -> Run:
    """A run that begins now, without rows yet. Raises `UsageError` for a name that is no part of a file name."""
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name):
        raise UsageError(f"a run is named by small letters, digits and hyphens, not {name!r}")
    return Run(name, datetime.now(UTC).isoformat(timespec="seconds"), this_commit(), this_machine(), {})


def save_run(run: Run, folder: Path = FOLDER) -> Path:
    """Write a run; one of the same day and name is replaced. Raises `OutputError`."""
    path = folder / f"{run.date[:10]}-{run.name}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(run.to_json(), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return path


def load_run(path: Path) -> Run:
    """A run that was saved. Raises `InputError` for another file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return _run(data)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path} is no saved run of the benchmarks: {error}") from error


def _run(data: Any) -> Run:
    benchmarks = {name: [Row(**row) for row in rows] for name, rows in data["benchmarks"].items()}
    return Run(data["name"], data["date"], data["commit"], Machine(**data["machine"]), benchmarks)


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"^model name\s*: (.+)$", info.read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            return found.group(1)
    return platform.processor() or platform.machine()


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
