"""Whether the reported killers are right: as good as the reference's answer, or nearly."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import chess

from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import InputError, OutputError
from workshop.coverage.judged import Judged
from workshop.coverage.shares import Share

NEAR = 0.1
"""A killer is right if the win chance after it is within this of that with the best answer."""
LINE_PLIES = 10
"""Plies of what the reference expects that are kept."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reference engine says of a position."""

    chance: float
    """Win chance of the side to move, -1..1."""
    line: tuple[str, ...]
    """What it expects, UCI, `LINE_PLIES` at most."""


class Answers:
    """Answers of a reference engine about positions, kept in a file of JSON lines that is only added to, if in any."""

    def __init__(self, path: Path | None, command: str, nodes: int) -> None:
        """``command`` starts the engine, which happens only if something is not known. Raises `InputError`."""
        self._path = path
        self._command = command
        self._engine: UciEngine | None = None
        self._nodes = nodes
        self._known: dict[tuple[str, int], Answer] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
        for number, text in enumerate(lines, 1):
            try:
                line = json.loads(text)
                self._known[line["fen"], line["nodes"]] = Answer(line["chance"], tuple(line["line"]))
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"{path}, line {number}: no answer of an engine: {error!r}") from error

    def chance(self, board: chess.Board) -> float:
        """Win chance of the side to move, -1..1. Raises ``EngineError`` and `OutputError`."""
        return self.of(board).chance

    def of(self, board: chess.Board) -> Answer:
        """The answer about a position. Raises ``EngineError`` and `OutputError`."""
        asked = board.fen(), self._nodes
        if asked not in self._known:
            self._engine = self._engine or UciEngine(self._command)
            found = self._engine.evaluate(board, self._nodes, line=True)
            answer = Answer(found.chance, tuple(move.uci() for move in found.line[:LINE_PLIES]))
            self._known[asked] = answer
            if self._path is not None:
                self._keep(self._path, {"fen": asked[0], "nodes": asked[1], **asdict(answer)})
        return self._known[asked]

    @staticmethod
    def _keep(path: Path, answer: dict[str, object]) -> None:
        try:
            with path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(answer) + "\n")
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}") from error

    def close(self) -> None:
        """End the engine if it was started."""
        if self._engine is not None:
            self._engine.close()


def is_right(move: Judged, answers: Answers) -> bool:
    """Whether a claim's reported killer is right; the reference's own answer and a mate are, without a question."""
    assert move.claim is not None, "only what is claimed has a killer"
    if not move.claim.killers:
        return False
    killer = move.claim.killers[0]
    if move.label.line[move.ply - 1][:1] == [killer]:
        return True
    board = move.after()
    board.push_uci(killer)
    best = move.loss - move.before
    return board.is_checkmate() or -answers.chance(board) >= best - NEAR


def killers(moves: Iterable[Judged], answers: Answers) -> Share:
    """Of the reported killers: those that are right."""
    return Share.among(is_right(move, answers) for move in moves if move.claim is not None)
