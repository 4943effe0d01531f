"""UCI engine that decides which moves of a game lost by force.

First it looks at every position of the game with few nodes (``_native.LOOK_NODES``), the last one first, so that its
memory serves the earlier ones. Our own search is spared that. A move that seems to cost something is suspected.

The engine then values the position before such a move and the one after it, with more and more nodes (`STAGES`): all
suspected moves with few, those that this does not clear with more, and so on, again the last one first. Its last
word is the verdict. The answer to a move that lost is judged in the same way: it missed the killer if it gives back as
much.

Before a great loss is believed (`GREAT`, `WON`) the position after the move is searched with `MORE` times the nodes.
The ends of both lines that are shown must bear out every loss.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple, TypeVar

import chess

from annotator.events import EventProof, TrapEvent, with_best_line
from db.traps.position_value import PositionValue, Values, deepest
from db.traps.terms import Event
from trapcore import _native
from trapcore.engines.uci_engine import Evaluation, UciEngine, uci_line
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.mate import prove_bait
from trapcore.proof.trap_test import TOLD
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import MISTAKE


class Stage(NamedTuple):
    """How far a question is followed up."""

    share: float
    """Of the engine's nodes, for each of the two positions, 0..1."""
    cleared: float
    """Below this loss the move is cleared."""
    believed: float
    """From this loss on it is believed to lose."""


Item = TypeVar("Item")
Result = TypeVar("Result")

Look = tuple[float, int | None, str | None]
"""Of a position: win chance of the side to move, moves to the mate that is seen, and the best move, UCI."""

Played = tuple[str, str]
"""EPD before a move, and the move, UCI."""

STAGES = (Stage(0.16, 0.15, 0.42), Stage(0.64, TOLD, TOLD))
"""The last one decides. In 51 games with lichess's evaluations 128,000 nodes for every suspected move told no more of
what costs 15 points at equal agreement, and took three times as many nodes. In 24 other games the first one cleared
three of 88 losing moves where it cleared what costs less than .2."""

LEAST_NODES = _native.PASS_NODES
"""No search has fewer nodes, if the engine has so many: with fewer it overlooks what every club player sees."""

GREAT, WON = 0.6, 0.5
"""Win chance that a move costs, or that its player has without it, from which on a loss is great."""

MORE = 4
"""So many times the nodes bear out a great loss, if the engine has so many."""

LEFT = 0.5
"""Share of a loss that is left at the end of a line, `MISTAKE` at least."""

LONGEST_MATE = 5
"""Moves to a mate that is proved where the engine sees one."""

_MATE_NODES = 200_000
_LEAST_PLIES = 3
"""A line of fewer plies is continued."""
_KILLER_PLIES = 9
_BEST_PLIES = 5
"""A line that is shown ends between these plies."""


@dataclasses.dataclass(frozen=True, slots=True)
class EngineAnswer:
    """What the engine says of a move. Win chances are those of the player who made it, -1..1."""

    before: float
    """With the best move."""
    after: float
    line: tuple[str, ...]
    """What it expects after the move, UCI."""
    best_line: tuple[str, ...]
    """The best move and what it expects after that, UCI; it may begin with the move itself."""
    mate_in: int | None
    """Moves of the opponent to the mate that it sees."""
    nodes: int
    """For each position, of the last search."""
    confirmed: bool = True
    """More nodes and the ends of the lines bear a loss out."""

    @property
    def loss(self) -> float:
        """Win chance that the move costs, 0..2: the best move is at least as good, even if two searches disagree."""
        return max(0.0, self.before - self.after)

    @property
    def verdict(self) -> Verdict:
        """Whether it loses, so that it is reported."""
        return Verdict.PROVED if self.confirmed and self.loss >= TOLD else Verdict.REFUTED


