"""A UCI engine that rules on baits which the prover left open, by the measure that the library itself uses."""

import dataclasses
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import chess

from annotator.events import EventProof, TrapEvent
from db.proof.prover import DEEPER
from db.proof.uci_engine import UciEngine
from trapcore import _native
from trapcore.proof.mate import Verdict
from trapcore.proof.trap_test import LOSS
from trapcore.trees.chess_game import parse_position


@dataclass(frozen=True, slots=True)
class _Ruling:
    proof: EventProof
    plies: int
    """So many plies of the killer line hold."""


class Arbiter:
    """One engine process that rules on baits, each question once; a context manager.

    The same question gets the same answer in any order of questions: the engine has one thread, and forgets what it was
    asked before.
    """

    def __init__(self, command: str, nodes: int) -> None:
        """``command`` is a path or a name in the search path; ``nodes`` (>= 1) is the first search of each position.

        Raises ``EngineError`` if it cannot be started.
        """
        self._engine = UciEngine(command)
        self._nodes = nodes
        self._rulings: dict[tuple[str, str, tuple[str, ...]], _Ruling] = {}

    def rule(self, event: TrapEvent) -> TrapEvent:
        """The event with the engine's verdict in the place of one that is not proved.

        Proved: two searches, the second with more nodes, agree that the bait, and the killer after it, cost the victim
        a blunder's worth of win chance against the best move, and leave the attacker that much the better. The killer
        line is cut to what holds. Refuted: one of them does not. Raises ``EngineError`` if the engine fails.
        """
        if event.proved or not event.killer_line:
            return event
        key = (_native.epd(event.fen), event.bait, event.killer_line)
        if key not in self._rulings:
            self._rulings[key] = self._ruling(*key)
        ruling = self._rulings[key]
        return dataclasses.replace(
            event,
            proof=ruling.proof,
            killer_line=event.killer_line[: ruling.plies],
            killer_line_san=event.killer_line_san[: ruling.plies],
        )

    def _ruling(self, epd: str, bait: str, line: tuple[str, ...]) -> _Ruling:
        before = parse_position(epd)
        baited = _after(before, bait)
        sprung = _after(baited, line[0])
        loss = 0.0
        for nodes in (self._nodes, DEEPER * self._nodes):
            best = self._engine.evaluate(before, nodes)
            # The attacker's win chances, from either side of the board.
            chances = (self._engine.evaluate(baited, nodes).chance, -self._engine.evaluate(sprung, nodes).chance)
            loss = max(0.0, best.chance + min(chances))
            if min(chances) < LOSS or loss < LOSS or best.best is None or before.uci(best.best) == bait:
                return _Ruling(EventProof(Verdict.REFUTED, None, nodes, self._engine.name, loss), len(line))
        plies = len(line) if self._holds(sprung, line[1:]) else 1
        return _Ruling(EventProof(Verdict.PROVED, None, nodes, self._engine.name, loss), plies)

    def _holds(self, sprung: chess.Board, rest: tuple[str, ...]) -> bool:
        """Whether the attacker still stands better where the killer line ends."""
        attacker = not sprung.turn
        end = sprung
        for move in rest:
            end = _after(end, move)
        chance = self._engine.evaluate(end, DEEPER * self._nodes).chance
        return (chance if end.turn == attacker else -chance) >= LOSS

    def __enter__(self) -> Self:
        """Nothing to do: the engine runs."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the engine."""
        self._engine.close()


def _after(board: chess.Board, move: str) -> chess.Board:
    after = board.copy(stack=False)
    after.push_uci(move)
    return after
