"""Training positions: those near the positions of games, each with an engine's value.

A folder holds one file of records for each batch of an input, so that an interrupted run goes on where it was.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trapcore import _native
from trapcore.io.atomic_write import replacing
from trapcore.io.game_batches import game_batches
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import in_order, threads
from workshop.native import _core


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling of training positions from games."""

    engine: str
    """Path of a UCI engine that knows MultiPV and ``searchmoves``."""
    share: float
    """Share of the positions of a game that questions are made of, 0..1; each gives up to eight records."""
    held_out: bool = False
    """The games with an even number, which training leaves out; otherwise those with an odd one."""
    seed: int = 20261122

    def __call__(self, item: tuple[Path, _native.Batch], _stop: Cancellation) -> bytes:
        """Records of a batch; raises ``OSError`` if the engine fails."""
        games = [
            (record.game, record.start_fen, record.moves)
            for record in _native.read_records(item[1]).records
            if not record.chess960 and (record.game % 2 == 0) == self.held_out
        ]
        return _core.label_positions(games, self.engine, self.share, self.seed)


def label(files: Sequence[Path], folder: Path, sampling: Sampling, jobs: int, say: Callable[[str], None]) -> None:
    """Records of the games of ``files``, written into ``folder``; a batch whose records are there is not asked again.

    Raises ``InputError`` for a file that cannot be read, and ``OSError`` if the engine fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with threads(jobs, "label") as pool:
        for (part, _), records in in_order(pool, sampling, _missing(files, folder), ahead=2, stop=Cancellation()):
            with replacing(part) as path:
                path.write_bytes(records)
            say(f"{part.name}: {len(records) // _core.RECORD_BYTES:,} positions")


def _missing(files: Sequence[Path], folder: Path) -> Iterator[tuple[Path, _native.Batch]]:
    """The batches without records, each with the file that they go to."""
    for number, file in enumerate(files):
        for index, batch in enumerate(game_batches(file)):
            part = folder / f"{number:02}-{index:05}.records"
            if not part.exists():
                yield part, batch
