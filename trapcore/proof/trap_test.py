"""The trap test: does a move lose, was it avoidable, and does it tempt?

A *trap* needs all three. The move *loses* if it allows a forced mate that was proved, or if it costs at least .3 of win
chance (lichess's blunder) and does so at the last three depths of a search. It was *avoidable* if the loss is measured
against another move, which is what the figure says; the only legal move is no trap, what it loses is lost without a
choice. It *tempts* if it is among the three best moves, or seems to win most of a pawn, in one of two shallow views: at
first sight, as a player sees it who counts material and does not search for checks, or after a search of one ply with
quiescence. The values at all depths come with the answer, so that everyone can see how the bait falls.

The win chance is lichess's, see `trapcore.win_chance.win_chance`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from trapcore import _native
from trapcore.errors import UsageError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.verdict import DepthValue, Verdict

TESTER_VERSION = _native.TESTER_VERSION
"""Another one may answer otherwise."""

TOLD = _native.TOLD
"""A played move is reported as losing if it costs this win chance. It is a little less
than `trapcore.win_chance.BLUNDER`, because searches scatter about the true cost."""

TEMPTING_RANK = _native.TEMPTING_RANK
"""Worst rank, in the better of the two shallow views, that tempts."""

TEMPTING_GAIN = _native.TEMPTING_GAIN
"""Least seeming gain there that tempts at any rank, in centipawns."""

USUAL = Budget(nodes=400_000)
"""What each question may cost unless the caller says otherwise: best other move, mate, best answer, each killer."""

PROFILE_DEPTH = 5
"""Plies to which `rank_profile` searches every move."""


@dataclass(frozen=True, slots=True)
class DepthRank:
    """Where the bait stands among all moves after a search of this depth."""

    depth: int
    """Plies, the bait included; 0 is first sight."""
    rank: int
    """From 1; moves of equal value share the better rank."""
    value: int
    """Of the bait, in centipawns for the victim."""
    best: int
    """Of the best move, in centipawns."""


@dataclass(frozen=True, slots=True)
class BaitTest:
    """The three answers with their figures."""

    bait: str
    """UCI."""
    forced: bool
    """It is the only legal move: what it loses is lost without a choice, and it is no trap."""
    verdict: Verdict
    """Whether it loses: proved, refuted (a search as deep saw that it does not), or undecided. A forced move is
    compared with an even game: proved says that the opponent mates or stands better by
    `trapcore.win_chance.BLUNDER` after it."""
    mate_in: int | None
    """Moves of the attacker, if the loss is a forced mate."""
    best: str | None
    """Best other move, UCI; None if there is no other, or if not even one ply was searched."""
    killer_line: tuple[str, ...]
    """UCI, from the attacker's answer on."""
    loss: float
    """Win chance that the bait costs against the best other move, -2 to 2; 0 if it is forced."""
    depths: tuple[DepthValue, ...]
    rank: int
    """Of the bait among all moves, from 1; the better of the two shallow views."""
    gain: int
    """What the bait seems to win there, in centipawns."""
    tempts: bool
    nodes: int

    @property
    def is_trap(self) -> bool:
        """It loses, another move would not have, and it tempts."""
        return self.verdict is Verdict.PROVED and self.tempts and not self.forced


def check_bait(
    fen: str, bait: str, killers: Sequence[str] = (), budget: Budget = USUAL, stop: Cancellation | None = None
) -> BaitTest:
    """Put one move (UCI) to the test, with ``budget`` for each question; below 6 plies everything stays undecided.

    ``killers`` (UCI) are the answers to try first, each a question of its own; the first that keeps the gain is taken.
    If another thread cancels ``stop``, the answer is what it would be had the budget run out. Raises ``PositionError``
    for a bad position or moves that are not legal in it.
    """
    return _typed(_native.test_bait(fen, bait, killers, *budget.for_search(), stop))


def check_baits(
    fen: str, baits: Sequence[str], budget: Budget = USUAL, stop: Cancellation | None = None
) -> list[BaitTest]:
    """Put several moves (UCI) of one position to the test, each against the best of the other moves.

    That one is searched once for all, and is at most as good as the best other move of each. Budget, stop and errors
    as there; ``milliseconds`` are for all together.
    """
    return [_typed(test) for test in _native.test_baits(fen, list(baits), *budget.for_search(), stop)]


def find_baits(fen: str, budget: Budget = USUAL, stop: Cancellation | None = None) -> list[BaitTest]:
    """Put every tempting move of a position to the test, the most tempting first; budget, stop and errors as above."""
    return [_typed(test) for test in _native.find_baits(fen, *budget.for_search(), stop)]


def rank_profile(fen: str, bait: str, depth: int = PROFILE_DEPTH) -> list[DepthRank]:
    """How a move ranks among all moves, at first sight and by depth.

    ``depth`` is 1..8 plies; each takes about six times longer than the one before.

    Raises ``UsageError`` for a depth out of range and ``PositionError`` as `check_bait` does.
    """
    if not 1 <= depth <= 8:
        raise UsageError(f"the depth of a profile must be 1..8 plies, not {depth}")
    return [DepthRank(*row) for row in _native.bait_profile(fen, bait, depth)]


def _typed(test: _native.BaitTest) -> BaitTest:
    return BaitTest(
        bait=test.bait,
        forced=test.forced,
        verdict=Verdict(test.verdict),
        mate_in=test.mate_in,
        best=test.best,
        killer_line=tuple(test.line),
        loss=test.loss,
        depths=tuple(DepthValue(*row) for row in test.depths),
        rank=test.rank,
        gain=test.gain,
        tempts=test.tempts,
        nodes=test.nodes,
    )
