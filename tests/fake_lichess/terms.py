"""What a game is played under: variant, clock, speed."""

from dataclasses import dataclass

import chess
import chess.variant

from tests.fake_lichess.people import Refused

VARIANTS = {
    "standard": {"key": "standard", "name": "Standard", "short": "Std"},
    "chess960": {"key": "chess960", "name": "Chess960", "short": "960"},
    "crazyhouse": {"key": "crazyhouse", "name": "Crazyhouse", "short": "Crazy"},
    "atomic": {"key": "atomic", "name": "Atomic", "short": "Atom"},
    "racingKings": {"key": "racingKings", "name": "Racing Kings", "short": "Racing"},
    "fromPosition": {"key": "fromPosition", "name": "From Position", "short": "FEN"},
}
DAYS = (1, 2, 3, 5, 7, 10, 14)
RULES = ("noAbort", "noRematch", "noGiveTime", "noClaimWin", "noEarlyDraw")


@dataclass(frozen=True)
class Terms:
    """``limit`` and ``increment`` in seconds; both None with ``days`` a turn, all None for an unlimited game."""

    variant: str = "standard"
    rated: bool = False
    limit: int | None = 60
    increment: int | None = 0
    days: int | None = None
    #: The challenger's colour: white, black or random.
    color: str = "random"
    fen: str | None = None
    rules: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse what lichess refuses."""
        if self.variant not in VARIANTS:
            raise Refused(f"variant: Invalid value, or not played on this server: {self.variant}")
        if self.color not in ("white", "black", "random"):
            raise Refused("color: Invalid value")
        if unknown := set(self.rules) - set(RULES):
            raise Refused(f"rules: Invalid value: {', '.join(sorted(unknown))}")
        if self.limit is not None and self.increment is not None:
            if self.limit not in (0, 15, 30, 45, 60, 90) and (self.limit % 60 or not 0 < self.limit <= 10800):
                raise Refused("clock.limit: Invalid value")
            if not 0 <= self.increment <= 60 or not self.limit + self.increment:
                raise Refused("clock.increment: Invalid value")
        elif self.days is not None and self.days not in DAYS:
            raise Refused("days: Invalid value")
        if self.variant == "fromPosition" and self.rated:
            raise Refused("rated: a game from a position cannot be rated")
        if self.fen is not None:
            if self.variant == "standard":
                raise Refused("fen: only with the variants chess960 and fromPosition")
            self.first_board()
        elif self.variant == "fromPosition":
            raise Refused("fen: required")

    @property
    def any_castling(self) -> bool:
        """Whether kings and rooks may stand anywhere, and castling is told as king takes rook."""
        return self.variant in ("chess960", "fromPosition")

    def first_board(self) -> chess.Board:
        """The position the game begins in; Refused where the FEN is no position to play from."""
        try:
            if self.variant in ("crazyhouse", "atomic", "racingKings"):
                kind = chess.variant.find_variant(self.variant)
                return kind(self.fen) if self.fen else kind()
            board = chess.Board(self.fen or chess.STARTING_FEN, chess960=self.any_castling)
        except ValueError as error:
            raise Refused(f"fen: Invalid FEN: {error}") from error
        if not board.is_valid() or board.is_game_over():
            raise Refused("fen: Invalid FEN")
        return board

    @property
    def speed(self) -> str:
        if self.limit is None or self.increment is None:
            return "correspondence"
        length = self.limit + 40 * self.increment
        for name, below in (("ultraBullet", 30), ("bullet", 180), ("blitz", 480), ("rapid", 1500)):
            if length < below:
                return name
        return "classical"

    @property
    def perf(self) -> str:
        return "chess960" if self.variant == "chess960" else self.speed

    @property
    def perf_name(self) -> str:
        return {"ultraBullet": "UltraBullet", "chess960": "Chess960"}.get(self.perf, self.perf.capitalize())
