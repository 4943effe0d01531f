"""The move to play in a running game: the best one, one that sets a trap, or one after which traps can be set.

A move is worth its win chance if the opponent answers well, and `TRAP_WEIGHT` times the win chance that he is expected
to give away: the probability that he falls for the bait, times what the bait gives away. The move with the greatest
worth is played, if it costs no more than is allowed.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import chess

from coach.repertoire.expectation import WeighedMove
from coach.repertoire.live_traps import (
    AHEAD_MILLISECONDS,
    Clock,
    LiveTrap,
    hope_ahead,
    look_at,
    may_set_trap,
    prove_traps,
    weighed_moves,
)
from coach.repertoire.replies import ReplyModel
from trapcore.parallel.budget import Cancellation
from trapcore.win_chance import win_chance

LOOK_SHARE = 0.35
"""Most of the thinking time for the look at the replies to the moves within the cost, 0..1,"""
PROOF_SHARE, LONG_PROOF_SHARE = 0.35, 0.25
"""for the proof of their baits and those of the best move, if there may be any; the second where there is time for the
look behind the replies,"""
CHECK_SHARE = 0.08
"""and for the look at the best move alone, where it was not among them;"""
VALUE_SHARE = 0.1
"""for the values of the moves that the best one is compared with,"""
AHEAD_SHARE = 0.2
"""and for the look behind the replies, if there is time for it. The search of the best move has what is left."""

LEAST_MILLISECONDS = 60
"""With less time nobody searches for traps."""
SHORTEST_SEARCH = 1
"""Milliseconds that a search gets in any case."""
WON = 0.75
"""Win chance from which on traps are not searched for any more: a bait costs .3 of it at least, which is not there."""

TRAP_WEIGHT = 6.0
"""What an opponent is expected to give away counts so many times. At 1 a trap has to pay for itself by the search's win
chance, which is that against an equal opponent. Opponents who fall for traps are weaker: what a trap costs hardly
changes the score against them, see docs/bot.md."""

MOST_TRAPS = 2
"""Most traps that are compared with the best move."""

STEERED = 3
"""Moves behind whose replies is looked, if there is time,"""
STEER_COST = 0.5
"""which cost at most this part of what a trap may cost."""
LEAST_HOPE = 0.02
"""Win chance that a later trap has to promise beyond that of the best move."""


Search = Callable[[chess.Board, int], tuple[str, int]]
"""Best move (UCI) and its value in centipawns, for so many milliseconds."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The move, and what it is for."""

    uci: str
    value: int
    """Centipawns for us."""
    trap: LiveTrap | None
    """The trap that it sets."""
    is_best: bool
    """Whether it is the best move of the search."""


T = TypeVar("T")


class Runner(Protocol):
    """Runs searches, such as a pool of threads."""

    def __call__(self, milliseconds: int, work: Callable[[int], T], /) -> T:
        """Result of ``work``, which gets the milliseconds that it may take."""


def run_here(milliseconds: int, work: Callable[[int], T]) -> T:
    """Run it in this thread."""
    return work(milliseconds)


@dataclass(frozen=True, slots=True)
class Opponent:
    """Whom the traps are for."""

    model: ReplyModel
    allowed: float
    """Win chance that a trap may cost against him, 0..1; 0 to search for none."""
    run: Runner = run_here
    clock: Clock = time.monotonic
    """Of the time for a move."""


