"""Decoys: positions that look as if the killer of a pattern won, and where it fails.

A decoy is made of a losing move. Another move stands in its place, the same piece can still play the killer, and the
search says that the killer loses there and that no move gives an advantage (`coach.practice.judge.refuted_shot`). The
file ``decoys.tsv`` has those of the bundled patterns; ``python -m workshop.experiments.decoys`` makes it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

import chess

from trapcore import _native
from trapcore.trees.chess_game import parse_position

FILE = "decoys.tsv"
MEANS = _native.TESTER_VERSION
"""What judges a killer, as the first line of the file names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoy:
    """A losing move, the move in its place, and how the killer fails after that. Moves are UCI."""

    before: str
    """EPD before the losing move."""
    bait: str
    """The losing move."""
    played: str
    """The move in its place."""
    killer_line: tuple[str, ...]
    """The killer and the line that refutes it there."""
    best: str
    """A sound move in place of the killer."""
    cost: float
    """Win chance that the killer costs, 0..2."""
    similarity: float
    """0..1: of what the killer does here to what it does after the losing move, by the abstracted tree."""

    def line(self) -> str:
        """The line of the file, without its end."""
        figures = f"{self.cost:.2f}", f"{self.similarity:.2f}"
        return "\t".join((self.before, self.bait, self.played, " ".join(self.killer_line), self.best, *figures))

    @classmethod
    def of_line(cls, line: str) -> "Decoy":
        """What `line` wrote. Raises `ValueError`."""
        before, bait, played, killer_line, best, cost, similarity = line.split("\t")
        return cls(
            before=before,
            bait=bait,
            played=played,
            killer_line=tuple(killer_line.split()),
            best=best,
            cost=float(cost),
            similarity=float(similarity),
        )


def file_of(decoys: Iterable[Decoy]) -> str:
    """The content of the file with these decoys."""
    return "".join(f"{line}\n" for line in (MEANS, *(decoy.line() for decoy in decoys)))


@cache
def bundled_decoys() -> tuple[Decoy, ...]:
    """The decoys of the file, in its order."""
    return tuple(map(Decoy.of_line, _content().splitlines()[1:]))


def still_possible(before: str, bait: str, killer: str, replies: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Those of the replies after which the same piece can play the killer, and takes something if it did, each with the
    position (EPD) that it leads to."""
    board = parse_position(before)
    move = chess.Move.from_uci(killer)
    after = board.copy(stack=False)
    after.push_uci(bait)
    piece, takes = after.piece_at(move.from_square), after.is_capture(move)
    for reply in replies:
        here = board.copy(stack=False)
        here.push_uci(reply)
        is_same = here.piece_at(move.from_square) == piece and here.is_capture(move) == takes
        if reply != bait and is_same and here.is_legal(move):
            yield reply, _native.epd(here.fen())


def after_move(epd: str, move: str) -> str:
    """EPD after a move (UCI)."""
    board = parse_position(epd)
    board.push_uci(move)
    return _native.epd(board.fen())


@cache
def _content() -> str:
    return resources.files("coach.practice").joinpath(FILE).read_text("utf-8")
