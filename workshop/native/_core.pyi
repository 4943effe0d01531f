"""The Rust of the workshop: training of the network, tables of endgames, baselines, features of the evaluation."""

from collections.abc import Callable, Sequence
from typing import final

RECORD_BYTES: int
"""Bytes of a training record: a position and its value."""

def label_positions(games: Sequence[tuple[int, str | None, bytes]], engine: str, share: float, seed: int) -> bytes:
    """Records of positions near those of games, valued by the UCI engine at the path ``engine``.

    Each game is its number, start (None for the usual one) and moves as in `trapcore._native.GameRecord`. ``share``
    (0..1) of their positions are drawn. Raises ``OSError`` if the engine cannot be started or ends too soon, and
    ``ValueError`` for another share.
    """

@final
class NetworkTrainer:
    """The network in floating point, with the records that it is trained on."""

    def __init__(self, records: Sequence[bytes], seed: int, start: bytes | None = None) -> None:
        """Of the records those are used in which no capture wins for the side to move. ``start``: weights to begin
        with, in the place of random ones. Raises ``ValueError`` for bytes that are no records or no weights."""

    @property
    def records(self) -> int: ...
    def train(self, steps: int, batch: int, rate: float, threads: int) -> float:
        """Mean squared error of the win chance (0..1) over so many steps of Adam, of ``batch`` records each."""

    def loss(self, records: bytes, threads: int) -> float:
        """The same error on other records, without a step; raises ``ValueError`` for bytes that are none."""

    def network(self) -> bytes:
        """The rounded weights as the core reads them."""

def make_endgames(each: Callable[[str, bytes], object]) -> None:
    """Makes every table of endgames by retrograde analysis, in the order of the file of tables.

    ``each`` gets the name (``KQvKR``) and the outcomes of a table: two bits a placement, 0 lost, 1 drawn, 2 won. The
    tables take about two minutes on one core.
    """

def three_plies(fen: str) -> tuple[list[tuple[str, int, int]], int]:
    """Each move (UCI) with its centipawns after the best reply, by mates and exchanges at the third ply, and with their
    mean over all replies (-900 to 1200 each); and the moves made on a board."""

def moves_until_proof(fen: str, order: Sequence[str], mate: int, most: int) -> int | None:
    """Moves made on a board until a mate in ``mate`` moves (1 or more) or fewer is proved by a plain search, which
    tries ``order`` (UCI) at the root and checks first below; None without a proof by ``most``."""

def evaluation_features(fen: str) -> tuple[int, int, int, bytes]:
    """Phase (0..24; 24 is the middlegame), how much an endgame counts in 64ths if White or Black has the better of it,
    and the count of each feature for White less that for Black, as 16-bit integers in the machine's byte order."""

def evaluation_rows() -> list[tuple[str, int]]:
    """Name and length of each row of features, in the order of the counts."""