class EngineProcess:
    """One engine; the same game gets the same answers in any order of games, because its memory is cleared for each."""

    def __init__(self, command: str, nodes: int) -> None:
        """``nodes`` (>= 1) is the longest search of a position. Raises ``EngineError`` if it cannot be started."""
        self._engine = UciEngine(command)
        self._nodes = nodes
        self._stages = _stages(nodes)
        self._game = object()
        self._seen: dict[tuple[str, int, bool], Evaluation] = {}
        """Of the game in hand: by EPD, nodes, and whether with a line."""
        self._answers: dict[tuple[str, str], EngineAnswer] = {}
        """By EPD and move."""

    @property
    def name(self) -> str:
        """As the engine gives it."""
        return self._engine.name

    def close(self) -> None:
        """End it."""
        self._engine.close()

    def looks(self, record: _native.GameRecord) -> list[Look]:
        """What it sees of each position of a game with ``_native.LOOK_NODES``. Raises ``EngineError``."""
        game = object()
        found = [self._look(board, game) for board in reversed(_positions(record))]
        return found[::-1]

    def _look(self, board: chess.Board, game: object) -> Look:
        found = self._engine.evaluate(board, _native.LOOK_NODES, game=game)
        return found.chance, found.mate_in, None if found.best is None else board.uci(found.best)

    def verified(self, events: Sequence[TrapEvent], others: Sequence[Played] = ()) -> tuple[list[TrapEvent], Values]:
        """The events of one game with the engine's verdicts in place of our own, in their order, and what the engine
        values the positions at, those of the moves ``others`` among them.

        What the library knows and the mates that were missed stand as they are proved. Raises ``EngineError``.
        """
        self._game = object()
        self._seen.clear()
        self._answers.clear()
        questions = [(_native.epd(event.fen), event.bait) for event in reversed(events) if not _stands(event)]
        questions += reversed(others)
        for nodes in self._stages:
            for question in questions:
                self._ask_at(nodes, *question)
        judged = [event if _stands(event) else self._judged(event) for event in events]
        return judged, deepest(self._values(nodes) for nodes in reversed(self._stages))

    def _values(self, nodes: int) -> dict[str, PositionValue]:
        """Of the positions of the game in hand that were searched with so many nodes."""
        values: dict[str, PositionValue] = {}
        for (epd, searched, *_), found in self._seen.items():
            key = _native.epd(epd)
            if searched == nodes and (found.line or key not in values):
                line = uci_line(parse_position(epd), found.line)
                values[key] = PositionValue.of_engine(found.chance, nodes, line, self.name)
        return values

    def _judged(self, event: TrapEvent) -> TrapEvent:
        epd = _native.epd(event.fen)
        answer = self.ask(epd, event.bait)
        verdict, mate = answer.verdict, None
        if verdict is Verdict.PROVED:
            event, mate = self._with_line(event, epd, answer)
            if not event.killer_line:
                verdict = Verdict.REFUTED  # the move ended the game, and there is no answer to report
        event = dataclasses.replace(
            event,
            proof=EventProof(verdict, mate, answer.nodes, self.name, answer.loss),
            before=answer.before,
            after=answer.after,
            settled=True,
            probability=None,
            explanation=None,
        )
        if answer.best_line and answer.best_line[0] != event.bait:
            event = with_best_line(event, answer.best_line)
        if event.proved:
            event = _with_kind(event, epd)
        if event.event is Event.FELL:
            return dataclasses.replace(event, played_loss=answer.loss, only_move=False)
        if event.proved and event.event in (Event.SPRUNG, Event.MISSED):
            return self._answered(event, epd)
        return event

    def _with_line(self, event: TrapEvent, epd: str, answer: EngineAnswer) -> tuple[TrapEvent, int | None]:
        """The event with a killer line that the engine believes in, and the moves to a mate that was proved."""
        if event.proof.mate_in is not None:
            return event, event.proof.mate_in
        if answer.mate_in is not None and answer.mate_in <= LONGEST_MATE:
            proof = prove_bait(epd, event.bait, answer.line[:1], LONGEST_MATE, Budget(nodes=_MATE_NODES))
            if proof.mate_in is not None:
                return _with_killer(event, epd, proof.line), proof.mate_in
        return _with_killer(event, epd, answer.line[:_KILLER_PLIES]), None

    def _answered(self, event: TrapEvent, epd: str) -> TrapEvent:
        """The event of the answer to a bait: it is missed if the answer gives back what the bait gave."""
        board = parse_position(epd)
        board.push_uci(event.bait)
        answer = self.ask(_native.epd(board.fen()), board.uci(board.parse_san(event.played)))
        missed_mate = event.event is Event.MISSED and event.proof.mate_in is not None
        kind = Event.MISSED if missed_mate or answer.verdict is Verdict.PROVED else Event.SPRUNG
        return dataclasses.replace(
            event, event=kind, played_loss=answer.loss, only_move=event.only_move and kind is Event.SPRUNG
        )

    def ask(self, epd: str, move: str) -> EngineAnswer:
        """What the engine says of ``move`` (UCI) in a position of the game in hand. Raises ``EngineError``."""
        for nodes in self._stages:
            self._ask_at(nodes, epd, move)
        return self._answers[epd, move]

    def _ask_at(self, nodes: int, epd: str, move: str) -> None:
        """Ask with so many nodes for each position, unless fewer gave an answer."""
        if (epd, move) in self._answers:
            return
        before = parse_position(epd)
        after = before.copy(stack=False)
        after.push_uci(move)
        stage = self._stages[nodes]
        left, best = (self._evaluation(board, nodes, line=True) for board in (after, before))
        loss = best.chance + left.chance
        if loss >= stage.believed:
            answer = self._confirmed(before, after, move, _answer(before, after, best, left, nodes))
            # What is not borne out is asked with more nodes, which may find another line.
            if answer.confirmed or nodes == max(self._stages):
                self._answers[epd, move] = answer
        elif loss < stage.cleared:
            self._answers[epd, move] = _answer(before, after, best, left, nodes)

    def _confirmed(self, before: chess.Board, after: chess.Board, move: str, answer: EngineAnswer) -> EngineAnswer:
        """The answer as more nodes see it if the loss is great, and whether the ends of both lines bear it out."""
        nodes = answer.nodes
        if answer.loss >= GREAT or answer.before >= WON:
            longer = self._evaluation(after, min(MORE * nodes, self._nodes), line=True)
            line, mate = uci_line(after, longer.line), _mate_of(longer)
            answer = dataclasses.replace(answer, after=-longer.chance, line=line, mate_in=mate)
        # An engine that likes the move best knows no better one.
        if answer.loss < TOLD or answer.best_line[:1] == (move,):
            return dataclasses.replace(answer, confirmed=False)
        # What so few nodes do not bear out more may, if there is no longer search to come.
        fewest, last = min(self._stages), max(self._stages)
        stands = self._bears_out(before, after, answer, fewest)
        if not stands and nodes == last > fewest:
            stands = self._bears_out(before, after, answer, last)
        return dataclasses.replace(answer, confirmed=stands)

    def _bears_out(self, before: chess.Board, after: chess.Board, answer: EngineAnswer, nodes: int) -> bool:
        """Whether enough of the loss is left at the ends of both lines."""
        least = max(MISTAKE, LEFT * answer.loss)
        best = self._ends(before, answer.best_line, (_BEST_PLIES,), nodes)
        left = [] if answer.mate_in is not None else self._ends(after, answer.line, (_BEST_PLIES, _KILLER_PLIES), nodes)
        return all(end - answer.after >= least for end in best) and all(answer.before + end >= least for end in left)

    def _ends(self, board: chess.Board, line: Sequence[str], ends: Sequence[int], nodes: int) -> Iterator[float]:
        """Win chances of the side to move in ``board`` where a line (UCI) may be cut; at its end if it is shorter."""
        end = board.copy(stack=False)
        for ply, uci in enumerate(line[: ends[-1]], 1):
            end.push_uci(uci)
            if ply in ends or ply == len(line):
                chance = self._evaluation(end, nodes, line=False).chance
                yield chance if end.turn == board.turn else -chance

    def _evaluation(self, board: chess.Board, nodes: int, *, line: bool) -> Evaluation:
        key = board.epd(), nodes, line
        if key not in self._seen:
            found = self._engine.evaluate(board, nodes, game=self._game, line=line)
            if line and 0 < len(found.line) < _LEAST_PLIES:
                found = dataclasses.replace(found, line=self._continued(board, found.line))
            self._seen[key] = found
        return self._seen[key]

    def _continued(self, board: chess.Board, line: tuple[chess.Move, ...]) -> tuple[chess.Move, ...]:
        """A line with what the engine expects at its end. It is cut off where the nodes end amid a depth."""
        end = board.copy(stack=False)
        for move in line:
            end.push(move)
        return line + self._engine.evaluate(end, min(LEAST_NODES, self._nodes), game=self._game, line=True).line


