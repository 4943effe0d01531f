"""Losing moves of games, found by the analyzer and stored beside the indexed games."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from annotator.annotation import Annotator
from annotator.events import TrapEvent
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisOptions, AnalysisRequest, BatchAnalyzer
from annotator.settings import AnalysisSettings, Tell
from annotator.worker import LOSSES_BATCH_BYTES
from db.library.library import Library
from db.patterns.keys import patterns_of, token_sets
from db.storage.losing_rows import LosingMove, judged_games, replace_losing_moves
from db.storage.value_rows import store_values
from db.traps.position_value import Values, deepest
from db.traps.terms import Event
from trapcore import _native
from trapcore.errors import InputError
from trapcore.io.game_batches import game_batches
from trapcore.measures.options import IndexedMeasure
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Pool, in_order

_LOSSES_VERSION = 6
"""Of how the core judges what a move lost, and of what is kept of it: with another, games are searched again."""

_CLOCK = re.compile(rb"\[%clk\s+(\d{1,4}):(\d{1,2}):(\d{1,2})(?!\d)")


@dataclass(slots=True)
class Recorded:
    """What was done."""

    games: int = 0
    """Games that were searched."""
    done_before: int = 0
    """Games that the same analysis had searched."""
    losing_moves: int = 0


def record_losing_moves(
    library: Library,
    paths: Iterable[Path | str],
    settings: AnalysisSettings,
    pool: Pool,
    *,
    progress: Callable[[Recorded], None] | None = None,
    stop: Cancellation | None = None,
) -> Recorded:
    """Search the indexed games of these files for moves that lose by force. Store them, and the value of each position.

    The traps of the library take no part. Left alone are a game that the same analysis has searched, one that is
    not indexed, standard input (``-``), which cannot be read twice, and what comes after the place where a file cannot
    be read on. ``progress`` is called after each batch. Raises ``EngineError`` and `LibraryError`, and ``RuntimeError``
    once ``stop`` is cancelled; the games that were searched before stay.
    """
    options = AnalysisOptions(tell=Tell.LOSSES, measure=IndexedMeasure.SEQUENCES, evaluations=True)
    request = AnalysisRequest.from_settings(settings, options)
    by, done = _analysis(request), Recorded()
    with ExitStack() as stack:
        verifier = stack.enter_context(request.verifier())
        annotator = request.annotator(KnownTraps(()), verifier)
        analyzer = BatchAnalyzer(request, KnownTraps(()))
        batches = (batch for path in paths if str(path) != "-" for batch in _readable(path))
        wanted: Iterable[_Part] = _not_done(library, batches, by, done)
        if verifier is not None:
            wanted = (part._replace(batch=verifier.looked(part.batch)) for part in wanted)
        with closing(in_order(pool, _Judged(analyzer), wanted, ahead=2, stop=stop or Cancellation())) as work:
            for part, found in work:
                _store(library, by, part, found, annotator, done)
                if progress is not None:
                    progress(done)
    return done


class _Part(NamedTuple):
    """A batch, and which of its games are indexed: by their numbers in the input, their numbers in the library."""

    batch: _native.Batch
    games: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Judged:
    """The analyzer as work on parts."""

    analyzer: BatchAnalyzer

    def __call__(self, part: _Part, stop: Cancellation) -> _native.BatchFindings:
        return self.analyzer(part.batch, stop)


def _analysis(request: AnalysisRequest) -> str:
    """Digest of what the losing moves depend on."""
    options: list[object] = [_native.PROVER_VERSION, _native.TESTER_VERSION, _LOSSES_VERSION, request.nodes]
    options += [request.engine, request.engine_nodes if request.engine is not None else None]
    return hashlib.blake2b(json.dumps(options).encode(), digest_size=16).hexdigest()


def _readable(path: Path | str) -> Iterator[_native.Batch]:
    # Indexing has already reported that the file cannot be read to its end.
    with suppress(InputError):
        yield from game_batches(path, LOSSES_BATCH_BYTES)


def _not_done(library: Library, batches: Iterable[_native.Batch], by: str, done: Recorded) -> Iterator[_Part]:
    """The batches that have an indexed game which this analysis has not searched."""
    for batch in batches:
        records = _native.read_records(batch).records
        with library.database.read() as connection:
            stored = judged_games(connection, {record.digest for record in records})
        games = {record.game: stored[record.digest][0] for record in records if record.digest in stored}
        left = {game for game, judged_by in stored.values() if judged_by != by}
        done.done_before += len(stored) - len(left)
        if left:
            yield _Part(batch, {number: game for number, game in games.items() if game in left})


def _store(
    library: Library, by: str, part: _Part, found: _native.BatchFindings, annotator: Annotator, done: Recorded
) -> None:
    moves: dict[int, Sequence[LosingMove]] = {game: [] for game in part.games.values()}
    values: Values = {}
    for game in found.found:
        if game.game in part.games:
            events, of_game = annotator.reported(game)
            moves[part.games[game.game]] = _losing_moves(events)
            values = deepest((values, of_game))
    with library.database.write() as connection:
        replace_losing_moves(connection, by, moves)
        store_values(connection, values)
    done.games += len(moves)
    done.losing_moves += sum(map(len, moves.values()))


def _losing_moves(events: Sequence[TrapEvent]) -> list[LosingMove]:
    """One for each move that was proved to lose, in their order."""
    answers = {
        (event.trap_ply, event.bait): str(event.event)
        for event in events
        if event.event in (Event.SPRUNG, Event.MISSED)
    }
    fell = {event.ply: event for event in reversed(events) if event.event is Event.FELL and event.kind is not None}
    moves = [
        LosingMove(
            ply=ply,
            kind=event.kind or "quiet",
            mate_in=event.proof.mate_in,
            killer_line=event.killer_line,
            answer=answers.get((event.trap_ply, event.bait)),
            clock=_clock(event.anchor.comments),
            settled=event.settled,
            probability=event.own_probability,
            causes=event.cause_keys,
            mechanism=None if event.explanation is None else event.explanation.mechanism,
            place=None if event.explanation is None else event.explanation.place,
        )
        for ply, event in sorted(fell.items())
    ]
    known = [(move, fell[move.ply]) for move in moves if move.mechanism is not None]
    lines = [(event.fen, (event.bait, *event.killer_line), patterns_of(move)) for move, event in known]
    tokens = {move.ply: own for (move, _), own in zip(known, token_sets(lines), strict=True)}
    return [replace(move, tokens=tokens.get(move.ply, b"")) for move in moves]


def _clock(comments: Sequence[bytes]) -> int | None:
    """Seconds left by the first clock of these comments."""
    found = _CLOCK.search(b" ".join(comments))
    if found is None:
        return None
    hours, minutes, seconds = (int(part) for part in found.groups())
    return 3600 * hours + 60 * minutes + seconds
