"""Games as they were played: the moves of PGN files, and the key by which labels are found again."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import islice, pairwise
from pathlib import Path

import chess

from db.traps.terms import HIGHEST_RATING
from trapcore import _native
from trapcore.io.game_batches import game_batches

LEAST_PLIES = 10
"""Shorter games are left out: they are walkovers, or were ended before anything happened."""

_PROMOTIONS = (None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


@dataclass(frozen=True)
class Game:
    """One readable game of standard chess."""

    file: str
    """Name of its file, without the folder."""
    number: int
    """From 1 within the file, as in the annotator's report."""
    tags: Mapping[str, str]
    start: str | None
    """FEN of the first position; None for the usual one."""
    moves: tuple[str, ...]
    """UCI."""
    text: bytes = field(default=b"", repr=False)
    """As it stands in its file."""

    @cached_property
    def key(self) -> str:
        """Digest of the first position and the moves, 32 hexadecimal digits: equal for a game in any file."""
        text = " ".join((self.start or chess.STARTING_FEN, *self.moves))
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def positions(self) -> list[chess.Board]:
        """The position before each move and after the last, without what was played before."""
        board = chess.Board(self.start or chess.STARTING_FEN)
        found = [board.copy()]
        for move in self.moves:
            board.push_uci(move)
            found.append(board.copy(stack=False))
        return found

    def rating(self, white: bool) -> int | None:
        """Rating of a player; None if the game does not say."""
        text = self.tags.get("WhiteElo" if white else "BlackElo", "")
        return int(text) if text.isdecimal() and 1 <= int(text) <= HIGHEST_RATING else None


def read_games(paths: Iterable[Path], count: int | None = None, every: int = 1) -> Iterator[Game]:
    """The first ``count`` games (None: all) of at least `LEAST_PLIES` plies, of which each ``every``-th is taken.

    Games of other variants and those that cannot be read are left out. Raises ``InputError`` for a file that cannot be
    read.
    """
    return islice(_games(paths, every), count)


def together(games: Iterable[Game]) -> bytes:
    """The games as one PGN, in their order, numbered from 1."""
    return b"\n\n".join(game.text.strip() for game in games) + b"\n"


def _games(paths: Iterable[Path], every: int) -> Iterator[Game]:
    seen = 0
    for path in paths:
        for batch in game_batches(path):
            read = _native.read_records(batch)
            data = batch.data()
            starts = [record.offset for record in read.records] + [skipped.offset for skipped in read.skipped]
            ends = dict(pairwise([*sorted(starts), batch.offset + len(data)]))
            for record in read.records:
                if record.plies < LEAST_PLIES or record.chess960:
                    continue
                seen += 1
                if seen % every == 1 % every:
                    moves = _uci(record.start_fen, record.moves)
                    text = data[record.offset - batch.offset : ends[record.offset] - batch.offset]
                    yield Game(path.name, record.game, record.tags, record.start_fen, moves, text)


def _uci(start: str | None, packed: bytes) -> tuple[str, ...]:
    board = chess.Board(start or chess.STARTING_FEN)
    moves = []
    for i in range(0, len(packed), 2):
        code = int.from_bytes(packed[i : i + 2], "little")
        move = chess.Move(code & 63, code >> 6 & 63, _PROMOTIONS[code >> 12])
        moves.append(board.uci(move))
        board.push(move)
    return tuple(moves)
