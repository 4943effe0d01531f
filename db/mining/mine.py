"""Mining of traps: moves that people play often and that the trap test refutes.

Of the indexed games each move that was played often enough in one position is a candidate. It goes through stages.
Each costs more than the one before and leaves a few of a hundred candidates:

1. **A shallow search** of some thousand nodes at the position and at the answers to the move.
2. **A second search** with more nodes and a higher threshold.
3. **The trap test** (`trapcore.proof.trap_test`) with a small budget, then with the whole one, then with four times as
   much. What is proved by the last two is a trap, with the same rules for verdict and proof as any other
   (`db.proof.prover`).
4. **A confirmation.** Nearly all moves that are played often are sound, so among what the search proves there its own
   errors abound: of 100,940 moves of master games 12 were proved without this and the deeper look, and Stockfish
   contradicted all twelve. A gain of material is believed only if an engine finds it, too (`db.proof.prover` says how),
   or without an engine if the attackers scored in these games what it promises. That leaves out traps whose attackers
   did not see them: those stay undecided. A mate needs no confirmation.

What a step dismisses is remembered with the library, and so is the verdict of the test: an interrupted run goes on
where it was, and with new games only what is new is examined. Another version of the search looks at all of it again.

A trap is named by the opening of the first game in which it occurred. Near duplicates, with the same bait and killer in
a position whose local tree is nearly the same, are of one family.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice

from sqlalchemy import Connection, delete, insert, select

from db.games.trap_stats import stats_of
from db.library.library import Added, Library
from db.mining.candidates import Candidate, Place, candidates, places
from db.mining.to_trap import mined_trap, with_family
from db.proof.prover import TrapProver
from db.storage.bulk import BulkInsert
from db.storage.sighting_rows import bait_code
from db.storage.tables import MetaRow, MinedRow, PositionRow, TrapRow
from db.traps.trap import Trap
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.parallel.pools import Pool, in_order, threads
from trapcore.proof.trap_test import check_bait
from trapcore.proof.verdict import Verdict
from trapcore.win_chance import BLUNDER

TEST_NODES = 400_000
"""Usual budget for each question of the trap test."""

PRESCREEN_NODES = ((8_000, 0.12), (20_000, 0.2))
"""Nodes at the position, and the win chance that the move has to cost, of the first two steps. Of 112 proved traps of
the bundled library the first step keeps 110 and the second 110; with 2,000 nodes the first would keep 94: what makes a
trap is that it is not seen at once."""
_FIRST_TEST = 8
"""The first trap test has this part of the nodes of the second,"""
_LAST_TEST = 4
"""and the third so many times as many."""
PROMISED = (1 + BLUNDER) / 2
"""Points a game, 0..1, that an attacker scores at least with the win chance that a trap gives him."""
_FACT = "mined_by"
"""In ``meta``: what has looked at the moves in the table ``mined``."""
_AT_A_TIME = 64  # candidates for one thread
HARMLESS = "harmless"


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningOptions:
    """Which moves are candidates, and how they are tested. Raises `UsageError`, which names the field."""

    min_games: int = 5
    """Games in which the move was played in its position, 1 or more."""
    min_rating: int | None = None
    """Only choices of players rated so high; those without a rating do not count then."""
    max_rating: int | None = None
    nodes: int = TEST_NODES
    """For each question of the trap test, 1,000 or more."""

    def __post_init__(self) -> None:
        """Check every field."""
        if self.min_games < 1:
            raise UsageError(f"min_games must be 1 or more, not {self.min_games}")
        if self.nodes < 1000:
            raise UsageError(f"nodes must be 1,000 or more, not {self.nodes}")
        if None not in (self.min_rating, self.max_rating) and (self.min_rating or 0) > (self.max_rating or 0):
            raise UsageError(f"the least rating {self.min_rating} is above the highest, {self.max_rating}")


@dataclass(slots=True)
class MiningProgress:
    """How far a run is; the same object is changed and given again."""

    candidates: int = 0
    """Moves played often enough."""
    resumed: int = 0
    """Of them looked at by an earlier run."""
    done: int = 0
    """Examined by this one."""
    findings: Counter[str] = field(default_factory=Counter)
    """Of this run: ``harmless`` after a shallow search, else the verdict of the test."""
    known: int = 0
    """Candidates that are traps of the library in either colour already."""
    traps: list[Trap] = field(default_factory=list)
    """New in the library."""


def mine(
    library: Library,
    options: MiningOptions,
    *,
    prover: TrapProver | None = None,
    jobs: int = 1,
    pool: Pool | None = None,
    progress: Callable[[MiningProgress], None] | None = None,
    stop: Cancellation | None = None,
) -> MiningProgress:
    """Search for traps in the indexed games and store those that are proved.

    The engine of ``prover``, if it has one, confirms gains. ``jobs`` threads, 1 or more, or ``pool`` in their
    place. ``progress`` is called now and then. If another thread cancels ``stop``, what was examined so far is kept,
    as it is when something is raised: `UsageError` for jobs out of range, `LibraryError`, `EngineError`, and what the
    pool raises.
    """
    if jobs < 1:
        raise UsageError(f"jobs must be 1 or more, not {jobs}")
    halt = stop if stop is not None else Cancellation()
    report = MiningProgress()
    with library.database.write() as connection:
        _begin(connection, options, prover)
    wanted = _new(
        library,
        candidates(library, options.min_games, options.min_rating, options.max_rating),
        report,
    )
    if progress is not None:
        progress(report)
    parts, staged = _parts(library, wanted), StagedFilter(options.nodes)
    with (
        threads(jobs, "mine") if pool is None else nullcontext(pool) as miners,
        closing(in_order(miners, staged, parts, ahead=2, stop=halt)) as done,
    ):
        for _, part in done:
            if halt.is_cancelled:
                break
            _store(library, [_confirm(library, tested, prover) for tested in part], report)
            if progress is not None:
                progress(report)
    library.record_occurrences()  # also for traps of a run that was killed before it came to this
    return report


@dataclass(frozen=True, slots=True)
class _TestedMove:
    """What became of one candidate."""

    candidate: Candidate
    finding: str
    trap: Trap | None


class StagedFilter:
    """Stages of the filter; any number of threads may use one, and each machine its own."""

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._judge = TrapProver(search_nodes=nodes)

    def __call__(self, places: Sequence[Place], stop: Cancellation) -> list[_TestedMove]:
        """The results of the candidates, without those that were not done when it was stopped."""
        left = list(places)
        done: list[_TestedMove] = []
        for nodes, least in PRESCREEN_NODES:
            losing = set(self._prescreen(left, nodes, least, stop))
            if stop.is_cancelled:
                return done
            done += [_TestedMove(place.candidate, HARMLESS, None) for place in left if place not in losing]
            left = [place for place in left if place in losing]
        for place in left:
            tested = self._test(place, stop)
            if stop.is_cancelled:
                return done
            done.append(tested)
        return done

    def _prescreen(self, places: Sequence[Place], nodes: int, least: float, stop: Cancellation) -> Iterator[Place]:
        by_position: defaultdict[str, list[Place]] = defaultdict(list)
        for place in places:
            by_position[place.epd].append(place)
        cases = [(epd, [place.bait for place in here]) for epd, here in by_position.items()]
        seen = _native.losses(cases, nodes, stop)
        for here, losses in zip(by_position.values(), seen, strict=False):  # shorter if it was stopped
            yield from (place for place, (loss, _) in zip(here, losses, strict=True) if loss >= least)

    def _test(self, place: Place, stop: Cancellation) -> _TestedMove:
        for nodes in (max(1, self._nodes // _FIRST_TEST), self._nodes, _LAST_TEST * self._nodes):
            test = check_bait(place.epd, place.bait, (), Budget(nodes=nodes), stop)
            is_short = nodes < self._nodes  # more nodes may decide what these leave undecided
            if test.verdict is Verdict.REFUTED or (test.verdict is Verdict.UNDECIDED and not is_short):
                return _TestedMove(place.candidate, test.verdict, None)
        trap = self._judge.prove_tested(mined_trap(place, test), test)
        return _TestedMove(place.candidate, trap.verdict, trap if trap.verdict is Verdict.PROVED else None)


def _begin(connection: Connection, options: MiningOptions, prover: TrapProver | None) -> None:
    """Forget what another search, one with another budget, or one with another confirmation has looked at."""
    engine = None if prover is None else prover.engine
    confirmation = "practice" if prover is None or engine is None else f"{engine.name} with {prover.engine_nodes} nodes"
    means = f"{_native.TESTER_VERSION}, {_native.PROVER_VERSION}, {options.nodes} nodes, {confirmation}"
    if connection.scalar(select(MetaRow.value).where(MetaRow.key == _FACT)) != means:
        connection.execute(delete(MinedRow))
        connection.execute(delete(MetaRow).where(MetaRow.key == _FACT))
        connection.execute(insert(MetaRow).values(key=_FACT, value=means))


def _new(library: Library, found: Iterable[Candidate], report: MiningProgress) -> list[Candidate]:
    """The candidates that nobody has looked at and that are no traps of the library."""
    wanted = []
    with library.database.read() as connection:
        done = {(row.position_id, row.move) for row in connection.execute(select(MinedRow.position_id, MinedRow.move))}
        known = _known(connection)
        for candidate in found:
            report.candidates += 1
            if (candidate.position_id, candidate.move) in known:
                report.known += 1
            elif (candidate.position_id, candidate.move) in done:
                report.resumed += 1
            else:
                wanted.append(candidate)
    return wanted


def _known(connection: Connection) -> set[tuple[int, int | None]]:
    """Positions and baits of the library's traps, in both colours, as far as they occurred."""
    known: set[tuple[int, int | None]] = set()
    for mirrored in (False, True):
        key = TrapRow.mirror_key if mirrored else TrapRow.key
        there = select(PositionRow.id, TrapRow.slug, TrapRow.epd, TrapRow.bait).join_from(
            TrapRow, PositionRow, PositionRow.key == key
        )
        for position_id, slug, epd, bait in connection.execute(there):
            known.add((position_id, bait_code(connection, slug, epd, bait, mirrored=mirrored)))
    return known


