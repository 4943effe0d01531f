"""A move of a running game that sets a trap, found by searching, and a look at what may come.

A quick look weighs the moves within the allowed cost: their likely replies are searched briefly, and what gives much
away may be a bait. Those of the most hopeful moves are then put to the trap test, since only what it proves is a trap.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess

from db.repertoire.expectation import BAIT_GIFT, ReplyValue, WeighedMove, own_moves, weigh
from db.repertoire.replies import ReplyModel
from db.traps.temptation import TEMPTING_SHARE
from trapcore import _native
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.trap_test import BaitTest, check_bait
from trapcore.proof.verdict import Verdict

WIDTH = 6
"""Own moves that are weighed."""

NODES_A_MILLISECOND = 25
"""Of the time for all, nodes for the search of each position."""
LEAST_NODES, MOST_NODES = 600, 8_000

FIRST_REPLIES = 8
"""Replies at first sight that are searched before the model is asked."""

TEST_NODES = 20_000
"""For each question of the trap test."""

MOST_TESTED = 4
"""Baits that are put to the test in a position."""

AHEAD_MILLISECONDS = 600
"""With less time nobody looks further than the next reply."""
AHEAD_PROBABILITY = 0.15
"""Rarer replies are not looked behind,"""
AHEAD_REPLIES = 2
"""and no more than so many."""
AHEAD_WIDTH = 3
AHEAD_PART = 0.5
"""What the hope of a later move counts: a forecast of what short searches saw two plies away."""

EVEN_RATING = 1_600
"""Rating of an opponent against whom a trap may cost what the setting says;"""
RATING_OF_DOUBLE = 800
"""so many points below it is twice as much, and as many above it half."""


@dataclass(frozen=True, slots=True)
class LiveTrap:
    """A move that sets a proved trap."""

    move: str
    """UCI."""
    fen: str
    """After it."""
    bait: str
    killer_line: tuple[str, ...]
    mate_in: int | None
    gain: float
    """Win chance that the bait gives away, 0..2."""
    taken: float
    """Probability that it is taken, 0..1."""
    cost: float
    """Win chance that the move gives away, 0..2, by a short search."""


def allowed_cost(setting: float, rating: int | None) -> float:
    """Win chance that a trap may cost against a player of this rating, given what it may against one of `EVEN_RATING`.

    Twice as much at most, and half at least; of an unknown rating, the setting.
    """
    if rating is None:
        return setting
    factor = 2.0 ** ((EVEN_RATING - rating) / RATING_OF_DOUBLE)
    return float(setting * min(2.0, max(0.5, factor)))


def weighed_moves(
    board: chess.Board,
    model: ReplyModel,
    max_cost: float,
    milliseconds: int,
    stop: Cancellation | None = None,
) -> list[WeighedMove]:
    """The moves within the cost that the time sufficed for, the one with the best expectation first.

    With little time the model is asked only about moves to which one of the first replies at first sight seems to give
    much away; the others have no replies.
    """
    until = time.monotonic() + milliseconds / 1000
    nodes = min(MOST_NODES, max(LEAST_NODES, NODES_A_MILLISECOND * milliseconds))
    found: list[WeighedMove] = []
    for uci, value, cost in own_moves(board.fen(), nodes, max_cost, WIDTH, stop):
        if found and time.monotonic() >= until:
            break
        if nodes == MOST_NODES or _may_hold_bait(board, uci, nodes, stop):
            found.append(weigh(board, (uci, value, cost), model, nodes, stop))
        else:
            found.append(WeighedMove(uci, value, cost, ()))
    return sorted(found, key=lambda one: (one.cost - one.hope, one.uci))


def _may_hold_bait(board: chess.Board, uci: str, nodes: int, stop: Cancellation | None) -> bool:
    """Whether a reply that looks good at first sight seems to give much away."""
    after = board.copy(stack=False)
    after.push_uci(uci)
    fen = after.fen()
    first = [move for move, _ in _native.static_ranking(fen)[:FIRST_REPLIES]]
    found = _native.move_values([(fen, first)], nodes, stop) if first else []
    if not found:
        return False
    best = max(found[0][0], *(value for value, _ in found[0][2]))
    return any(best - value >= BAIT_GIFT for value, _ in found[0][2])


def baits_of(weighed: WeighedMove) -> list[ReplyValue]:
    """The replies to a move that may be baits, the most hopeful first."""
    baits = [reply for reply in weighed.replies if reply.gift >= BAIT_GIFT]
    return sorted(baits, key=lambda reply: (-reply.probability * reply.gift, reply.uci))


def prove_traps(
    board: chess.Board, weighed: Sequence[WeighedMove], milliseconds: int, stop: Cancellation | None = None
) -> Iterator[LiveTrap]:
    """The proved traps of these moves, as far as the time suffices; of each move that with the most hope."""
    until = time.monotonic() + milliseconds / 1000
    baits = [(one, bait) for one in weighed for bait in baits_of(one)]
    baits.sort(key=lambda pair: -pair[1].probability * pair[1].gift)
    done: set[str] = set()
    for one, bait in baits[:MOST_TESTED]:
        left = int(1000 * (until - time.monotonic()))
        if one.uci in done or left <= 0:
            continue
        after = board.copy(stack=False)
        after.push_uci(one.uci)
        # Four questions, each of which may take its part of what is left.
        test = check_bait(after.fen(), bait.uci, (), Budget(nodes=TEST_NODES, milliseconds=max(1, left // 3)), stop)
        if is_trap(test, bait.probability):
            done.add(one.uci)
            yield LiveTrap(
                move=one.uci,
                fen=after.fen(),
                bait=bait.uci,
                killer_line=test.killer_line,
                mate_in=test.mate_in,
                gain=test.loss,
                taken=bait.probability,
                cost=one.cost,
            )


def is_trap(test: BaitTest, probability: float) -> bool:
    """Whether a tested bait makes a trap: it loses, was avoidable, and tempts by its looks or by who takes it."""
    tempts = test.tempts or probability >= TEMPTING_SHARE
    return test.verdict is Verdict.PROVED and tempts and not test.forced and bool(test.killer_line)


def hope_ahead(
    board: chess.Board,
    weighed: WeighedMove,
    model: ReplyModel,
    max_cost: float,
    milliseconds: int,
    stop: Cancellation | None = None,
) -> float:
    """Hope of the traps that could be set after the likely good replies to a move, in win chance."""
    until = time.monotonic() + milliseconds / 1000
    nodes = LEAST_NODES
    hope = 0.0
    good = [one for one in weighed.replies if one.gift < BAIT_GIFT and one.probability >= AHEAD_PROBABILITY]
    for reply in good[:AHEAD_REPLIES]:
        later = board.copy(stack=False)
        later.push_uci(weighed.uci)
        later.push_uci(reply.uci)
        most = 0.0
        for move in own_moves(later.fen(), nodes, max_cost, AHEAD_WIDTH, stop):
            if time.monotonic() >= until:
                break
            one = weigh(later, move, model, nodes, stop)
            most = max(most, one.hope - one.cost)
        hope += reply.probability * most
    return AHEAD_PART * hope
