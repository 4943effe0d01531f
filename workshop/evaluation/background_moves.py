"""Background corpus: positions from real games, with an engine's judgement of the move that was played."""

import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import InputError, OutputError, UsageError
from trapcore.win_chance import WIN_CHANCE_SCALE

EACH = 5
"""Positions of a game."""
FIRST = 8
"""Plies of the opening that are left out."""
LOST = -300
"""Centipawns below which a position counts as lost already."""
CLEAN = 50
"""Centipawns that a move may lose to be clean."""
BLUNDER = 200
"""Centipawns that a blunder loses at least."""
MATE = 10_000
"""Centipawns that stand for a mate."""
MATED = -9_000
"""Below this the engine sees a mate."""
NODES = 15_000
SEED = 7


@dataclass(frozen=True, slots=True)
class Judged:
    """A move that was played in a game."""

    file: str
    fen: str
    """Before the move."""
    move: str
    """UCI."""
    before: int
    """Centipawns for the mover, before the move and after it."""
    after: int

    @property
    def is_clean(self) -> bool:
        """It lost nothing, in a position that was not lost."""
        return self.before > LOST and self.before - self.after < CLEAN

    @property
    def is_blunder(self) -> bool:
        """It lost much, in a position that was not lost."""
        return self.before > LOST and self.before - self.after >= BLUNDER

    @property
    def allows_mate(self) -> bool:
        """After it the engine sees a mate that it did not see before."""
        return self.before > LOST and self.after < MATED


def sample(path: Path) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Positions and the moves played in them, `EACH` of every game that is long enough; the same in every run."""
    choose = random.Random(SEED)
    with path.open(encoding="utf-8", errors="replace") as file:
        while game := chess.pgn.read_game(file):
            nodes = list(game.mainline())
            if game.headers.get("Variant", "Standard") != "Standard" or len(nodes) <= FIRST + EACH:
                continue
            for i in sorted(choose.sample(range(FIRST, len(nodes)), EACH)):
                parent = nodes[i].parent
                assert parent is not None
                if not nodes[i].board().is_game_over():
                    yield parent.board(), nodes[i].move


def centipawns(chance: float) -> int:
    """What a win chance is in centipawns; a certain one is `MATE`."""
    if abs(chance) >= 1:
        return MATE if chance > 0 else -MATE
    return max(-MATE, min(MATE, round(-math.log(2 / (chance + 1) - 1) / WIN_CHANCE_SCALE)))


def judge(engine: UciEngine, file: str, board: chess.Board, move: chess.Move, nodes: int) -> Judged:
    """Ask an engine about a move: before it and after it, so many nodes each."""
    before = centipawns(engine.evaluate(board, nodes).chance)
    after = board.copy(stack=False)
    after.push(move)
    return Judged(file, board.fen(), board.uci(move), before, -centipawns(engine.evaluate(after, nodes).chance))


class Answers:
    """Judged moves in a file, one a line, so that no engine judges one twice.

    The first line says ``judged moves`` and with how many nodes; the others are file, FEN, move, and centipawns before
    and after, divided by tabs.
    """

    def __init__(self, path: Path | None, nodes: int) -> None:
        """Read ``path`` if it is there; without a path nothing is stored.

        Raises `InputError` for a file of another kind, and `UsageError` if its answers are of other ``nodes``.
        """
        self._path = path
        self._head = f"judged moves\t{nodes}\n"
        self._known: dict[tuple[str, str], Judged] = {}
        if path is not None and path.exists():
            self._read(path, nodes)

    def _read(self, path: Path, nodes: int) -> None:
        head, *lines = path.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
        kind, _, count = head.partition("\t")
        if kind != "judged moves":
            raise InputError(f"{path} holds no judged moves; give another file, or none")
        if count != str(nodes):
            raise UsageError(f"the moves in {path} were judged with {count} nodes, not {nodes}; give another file")
        for number, line in enumerate(lines, start=2):
            try:
                file, fen, move, before, after = line.split("\t")
                judged = Judged(file, fen, move, int(before), int(after))
            except ValueError:
                raise InputError(f"{path}, line {number}: not file, FEN, move and two numbers") from None
            self._known[fen, move] = judged

    def get(self, board: chess.Board, move: chess.Move) -> Judged | None:
        """What is known."""
        return self._known.get((board.fen(), board.uci(move)))

    def add(self, judged: Iterable[Judged]) -> None:
        """Keep new ones, at the end of the file. Raises `OutputError`."""
        fresh = [j for j in judged if (j.fen, j.move) not in self._known]
        self._known.update(((j.fen, j.move), j) for j in fresh)
        if self._path is None or not fresh:
            return
        text = "".join(f"{j.file}\t{j.fen}\t{j.move}\t{j.before}\t{j.after}\n" for j in fresh)
        try:
            new = not self._path.exists()
            with self._path.open("a", encoding="utf-8") as out:
                out.write(self._head + text if new else text)
        except OSError as error:
            raise OutputError(f"cannot write {self._path}: {error.strerror}") from error


def judged_moves(
    paths: Iterable[Path], start: Callable[[], UciEngine], nodes: int, answers: Answers, say: Callable[[str], None]
) -> list[Judged]:
    """The sampled moves of all games; ``start`` starts an engine, which happens only if something is not known."""
    found: list[Judged] = []
    engine: UciEngine | None = None
    try:
        for path in paths:
            fresh: list[Judged] = []
            for board, move in sample(path):
                known = answers.get(board, move)
                if known is None:
                    engine = engine or start()
                    known = judge(engine, path.name, board, move, nodes)
                    fresh.append(known)
                    if len(fresh) % 100 == 0:
                        say(f"{path.name}: {len(fresh):,} moves judged")
                        answers.add(fresh[-100:])
                found.append(known)
            answers.add(fresh[-100:])
    finally:
        if engine is not None:
            engine.close()
    return found
