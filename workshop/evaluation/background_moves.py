"""Background corpus: positions from real games, with an engine's judgement of the move that was played."""

import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from trapcore.win_chance import WIN_CHANCE_SCALE
from workshop.coverage.killers import Answers

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


def judged_moves(paths: Iterable[Path], answers: Answers, say: Callable[[str], None]) -> list[Judged]:
    """The sampled moves of all games: the engine is asked about the positions before and after each."""
    found: list[Judged] = []
    for path in paths:
        for board, move in sample(path):
            after = board.copy(stack=False)
            after.push(move)
            before, later = (centipawns(answers.chance(one)) for one in (board, after))
            found.append(Judged(path.name, board.fen(), board.uci(move), before, -later))
            if len(found) % 100 == 0:
                say(f"{path.name}: {len(found):,} moves judged")
    return found
