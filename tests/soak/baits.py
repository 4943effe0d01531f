"""Lines that lead a bot into setting a trap of the library, and the book that makes it follow them."""

import random
import struct
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import chess
import chess.polyglot


@dataclass(frozen=True)
class BaitLine:
    """A trap from the first move on: ``moves`` lead to it, all in SAN."""

    slug: str
    moves: tuple[str, ...]
    bait: str
    killer_line: tuple[str, ...]

    @property
    def victim(self) -> chess.Color:
        return len(self.moves) % 2 == 0

    @property
    def whole(self) -> tuple[str, ...]:
        return (*self.moves, self.bait, *self.killer_line)


def bundled_lines(slugs: Iterable[str]) -> list[BaitLine]:
    """The lines of those of the bundled traps."""
    wanted = set(slugs)
    tables = tomllib.loads((resources.files("db.formats") / "traps.toml").read_text("utf-8"))["trap"]
    return [
        BaitLine(t["slug"], tuple(t["moves"].split()), t["bait"], tuple(t["killer_line"].split()))
        for t in tables
        if t["slug"] in wanted
    ]


def agreeing(lines: Sequence[BaitLine], seed: int) -> list[BaitLine]:
    """As many lines as one book can follow: the attacker never has two moves in one position."""
    chosen: list[BaitLine] = []
    moves: dict[int, chess.Move] = {}
    for line in random.Random(seed).sample(lines, len(lines)):
        own = _attacker_moves(line)
        if all(moves.get(key, move) == move for key, move in own.items()):
            moves |= own
            chosen.append(line)
    return chosen


def write_book(lines: Iterable[BaitLine], path: Path) -> None:
    """A polyglot book of the attackers' moves up to the bait; what follows is left to the bot."""
    entries = {key: move for line in lines for key, move in _attacker_moves(line).items()}
    path.write_bytes(b"".join(struct.pack(">QHHI", key, _polyglot(entries[key]), 1, 0) for key in sorted(entries)))


def _attacker_moves(line: BaitLine) -> dict[int, chess.Move]:
    board = chess.Board()
    found: dict[int, chess.Move] = {}
    for san in line.moves:
        move = board.parse_san(san)
        if board.turn != line.victim:
            castling = board.is_castling(move)
            found[chess.polyglot.zobrist_hash(board)] = _king_takes_rook(move) if castling else move
        board.push(move)
    return found


def _king_takes_rook(move: chess.Move) -> chess.Move:
    short = chess.square_file(move.to_square) == 6
    return chess.Move(move.from_square, chess.square(7 if short else 0, chess.square_rank(move.to_square)))


def _polyglot(move: chess.Move) -> int:
    promotion = {None: 0, chess.KNIGHT: 1, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4}[move.promotion]
    return promotion << 12 | move.from_square << 6 | move.to_square
