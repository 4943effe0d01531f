"""Traps most similar to a position, by each measure that a library can be searched by.

By abstracted trees, single moves are compared: every legal move that tempts may be the bait, what the learned weights
propose after it the killer, and the traps with the most similar killers answer. Where the proposed killer is proved to
mate, its mating net counts, as it does in the traps. By the measures of the paper, positions are compared as wholes.
"""

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sqlalchemy import ColumnElement, Connection, func, select

from db.similarity.common_features import shared_with
from db.similarity.explanation import Line, Shared
from db.similarity.killer_index import KillerIndex
from db.similarity.proof_here import ProofHere
from db.storage.bulk import parts
from db.storage.row_check import RowCheck
from db.storage.tables import TrapRow
from db.storage.trap_rows import is_example, traps_state
from db.traps.trap import Trap
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.measures.options import IndexedMeasure
from trapcore.ranking.weights import Weights
from trapcore.trees.position_key import mirror

AT_FIRST = 8
"""Of a question with other conditions so many times as many traps as are wanted are examined first, whether they fit;
only if these are too few, all that fit are looked up."""
MOST_COMPARED = 20_000
"""Traps of a library in which positions are compared one by one."""

Fits = Callable[[Collection[int]], Mapping[int, str]]
"""Gives back those of some traps, by number, that meet the other conditions, with their slugs."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a similar trap must meet beside being similar."""

    wanted: Sequence[ColumnElement[bool]]
    names: Collection[str] | None
    """Slugs of which it has one; None for any."""
    but: Collection[int]
    """Numbers of traps that it is none of."""

    @property
    def are_there(self) -> bool:
        """Whether others than those of the asked position may fail."""
        return bool(self.wanted) or self.names is not None

    def fitting(self, connection: Connection, numbers: Collection[int]) -> dict[int, str]:
        """Those of some traps that meet all of it, with their slugs."""
        others = [number for number in numbers if number not in self.but]
        found: dict[int, str] = {}
        for part in parts(others):
            rows = connection.execute(select(TrapRow.id, TrapRow.slug).where(TrapRow.id.in_(part), *self.wanted))
            found.update((number, slug) for number, slug in rows)
        return found if self.names is None else {n: slug for n, slug in found.items() if slug in self.names}

    def all(self, connection: Connection) -> _native.Payloads:
        """The numbers of all that meet the conditions; of ``but`` these, too."""
        if self.names is None:
            return _native.Payloads(connection.scalars(select(TrapRow.id).where(*self.wanted)))
        wanted = select(TrapRow.id).where(*self.wanted)
        found = (connection.scalars(wanted.where(TrapRow.slug.in_(part))) for part in parts(self.names))
        return _native.Payloads(chain.from_iterable(found))


@dataclass(frozen=True, slots=True)
class BaitAndKiller:
    """A possible bait of the asked position, and what may refute it."""

    bait: Line
    killer: Line
    """As far as it is no proved mate, its first move only."""
    mate_in: int | None
    tokens: bytes
    """The tokens of the killer."""
    killer_index: KillerIndex

    def shared(self, trap: Trap) -> Shared:
        """What the killer shares with that of a trap."""
        return shared_with(self.killer_index, trap, self.killer.san, self.tokens)


@dataclass(frozen=True, slots=True)
class SimilarTrap:
    """A trap that the asked position is like."""

    slug: str
    similarity: float
    pair: BaitAndKiller | None = None
    """By the measure ``abstracted``: what is like it."""
    proof: ProofHere | None = None
    """That its killer works in the asked position; None if that was not proved."""


def similar_killers(
    epd: str,
    killer_index: KillerIndex,
    weights: Weights,
    k: int,
    fits: Fits,
    fitting: Callable[[], _native.Payloads] | None,
) -> Iterator[SimilarTrap]:
    """The ``k`` traps with the most similar killers, the most similar first, of those that fit.

    ``fitting`` gives all that may; None if all fit but a few, which the caller has added to ``k``.
    """
    pairs = [
        BaitAndKiller(Line((uci[0],), (san[0],)), Line(tuple(uci[1:]), tuple(san[1:])), mate_in, tokens, killer_index)
        for uci, san, mate_in, tokens in weights.ranker.pairs(epd, None)
    ]
    wanted = k if fitting is None else k * AT_FIRST
    answers = killer_index.index.top([pair.tokens for pair in pairs], wanted)
    ranked, floor = _ranked(pairs, answers, wanted, fits, first=fitting is None)
    # Those that follow the last one of a full answer may fit and be as similar as this one.
    if fitting is not None and floor and (len(ranked) < k or -ranked[k - 1][0] < floor):
        answers = killer_index.index.top([pair.tokens for pair in pairs], k, only=fitting())
        ranked, _ = _ranked(pairs, answers, k, fits, first=True)
    for similarity, slug, pair in ranked[:k]:
        yield SimilarTrap(slug, -similarity, pair)


