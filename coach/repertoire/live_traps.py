"""A move of a running game that sets a trap, found by searching, and a look at what may come.

A quick look is taken at the replies to each move within the allowed cost that tempt by their looks: they are searched
briefly, and what gives much away may be a bait. Only then the model of the opponent says how likely they are, which
takes longer. The baits of the most hopeful moves are put to the trap test, because only what it proves is a trap.
"""

import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

import chess

from coach.repertoire.expectation import BAIT_GIFT, ReplyValue, WeighedMove, gifts_of, own_moves
from coach.repertoire.replies import ReplyModel
from db.traps.temptation import TEMPTING_SHARE
from trapcore import _native
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.trap_test import BaitTest, check_baits
from trapcore.proof.verdict import Verdict

Clock = Callable[[], float]
"""Seconds from any beginning. A clock of the processor's time does not count what other programs do."""

WIDTH = 10
"""Own moves whose replies are examined."""

NODES_A_MILLISECOND = 40
"""Of the time for all, nodes for the search of each position."""
LEAST_NODES, MOST_NODES = 600, 8_000
OWN_PART = 0.5
"""Part of these nodes for the search of the own moves, which are compared anew before one is played;"""
COST_MARGIN = 0.04
"""so moves that seem to cost more than is allowed by this, of win chance, are examined as well."""

LOOK_GIFT = 0.75 * BAIT_GIFT
"""Win chance that a reply gives away at least by the quick look: so few nodes do not show all that it loses."""
LEAST_LOOKED, LIKELIEST = 0.02, 8
"""Where the move model gives all of them as much, so many of the likeliest replies are searched to tell how likely they
are by what the others give away; rarer ones make no trap."""

TEST_NODES_A_MILLISECOND = 200
"""Of the time that is left for proofs, nodes for each question of the trap test: of what 60,000 prove, 5,000 prove two
in three, and three questions of a bait take them 7 milliseconds."""
LEAST_TEST_NODES, MOST_TEST_NODES = 4_000, 20_000

MOST_MOVES = 5
"""Moves whose baits are put to the test,"""
MOST_TESTED = 4
"""and baits of each."""

HANGING = 100
"""Centipawns that the capture of a piece wins at least which is to be saved."""

SURE_LOSS = 0.36
"""Win chance that a bait costs at least, if it does not lose to a mate. Of the traps that the proof of a losing move,
.3, lets pass, Stockfish denied one in twenty."""

LEAST_TAKEN = 0.04
"""A trap into which fewer fall is none."""

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
class LiveBait:
    """A proved bait."""

    uci: str
    killer_line: tuple[str, ...]
    mate_in: int | None
    gain: float
    """Win chance that it gives away, 0..2."""
    taken: float
    """Probability that it is taken, 0..1."""


@dataclass(frozen=True, slots=True)
class LiveTrap:
    """A move that sets one or more proved traps."""

    move: str
    """UCI."""
    fen: str
    """After it."""
    baits: tuple[LiveBait, ...]
    """The most hopeful first."""
    cost: float
    """Win chance that the move gives away, 0..2, by a short search; 0 of a trap of the library, whose move nobody
    searched."""

    @property
    def taken(self) -> float:
        """Probability that one of the baits is taken, 0..1."""
        return sum(bait.taken for bait in self.baits)

    @property
    def gain(self) -> float:
        """Win chance that a bait gives away on average, each as often as it is taken, 0..2."""
        return sum(bait.gain * bait.taken for bait in self.baits) / self.taken


def allowed_cost(setting: float, rating: int | None) -> float:
    """Win chance that a trap may cost against a player of this rating, given what it may against one of `EVEN_RATING`.

    Twice as much at most, and half at least; of an unknown rating, the setting.
    """
    if rating is None:
        return setting
    factor = 2.0 ** ((EVEN_RATING - rating) / RATING_OF_DOUBLE)
    return float(setting * min(2.0, max(0.5, factor)))


