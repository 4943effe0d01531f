"""Evidence about a losing move, as a value: all that a sentence about it may rest on, and nothing else."""

import math
from dataclasses import dataclass

from trapcore.win_chance import BLUNDER, WIN_CHANCE_SCALE

WINNING = 0.7
"""Win chance (-1..1) from which a side is said to be winning, 85 %."""

BETTER = 0.2
"""Win chance from which a side is said to have the advantage, 60 %."""

EVEN, CLEARLY_BETTER = 0.05, 0.3
"""A player below 47.5 % does not keep the balance, and one below 65 % does not keep the advantage, in any sentence: an
engine calls much of what is valued between this and the disadvantage lost, and between this and the balance level."""

_A_PAWN, _SURE = 250, 0.95  # centipawns that a pawn is worth at most, and the win chance up to which they are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A move that loses and its refutation. Win chances are lichess's, of the side that makes the move, -1..1."""

    fen: str
    """The position before the move; counters may be missing."""
    half_move: int
    """Twice the full-move number of the move, plus one if it is Black's."""
    bait: str
    """The move, UCI."""
    killer_line: tuple[str, ...]
    """What follows by force, UCI; empty only of a move that is stalemate."""
    mate_in: int | None = None
    """Moves from the killer to mate; None if no mate was proved."""
    before: float | None = None
    """Win chance with the best move; None where it was not measured."""
    after: float | None = None
    """The same with this move."""
    best: str | None = None
    """The best other move, UCI."""
    best_line: tuple[str, ...] = ()
    """The line that begins with it, SAN."""
    name: str = ""
    """Of the known trap that it is, as people call it; empty if it is none."""
    mirrored: bool = False
    """It is that trap with colours exchanged."""
    like: str = ""
    """Family of a trap that it resembles; empty if it resembles none."""
    signed: bool = True
    """The move is written with the sign that its cost gives it; not where the game has another."""
    loss: float | None = None
    """Win chance that it costs, 0..2, where only that is known."""
    settled: bool = True
    """The win chances may be reported, and what follows from them alone."""
    probability: float | None = None
    """That it costs `trapcore.proof.search.BLUNDER` or more, 0..1, where only our own search says so."""

    cause: str = ""
    """Why it loses, of `trapcore.proof.causes.CAUSES`; empty where no cause is shown."""
    cause_squares: tuple[str, ...] = ()
    """Squares that the cause rests on."""

    @property
    def cost(self) -> float | None:
        """Win chance that it costs, 0..2; None where nothing was measured."""
        if self.before is None or self.after is None:
            return self.loss
        return self.before - self.after

    @property
    def answer_chance(self) -> float | None:
        """Win chance of who answers it, -1..1."""
        return None if self.after is None else -self.after

    @property
    def is_black(self) -> bool:
        """Whether Black makes the move."""
        return self.half_move % 2 == 1


def verdict(evidence: Evidence) -> str:
    """The sentence for what a move that loses no material for certain does to the win chances."""
    before, after = evidence.before, evidence.after
    if before is None or after is None or not evidence.settled:
        return "is_answered"
    if before >= WINNING and after < BETTER:
        if after <= -WINNING:
            return "turns_lost"
        return "throws_win" if after >= -BETTER else "turns_round"
    if before >= BETTER and after >= BETTER:
        return "lets_much_go"
    if before >= BETTER and after >= -BETTER:
        return "lets_advantage_go"
    if after <= -WINNING:
        return "lost_position"
    if before >= -EVEN and after < -BETTER:
        return "gives_advantage"
    return "gets_worse" if before < -BETTER and before - after >= BLUNDER else "worsens"


def worth_of(before: float, after: float | None) -> str:
    """The sentence for what the best move left; what the losing move kept as well is not said of the best one."""
    if before >= WINNING:
        return "is_winning"
    if before < -BETTER:
        return "better_defence"
    if before < -EVEN or BETTER <= before < CLEARLY_BETTER:
        return "is_better"
    keeps, least = ("keeps_advantage", BETTER) if before >= BETTER else ("keeps_balance", -BETTER)
    return keeps if after is None or after < least else "is_better"


def is_worth_a_pawn(evidence: Evidence) -> bool:
    """Whether the move costs no more than a pawn may be worth."""
    if evidence.before is None or evidence.after is None:
        return True
    before, after = (math.atanh(max(-_SURE, min(_SURE, chance))) for chance in (evidence.before, evidence.after))
    return 2 * (before - after) / WIN_CHANCE_SCALE <= _A_PAWN
