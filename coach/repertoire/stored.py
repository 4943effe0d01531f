"""A repertoire as a file that a program plays from: a move and the proved baits behind it, by position.

JSON: ``moves`` and ``traps`` are objects whose keys are position keys in hexadecimal digits, of the position in which
we are to move and of that before a bait; ``made_of`` says what it was built of, so that an old one is recognised.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess

from coach.repertoire.live_traps import LEAST_TAKEN, LiveBait, LiveTrap
from coach.repertoire.tree import Repertoire, TrapAhead
from db.library.library import Library
from trapcore import _native
from trapcore.errors import InputError
from trapcore.io.atomic_write import replacing
from trapcore.version import installed_version

FORMAT = 1

GROWN = 0.2
"""A repertoire is old when the number of indexed games has changed by this part,"""
LEAST_GROWN = 100
"""and by so many at least."""


@dataclass(frozen=True, slots=True)
class MadeOf:
    """What a repertoire was built of."""

    version: str
    """Of the program."""
    traps: str
    """Digest of the library's traps."""
    games: int
    """Indexed."""
    max_cost: float

    def is_old(self, now: "MadeOf") -> bool:
        """Whether a repertoire of these should be built anew."""
        changed = abs(now.games - self.games)
        has_grown = changed >= LEAST_GROWN and changed >= GROWN * self.games
        return has_grown or (self.version, self.traps, self.max_cost) != (now.version, now.traps, now.max_cost)


def made_of(library: Library, max_cost: float) -> MadeOf:
    """What a repertoire would be built of now. Raises `LibraryError`."""
    return MadeOf(installed_version() or "source", library.digest(), library.counts().games, max_cost)


@dataclass(frozen=True)
class StoredRepertoire:
    """A repertoire to play from."""

    made_of: MadeOf
    points: float
    """Expected points a game, 0..1."""
    traps_set: float
    """Traps that are expected to be set a game."""
    moves: Mapping[bytes, tuple[str, float]]
    """UCI and cost, by the key of the position."""
    baits: Mapping[bytes, tuple[LiveBait, ...]]
    """By the key of the position before them, the most hopeful first."""

    def move(self, board: chess.Board) -> tuple[str, LiveTrap | None] | None:
        """What to play (UCI), and the trap that this sets; None of a position that is not in it. As in the middle game,
        baits that fewer take than `LEAST_TAKEN` make no trap."""
        found = self.moves.get(_native.position_key(board.fen()))
        if found is None or board.chess960 or chess.Move.from_uci(found[0]) not in board.legal_moves:
            return None
        uci, cost = found
        after = board.copy(stack=False)
        after.push_uci(uci)
        baits = self.baits.get(_native.position_key(after.fen()))
        trap = LiveTrap(uci, after.fen(), baits or (), cost)
        return uci, trap if trap.taken >= LEAST_TAKEN else None

    @classmethod
    def of(cls, repertoire: Repertoire, made_of: MadeOf) -> "StoredRepertoire":
        """What is needed of a repertoire to play from it."""
        moves: dict[bytes, tuple[str, float]] = {}
        for position in repertoire.positions():
            moves.setdefault(_native.position_key(position.epd), (position.uci, position.cost))
        baits: dict[bytes, dict[str, LiveBait]] = {}
        for trap in repertoire.traps():
            baits.setdefault(_native.position_key(trap.epd), {}).setdefault(trap.bait, _bait(trap))
        by_hope = {key: _sorted(found.values()) for key, found in baits.items()}
        traps_set = repertoire.to_dict()["traps_set"]
        return cls(made_of, repertoire.points, traps_set, moves, by_hope)

    def write(self, path: Path) -> None:
        """Write it as a file, which appears under its name when it is complete. Raises `OutputError` or `OSError`."""
        content = {
            "format": FORMAT,
            "made_of": asdict(self.made_of),
            "points": self.points,
            "traps_set": self.traps_set,
            "moves": {key.hex(): move for key, move in self.moves.items()},
            "traps": {key.hex(): [asdict(bait) for bait in baits] for key, baits in self.baits.items()},
        }
        with replacing(path) as building:
            building.write_text(json.dumps(content, indent=1), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "StoredRepertoire":
        """A repertoire that `write` wrote. Raises `InputError` for another file, or one that cannot be read."""
        try:
            content = json.loads(path.read_bytes())
            if content["format"] != FORMAT:
                raise ValueError(f"its format is {content['format']}, not {FORMAT}")
            return cls(
                MadeOf(**content["made_of"]),
                float(content["points"]),
                float(content["traps_set"]),
                {bytes.fromhex(key): (str(uci), float(cost)) for key, (uci, cost) in content["moves"].items()},
                {bytes.fromhex(key): tuple(map(_read_bait, baits)) for key, baits in content["traps"].items()},
            )
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{path} is no repertoire of this program: {error}; delete it") from error


def _bait(trap: TrapAhead) -> LiveBait:
    return LiveBait(trap.bait, trap.killer_line, trap.mate_in, trap.wins, trap.falls)


def _sorted(baits: Iterable[LiveBait]) -> tuple[LiveBait, ...]:
    return tuple(sorted(baits, key=lambda bait: (-bait.gain * bait.taken, bait.uci)))


def _read_bait(content: Mapping[str, Any]) -> LiveBait:
    return LiveBait(**{**content, "killer_line": tuple(content["killer_line"])})
