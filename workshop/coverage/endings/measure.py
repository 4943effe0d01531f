"""Marked moves of endings held against an engine, by number of men and kind of material."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import chess

from trapcore.engines.uci_engine import UciEngine
from workshop.coverage.endings.sample import positions
from workshop.coverage.games import Game, together
from workshop.coverage.glyphs import nags_of_file
from workshop.coverage.shares import Share
from workshop.report import Report, Table

MARKS = frozenset({2, 4})
"""The NAGs of ``?`` and ``??``."""
COSTS = 0.2
"""A marked move is right if it costs this much win chance, -1..1: ten percentage points."""

Annotate = Callable[[Path, Path], None]
"""Annotates a PGN file (the first path) into another one."""


@dataclass(frozen=True, slots=True)
class Marked:
    """One move of an ending."""

    fen: str
    """The position before it."""
    move: str
    """UCI."""
    cost: float
    """Win chance that it costs by the engine, -2..2."""

    @property
    def right(self) -> bool:
        """The move costs what its mark says."""
        return self.cost >= COSTS

    @property
    def men(self) -> int:
        """Men on the board before the move."""
        return chess.popcount(chess.Board(self.fen).occupied)

    @property
    def material(self) -> str:
        """Pieces without the number of pawns: ``R P - R``."""
        board = chess.Board(self.fen)

        def side(color: chess.Color) -> str:
            pieces = sorted((p for p in board.piece_map().values() if p.color == color), key=lambda p: -p.piece_type)
            roles = [p.symbol().upper() for p in pieces[1:] if p.piece_type != chess.PAWN]
            return " ".join([*roles, "P"] if board.pieces(chess.PAWN, color) else roles) or "–"

        return " / ".join(sorted((side(chess.WHITE), side(chess.BLACK)), key=lambda text: (-len(text), text)))


def marked(endings: Sequence[Game], annotate: Annotate) -> set[tuple[str, int]]:
    """The moves that the annotator marks, by `Game.key` and number from 0."""
    with TemporaryDirectory(prefix="trapline-endings-") as folder:
        source, output = Path(folder) / "endings.pgn", Path(folder) / "annotated.pgn"
        source.write_bytes(together(endings))
        annotate(source, output)
        nags = nags_of_file(output)
    return {(key, index) for key, moves in nags.items() for index, found in enumerate(moves) if found & MARKS}


def judged(
    endings: Sequence[Game],
    engine: UciEngine,
    nodes: int,
    say: Callable[[str], None],
    only: set[tuple[str, int]] | None = None,
) -> dict[tuple[str, int], Marked]:
    """What moves cost by the engine, ``nodes`` a position: those in ``only``, or all. Raises ``EngineError``."""
    found = {}
    for game, index, before, after in positions(endings):
        if only is None or (game.key, index) in only:
            cost = sum(engine.evaluate(board, nodes, game=game.key).chance for board in (before, after))
            found[game.key, index] = Marked(before.fen(), game.moves[index], cost)
            say(f"{len(found):,} moves judged")
    return found


def report(endings: int, found: Sequence[Marked], recall: Share | None, nodes: int) -> Report:
    """How many marked moves are right, by number of men and by material, and the wrong ones."""
    right = Share.among(one.right for one in found)
    parts: list[str | Table] = [_by("men", [(str(one.men), one.right) for one in found], len(found))]
    parts.append(_by("material", [(one.material, one.right) for one in found], 20))
    wrong = tuple((one.fen, one.move, f"{one.cost:.2f}") for one in found if not one.right)
    parts += ["Marked, though they cost less:", Table(("position", "move", "cost"), wrong)]
    rows = [("right", *right.cells())]
    if recall is not None:
        rows.append(("costly moves that are marked", *recall.cells()))
    title = f"{endings:,} endings, {len(found):,} marked moves, {nodes:,} nodes of the engine"
    return Report(title, (Table(("share of", "share", "moves", "95 %"), tuple(rows)), *parts))


def _by(name: str, moves: Sequence[tuple[str, bool]], most: int) -> Table:
    rows = []
    for kind, count in Counter(kind for kind, _ in moves).most_common(most):
        rows.append((kind, str(count), str(sum(right for other, right in moves if other == kind))))
    return Table((name, "marked", "right"), tuple(rows))