def _parts(library: Library, wanted: Sequence[Candidate]) -> Iterator[list[Place]]:
    """The candidates with their places in games, so many at a time that a thread has something to do."""
    waiting = iter(sorted(wanted, key=lambda candidate: (candidate.game_id, candidate.ply)))
    while part := list(islice(waiting, _AT_A_TIME)):
        yield places(library, part)


def _confirm(library: Library, tested: _TestedMove, prover: TrapProver | None) -> _TestedMove:
    """The same, without the trap if a gain is not confirmed."""
    trap = tested.trap
    if trap is None or trap.mate_in is not None:
        return tested
    if prover is not None and prover.engine is not None:
        evaluated, opinion = prover.ask_engine(trap)
        if opinion.verdict is Verdict.PROVED:
            return replace(tested, trap=evaluated)
        return replace(tested, finding=opinion.verdict, trap=None)
    points = stats_of(library, trap).points
    if points is not None and points >= PROMISED:
        return tested
    return replace(tested, finding=Verdict.UNDECIDED, trap=None)


def _store(library: Library, part: Sequence[_TestedMove], report: MiningProgress) -> None:
    """Store the traps first, then that they were examined: killed in between, the next run finds them known."""
    for tested in part:
        if tested.trap is not None:
            trap = with_family(library, tested.trap)
            (result,) = library.add_all([trap])
            if result is Added.ADDED:
                (stored,) = [there for there in library.find_by_key(trap.key) if there.bait == trap.bait]
                report.traps.append(stored)
    rows = [(tested.candidate.position_id, tested.candidate.move, str(tested.finding)) for tested in part]
    with library.database.write() as connection:
        BulkInsert(connection, MinedRow, ("position_id", "move", "finding")).insert(rows)
    report.done += len(part)
    report.findings.update(str(tested.finding) for tested in part)