def _stages(nodes: int) -> dict[int, Stage]:
    """The stages of an engine with so many nodes, by those that each has for a position, ascending."""
    least = min(LEAST_NODES, nodes)
    return {max(round(stage.share * nodes), least): stage for stage in STAGES}


def _positions(record: _native.GameRecord) -> list[chess.Board]:
    """The positions of a game, before each move and after the last."""
    (line,) = _native.replay([(record.start_fen, record.moves, range(record.plies))])
    positions = [parse_position(epd) for epd, _ in line]
    if not line:
        return [parse_position(record.start_fen or chess.STARTING_FEN)]
    end = positions[-1].copy(stack=False)
    end.push(end.parse_uci(line[-1][1]))
    return [*positions, end.copy(stack=False)]


def _stands(event: TrapEvent) -> bool:
    """Whether the event needs no engine: the library vouches for it, or it is a mate that was missed."""
    missed_mate = event.event is Event.MISSED and event.proof.mate_in is not None
    return event.proved and (event.known or missed_mate)


def _with_killer(event: TrapEvent, epd: str, line: Sequence[str]) -> TrapEvent:
    """The event with another killer line, if that has a move at all."""
    if not line:
        return event
    _, *sans = _native.sans(epd, (event.bait, *line))
    return dataclasses.replace(event, killer_line=tuple(line), killer_line_san=tuple(sans))


