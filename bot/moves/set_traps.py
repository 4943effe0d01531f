"""Moves that set traps, found by the annotator's analyzer.

Everything that depends on how the analyzer is called for a single position lies here: it reads games, so each candidate
move becomes a game of one move.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace

import chess

from annotator.known_traps import KnownTraps
from annotator.request import AnalysisOptions, AnalysisRequest
from bot.moves.search_pool import SearchPool
from bot.settings import BotOptions
from db.similarity.annotator_index import Screen
from db.traps.trap import Trap
from trapcore import _native
from trapcore.parallel.budget import Cancellation

PROOF_NODES = 20_000
"""Nodes for each proof while a clock runs; the annotated game gets what the settings allow."""


class SetTrapFinder:
    """Finder of moves that set known or similar traps; may be used by any number of threads."""

    def __init__(
        self, traps: Sequence[Trap], settings: BotOptions, search_pool: SearchPool, screen: Screen | None
    ) -> None:
        """``screen``: see `AnalysisRequest.analyzer`."""
        self._search_pool = search_pool
        # Similarity without proofs takes next to no time.
        self._similar = analysis_request(settings, 1, unproved=True).analyzer(KnownTraps(traps, screen))
        self._proving = analysis_request(settings, PROOF_NODES).analyzer(KnownTraps(traps, screen))

    def candidates(self, board: chess.Board, moves: Sequence[str]) -> list[tuple[str, _native.Finding]]:
        """Findings after each of ``moves`` (UCI), without proofs of similar traps."""
        found = self._similar.judge(_one_move_games(board, moves))
        return [(game.tags["Round"], finding) for game in found.found for finding in game.findings]

    def prove(self, board: chess.Board, move: str, milliseconds: int) -> list[_native.Finding] | None:
        """Findings after one move (UCI) with proofs; None if the time did not suffice."""
        batch = _one_move_games(board, [move])
        stop = Cancellation()

        def analyse(left: int) -> list[_native.Finding] | None:
            timer = threading.Timer(left / 1000, stop.cancel)
            timer.daemon = True
            timer.start()
            try:
                found = self._proving.judge(batch, stop)
            except RuntimeError:
                return None
            finally:
                timer.cancel()
            return [finding for game in found.found for finding in game.findings]

        return self._search_pool.run(milliseconds, analyse)


def analysis_request(settings: BotOptions, nodes: int, *, unproved: bool = False) -> AnalysisRequest:
    """Request of the settings with this budget of nodes; no engine decides what the proof leaves open."""
    request = AnalysisRequest.from_settings(settings, AnalysisOptions(nodes=nodes, unproved=unproved))
    return replace(request, engine=None)


def batch_of(pgn: bytes) -> _native.Batch | None:
    """Batch of the games of a PGN text, for the analyzer; None if there are none."""
    splitter = _native.PgnSplitter()
    batches = splitter.feed(pgn) + splitter.finish()
    return batches[0] if batches else None


def _one_move_games(board: chess.Board, moves: Sequence[str]) -> _native.Batch:
    """One game of one move for each move, which is also in the tag Round."""
    variant = '[Variant "Chess960"]\n' if board.chess960 else ""
    fen = board.fen()
    dots = "." if board.turn else "..."
    games = "".join(
        f'[Round "{uci}"]\n{variant}[SetUp "1"]\n[FEN "{fen}"]\n\n{board.fullmove_number}{dots} {uci} *\n\n'
        for uci in moves
    )
    batch = batch_of(games.encode())
    assert batch is not None
    return batch