def weigh_baits(
    board: chess.Board,
    move: tuple[str, float, float],
    model: ReplyModel,
    nodes: int,
    stop: Cancellation | None = None,
) -> WeighedMove:
    """What an own move (UCI, win chance, cost) is worth for the baits behind it: it has those replies alone that tempt
    and may lose by a search of ``nodes`` nodes."""
    uci, value, cost = move
    after = board.copy(stack=False)
    after.push_uci(uci)
    fen = after.fen()
    tempting = _native.tempting_moves(fen)
    best, gifts = gifts_of(fen, tempting, nodes, stop)
    given = dict(zip(tempting, gifts, strict=False))
    giving = {uci for uci, gift in given.items() if gift >= LOOK_GIFT}
    if not giving:
        return WeighedMove(uci, value, cost, ())
    replies = model.replies(after)
    if sum(one.probability for one in replies if one.uci in giving) >= LEAST_LOOKED:
        # How likely they are depends on what the other likely replies give away.
        others = [one.uci for one in replies[:LIKELIEST] if one.uci not in given]
        best_of_others, gifts = gifts_of(fen, others, max(2, nodes // 2), stop)
        given |= zip(others, (max(0.0, gift + best - best_of_others) for gift in gifts), strict=False)
        replies = model.foreseen(replies, given, tempting)
    return WeighedMove(
        uci,
        value,
        cost,
        tuple(ReplyValue(one.uci, one.probability, given[one.uci], one) for one in replies if one.uci in giving),
    )


def weighed_moves(
    board: chess.Board,
    model: ReplyModel,
    max_cost: float,
    milliseconds: int,
    stop: Cancellation | None = None,
    clock: Clock = time.monotonic,
) -> list[WeighedMove]:
    """The moves about within the cost that the time sufficed for, the one with the best expectation first."""
    until = clock() + milliseconds / 1000
    nodes = look_nodes(milliseconds)
    found: list[WeighedMove] = []
    for move in own_moves(board.fen(), int(OWN_PART * nodes), max_cost + COST_MARGIN, WIDTH, stop):
        if found and clock() >= until:
            break
        found.append(weigh_baits(board, move, model, nodes, stop))
    return sorted(found, key=lambda one: (one.cost - one.hope, one.uci))


def look_at(
    board: chess.Board,
    move: tuple[str, float, float],
    model: ReplyModel,
    milliseconds: int,
    stop: Cancellation | None = None,
) -> WeighedMove:
    """An own move (UCI, win chance, cost) with the replies to it that may be baits, in about so many milliseconds."""
    # One move has the time of several.
    return weigh_baits(board, move, model, look_nodes(WIDTH * milliseconds // 2), stop)


def look_nodes(milliseconds: int) -> int:
    """Nodes for the search of each position of a look at several moves in so many milliseconds."""
    return min(MOST_NODES, max(LEAST_NODES, NODES_A_MILLISECOND * milliseconds))


def baits_of(weighed: WeighedMove) -> list[ReplyValue]:
    """The replies to a move that may be baits, the most hopeful first."""
    return sorted(weighed.replies, key=lambda reply: (-_hope(reply), reply.uci))


def may_set_trap(weighed: WeighedMove) -> bool:
    """Whether enough would fall, if all the likely baits of a move were proved."""
    return _taken(baits_of(weighed)[:MOST_TESTED]) >= LEAST_TAKEN


def _taken(baits: Sequence[ReplyValue]) -> float:
    return sum(bait.probability for bait in baits)


def _hope(bait: ReplyValue) -> float:
    return bait.probability * bait.gift


def prove_traps(
    board: chess.Board,
    weighed: Sequence[WeighedMove],
    milliseconds: int,
    stop: Cancellation | None = None,
    best: str | None = None,
    *,
    nodes: int | None = None,
    clock: Clock = time.monotonic,
) -> Iterator[LiveTrap]:
    """The moves of these that set proved traps, as far as the time suffices, with all baits of each; the ``best`` move
    (UCI) is put to the test first.

    A question of the trap test has so many ``nodes``, or as many as the time that is left allows. Only the usual clock
    ends one; by another one what takes too long is proved too late.
    """
    until = clock() + milliseconds / 1000
    tested = [(one, baits_of(one)[:MOST_TESTED]) for one in weighed if may_set_trap(one)]
    tested.sort(key=lambda pair: (pair[0].uci != best, pair[0].cost - sum(map(_hope, pair[1]))))
    for one, baits in tested[:MOST_MOVES]:
        left = int(1000 * (until - clock()))
        if left <= 0:
            break
        after = board.copy(stack=False)
        after.push_uci(one.uci)
        most = min(MOST_TEST_NODES, max(LEAST_TEST_NODES, TEST_NODES_A_MILLISECOND * left))
        budget = Budget(nodes=most if nodes is None else nodes, milliseconds=left if clock is time.monotonic else None)
        tests = check_baits(after.fen(), [bait.uci for bait in baits], budget, stop)
        if clock is not time.monotonic and clock() >= until:
            break
        takes = board.is_capture(board.parse_uci(one.uci))
        proved = tuple(
            LiveBait(bait.uci, test.killer_line, test.mate_in, test.loss, bait.probability)
            for bait, test in zip(baits, tests, strict=True)
            if is_trap(test, bait.probability) and (not takes or tempts_after_capture(after, bait.uci))
        )
        if sum(bait.taken for bait in proved) >= LEAST_TAKEN:
            yield LiveTrap(one.uci, after.fen(), proved, one.cost)


def is_trap(test: BaitTest, probability: float) -> bool:
    """Whether a tested bait makes a trap: it loses, was avoidable, and tempts by its looks or by who takes it."""
    tempts = test.tempts or probability >= TEMPTING_SHARE
    loses = test.verdict is Verdict.PROVED and (test.mate_in is not None or test.loss >= SURE_LOSS)
    return loses and tempts and not test.forced and bool(test.killer_line)


def may_be_bait(reply: ReplyValue, tempting: Container[str]) -> bool:
    """Whether a test could make a reply a trap; ``tempting`` are the moves (UCI) that tempt by their looks."""
    return reply.uci in tempting or reply.probability >= TEMPTING_SHARE


def tempts_after_capture(after: chess.Board, bait: str) -> bool:
    """Whether a bait tempts on the board after a move that took something, so that not to take back is no bait: it
    takes something, gives check, or saves a piece that could be taken."""
    move = after.parse_uci(bait)
    if after.is_capture(move) or after.gives_check(move):
        return True
    if after.is_check():
        return False
    idle, baited = after.copy(stack=False), after.copy(stack=False)
    idle.push(chess.Move.null())
    baited.push(move)
    hanging = {uci[2:4] for uci, gain in _native.exchanges(idle.fen()) if gain >= HANGING}
    still = {uci[2:4] for uci, gain in _native.exchanges(baited.fen()) if gain >= HANGING}
    return bool(hanging) and not hanging & still


def hope_ahead(
    board: chess.Board,
    weighed: WeighedMove,
    model: ReplyModel,
    max_cost: float,
    milliseconds: int,
    stop: Cancellation | None = None,
    clock: Clock = time.monotonic,
) -> float:
    """Hope of the traps that could be set after the likely replies to a move that are no baits, in win chance."""
    until = clock() + milliseconds / 1000
    nodes = LEAST_NODES
    hope = 0.0
    after = board.copy(stack=False)
    after.push_uci(weighed.uci)
    baits = {bait.uci for bait in weighed.replies}
    likely = [one for one in model.replies(after)[:AHEAD_REPLIES] if one.probability >= AHEAD_PROBABILITY]
    for reply in likely:
        if reply.uci in baits:
            continue
        later = after.copy(stack=False)
        later.push_uci(reply.uci)
        most = 0.0
        for move in own_moves(later.fen(), nodes, max_cost, AHEAD_WIDTH, stop):
            if clock() >= until:
                break
            one = weigh_baits(later, move, model, nodes, stop)
            most = max(most, one.hope - one.cost)
        hope += reply.probability * most
    return AHEAD_PART * hope
