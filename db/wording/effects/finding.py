"""What a move does on the board besides what it takes: threats, pins, trades, pawns, squares.

Each effect is a fact of the position before and the position after the move, so that a sentence may state it. Whether
it is the reason why a move is good, a reader of two such moves decides.
"""

from collections.abc import Callable, Iterator, Sequence

import chess

from db.wording.effects import attacks, places
from db.wording.effects.played import Effect, Played, can_be_taken, gain
from db.wording.stands import PIECE, POINT, after_pass, is_repaid, mates_at_once, taken_by
from trapcore.piece_values import POINTS

_UNTIL_CHECK = 2  # moves behind a sacrifice until the check that it is for
_COVER = 2  # squares from the king to the pawns of its cover, at most
_PROMOTES_IN = 9  # plies of a line until which a pawn promotes that its first move brings through


def effects_of(before: chess.Board, line: Sequence[str], half_move: int) -> Iterator[Effect]:
    """What the first move of a line (UCI, from the position ``before``) does, what says most first."""
    after = before.copy(stack=False)
    move = after.push_uci(line[0])
    played = Played(before, after, move, tuple(line[1:]), half_move)
    is_taken = played.reply is not None and played.reply.to_square == move.to_square
    for find in _FINDERS:
        effect = find(played)
        if effect is not None and (not is_taken or effect.does in _LASTING):
            yield effect


SACRIFICES = frozenset({"draws_king", "opens_king"})
"""Effects of a piece that is given up, which only the two next moves show."""

_LASTING = SACRIFICES | {"win", "promotes", "promotion", "doubled", "trade", "exchange", "take", "no_castling"}
"""Effects that stay if the piece that moved is taken."""


def _win(played: Played) -> Effect | None:
    """It takes a piece with profit, and loses none of as much worth elsewhere at once."""
    taken = taken_by(played.before, played.move)
    if taken is None or taken[0] == chess.PAWN or gain(played) < PIECE or _is_repaid(played):
        return None
    return Effect("win", (taken,))


def _take(played: Played) -> Effect | None:
    """It takes something, no pawn that costs more, and is not taken back: neither at once nor after a check between."""
    taken, here = taken_by(played.before, played.move), chess.square_name(played.move.to_square)
    checks = played.reply is not None and played.after.gives_check(played.reply)
    is_taken_back = any(uci[2:4] == here for uci in played.line[: 3 if checks else 1 : 2])
    if taken is None or is_taken_back or _is_repaid(played) or (taken[0] == chess.PAWN and gain(played) < 0):
        return None
    is_guarded = taken[0] != chess.PAWN and abs(gain(played)) < POINT  # why nobody takes back, the line does not say
    return None if is_guarded else Effect("take", (taken,))


def _is_repaid(played: Played) -> bool:
    return is_repaid(played.before, (played.move.uci(), *played.line))


def _mate_threat(played: Played) -> Effect | None:
    """It threatens mate in one, and is not simply taken."""
    is_known = played.reply is not None  # then a reader of effects sees whether it is taken
    if _is_repaid(played):
        return None  # what is threatened then, nobody has time for
    idle = after_pass(played.after) if is_known or not can_be_taken(played.after, played.move.to_square) else None
    return Effect("mate_threat") if idle is not None and mates_at_once(idle) else None


def _sacrifice(played: Played) -> Effect | None:
    """It gives up a piece that the king takes, or for a pawn of his cover, which a pawn takes back; a check follows."""
    to, reply = played.move.to_square, played.reply
    king, taken = played.before.king(not played.own), taken_by(played.before, played.move)
    if king is None or reply is None or reply.to_square != to or len(played.line) < _UNTIL_CHECK:
        return None
    board = played.after.copy(stack=False)
    board.push(reply)
    check = board.parse_uci(played.line[_UNTIL_CHECK - 1])
    won = sum(POINTS[each[0]] for each in (taken, taken_by(board, check)) if each is not None)
    if played.piece == chess.PAWN or POINTS[played.piece] - won < 1 or not board.gives_check(check):
        return None
    if reply.from_square == king:
        return Effect("draws_king", square=to)
    are_pawns = taken is not None and taken[0] == chess.PAWN == played.after.piece_type_at(reply.from_square)
    return Effect("opens_king") if are_pawns and chess.square_distance(to, king) <= _COVER else None


def _promotion(played: Played) -> Effect | None:
    """A pawn of this side promotes in the line, and stays a queen, or whatever it becomes, for a move at least."""
    board, came_from = played.before.copy(stack=False), dict[chess.Square, chess.Square]()
    line = (played.move.uci(), *played.line)
    for ply, uci in enumerate(line[:_PROMOTES_IN], 1):
        move = board.parse_uci(uci)
        if board.turn == played.own:
            start = came_from.pop(move.from_square, move.from_square)
            came_from[move.to_square] = start
            if move.promotion is not None:
                back = any(other[2:4] == uci[2:4] for other in line[ply : ply + 1])
                if ply == 1:
                    return Effect("promotes")
                known = ply < len(line)
                # A piece that takes the new queen, and is taken, was given up for the pawn.
                given = back and any(other[2:4] == uci[2:4] for other in line[ply + 1 : ply + 2])
                return Effect("promotion", square=start) if known and (given or not back) else None
        board.push(move)
    return None


def _trade(played: Played) -> Effect | None:
    """It takes a piece that is worth as much as the one that takes, and is taken back, or the other side takes the same
    elsewhere; or a queen is offered that is taken so, and taken back."""
    kind, reply = played.before.piece_type_at(played.move.to_square), played.reply
    if reply is None or not played.after.is_capture(reply):
        return None
    here = chess.square_name(played.move.to_square)
    if kind is None:
        is_offer = played.after.piece_type_at(reply.from_square) == played.piece == chess.QUEEN
        is_traded = is_offer and [uci[2:4] for uci in played.line[:2]] == [here, here]
        return Effect("trade", ((played.piece, played.move.to_square),)) if is_traded else None
    if reply.to_square != played.move.to_square:
        same = kind == played.after.piece_type_at(reply.to_square)
        return Effect("trade", ((kind, played.move.to_square),)) if same else None
    if kind == played.piece:
        return Effect("trade", ((kind, played.move.to_square),))
    own = ((played.piece, played.move.to_square), (kind, played.move.to_square))
    return Effect("exchange", own) if abs(POINTS[kind] - POINTS[played.piece]) < 1 else None


_FINDERS: tuple[Callable[[Played], Effect | None], ...] = (
    _win, _mate_threat, _sacrifice, _promotion, _trade, places.doubled, _take, attacks.attack, attacks.offer,
    attacks.pin, attacks.guard, places.no_castling, places.passed, places.opposition, places.seventh, places.outpost,
    places.open_file, places.half_open, places.challenge, places.development, places.castling, places.centre,
)  # fmt: skip

EFFECTS = (
    "win", "mate_threat", "draws_king", "opens_king", "promotes", "promotion", "trade", "exchange", "doubled", "take",
    "trap", "attack", "uncover", "offer", "pin", "guard",
    "escape", "no_castling", "passed", "advance", "opposition", "seventh", "outpost", "open_file", "half_open",
    "challenge", "development", "castles", "centre",
)  # fmt: skip
"""What a move may do."""
