"""Weights learned from a library's own traps, how well they do on other traps, and the libraries that use them.

What is learned depends on the traps alone, not on the order in which they came: they are taken by position key and
bait. Traps that are refuted, or known as none and not proved, are left out.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from db.library.library import Library
from db.storage.row_check import RowCheck
from db.storage.tables import TrapRow
from db.storage.trap_rows import is_example
from trapcore.errors import LibraryError
from trapcore.ranking import training as fitting
from trapcore.ranking.weights import VOCABULARY_VERSION, Weights

HELD_OUT = 10
"""One game in so many is held out, to see how often its killers are found."""
LEAST_HELD_OUT = 10
"""Of fewer traps no share is given."""
HITS = (1, 3, 5)
"""The killer is sought among the first so many moves."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How often the killer of a trap was among the first moves, by weights learned from the other traps only."""

    traps: int
    hits: tuple[float, ...]
    """Share of the traps, 0 to 1, for each of `HITS`."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was learned, and from what."""

    weights: Weights
    held_out: HeldOut | None
    """None if there are too few traps to hold any out."""
    seconds: float

    def to_dict(self) -> dict[str, object]:
        """JSON form."""
        held_out = self.held_out
        accuracy = None
        if held_out is not None:
            hits = {f"hit@{k}": round(hit, 4) for k, hit in zip(HITS, held_out.hits, strict=True)}
            accuracy = {"learned_from": self.weights.traps - held_out.traps, "traps": held_out.traps, **hits}
        return {
            "traps": self.weights.traps,
            "ordinary_moves": self.weights.background,
            "tokens": {"seen": self.weights.seen.size, "answered": self.weights.answered.size},
            "vocabulary": VOCABULARY_VERSION,
            "held_out": accuracy,
            "seconds": round(self.seconds, 1),
        }


def fit_library(library: Library, *, log: Callable[[str], None] | None = None) -> Fitted:
    """Learn weights from the traps of a library and store them in it.

    ``log`` is given a few words on what is being done. Raises `LibraryError` if there is no trap to learn from.
    """
    began = time.monotonic()
    traps = _traps(library)
    if not traps:
        raise LibraryError(f"{library.name} has no traps to learn from; add some with `trapline library import`")
    ordinary = fitting.background_examples()
    if log is not None:
        log("learning from nine tenths of the traps")
    held_out = _held_out(traps, ordinary)
    if log is not None:
        log("learning from all traps")
    weights = fitting.fit([example for _, example in traps], ordinary)
    library.set_weights(weights)
    return Fitted(weights, held_out, time.monotonic() - began)


def _traps(library: Library) -> list[tuple[str, fitting.Example]]:
    """The game of each trap and what is learned from it, ascending by key and bait."""
    columns = (TrapRow.id, TrapRow.key, TrapRow.bait, TrapRow.epd, TrapRow.killer_line, TrapRow.source)
    with library.database.read() as connection:
        rows = RowCheck(columns).whole(connection, connection.execute(select(*columns).where(is_example())))
        examples = [(key, bait, epd, line, source) for _, key, bait, epd, line, source in rows]
    return [(_game(key, source), (epd, bait, line.split()[0])) for key, bait, epd, line, source in sorted(examples)]


def _game(key: bytes, source: str) -> str:
    """Where a trap is from, if that is a place in a game (``https://lichess.org/yyznGmXs/black#34``); else itself."""
    address, place, _ = source.partition("#")
    return address.removesuffix("/black") if place and "://" in address else key.hex()


def _held_out(traps: Sequence[tuple[str, fitting.Example]], ordinary: list[fitting.Example]) -> HeldOut | None:
    games = {game: number for number, game in enumerate(dict.fromkeys(game for game, _ in traps))}
    parts: tuple[list[fitting.Example], list[fitting.Example]] = ([], [])
    for game, example in traps:
        parts[games[game] % HELD_OUT == 0].append(example)
    known, unseen = parts
    if len(unseen) < LEAST_HELD_OUT or not known:
        return None
    weights = fitting.fit(known, ordinary)
    counts = [0] * len(HITS)
    for fen, bait, killer in unseen:
        moves = [proposed.uci for proposed in weights.rank_moves(fen, bait, top=max(HITS))]
        for number, k in enumerate(HITS):
            counts[number] += killer in moves[:k]
    return HeldOut(len(unseen), tuple(count / len(unseen) for count in counts))
