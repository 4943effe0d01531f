"""Memory, descriptors and threads of the bot and the size of its library along a run, and whether they grow."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

KIB = 1024
LEAST_GAMES = 300
"""A process that played fewer games is not judged."""

MOST_KIB_A_GAME = 16.0
"""Memory that each game may add once the process is warm: of a week's games that is less than 50 MiB."""

MOST_DESCRIPTORS = 10
"""Descriptors that a process may have more in the last quarter of its games than in the second."""


@dataclass(frozen=True)
class Sample:
    """The bot at one moment; ``memory`` is its resident set in KiB."""

    games: int
    process: int
    memory: int
    descriptors: int
    threads: int
    library: int
    """Bytes, with the files beside it."""


@dataclass(frozen=True)
class Growth:
    """From the second quarter of a process's games to its last one, by medians."""

    games: int
    memory: tuple[float, float]
    descriptors: tuple[float, float]
    threads: tuple[float, float]
    between: float
    """Games from one to the other."""

    @property
    def memory_a_game(self) -> float:
        """KiB."""
        return (self.memory[1] - self.memory[0]) / max(1.0, self.between)

    @property
    def is_long(self) -> bool:
        """Whether there were enough games to judge."""
        return self.games >= LEAST_GAMES

    @property
    def is_bounded(self) -> bool:
        """Whether neither memory nor descriptors grow with the games."""
        more = self.descriptors[1] - self.descriptors[0]
        return self.memory_a_game <= MOST_KIB_A_GAME and more <= MOST_DESCRIPTORS


def sample(process: int, games: int, library: Path) -> Sample | None:
    """The process now; None if it is not there."""
    folder = Path("/proc") / str(process)
    try:
        fields = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        descriptors = len(list((folder / "fd").iterdir()))
        memory, threads = int(fields["VmRSS"].split()[0]), int(fields["Threads"])
    except (OSError, KeyError):
        return None
    return Sample(games, process, memory, descriptors, threads, library_bytes(library))


def library_bytes(library: Path) -> int:
    """Size of a library with the files beside it."""
    sizes = 0
    for path in library.parent.glob(f"{library.name}*"):
        try:
            sizes += path.stat().st_size
        except FileNotFoundError:
            continue
    return sizes


def growth(samples: Sequence[Sample]) -> Growth | None:
    """Growth of the process that played the most games; None without samples."""
    lives: dict[int, list[Sample]] = {}
    for one in samples:
        lives.setdefault(one.process, []).append(one)
    if not lives:
        return None
    life = max(lives.values(), key=lambda found: found[-1].games - found[0].games)
    first, last = life[0].games, life[-1].games
    quarter = (last - first) / 4
    second = [one for one in life if first + quarter <= one.games <= first + 2 * quarter] or life
    fourth = [one for one in life if one.games >= first + 3 * quarter] or life
    between = median([one.games for one in fourth]) - median([one.games for one in second])

    def both(name: str) -> tuple[float, float]:
        return (
            float(median([getattr(one, name) for one in second])),
            float(median([getattr(one, name) for one in fourth])),
        )

    return Growth(last - first, both("memory"), both("descriptors"), both("threads"), float(between))
