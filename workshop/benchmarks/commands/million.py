"""A library of a million traps: the bundled ones, the open puzzles, and puzzles varied until there are enough.

A puzzle is varied by turning the board over left to right (where nobody may castle or take en passant), by exchanging
the colours, and by putting a pawn on an empty square; the line stays legal and is not proved again. The names are like
those of puzzles. It is made once, in the folder for caches of this user.
"""

import os
import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from db.formats.bundled import bundled_non_traps, bundled_traps
from db.formats.puzzles import puzzle_trap
from db.library.library import Library
from db.library.open import create_library
from db.storage.bulk import BulkInsert, Value
from db.storage.name_index import index_names
from db.storage.tables import TrapRow
from db.storage.trap_rows import mark_changed
from db.traps.trap import Trap, first_sans
from trapcore import _native
from trapcore.errors import InputError
from workshop.benchmarks.material import puzzle_rows

TRAPS = 1_000_000
_AT_A_TIME = 20_000
_FILES = str.maketrans("abcdefgh", "hgfedcba")
_RANKS = str.maketrans("12345678", "87654321")
_FIGURES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def million(traps: int = TRAPS) -> Path:
    """The library, which is made if need be; that takes some minutes."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trapline"
    home.mkdir(parents=True, exist_ok=True)
    path = home / f"benchmark-{traps}.sqlite"
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=home) as folder:
            making = Path(folder) / "library.sqlite"
            create_library(making, lambda library: _fill(library, traps))
            making.rename(path)
    return path


def _fill(library: Library, traps: int) -> None:
    known = [*bundled_traps(), *bundled_non_traps()]
    library.add_all(known, checked=True)
    number, batch = library.counts().traps, list[tuple[Trap, bytes, bytes, str, str]]()
    for trap in _varied({trap.key for trap in known}):
        number += 1
        code = "".join(_FIGURES[number // 62**place % 62] for place in (4, 3, 2, 1, 0))
        # Capitals do not count in a slug, so the number does.
        named = replace(trap[0], name=f"Lichess puzzle {code}", slug=f"lichess-{number}")
        batch.append((named, *trap[1:]))
        if len(batch) == _AT_A_TIME or number == traps:
            _insert(library, batch, number + 1 - len(batch))
            batch.clear()
        if number == traps:
            return


def _varied(seen: set[bytes]) -> Iterator[tuple[Trap, bytes, bytes, str, str]]:
    """Traps with both keys and the SAN of bait and killer, each position once and none whose key was seen."""
    draw = random.Random(2026)
    plain: list[tuple[Trap, str, str]] = []
    for row in puzzle_rows():
        try:
            trap = puzzle_trap(row)
        except InputError:
            continue
        plain.append((trap, *first_sans(trap.epd, trap.bait, trap.killer_line[0])))
    changes = [
        (colours, flipped, pawns) for pawns in range(20) for flipped in (False, True) for colours in (False, True)
    ]
    for colours, flipped, pawns in changes:
        for trap, bait, killer in plain:
            changed, sans = trap, (bait, killer)
            if pawns or flipped or colours:
                if not trap.epd.endswith(" - -"):
                    continue
                board, *rest = trap.epd.split(" ")
                board = with_pawn(board, draw) if pawns else board
                changed = replace(trap, epd=" ".join((board, *rest)))
                if flipped:
                    changed, sans = _flipped(changed), (bait.translate(_FILES), killer.translate(_FILES))
                if colours:
                    changed, sans = _exchanged(changed), (sans[0].translate(_RANKS), sans[1].translate(_RANKS))
                try:
                    if not _native.killer_tokens(changed.epd, changed.bait, list(changed.killer_line)):
                        continue
                except ValueError:
                    continue
            key = _native.position_key(changed.epd)
            if key not in seen:
                seen.add(key)
                other = _exchanged(changed).epd if changed.epd.endswith(" - -") else None
                yield changed, key, changed.mirror_key if other is None else _native.position_key(other), *sans


def with_pawn(board: str, draw: random.Random) -> str:
    """The pieces of a FEN with a pawn more on one of its empty squares."""
    squares = "".join("." * int(letter) if letter.isdigit() else letter for letter in board)
    empty = [
        at for at, letter in enumerate(squares) if letter == "." and 18 <= at < 54
    ]  # with the strokes between: ranks 6 to 3
    at = draw.choice(empty)
    squares = squares[:at] + draw.choice("Pp") + squares[at + 1 :]
    for run in range(8, 0, -1):
        squares = squares.replace("." * run, str(run))
    return squares


def _flipped(trap: Trap) -> Trap:
    board, *rest = trap.epd.split(" ")
    board = "/".join(rank[::-1] for rank in board.split("/"))
    line = tuple(move.translate(_FILES) for move in trap.killer_line)
    return replace(trap, epd=" ".join((board, *rest)), bait=trap.bait.translate(_FILES), killer_line=line)


def _exchanged(trap: Trap) -> Trap:
    board, side, *rest = trap.epd.split(" ")
    board = "/".join(reversed(board.split("/"))).swapcase()
    epd = " ".join((board, "b" if side == "w" else "w", *rest))
    line = tuple(move.translate(_RANKS) for move in trap.killer_line)
    return replace(trap, epd=epd, bait=trap.bait.translate(_RANKS), killer_line=line)


_COLUMNS = (
    "id", "slug", "name", "family", "key", "mirror_key", "epd", "victim", "bait", "killer_line", "bait_san",
    "killer_san", "length", "outcome", "verdict", "gain", "proof_by", "proof_nodes", "eco", "opening", "source",
    "reason", "created",
)  # fmt: skip


def _insert(library: Library, traps: list[tuple[Trap, bytes, bytes, str, str]], first: int) -> None:
    """As `db.storage.trap_rows.insert_traps`, but with what is known already."""
    rows: list[tuple[Value, ...]] = []
    for number, (trap, key, mirror_key, bait, killer) in enumerate(traps, start=first):
        line, gain = " ".join(trap.killer_line), None if number % 3 else (number % 997) / 500
        rows.append((
            number, trap.slug, trap.name, trap.family, key, mirror_key, trap.epd, trap.victim, trap.bait, line, bait,
            killer, trap.length, trap.outcome.value, "undecided", gain, "", 0, trap.eco, trap.opening, trap.source, "",
            "2026-01-01T00:00:00Z",
        ))  # fmt: skip
    with library.database.write() as connection:
        BulkInsert(connection, TrapRow, _COLUMNS).insert(rows)
        texts = ((number, trap.name, trap.family, trap.slug) for number, (trap, *_) in enumerate(traps, start=first))
        index_names(connection, texts)
        mark_changed(connection)
