"""Reasons: what only one of two moves does, or only the answer to one of them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import chess

from db.wording.effects import Effect, effects_of
from db.wording.evidence import Evidence
from db.wording.material import answered_best, best_moves, is_made_up_for, takes_with_profit
from db.wording.stands import POINT, gains_on, taken_by
from trapcore.parallel.budget import Budget
from trapcore.piece_values import POINTS
from trapcore.proof.search import search
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, win_chance

_AS_GOOD = 0.1  # win chance by which searches of two moves differ that are as good as each other
_NODES = 8_000  # of such a search

_SOON = 6  # plies of a line in which happens what a move is about

_OF_BETTER = frozenset({"guard", "escape", "trade", "exchange", "take", "development", "centre"})
"""Effects that nobody would call the fault of the move before."""

_SMALL = frozenset({"no_castling", "doubled", "offer", "open_file", "challenge", "outpost", "seventh", "advance"})
"""Effects that are no reason why a move costs `BLUNDER`."""

_ON_TARGETS = frozenset({"win", "attack", "uncover", "offer", "pin", "guard", "escape", "challenge"})
"""Two of these effects are the same if their targets are of the same kinds."""


@lru_cache(maxsize=4096)
def answer_effect(evidence: Evidence) -> Effect | None:
    """What the answer to a losing move does that it does not do after the best move; None if that is nothing."""
    if _is_allowed_as_well(evidence):
        return None
    baited = parse_position(evidence.fen)
    baited.push_uci(evidence.bait)
    hidden = _OF_BETTER | (_SMALL if evidence.cost is not None and evidence.cost >= BLUNDER else frozenset())
    effects = effects_of(baited, evidence.killer_line, evidence.half_move + 1)
    found = _first_new((each for each in effects if each.does not in hidden), _after_best(evidence))
    # What is lost for certain is said elsewhere: what only falls in the line would be too much.
    return None if found is None or found.does == "win" else found


@lru_cache(maxsize=4096)
def answer_takes(evidence: Evidence) -> Effect | None:
    """That the answer to a losing move takes something with profit, if the move did not go there itself, and if that
    accounts for the cost: a pawn is not the reason of a blunder, nor a rook that of a small loss."""
    baited = parse_position(evidence.fen)
    bait = baited.push_uci(evidence.bait)
    killer = baited.parse_uci(evidence.killer_line[0])
    taken = taken_by(baited, killer)
    if taken is None or killer.to_square == bait.to_square or not takes_with_profit(baited, killer.uci()):
        return None
    if is_made_up_for(POINTS[taken[0]], evidence):
        return None
    is_small = taken[0] == chess.PAWN and evidence.cost is not None and evidence.cost >= BLUNDER
    return None if is_small or _is_allowed_as_well(evidence) else Effect("take", (taken,))


@lru_cache(maxsize=4096)
def line_effect(evidence: Evidence, plies: int = 3) -> tuple[int, Effect] | None:
    """The first move in so many plies of the killer line that threatens or wins something, by its ply from 1, and what
    it does; None without one, and if the line of the best move allows the same."""
    if _is_allowed_as_well(evidence):
        return None
    board, before = parse_position(evidence.fen), parse_position(evidence.fen)
    board.push_uci(evidence.bait)
    allowed: list[Effect] = []
    better = best_moves(evidence)
    for ply, uci in enumerate(better):
        if ply % 2 == 1:
            allowed += effects_of(before, better[ply:], evidence.half_move + ply)
        before.push_uci(uci)
    for ply in range(1, min(plies, len(evidence.killer_line)) + 1):
        if ply % 2 == 1:
            found = effects_of(board, evidence.killer_line[ply - 1 :], evidence.half_move + ply)
            effect = _first_new(filter(_is_strong, found), allowed)
            if effect is not None:
                return ply, effect
        elif _has_another(board, evidence.killer_line[ply - 1], evidence.after):
            return None
        board.push_uci(evidence.killer_line[ply - 1])
    return None


def _after_best(evidence: Evidence) -> list[Effect]:
    """What the answer does after the best move, if the same piece can make it there."""
    after = answered_best(evidence)
    return [] if after is None else list(effects_of(after, evidence.killer_line[:1], evidence.half_move + 1))


def is_still_best(board: chess.Board, move: str) -> bool:
    """Whether a move (UCI) of the side to move is as good as any by a short search."""
    asked, best = (search(board.fen(), Budget(nodes=_NODES), only=only).value for only in ((move,), ()))
    return win_chance(asked) >= win_chance(best) - _AS_GOOD


@lru_cache(maxsize=4096)
def _is_allowed_as_well(evidence: Evidence) -> bool:
    """Whether the answer is as good after the best move, or its line has it as well."""
    killer, after = evidence.killer_line[0], answered_best(evidence)
    return killer in best_moves(evidence)[1::2] or (after is not None and is_still_best(after, killer))


def _has_another(board: chess.Board, reply: str, value: float | None) -> bool:
    """Whether another reply is as good as what the losing move leaves, so that nothing forces this one."""
    others = [move.uci() for move in board.legal_moves if move.uci() != reply]
    if value is None or not others:
        return False
    return win_chance(search(board.fen(), Budget(nodes=_NODES), only=others).value) >= value - _AS_GOOD / 2


def _is_strong(effect: Effect) -> bool:
    pieces = any(kind != chess.PAWN for kind, _ in effect.targets)
    return effect.does in ("mate_threat", "promotion") or (effect.does in ("attack", "uncover", "pin") and pieces)


@lru_cache(maxsize=4096)
def best_effect(evidence: Evidence) -> Effect | None:
    """What the best move does that the losing move does not do; None if that is nothing."""
    if evidence.best is None:
        return None
    before = parse_position(evidence.fen)
    line = best_moves(evidence) or [evidence.best]
    played = list(effects_of(before, (evidence.bait, *evidence.killer_line), evidence.half_move))
    effects = effects_of(before, line, evidence.half_move)
    return _first_new((each for each in effects if _explains(each, evidence, line)), played)


def _explains(effect: Effect, evidence: Evidence, line: Sequence[str]) -> bool:
    """Whether what the best move does has to do with the lines: what it guards or takes away falls after the losing
    move, and not after the best one; what it develops the other line does not develop."""
    if effect.does in ("guard", "escape"):
        square = chess.square_name(effect.targets[0][1])
        falls = any(uci[2:4] == square for uci in evidence.killer_line[:_SOON:2])
        return falls and _hangs(evidence, square) and not any(uci[2:4] == square for uci in line[1:_SOON:2])
    if effect.does in ("trade", "take", "exchange"):
        # The line of the move that was played takes there, or trades the same, as well.
        square = chess.square_name(effect.targets[-1][1])
        return all(uci[2:4] != square for uci in (evidence.bait, *evidence.killer_line[: _SOON - 1]))
    if effect.does == "development":
        return all(uci[:2] != line[0][:2] for uci in evidence.killer_line[1:_SOON:2])
    return True


def _hangs(evidence: Evidence, square: str) -> bool:
    """Whether what stands there after the losing move can be taken with profit."""
    baited = parse_position(evidence.fen)
    baited.push_uci(evidence.bait)
    return gains_on(baited).get(chess.parse_square(square), 0) >= POINT


def _first_new(effects: Iterable[Effect], others: Sequence[Effect]) -> Effect | None:
    """The first of these effects that the others lack. Squares make no difference."""
    known = set(map(_sort, others))
    return next((each for each in effects if _sort(each) not in known), None)


def _sort(effect: Effect) -> tuple[str, tuple[chess.PieceType, ...]]:
    kinds = tuple(kind for kind, _ in effect.targets) if effect.does in _ON_TARGETS else ()
    return effect.does, kinds
