"""The plain pipeline that a careful programmer writes with python-chess and numpy: the reference of the annotator.

Read a game, compare the sequences of each position with all traps at once (hashed keys, one inverted index in numpy),
try the bait of each similar trap with a mate search, and write the game with comments. The same measure, the same
threshold, the same events as the product finds.
"""

import io

import chess
import chess.pgn
import numpy as np

from workshop.benchmarks.material import TrapParts


def sequence_keys(board: chess.Board) -> np.ndarray:
    """The order-free sequences of two moves, as numbers, ascending."""
    keys = []
    for first in list(board.legal_moves):
        a = first.from_square | first.to_square << 6 | (first.promotion or 0) << 12
        board.push(first)
        for reply in board.legal_moves:
            b = reply.from_square | reply.to_square << 6 | (reply.promotion or 0) << 12
            keys.append(a << 15 | b if a < b else b << 15 | a)
        board.pop()
    return np.sort(np.array(keys, dtype=np.int64))


def mates_in(board: chess.Board, moves: int) -> list[chess.Move] | None:
    """The moves of a forced mate, checks first; None if there is none."""
    checks = sorted(board.legal_moves, key=lambda m: not board.gives_check(m))
    for move in checks:
        board.push(move)
        try:
            if board.is_checkmate():
                return [move]
            if moves > 1 and any(board.legal_moves):
                line = None
                for reply in list(board.legal_moves):
                    board.push(reply)
                    line = mates_in(board, moves - 1)
                    board.pop()
                    if line is None:
                        break
                    line = [reply, *line]
                if line is not None:
                    return [move, *line]
        finally:
            board.pop()
    return None


class Pipeline:
    """Traps in an inverted index: all keys of all traps in one sorted array."""

    def __init__(self, traps: list[TrapParts], threshold: float) -> None:
        self.threshold = threshold
        self.entries: list[tuple[chess.Move, bool, int]] = []
        keys, owners, sizes = [], [], []
        for fen, bait, _, _, mate in traps:
            plain = chess.Board(fen)
            move = chess.Move.from_uci(bait)
            flipped = chess.Move(
                chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
            )
            for board, its_bait in ((plain, move), (plain.mirror(), flipped)):
                own = sequence_keys(board)
                keys.append(own)
                owners.append(np.full(len(own), len(self.entries), dtype=np.int64))
                sizes.append(len(own))
                self.entries.append((its_bait, board.turn, mate))
        order = np.argsort(np.concatenate(keys), kind="stable")
        self.keys = np.concatenate(keys)[order]
        self.owners = np.concatenate(owners)[order]
        self.sizes = np.array(sizes)

    def similar(self, board: chess.Board) -> list[int]:
        """Entries at least as similar as the threshold."""
        own = sequence_keys(board)
        low = np.searchsorted(self.keys, own, "left")
        high = np.searchsorted(self.keys, own, "right")
        counts = high - low
        places = np.repeat(low - np.concatenate(([0], np.cumsum(counts)[:-1])), counts) + np.arange(counts.sum())
        shared = np.bincount(self.owners[places], minlength=len(self.sizes))
        values = 2 * shared / np.maximum(1, len(own) + self.sizes)
        return [int(i) for i in np.flatnonzero(values >= self.threshold) if self.entries[i][1] == board.turn]

    def annotate(self, text: bytes) -> tuple[str, int]:
        """The annotated game, and how many positions were examined."""
        game = chess.pgn.read_game(io.StringIO(text.decode("latin-1")))
        assert game is not None
        board = game.board()
        seen = 0
        for node in game.mainline():
            seen += 1
            for entry in self.similar(board):
                bait, _, mate = self.entries[entry]
                if board.is_legal(bait):
                    board.push(bait)
                    line = mates_in(board, min(mate, 2))
                    board.pop()
                    if line is not None:
                        node.comment = f"trap: {bait.uci()} {' '.join(m.uci() for m in line)}"
                        break
            board.push(node.move)
        return str(game), seen
