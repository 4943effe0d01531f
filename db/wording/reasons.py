"""Reasons: what only one of two moves does, or only the answer to one of them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import chess

from db.wording.effects import Effect, effects_of
from db.wording.evidence import Evidence
from db.wording.material import best_moves
from trapcore.trees.chess_game import parse_position

_SOON = 6  # plies of a line in which happens what a move is about

_OF_BETTER = frozenset({"guard", "escape", "trade", "exchange", "take", "development", "centre"})
"""Effects that nobody would call the fault of the move before."""

_ON_TARGETS = frozenset({"win", "attack", "uncover", "offer", "pin", "guard", "escape", "challenge"})
"""Effects of which two are the same if they have targets of the same kinds."""


@lru_cache(maxsize=4096)
def answer_effect(evidence: Evidence) -> Effect | None:
    """What the answer to a losing move does that it does not do after the best move; None if that is nothing."""
    baited = parse_position(evidence.fen)
    baited.push_uci(evidence.bait)
    others: list[Effect] = []
    if evidence.best is not None:
        after, killer = parse_position(evidence.fen), baited.parse_uci(evidence.killer_line[0])
        after.push_uci(evidence.best)
        if after.piece_at(killer.from_square) == baited.piece_at(killer.from_square) and after.is_legal(killer):
            others = list(effects_of(after, evidence.killer_line[:1], evidence.half_move + 1))
    effects = effects_of(baited, evidence.killer_line, evidence.half_move + 1)
    found = _first_new((each for each in effects if each.does not in _OF_BETTER), others)
    # What is lost for certain is said elsewhere: what only falls in the line would be too much.
    return None if found is None or found.does == "win" else found


def line_effect(evidence: Evidence, plies: int = 3) -> tuple[int, Effect] | None:
    """The first move in so many plies of the killer line that threatens or wins something, by its ply from 1, and what
    it does; None without one, and if the line of the best move allows the same."""
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
        board.push_uci(evidence.killer_line[ply - 1])
    return None


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
        return falls and not any(uci[2:4] == square for uci in line[1:_SOON:2])
    if effect.does == "development":
        return all(uci[:2] != line[0][:2] for uci in evidence.killer_line[1:_SOON:2])
    return True


def _first_new(effects: Iterable[Effect], others: Sequence[Effect]) -> Effect | None:
    """The first of these effects that is none of the others; where a piece stands or comes to makes no difference."""
    known = set(map(_sort, others))
    return next((each for each in effects if _sort(each) not in known), None)


def _sort(effect: Effect) -> tuple[str, tuple[chess.PieceType, ...]]:
    kinds = tuple(kind for kind, _ in effect.targets) if effect.does in _ON_TARGETS else ()
    return effect.does, kinds
