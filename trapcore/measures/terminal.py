"""Similarity of terminal states: how near the rewards are when the game is over in both positions.

Source: Evans & Turrini, section 2.4. Trees without moves share nothing to compare, so the other measures call any two
of them equal; where the games are over this measure tells a win from a draw. It needs the rewards alone.
"""

from collections.abc import Callable

import chess

from trapcore.errors import PositionError, UsageError
from trapcore.trees.chess_game import parse_position
from trapcore.trees.tree import Tree

WIN, DRAW, LOSS = 1.0, 0.0, -1.0


def of_rewards(reward1: float, reward2: float, lowest: float = LOSS, highest: float = WIN) -> float:
    """P of two terminal states, 0.0..1.0: 1 - |R2 - R1| / |S1 - S0|.

    Rewards are those of one and the same player, ``lowest`` (S0) to ``highest`` (S1); raises ``UsageError`` for others.
    One minus it is a metric.
    """
    if not lowest < highest:
        raise UsageError(f"rewards need a range, not {lowest}..{highest}")
    for reward in (reward1, reward2):
        if not lowest <= reward <= highest:
            raise UsageError(f"a reward must be {lowest}..{highest}, not {reward}")
    return 1 - abs(reward2 - reward1) / (highest - lowest)


def of_trees(t1: Tree, t2: Tree, reward1: float, reward2: float, otherwise: Callable[[Tree, Tree], float]) -> float:
    """``otherwise``, the similarity of two trees, completed where it is undefined: between ends of the game.

    Two ended trees are as similar as their rewards (-1.0..1.0, for one and the same player), an ended one and another
    have nothing in common; only other trees are compared.
    """
    if t1.ended and t2.ended:
        return of_rewards(reward1, reward2)
    return 0.0 if t1.ended or t2.ended else otherwise(t1, t2)


def chess_reward(board: chess.Board) -> float:
    """What the end of a chess game without legal moves gives White: -1.0 mated, 0.0 stalemate, 1.0 Black is mated."""
    if not board.is_check():
        return DRAW
    return LOSS if board.turn == chess.WHITE else WIN


def of_positions(fen1: str, fen2: str) -> float:
    """P of two chess positions, 0.0..1.0, of which at least one is mate or stalemate; rewards are White's.

    Raises ``PositionError`` for a bad FEN, and if the game goes on in both positions.
    """
    boards = [parse_position(fen) for fen in (fen1, fen2)]
    over = [not any(board.legal_moves) for board in boards]
    if not any(over):
        raise PositionError("the measure terminal compares ends of the game; in both positions it goes on", fen1)
    return of_rewards(chess_reward(boards[0]), chess_reward(boards[1])) if all(over) else 0.0
