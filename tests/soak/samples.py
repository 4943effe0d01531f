"""What a process holds at a moment: threads, sockets, files, memory."""

import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sample:
    """What one process holds at a moment; ``at`` in monotonic seconds, ``games`` running then, memory in MiB.

    ``unnamed`` of its files have no name. ``computed`` and ``waited``: seconds that its main thread had a processor,
    and waited for one, since the process began.
    """

    at: float
    life: int
    games: int
    threads: int
    sockets: int
    files: int
    memory: float
    unnamed: int = 0
    computed: float = 0.0
    waited: float = 0.0


def sample_process(pid: int, life: int, games: int) -> Sample | None:
    """What the process holds now; None if it is gone."""
    proc = Path(f"/proc/{pid}")
    try:
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        targets = [str(entry.readlink()) for entry in (proc / "fd").iterdir()]
        computed, waited, _ = (int(nanoseconds) / 1e9 for nanoseconds in (proc / "schedstat").read_text().split())
        return Sample(
            time.monotonic(),
            life,
            games,
            int(status["Threads"]),
            sum(target.startswith("socket:") for target in targets),
            len(targets),
            int(status["VmRSS"].split()[0]) / 1024,
            sum(target.endswith(" (deleted)") for target in targets),
            computed,
            waited,
        )
    except (OSError, KeyError, ValueError):
        return None
