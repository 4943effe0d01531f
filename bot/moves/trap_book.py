"""Trap book: the trap library in memory, for the bot's moves, remarks and annotated games.

`TrapBook` is loaded once and never waits for the database while a game runs. Similarity is measured by the annotator's
analyzer alone, so that the bot and an annotated game agree on what is a trap.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import chess

from annotator.annotation import Annotator
from annotator.comments.commentary import Commentator
from annotator.counts import Counts
from annotator.events import TrapEvent
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisOptions, AnalysisRequest
from annotator.selection import Selection
from annotator.settings import Tell
from bot.moves.search_pool import SearchPool
from bot.moves.set_traps import Answer, SetTraps
from bot.settings import BotOptions
from coach.repertoire.live_traps import LiveBait, LiveTrap, allowed_cost
from coach.repertoire.replies import ReplyModel
from coach.repertoire.trap_choice import Opponent
from db.formats.bundled import open_or_bundle
from db.library.library import Library
from db.patterns.recall import Again, Occasion, recall_of
from db.query.answer import Page
from db.query.engine import QueryEngine
from db.query.query import Query
from db.query.words import Reading, read_words
from db.similarity.annotator_index import Screen, open_screen
from db.traps.temptation import LEAST_DECISIONS, UNKNOWN_RATING, Frequency, RatingBand, rating_band
from db.traps.trap import Trap
from lichess.api import Person
from trapcore import _native
from trapcore.errors import InputError, TraplineError, UsageError
from trapcore.io.log_once import OnceLogger
from trapcore.measures.options import IndexedMeasure
from trapcore.proof.verdict import Verdict
from trapcore.trees.position_key import mirror_move

log = logging.getLogger(__name__)

PROOF_NODES = 20_000
"""Nodes for each proof while a clock runs; the annotated game gets what the settings allow."""

LOOK_BACK = 16
"""Plies after the bait for which a killer line is followed."""


@dataclass(frozen=True, slots=True)
class Killer:
    """A proved answer to a bait that was taken."""

    uci: str
    mate_in: int | None
    """Own moves to mate, 1 or more; None if it only wins something."""


class _Detector:
    """Finds the events of these traps in games, and writes annotated ones."""

    def __init__(self, traps: Sequence[Trap], screen: Screen | None, settings: BotOptions) -> None:
        self.traps, self._measure = traps, settings.measure
        # No engine is there to decide what a proof leaves open.
        request = replace(AnalysisRequest.from_settings(settings, AnalysisOptions()), engine=None)
        known = KnownTraps(traps, screen)
        self.whole = request.analyzer(known)
        # To search for every losing move again after each move of a running game would take the time of its moves.
        live = replace(request, tell=Tell.SIMILAR) if request.tell.judges_every_move else request
        self.live = self.whole if live is request else live.analyzer(known)
        self.annotator = Annotator(traps, settings.measure, Selection(), False, False, None)

    def events(self, found: _native.BatchFindings) -> list[TrapEvent]:
        """The proved events of what was found."""
        events = [TrapEvent.of(finding, self.traps, self._measure) for game in found.found for finding in game.findings]
        return [event for event in events if event.proved]


class TrapBook:
    """Traps of one library; may be used by any number of threads."""

    def __init__(
        self,
        traps: Sequence[Trap],
        frequencies: Mapping[str, Mapping[RatingBand, Frequency]],
        settings: BotOptions,
        search_pool: SearchPool,
        screen: Screen | None = None,
    ) -> None:
        """``frequencies``: by slug and by the rating of the players who had the choice.

        ``screen``: see `KnownTraps`.
        """
        self._search_pool = search_pool
        self.traps = list(traps)
        self._frequencies = frequencies
        self.measure = settings.measure
        self._settings, self._screen = settings, screen
        self._detector = _Detector(self.traps, screen, settings)
        self._style = AnalysisRequest.from_settings(settings, AnalysisOptions()).style
        self._answers: dict[bytes, list[Answer]] = {}
        for trap in self.traps:
            if trap.verdict is Verdict.PROVED:
                mate = trap.mate_in is not None
                answer = Answer(trap.bait, trap.killer_line, mate)
                self._answers.setdefault(trap.key, []).append(answer)
                if trap.mirror_key != trap.key:
                    turned = Answer(mirror_move(trap.bait), tuple(map(mirror_move, trap.killer_line)), mate)
                    self._answers.setdefault(trap.mirror_key, []).append(turned)

    def killer(self, board: chess.Board, own: SetTraps) -> Killer | None:
        """Proved killer move after a bait that was taken, or the next move of its line; None if no bait was taken.

        ``board`` has the moves that led to it.
        """
        earlier = board.copy(stack=min(LOOK_BACK, len(board.move_stack)))
        played: list[str] = []
        for back in range(1, len(earlier.move_stack) + 1):
            played.insert(0, earlier.uci(earlier.pop()))
            if back % 2 == 0:
                continue
            key = _native.position_key(earlier.fen())
            answers: list[Answer] = [*own.answers(key), *self._answers.get(key, ())]
            for answer in answers:
                if back > 1 and not answer.is_mate:
                    continue
                line: tuple[str, ...] = (answer.bait, *answer.line)
                if len(line) > back and line[:back] == tuple(played) and _is_legal(board, line[back]):
                    return Killer(line[back], (len(line) - back + 1) // 2 if answer.is_mate else None)
        return None

    def set_by(
        self, board: chess.Board, moves: Iterable[chess.Move], milliseconds: int, rating: int | None = None
    ) -> list[LiveTrap]:
        """Those of ``moves`` that set a proved trap, the most promising first against a player of ``rating``.

        Traps of the library are found at once; similar ones are proved as far as the time suffices.
        """
        found: dict[str, LiveTrap] = {}
        similar = []
        # Without proofs of similar traps, which takes next to no time.
        candidates = self._detector.live.judge_position(
            board.fen(), [board.uci(move) for move in moves], nodes=1, unproved=True, chess960=board.chess960
        )
        for candidate in candidates:
            if _is_proved(candidate) and candidate.known:
                found[candidate.uci] = self._trap_set(candidate, rating)
            else:
                taken = self.taken(self.traps[candidate.trap].slug, rating)
                similar.append((candidate.similarity * taken, candidate.uci))
        until = time.monotonic() + milliseconds / 1000
        for _, uci in sorted(similar, reverse=True):
            left = int(1000 * (until - time.monotonic()))
            if left <= 0:
                break
            for proved in filter(_is_proved, self._search_pool.run(left, partial(self._prove, board, uci))):
                found[uci] = self._trap_set(proved, rating)
        return sorted(found.values(), key=lambda trap: -trap.gain * trap.taken)

    def _prove(self, board: chess.Board, move: str, milliseconds: int) -> Sequence[_native.SetTrap]:
        """The best proved trap after one move (UCI); none if there is none, or if the time did not suffice."""
        return self._detector.live.judge_position(
            board.fen(),
            [move],
            nodes=PROOF_NODES,
            unproved=False,
            chess960=board.chess960,
            milliseconds=milliseconds,
        )

    def opponent(self, person: Person | None, trap_loss: float) -> Opponent:
        """Whom the traps that are found by searching are for, a person or a bot of his rating, None for anybody.

        `allowed_cost` says what they may cost.
        """
        rating = None if person is None else person.rating
        band = UNKNOWN_RATING if rating is None else RatingBand(rating, rating)
        model = ReplyModel(None, band, is_engine=person is not None and person.is_bot)
        return Opponent(model, allowed_cost(trap_loss, rating), self._search_pool.run)

    def _trap_set(self, finding: _native.SetTrap, rating: int | None) -> LiveTrap:
        trap = self.traps[finding.trap]
        mate = finding.mate_in is not None
        gain = finding.loss if finding.loss is not None else trap.gain
        gain = max(1.0, gain or 0.0) if mate else gain or 0.3
        taken = self.taken(trap.slug, rating)
        bait = LiveBait(finding.bait, tuple(finding.killer_line), finding.mate_in, gain, taken)
        return LiveTrap(finding.uci, finding.fen, (bait,), 0.0)

    def taken(self, slug: str, rating: int | None = None) -> float:
        """Share of decisions in which the bait was taken, with a prior of one in four.

        By players of that rating if there are `LEAST_DECISIONS` or more, else by all.
        """
        bands = self._frequencies.get(slug, {})
        known = bands.get(rating_band(rating)) if rating is not None else None
        if known is None or known.decisions < LEAST_DECISIONS:
            known = sum(bands.values(), Frequency(decisions=0, played=0))
        return (known.played + 1) / (known.decisions + 4)

    def events(self, pgn: bytes, own: SetTraps) -> list[TrapEvent]:
        """Proved events of traps of one game, known, similar and the bot's ``own``, in order; empty for a game that
        cannot be read."""
        batch, detector = _batch_of(pgn), self._with(own)
        return [] if batch is None else detector.events(self._search_pool.later(lambda: detector.live.judge(batch)))

    def annotated(self, pgn: bytes, own: SetTraps) -> tuple[bytes, list[TrapEvent]]:
        """Annotated game and its events, those of other losing moves too if the settings say so."""
        batch, detector = _batch_of(pgn), self._with(own)
        if batch is None:
            return pgn, []
        found = self._search_pool.later(lambda: detector.whole.judge(batch))
        annotated = detector.annotator.annotate(batch, found, "", Counts(), Commentator.of(self._style))
        return annotated.text, detector.events(found)

    def knows(self, trap: LiveTrap) -> bool:
        """Whether the library has one of the baits of a trap."""
        answers = self._answers.get(_native.position_key(trap.fen), ())
        return any(answer.bait == bait.uci for answer in answers for bait in trap.baits)

    def _with(self, own: SetTraps) -> _Detector:
        """What also finds the traps that were set in a game and are none of the library."""
        added = [
            trap for trap in own.traps() if all(each.bait != trap.bait for each in self._answers.get(trap.key, ()))
        ]
        if not added:
            return self._detector
        screen = self._screen
        if screen is not None:
            # No index has them, so that nothing is similar to them.
            first = max(screen.numbers.values(), default=0) + 1
            numbers = {trap.slug: number for number, trap in enumerate(added, first)}
            screen = replace(screen, numbers={**screen.numbers, **numbers})
        return _Detector([*self.traps, *added], screen, self._settings)


class TrapLibrary:
    """Library of the settings, loaded when it can be. Without one the bot plays on without traps."""

    def __init__(self, settings: BotOptions, search_pool: SearchPool) -> None:
        self._settings, self._search_pool = settings, search_pool
        self._book: TrapBook | None = None
        self._once = OnceLogger(log)
        self._lock = threading.Lock()
        self._in_use: Library | None = None
        """The library, held open so that nobody puts another one in its place while the bot plays."""

    def close(self) -> None:
        """Let go of the library, unless it is still being loaded."""
        if self._lock.acquire(blocking=False):
            if self._in_use is not None:
                self._in_use.close()
            self._lock.release()

    @property
    def book(self) -> TrapBook | None:
        """The trap book, or None while the library cannot be read."""
        return self._book

    def find(self, name: str) -> Page | None:
        """Traps by name or a similar name, the best known first; None if the library cannot be read.

        It queries the database, so it must not be called while our clock is running.
        """
        found = self._ask(lambda _: Reading({"name": name}, ()))
        return None if found is None else found[1]

    def search(self, words: str) -> tuple[Reading, Page] | None:
        """What plain words ask for, and the traps that answer; else as `find`."""
        return self._ask(lambda library: read_words(library, words))

    def _ask(self, read: Callable[[Library], Reading]) -> tuple[Reading, Page] | None:
        if self._book is None:
            return None
        reading, nothing = Reading({}, ()), Page(Query(), (), 0, None)
        try:
            with open_or_bundle(None, self._settings.db, read_only=True, log=log.info) as library:
                reading = read(library)
                if not reading.conditions:
                    return reading, nothing
                return reading, QueryEngine(library, measure=self._settings.measure).ask(reading.query(limit="3"))
        except (UsageError, InputError):
            return reading, nothing  # such as a text without letters: no trap has that name
        except (TraplineError, OSError) as error:
            log.warning("the library could not be queried: %s", error)
            return None

    def again(self, occasions: Iterable[Occasion]) -> Again | None:
        """The earlier games of the first of these that has any; None also if the library cannot be read."""
        try:
            with open_or_bundle(None, self._settings.db, read_only=True, log=log.info) as library:
                return next(filter(None, map(recall_of(library), occasions)), None)
        except (TraplineError, OSError) as error:
            log.warning("the library could not be asked for earlier games: %s", error)
            return None

    def load(self) -> TrapBook | None:
        """Load the library unless it is loaded; an error is logged once."""
        if not self._lock.acquire(blocking=False):
            # Another thread is loading it.
            return self._book
        try:
            if self._book is None:
                try:
                    library = open_or_bundle(None, self._settings.db, read_only=True, log=log.info)
                    try:
                        abstracted = self._settings.measure is IndexedMeasure.ABSTRACTED
                        screen = open_screen(library, log.info) if abstracted else None
                        traps, frequencies = library.traps(), library.frequencies_by_rating()
                        self._book = TrapBook(traps, frequencies, self._settings, self._search_pool, screen)
                    except BaseException:
                        library.close()
                        raise
                    self._in_use = library
                    log.info("%d traps are known", len(self._book.traps))
                except (TraplineError, OSError) as error:
                    self._once.write(logging.WARNING, "library", "playing without traps: %s", error)
            return self._book
        finally:
            self._lock.release()


def _batch_of(pgn: bytes) -> _native.Batch | None:
    splitter = _native.PgnSplitter()
    batches = splitter.feed(pgn) + splitter.finish()
    return batches[0] if batches else None


def _is_proved(trap: _native.SetTrap) -> bool:
    return trap.verdict == Verdict.PROVED.value and bool(trap.killer_line)


def _is_legal(board: chess.Board, uci: str) -> bool:
    try:
        return bool(board.parse_uci(uci))
    except ValueError:
        return False