def choose_move(
    board: chess.Board,
    milliseconds: int,
    search: Search,
    opponent: Opponent,
    stop: Cancellation,
    known: Callable[[], Sequence[LiveTrap]] = tuple,
) -> Chosen:
    """The move to play within about ``milliseconds``; the board is not over.

    ``known`` gives traps that are known without searching, the most promising first. Traps are found in usual chess
    only, not in Chess960.
    """
    clock = opponent.clock
    until = clock() + milliseconds / 1000
    if opponent.allowed <= 0 or milliseconds < LEAST_MILLISECONDS:
        return Chosen(*search(board, milliseconds), None, True)
    found = list(known())[:MOST_TRAPS]
    weighed = _looked(board, opponent, int(LOOK_SHARE * milliseconds), stop)
    is_baited = any(map(may_set_trap, weighed))
    looks_ahead = bool(weighed) and milliseconds >= AHEAD_MILLISECONDS
    proof_share = LONG_PROOF_SHARE if looks_ahead else PROOF_SHARE
    reserved = proof_share + VALUE_SHARE if found or is_baited else CHECK_SHARE * bool(weighed)
    reserved += (AHEAD_SHARE + VALUE_SHARE) * looks_ahead
    left = 1000 * (until - clock()) - reserved * milliseconds
    uci, value = search(board, max(SHORTEST_SEARCH, int(left)))
    if weighed and win_chance(value) < WON:
        if all(one.uci != uci for one in weighed):
            best = uci, win_chance(value), 0.0
            check = int(CHECK_SHARE * milliseconds)
            weighed.append(opponent.run(check, lambda left: look_at(board, best, opponent.model, left, stop)))
        live = opponent.run(
            int(proof_share * milliseconds),
            lambda left: list(prove_traps(board, weighed, left, stop, uci, clock=clock)),
        )
        there = {trap.move for trap in found}
        found += [trap for trap in live if trap.move not in there]
    found.sort(key=lambda trap: trap.cost - _promise(trap))
    own = next((trap for trap in found if trap.move == uci), None)
    others = [trap for trap in found if trap is not own][:MOST_TRAPS]

    def value_of(move: str) -> int:
        after = board.copy()
        after.push_uci(move)
        return -search(after, max(SHORTEST_SEARCH, int(VALUE_SHARE * milliseconds) // max(1, len(others))))[1]

    if not found and looks_ahead:
        steered = _steered(board, weighed, opponent, int(AHEAD_SHARE * milliseconds), stop)
        if steered is not None and steered != uci:
            there_value = value_of(steered)
            if win_chance(value) - win_chance(there_value) <= STEER_COST * opponent.allowed:
                return Chosen(steered, there_value, None, False)
    return prefer_trap(Chosen(uci, value, own, True), others, value_of, opponent.allowed)


def _looked(board: chess.Board, opponent: Opponent, milliseconds: int, stop: Cancellation) -> list[WeighedMove]:
    """The moves about within the cost with the replies that may be baits; none where nobody searches for traps."""
    if board.chess960:
        return []
    model, allowed = opponent.model, opponent.allowed
    weighed = opponent.run(milliseconds, lambda left: weighed_moves(board, model, allowed, left, stop, opponent.clock))
    return [] if any(one.value >= WON for one in weighed) else weighed


def _steered(
    board: chess.Board, weighed: Sequence[WeighedMove], opponent: Opponent, milliseconds: int, stop: Cancellation
) -> str | None:
    """The move (UCI) after whose likely replies traps can be set that promise the most; None if none promises enough.

    Compared with the move that costs the least by the look.
    """
    best = min(weighed, key=lambda one: (one.cost, one.uci))
    looked = [one for one in weighed if one.cost <= STEER_COST * opponent.allowed][:STEERED]
    hopes = {}
    for one in dict.fromkeys([best, *looked]):

        def look(left: int, one: WeighedMove = one) -> float:
            return hope_ahead(board, one, opponent.model, opponent.allowed, left, stop, opponent.clock)

        hopes[one.uci] = opponent.run(milliseconds // (STEERED + 1), look) - one.cost
    found = max(hopes, key=lambda move: (hopes[move], move))
    return found if hopes[found] >= max(0.0, hopes[best.uci]) + LEAST_HOPE else None


def prefer_trap(best: Chosen, traps: Iterable[LiveTrap], value_of: Callable[[str], int], allowed: float) -> Chosen:
    """The best move, or a trap that costs at most ``allowed`` of win chance and is worth more."""
    top = win_chance(best.value)
    worth = top if best.trap is None else top + _promise(best.trap)
    chosen = best
    for trap in traps:
        value = value_of(trap.move)
        # A move that a shorter search finds better than the best one is not for that worth more.
        chance = min(top, win_chance(value))
        if top - chance <= allowed and chance + _promise(trap) > worth:
            worth = chance + _promise(trap)
            chosen = Chosen(trap.move, value, trap, False)
    return chosen


def _promise(trap: LiveTrap) -> float:
    """What a trap adds to the worth of its move."""
    return TRAP_WEIGHT * trap.gain * trap.taken