def _ranked(
    pairs: Sequence[BaitAndKiller],
    answers: Sequence[Sequence[tuple[int, float]]],
    wanted: int,
    fits: Fits,
    *,
    first: bool,
) -> tuple[list[tuple[float, str, BaitAndKiller]], float]:
    """What fits of the answers for each pair, the most similar first, and how similar what follows them may be.

    ``first``: only of those that are the first ``wanted`` of all answers together.
    """
    best: dict[int, tuple[float, BaitAndKiller]] = {}
    for pair, hits in zip(pairs, answers, strict=True):
        for number, similarity in hits:
            if number not in best or similarity > best[number][0]:
                best[number] = (similarity, pair)
    floor = max((hits[-1][1] for hits in answers if len(hits) == wanted), default=0.0)
    if first:
        # With those that are as similar as the last of them.
        least = sorted((similarity for similarity, _ in best.values()), reverse=True)[:wanted][-1:] or [0.0]
        best = {number: found for number, found in best.items() if found[0] >= least[0]}
    found = [(-best[number][0], slug, best[number][1]) for number, slug in fits(best).items()]
    return sorted(found, key=lambda one: one[:2]), floor


class PositionIndex:
    """The positions of the traps of one state of a library, by the paper's continuations of depth 2.

    Any thread may ask. Held in memory, about a hundred bytes a trap.
    """

    def __init__(self, connection: Connection) -> None:
        """Take the fingerprints of all traps that others may be likened to."""
        self.state = traps_state(connection)
        columns = (TrapRow.id, TrapRow.epd)
        rows = connection.execute(select(*columns).where(is_example()).order_by(TrapRow.id))
        self._numbers = array("Q")

        def fingerprints() -> Iterator[bytes]:
            for number, epd in RowCheck(columns).whole(connection, rows):
                self._numbers.append(number)
                yield _native.fingerprint(epd)

        self._known = _native.Fingerprints(fingerprints())

    def nearest(self, epd: str, k: int, fits: Fits) -> Iterator[SimilarTrap]:
        """The ``k`` most similar ones, the most similar first, of those that fit; in either colour."""
        fingerprints_here = [_native.fingerprint(epd), _native.fingerprint(mirror(epd))]
        wanted = k
        while True:
            best: dict[int, float] = {}
            answers = self._known.nearest(fingerprints_here, wanted)
            for hits in answers:
                for place, similarity in hits:
                    number = self._numbers[place]
                    best[number] = max(similarity, best.get(number, 0.0))
            fitting = fits(best)
            # What neither answer has is less similar than the last one of one of them.
            floor = max((min(similarity for _, similarity in hits) for hits in answers if hits), default=0.0)
            if sum(best[number] >= floor for number in fitting) >= k or wanted >= len(self._numbers):
                break
            wanted *= 8
        yield from _first(best, fitting, k)


def compare_each(
    connection: Connection,
    epd: str,
    measure: IndexedMeasure,
    k: int,
    wanted: Sequence[ColumnElement[bool]],
    fits: Fits,
) -> Iterator[SimilarTrap]:
    """The ``k`` traps whose positions are most similar in either colour, of those that meet the conditions and fit,
    found by comparing each.

    Raises `UsageError` if these are more than `MOST_COMPARED`.
    """
    conditions = (is_example(), *wanted)
    count = connection.scalar(select(func.count()).select_from(TrapRow).where(*conditions)) or 0
    if count > MOST_COMPARED:
        raise UsageError(
            f"by {measure} every position is compared, which takes too long for {count:,} traps; ask for fewer than "
            f"{MOST_COMPARED:,} by other conditions, or by the measure {IndexedMeasure.ABSTRACTED} or "
            f"{IndexedMeasure.CONTINUATIONS}"
        )
    colours, columns = (epd, mirror(epd)), (TrapRow.id, TrapRow.epd)
    rows = connection.execute(select(*columns).where(*conditions))
    best = {
        number: max(_compared(measure, colour, other) for colour in colours)
        for number, other in RowCheck(columns).whole(connection, rows)
    }
    yield from _first(best, fits(best), k)


def _compared(measure: IndexedMeasure, a: str, b: str) -> float:
    # As the annotator compares them: labels of squares, depth 2, or 1 for the structural similarity.
    if measure is IndexedMeasure.STRUCTURAL:
        return _native.structural(a, b, "continuations", 1, "uci", False, "formula", None)
    return _native.sequences(a, b, 2, "uci", False, False)


def _first(best: Mapping[int, float], fitting: Mapping[int, str], k: int) -> Iterator[SimilarTrap]:
    for similarity, slug in sorted((-best[number], slug) for number, slug in fitting.items())[:k]:
        if similarity:
            yield SimilarTrap(slug, -similarity)
