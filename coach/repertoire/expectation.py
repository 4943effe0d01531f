"""Value of a move against people: what it is worth if they answer well, and if they fall for a bait.

    expected = value + sum over replies of probability * (what the reply gives away)

``value`` is the win chance after the best reply. That is the mean over all replies, each by its probability, of the
win chance after it. Replies that give away less than `LEAST_GIFT` count as good ones, because short searches see no
difference between them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import chess

from coach.repertoire.replies import LikelyReply, ReplyModel
from trapcore import _native
from trapcore.parallel.budget import Cancellation
from trapcore.win_chance import INACCURACY, MISTAKE

LEAST_GIFT = INACCURACY
"""Win chance that a reply gives away at least to count as a bad one."""

BAIT_GIFT = MISTAKE
"""Win chance that a reply gives away at least to be put to the trap test."""

LEAST_PROBABILITY = 0.005
"""Rarer replies are not searched: they count as good ones."""

MOST_REPLIES = 16
"""Replies to a move that are searched."""

RARE_PROBABILITY = 0.0005
"""Replies as likely as that belong to a move all the same."""

COARSE = 8
"""The first look at all moves has this part of the nodes."""

COARSE_MARGIN = 0.1
"""Win chance beyond the allowed cost up to which the first look keeps a move."""


@dataclass(frozen=True, slots=True)
class ReplyValue:
    """A reply with what it leaves."""

    uci: str
    probability: float
    gift: float
    """Win chance that it gives away against the best reply, 0..2, by a short search; 0 if it was not searched."""
    reply: LikelyReply


@dataclass(frozen=True, slots=True)
class WeighedMove:
    """An own move with its value against people."""

    uci: str
    value: float
    """Our win chance if he answers well, -1..1."""
    cost: float
    """What it gives away against our best move, 0..2."""
    replies: tuple[ReplyValue, ...]
    """Those that were searched or are not too rare, the likeliest first."""

    @property
    def hope(self) -> float:
        """Win chance that replies are expected to give away."""
        return sum(reply.probability * reply.gift for reply in self.replies if reply.gift >= LEAST_GIFT)

    @property
    def expected(self) -> float:
        """Expected win chance. Compared with other moves of the position by their costs, which were searched alike."""
        return self.value + self.hope


def own_moves(
    fen: str,
    nodes: int,
    max_cost: float,
    width: int,
    stop: Cancellation | None = None,
    wanted: Sequence[str] = (),
) -> list[tuple[str, float, float]]:
    """At most ``width`` moves that cost no more than ``max_cost`` of win chance, and those of the ``wanted`` ones that
    cost no more: UCI, win chance and cost, the best first; none if the game is over or ``stop`` was cancelled.

    All moves have a short search first, and those that may do a search of half of ``nodes`` each.
    """
    board = chess.Board(fen)
    every = [board.uci(move) for move in board.legal_moves]
    first = _values(fen, every, max(2, nodes // COARSE), stop)
    if not first:
        return []
    most = max(value for _, value in first)
    kept = [(uci, value) for uci, value in first if value >= most - max_cost - COARSE_MARGIN]
    kept.sort(key=lambda move: (-move[1], move[0]))
    longer = dict.fromkeys([*(uci for uci, _ in kept[: 2 * width]), *wanted])
    searched = _values(fen, list(longer), nodes, stop)
    if not searched:
        return []
    most = max(value for _, value in searched)
    found = [(uci, value, most - value) for uci, value in searched if most - value <= max_cost]
    found.sort(key=lambda move: (move[2], move[0]))
    return found[:width] + [move for move in found[width:] if move[0] in wanted]


def _values(fen: str, moves: Sequence[str], nodes: int, stop: Cancellation | None) -> list[tuple[str, float]]:
    found = _native.move_values([(fen, moves)], nodes, stop) if moves else []
    return [(uci, value) for uci, (value, _) in zip(moves, found[0][2], strict=True)] if found else []


def weigh(
    board: chess.Board,
    move: tuple[str, float, float],
    model: ReplyModel,
    nodes: int,
    stop: Cancellation | None = None,
    wanted: Callable[[chess.Board], Sequence[str]] = lambda _: (),
) -> WeighedMove:
    """What an own move (UCI, win chance, cost) is worth against people of the model; see `reply_values`.

    ``wanted`` gives the replies that are searched in any case.
    """
    uci, value, cost = move
    after = board.copy(stack=False)
    after.push_uci(uci)
    return WeighedMove(uci, value, cost, reply_values(after, model, nodes, stop, wanted(after))[1])


def reply_values(
    board: chess.Board,
    model: ReplyModel,
    nodes: int,
    stop: Cancellation | None = None,
    wanted: Sequence[str] = (),
) -> tuple[float, tuple[ReplyValue, ...]]:
    """Our win chance where the opponent is to move, if he answers well, and his replies but for very rare ones.

    The position has a search of ``nodes`` nodes, each likely and each ``wanted`` reply one of half as many. ``board``
    has the move that led to it. Without replies if the game is over or ``stop`` was cancelled.
    """
    best, replies, gifts = foreseen_replies(board, model, nodes, stop, wanted)
    return -best, tuple(
        ReplyValue(one.uci, one.probability, gifts.get(one.uci, 0.0), one)
        for one in replies
        if one.uci in gifts or (gifts and one.probability >= RARE_PROBABILITY)
    )


def foreseen_replies(
    board: chess.Board,
    model: ReplyModel,
    nodes: int,
    stop: Cancellation | None = None,
    wanted: Sequence[str] = (),
) -> tuple[float, list[LikelyReply], dict[str, float]]:
    """The win chance of a position for the side to move, all its replies as likely as the model foresees them, the
    likeliest first, and what those that were searched give away, by UCI; see `reply_values`."""
    every = model.replies(board)
    searched = [one.uci for one in likely_replies(every)]
    searched += [one.uci for one in every if one.uci in wanted and one.uci not in searched]
    best, gifts = gifts_of(board.fen(), searched, nodes, stop)
    given = dict(zip(searched, gifts, strict=False))
    return best, model.foreseen(every, given, _native.tempting_moves(board.fen())), given


def likely_replies(replies: Sequence[LikelyReply]) -> list[LikelyReply]:
    """Those that are searched: the likeliest at most, and no rare ones."""
    return [one for one in replies if one.probability >= LEAST_PROBABILITY][:MOST_REPLIES]


def gifts_of(fen: str, moves: Sequence[str], nodes: int, stop: Cancellation | None = None) -> tuple[float, list[float]]:
    """The win chance of a position for the side to move, and what each of these moves gives away against the best one.

    The position has a search of ``nodes`` nodes, each move one of half as many. 0 and no gifts if there are no moves or
    ``stop`` was cancelled.
    """
    found = _native.move_values([(fen, moves)], nodes, stop) if moves else []
    if not found:
        return 0.0, []
    best, _, values = found[0]
    best = max(best, *(theirs for theirs, _ in values))
    return best, [best - theirs for theirs, _ in values]
