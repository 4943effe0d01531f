"""What a process holds at a moment: threads, sockets, files, memory."""

import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sample:
    """What one process holds at a moment; ``at`` in monotonic seconds, ``games`` running then, memory in MiB."""

    at: float
    life: int
    games: int
    threads: int
    sockets: int
    files: int
    memory: float


def sample_process(pid: int, life: int, games: int) -> Sample | None:
    """What the process holds now; None if it is gone."""
    proc = Path(f"/proc/{pid}")
    try:
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        targets = [str(entry.readlink()) for entry in (proc / "fd").iterdir()]
        return Sample(
            time.monotonic(),
            life,
            games,
            int(status["Threads"]),
            sum(target.startswith("socket:") for target in targets),
            len(targets),
            int(status["VmRSS"].split()[0]) / 1024,
        )
    except (OSError, KeyError, ValueError):
        return None
