"""Tree of a forced mate: one attacking move against every defence, made once and replayed without a search.

The tree is written as the attacker's moves (UCI) in the order in which a walk meets them: the attacker's move, then the
same for the position after each legal defence, the defences ascending by their UCI. A position that was won before with
as many moves left, or with fewer, is not walked again. So the tree needs no brackets and no defences.
"""

from collections.abc import Callable, Sequence

import chess

from trapcore.errors import InputError
from trapcore.parallel.budget import Budget
from trapcore.proof.mate import prove_mate
from trapcore.trees.chess_game import parse_position

_BUDGET = Budget(nodes=2_000_000)  # for a position in the tree, from which the mate is near


def mate_tree(fen: str, bait: str, line: Sequence[str]) -> tuple[str, ...]:
    """The tree of the mate whose main line is ``line`` (UCI, from the answer to ``bait`` on).

    Along the line the attacker's moves are the line's. Raises ``InputError`` if they do not force the mate, or if that
    cannot be shown, and ``PositionError`` for a bad position.
    """
    tree: list[str] = []

    def choose(board: chess.Board, left: int) -> str:
        found = prove_mate(board.fen(), left, _BUDGET)
        if not found.line:
            raise InputError(f"no mate in {left} is proved in {board.fen()}")
        return found.line[0]

    def take(board: chess.Board, left: int, on_line: str | None) -> str:
        tree.append(on_line or choose(board, left))
        return tree[-1]

    _Walk(take).attack(_baited(fen, bait), (len(line) + 1) // 2, line)
    return tuple(tree)


def replay_tree(fen: str, bait: str, line: Sequence[str], tree: Sequence[str]) -> None:
    """Replay a tree by python-chess, which shares no code with the prover.

    What that shows: against every defence the attacker mates in as many moves as ``line`` has, or in fewer, and the
    line is played so and ends in mate. Raises ``InputError`` if not, and ``PositionError`` for a bad position.
    """
    unread = iter(tree)

    def take(board: chess.Board, left: int, on_line: str | None) -> str:
        move = next(unread, None)
        if move is None:
            raise InputError(f"the tree of the mate ends before {board.fen()}")
        if on_line is not None and move != on_line:
            raise InputError(f"the tree of the mate has {move} in place of {on_line} in {board.fen()}")
        return move

    _Walk(take).attack(_baited(fen, bait), (len(line) + 1) // 2, line)
    if (move := next(unread, None)) is not None:
        raise InputError(f"the tree of the mate goes on with {move} where it is won")


class _Walk:
    """A walk through all positions of a tree in which the attacker is to move."""

    def __init__(self, take: Callable[[chess.Board, int, str | None], str]) -> None:
        """``take`` gives the attacker's move: of the board, the moves left, and the line's move there or None."""
        self._take = take
        self._won: dict[str, int] = {}  # with so many moves left

    def attack(self, board: chess.Board, left: int, line: Sequence[str]) -> None:
        """``line`` is what is left of the main line, empty beside it. Leaves the board as it was."""
        place = board.epd(en_passant="fen")
        if not line and self._won.get(place, left + 1) <= left:
            return
        _push(board, self._take(board, left, line[0] if line else None))
        if not board.is_checkmate():
            defences = sorted(move.uci() for move in board.legal_moves)
            if left == 1 or not defences or (line and line[1] not in defences):
                raise InputError(f"the tree of the mate comes to {board.fen()}, which is no mate in time")
            for defence in defences:
                board.push_uci(defence)
                self.attack(board, left - 1, line[2:] if line and line[1] == defence else ())
                board.pop()
        elif len(line) > 1:
            raise InputError(f"the line {' '.join(line)} goes on behind the mate in {board.fen()}")
        board.pop()
        self._won[place] = min(left, self._won.get(place, left))


def _baited(fen: str, bait: str) -> chess.Board:
    board = parse_position(fen)
    _push(board, bait)
    return board


def _push(board: chess.Board, uci: str) -> None:
    try:
        # python-chess plays the null move 0000 without a question.
        legal = board.push_uci(uci) != chess.Move.null()
    except ValueError:
        legal = False
    if not legal:
        raise InputError(f"the tree of the mate has {uci}, which is no legal move in {board.fen()}")
