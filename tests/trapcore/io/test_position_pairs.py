"""What in a position may be like a known trap, as the core finds it, held to the rule written down plainly."""

import math
from array import array
from collections.abc import Iterator

import chess
from hypothesis import given, settings

from tests.support.chess_positions import played
from trapcore import _native
from trapcore.proof.verdict import Verdict
from trapcore.ranking.weights import shipped_weights
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror, mirror_move

BAITS, KILLERS, RANK_COST, SHORTLIST, MATE_MOVES, MATE_NODES = 24, 8, 2.0, 2, 4, 400
PROPOSER = shipped_weights().ranker

Pair = tuple[str, tuple[str, ...], int | None, tuple[int, ...]]
"""Bait, killer or whole line to the mate, moves to the mate, tokens."""


def plainly(board: chess.Board) -> list[Pair]:
    """The rule: moves that look good at first sight, what the weights propose against each, the best eight.

    Black's are those of White in the mirrored position.
    """
    if not board.turn:
        return [turned(pair) for pair in plainly(board.mirror())]
    fen = board.fen()
    proposed = []
    for rank, bait in ranked(fen):
        moves, _ = PROPOSER.propose(fen, bait, SHORTLIST, 1)
        proposed += [(RANK_COST * math.sqrt(rank) - score, bait, killer) for killer, score, _, _ in moves]
    proposed.sort()
    found: dict[tuple[int, ...], Pair] = {}
    for _, bait, killer in proposed:
        verdict, mate_in, line, _, _ = _native.prove_mate(fen, MATE_MOVES, MATE_NODES, None, None, [killer], bait)
        is_proved = verdict == Verdict.PROVED.value
        moves_here = tuple(line) if is_proved else (killer,)
        bag = tuple(_native.killer_tokens(fen, bait, list(moves_here)))
        found.setdefault(bag, (bait, moves_here, mate_in if is_proved else None, bag))
        if len(found) == KILLERS:
            break
    return list(found.values())


def turned(pair: Pair) -> Pair:
    """The pair with ranks turned over."""
    bait, line, mate_in, bag = pair
    return mirror_move(bait), tuple(map(mirror_move, line)), mate_in, bag


def ranked(fen: str) -> Iterator[tuple[int, str]]:
    """The baits with their ranks, from 1; equal ones share the better rank."""
    rank, last = 0, 0
    for place, (bait, value) in enumerate(_native.static_ranking(fen), start=1):
        if place == 1 or value != last:
            rank, last = place, value
        if rank > BAITS:
            return
        yield rank, bait


def by_core(fen: str) -> list[Pair]:
    """The same as the core finds it."""
    found = PROPOSER.pairs(fen, None)
    return [(line[0], tuple(line[1:]), mate_in, tuple(array("I", bag))) for line, _, mate_in, bag in found]


@settings(max_examples=60, deadline=None)
@given(played())
def test_the_core_finds_the_pairs_of_the_rule(fen: str) -> None:
    board = parse_position(fen)
    assert by_core(board.fen()) == plainly(board)


@settings(max_examples=30, deadline=None)
@given(played())
def test_the_turned_position_has_the_same_pairs(fen: str) -> None:
    assert by_core(mirror(fen)) == [turned(pair) for pair in by_core(fen)]
