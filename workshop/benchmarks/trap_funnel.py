"""Where falls get lost: which replies that lose are baits of a trap that our move set, and why the others are not.

After each move of ours in an undecided position the replies that seem to lose are put to the full trap test. What it
proves is counted by its probability and, if it was played, as a fall, under the first step that it did not pass.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import chess

from coach.repertoire.expectation import BAIT_GIFT, foreseen_replies
from coach.repertoire.live_traps import LEAST_TAKEN, LiveTrap, look_nodes, weigh_baits
from coach.repertoire.replies import LikelyReply, ReplyModel
from coach.repertoire.trap_choice import LOOK_SHARE, WON
from db.traps.temptation import TEMPTING_SHARE
from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import BaitTest, check_bait
from trapcore.proof.verdict import Verdict
from workshop.report import Report, Table, number

SEEN_NODES = 8_000
"""Of the search that finds what may lose."""
FULL_NODES = 60_000
"""For each question of the full test."""
RAREST = 0.002
"""Rarer replies are put to the test only if they were played."""


Watch = Callable[[chess.Board, bool, LiveTrap | None, str], None]
"""The record of each reply: the position before it, whether our move before that was searched, the trap that our move
set, and the reply (UCI)."""


class Step(StrEnum):
    """Why a reply that loses is none of the baits that were counted."""

    NOT_SEARCHED = "our move was not searched: a killer, or from the repertoire"
    NO_TEMPTATION = f"it does not tempt: neither by its looks nor {TEMPTING_SHARE:.0%} of the players"
    FEW = f"all that tempt are taken by less than {LEAST_TAKEN:.0%} together"
    UNSEEN = "the quick look does not see it"
    UNPROVED = "seen, but not proved in the time"
    COUNTED = "counted as the bait of a trap that was set"


@dataclass
class Funnel:
    """Replies that lose, by the step that they got to."""

    milliseconds: int
    """For a move of ours."""
    decisions: int = 0
    """Of the opponents, in undecided positions."""
    expected: dict[Step, float] = field(default_factory=lambda: dict.fromkeys(Step, 0.0))
    """Falls by the probabilities of the replies."""
    played: Counter[Step] = field(default_factory=Counter)
    """Falls."""

    def watch(self, people: ReplyModel, ours: ReplyModel) -> Watch:
        """Counts the replies of such ``people``; ``ours`` is what we know of them."""

        def count(board: chess.Board, is_searched: bool, trap: LiveTrap | None, reply: str) -> None:
            best, replies, gifts = foreseen_replies(board, people, SEEN_NODES, wanted=[reply])
            if abs(best) >= WON:
                return
            self.decisions += 1
            losing = []
            for one in replies:
                is_seen = gifts.get(one.uci, 0.0) >= BAIT_GIFT and (one.probability >= RAREST or one.uci == reply)
                if is_seen:
                    test = check_bait(board.fen(), one.uci, budget=Budget(nodes=FULL_NODES))
                    if test.verdict is Verdict.PROVED and not test.forced:
                        losing.append((one, test))
            tempting = sum(one.probability for one, test in losing if _tempts(one, test))
            looked: set[str] | None = None
            for one, test in losing:
                step = Step.UNPROVED
                if trap is not None and any(bait.uci == one.uci for bait in trap.baits):
                    step = Step.COUNTED
                elif not is_searched:
                    step = Step.NOT_SEARCHED
                elif not _tempts(one, test):
                    step = Step.NO_TEMPTATION
                elif tempting < LEAST_TAKEN:
                    step = Step.FEW
                else:
                    if looked is None:
                        looked = self._looked(board, ours)
                    if one.uci not in looked:
                        step = Step.UNSEEN
                self.expected[step] += one.probability
                self.played[step] += one.uci == reply

        return count

    def _looked(self, board: chess.Board, ours: ReplyModel) -> set[str]:
        """What the look at our last move sees."""
        before = board.copy()
        move = before.pop()
        nodes = look_nodes(int(LOOK_SHARE * self.milliseconds))
        return {bait.uci for bait in weigh_baits(before, (move.uci(), 0.0, 0.0), ours, nodes).replies}

    def report(self, games: int) -> Report:
        """The steps with their falls a game."""
        rows = [(step.value, number(self.expected[step] / games), number(self.played[step] / games)) for step in Step]
        total = number(sum(self.expected.values()) / games), number(sum(self.played.values()) / games)
        return Report(
            f"Replies that lose: {games} games, {self.decisions:,} decisions of the opponents in undecided positions",
            (Table(("a game", "expected", "played"), (("all that lose by the full test", *total), *rows)),),
        )


def _tempts(reply: LikelyReply, test: BaitTest) -> bool:
    return test.tempts or reply.probability >= TEMPTING_SHARE
