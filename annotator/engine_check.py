"""UCI engine that judges the baits which the prover left open, by the rule of `db.proof.engine_rule`."""

import dataclasses
from types import TracebackType
from typing import Self

from annotator.events import EventProof, TrapEvent
from db.proof.engine_rule import DEEPER, judge_bait, line_wins
from db.proof.uci_engine import UciEngine
from trapcore import _native
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position


class EngineVerifier:
    """One engine process that judges baits, each question once; a context manager.

    The same question gets the same answer in any order of questions: the engine has one thread, and its memory is
    cleared before each search.
    """

    def __init__(self, command: str, nodes: int) -> None:
        """``command`` is a path or a name in the search path; ``nodes`` (>= 1) is the first search of each position.

        Raises ``EngineError`` if it cannot be started.
        """
        self._engine = UciEngine(command)
        self._nodes = nodes
        self._answers: dict[tuple[str, str, tuple[str, ...]], tuple[EventProof, int]] = {}

    def verify(self, event: TrapEvent) -> TrapEvent:
        """The event with the engine's verdict in the place of one that is not proved; a proved one as it is.

        The killer alone has to punish the bait (`judge_bait`); the moves after it are cut off if the attacker no
        longer stands better behind them. Raises ``EngineError`` if the engine fails.
        """
        if event.proved or not event.killer_line:
            return event
        key = (_native.epd(event.fen), event.bait, event.killer_line)
        if key not in self._answers:
            self._answers[key] = self._answer(*key)
        proof, plies = self._answers[key]
        return dataclasses.replace(
            event,
            proof=proof,
            killer_line=event.killer_line[:plies],
            killer_line_san=event.killer_line_san[:plies],
        )

    def _answer(self, epd: str, bait: str, line: tuple[str, ...]) -> tuple[EventProof, int]:
        """The engine's proof, and how many plies of the killer line it carries."""
        before = parse_position(epd)
        found = judge_bait(self._engine, before, bait, line[:1], self._nodes)
        proof = EventProof(found.verdict, None, DEEPER * self._nodes, self._engine.name, found.loss)
        cut = found.verdict is Verdict.PROVED and not line_wins(self._engine, before, bait, line, self._nodes)
        return proof, 1 if cut else len(line)

    def __enter__(self) -> Self:
        """Nothing to do: the engine runs."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the engine."""
        self._engine.close()
