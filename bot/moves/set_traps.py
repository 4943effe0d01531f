"""Moves that set traps, found by the analyzer of the annotator, so that the bot and an annotated game agree."""

from collections.abc import Sequence

import chess

from bot.moves.search_pool import SearchPool
from trapcore import _native

PROOF_NODES = 20_000
"""Nodes for each proof while a clock runs; the annotated game gets what the settings allow."""


class SetTrapFinder:
    """Finder of moves that set known or similar traps; may be used by any number of threads."""

    def __init__(self, analyzer: _native.GameAnalyzer, search_pool: SearchPool) -> None:
        self._analyzer, self._search_pool = analyzer, search_pool

    def candidates(self, board: chess.Board, moves: Sequence[str]) -> list[_native.SetTrap]:
        """The best trap after each of ``moves`` (UCI), without proofs of similar traps, which takes next to no time."""
        return self._analyzer.judge_position(board.fen(), moves, nodes=1, unproved=True, chess960=board.chess960)

    def prove(self, board: chess.Board, move: str, milliseconds: int) -> _native.SetTrap | None:
        """The best proved trap after one move (UCI); None if there is none, or if the time did not suffice."""
        fen, chess960 = board.fen(), board.chess960

        def analyse(left: int) -> list[_native.SetTrap]:
            return self._analyzer.judge_position(
                fen, [move], nodes=PROOF_NODES, unproved=False, chess960=chess960, milliseconds=left
            )

        return next(iter(self._search_pool.run(milliseconds, analyse)), None)