def _with_kind(event: TrapEvent, epd: str) -> TrapEvent:
    board = parse_position(epd)
    board.push_uci(event.bait)
    kind = _native.killer_kind(board.fen(), event.killer_line[0], event.proof.mate_in is not None)
    return dataclasses.replace(event, kind=kind)


def _answer(before: chess.Board, after: chess.Board, best: Evaluation, left: Evaluation, nodes: int) -> EngineAnswer:
    lines = uci_line(after, left.line), uci_line(before, best.line)
    return EngineAnswer(best.chance, -left.chance, *lines, _mate_of(left), nodes)


def _mate_of(left: Evaluation) -> int | None:
    """Moves to the mate of the side to move; None if the engine sees none."""
    return left.mate_in if left.mate_in is not None and left.mate_in > 0 else None


def _looks(process: EngineProcess, record: _native.GameRecord, *, stop: Cancellation | None) -> list[Look]:
    if stop is not None and stop.is_cancelled:
        raise RuntimeError("the engine's look at this batch was cancelled")
    return process.looks(record)


def _verified(
    process: EngineProcess, asked: tuple[Sequence[TrapEvent], Sequence[Played]]
) -> tuple[list[TrapEvent], Values]:
    return process.verified(*asked)


class EngineVerifier(AbstractContextManager["EngineVerifier"]):
    """Several engine processes that judge the events of games; a context manager."""

    def __init__(self, command: str, nodes: int, jobs: int = 1) -> None:
        """``jobs`` (>= 1) processes at most, which are started as they are needed; ``nodes`` as `EngineProcess` has it.

        Raises ``EngineError`` if the first cannot be started.
        """
        self._start = partial(EngineProcess, command, nodes)
        self._jobs = jobs
        self._stack = ExitStack()
        self._idle: SimpleQueue[EngineProcess] = SimpleQueue()
        self._running = 0
        self.name = ""
        """Of the engine, as it gives it."""
        self.asked = 0
        """Moves that it was asked about, without the answers to those that lost."""
        self._add()

    def _add(self) -> None:
        process = self._start()
        self._stack.callback(process.close)
        self.name = process.name
        self._running += 1
        self._idle.put(process)

    def looked(self, batch: _native.Batch, stop: Cancellation | None = None) -> _native.Batch:
        """The batch with what the engine sees of its games at a first look.

        Raises ``EngineError``, and ``RuntimeError`` if ``stop`` is cancelled meanwhile.
        """
        records = _native.read_records(batch).records
        looks = self._for_each(partial(_looks, stop=stop), records)
        return batch.with_looks({record.game: each for record, each in zip(records, looks, strict=True)})

    def _for_each(self, work: Callable[[EngineProcess, Item], Result], items: Sequence[Item]) -> list[Result]:
        """What the engines make of each of the items, in their order."""
        while self._running < min(self._jobs, len(items)):
            self._add()

        def done(item: Item) -> Result:
            process = self._idle.get()
            try:
                return work(process, item)
            finally:
                self._idle.put(process)

        if self._running == 1:
            return list(map(done, items))
        with ThreadPoolExecutor(self._running, thread_name_prefix="engine") as pool:
            return list(pool.map(done, items))

    def verified(
        self, games: Sequence[Sequence[TrapEvent]], others: Sequence[Sequence[Played]] | None = None
    ) -> list[tuple[list[TrapEvent], Values]]:
        """The events of each game with the engine's verdicts and values, in the order of the games, and the values of
        ``others``: moves of each game that are no events.

        Raises ``EngineError``.
        """
        others = [()] * len(games) if others is None else others
        for events, moves in zip(games, others, strict=True):
            self.asked += len({(event.trap_ply, event.bait) for event in events if not _stands(event)}) + len(moves)
        return self._for_each(_verified, list(zip(games, others, strict=True)))

    def __exit__(self, *_: object) -> None:
        """End the engines."""
        self._stack.close()
