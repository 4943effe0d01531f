"""Effects of a move on pieces of the other side, and on own ones that they attack."""

import chess

from db.wording.effects.played import Effect, Played, can_be_taken
from db.wording.stands import PIECE, POINT, Target, after_pass, gains_on
from trapcore.piece_values import POINTS

_NAMED = 2  # pieces that are named as attacked
_SOON = 4  # plies of a line in which a piece that was driven away neither falls nor takes


def attack(played: Played) -> Effect | None:
    """It attacks pieces that could be taken with profit, if the other side did nothing, and could not before."""
    if can_be_taken(played.after, played.move.to_square):
        return None
    idle = after_pass(played.after)
    if idle is None:
        return _attack_with_check(played)
    before, found = gains_on(played.before), []
    own = played.after.attacks(played.move.to_square)
    for square, gain in gains_on(idle).items():
        kind = idle.piece_type_at(square)
        if kind is not None and gain >= (POINT if kind == chess.PAWN else PIECE) and 2 * before.get(square, 0) < gain:
            found.append((kind, square))
    found.sort(key=lambda target: -POINTS[target[0]])
    found = [target for target in found if target[1] in own or _is_uncovered(played, target[1])]
    matters = {target for target in found if _matters(played, target[1])}
    forked = {target for target in found if target[0] != chess.PAWN and target[1] in own}
    # Of two pieces that it attacks the one may be saved, and the other falls.
    falls = any(target[1] in own for target in matters)
    found = [target for target in found if target in matters or (target in forked and falls)]
    pieces = [target for target in found if target[0] != chess.PAWN]
    if len(pieces) == 1 and pieces[0][0] == played.piece and pieces[0][1] in own:
        return Effect("offer", tuple(pieces))
    named = (pieces if len(pieces) > 1 else found)[:_NAMED]
    if not named:
        return None
    by_itself = named[0][1] in own
    named = [each for each in named if (each[1] in own) == by_itself]
    if by_itself and not any(kind != chess.PAWN for kind, _ in named[1:]):
        named[1:] = _behind(played, idle, named[0]) or _guarded_by(played, idle, named[0]) or named[1:]
    single = by_itself and len(named) == 1 and named[0][0] != chess.PAWN
    left = _safe_squares(played.after, named[0][1]) if single else []
    if single and not left:
        return Effect("trap", tuple(named))
    drives = single and _goes_away(played, named[0][1])
    pinned = single and not drives and _is_pinned(played, idle, named[0][1])
    only = left[0] if drives and len(left) == 1 and named[0][0] == chess.KNIGHT else None
    return Effect("attack" if by_itself else "uncover", tuple(named), only, drives=drives, pinned=pinned)


def _is_pinned(played: Played, idle: chess.Board, square: chess.Square) -> bool:
    """Whether the piece on the square is pinned to its king, or stands before a piece of more worth that another piece
    of this side would take with profit. ``idle`` is the position after a pass of the other side."""
    if played.after.is_pinned(not played.own, square):
        return True
    board, before = idle.copy(stack=False), gains_on(idle)
    kind = board.remove_piece_at(square)
    assert kind is not None
    lines = chess.SquareSet(board.bishops | board.rooks | board.queens) & board.occupied_co[played.own]
    for behind, gain in gains_on(board).items():
        other = board.piece_type_at(behind)
        if other is None or POINTS[other] <= POINTS[kind.piece_type] or gain < PIECE or before.get(behind, 0) >= POINT:
            continue
        by = (each for each in lines & board.attackers(played.own, behind) if each != played.move.to_square)
        if any(square in chess.SquareSet.between(each, behind) for each in by):
            return True
    return False


def _safe_squares(board: chess.Board, square: chess.Square) -> list[chess.Square]:
    """Where the piece on the square can go without being lost for less. Who attacks it has just moved."""
    found = []
    for move in board.legal_moves:
        if move.from_square == square:
            taken = board.piece_type_at(move.to_square)
            board.push(move)
            lost = gains_on(board).get(move.to_square, 0) - (0 if taken is None else POINT * POINTS[taken])
            board.pop()
            if lost < PIECE:
                found.append(move.to_square)
    return found


def _goes_away(played: Played, square: chess.Square) -> bool:
    """Whether the reply only moves the piece off this square; it neither falls next, nor takes something next."""
    reply = played.reply
    if reply is None or reply.from_square != square or played.after.is_capture(reply):
        return False
    to, board = chess.square_name(reply.to_square), played.after.copy(stack=False)
    for uci in played.line[:_SOON]:
        move = board.parse_uci(uci)
        if move != reply and (uci[2:4] == to or (uci[:2] == to and board.is_capture(move))):
            return False
        board.push(move)
    return True


def _behind(played: Played, idle: chess.Board, front: Target) -> list[Target]:
    """A piece of less worth behind the attacked one on the same line, which could be taken with profit without that.
    ``idle`` is the position after a pass of the other side."""
    idle = idle.copy(stack=False)
    idle.remove_piece_at(front[1])
    opened = idle.attacks(played.move.to_square) - played.after.attacks(played.move.to_square)
    gains = gains_on(idle) if idle.is_valid() else {}
    kinds = [(idle.piece_type_at(square), square) for square in opened if gains.get(square, 0) >= POINT]
    return [(kind, square) for kind, square in kinds if kind and 1 < POINTS[kind] < POINTS[front[0]]][:1]


def _guarded_by(played: Played, idle: chess.Board, front: Target) -> list[Target]:
    """Another piece that the one which moves attacks, and that could be taken with profit without the attacked one.
    ``idle`` is the position after a pass of the other side."""
    idle = idle.copy(stack=False)
    idle.remove_piece_at(front[1])
    gains = gains_on(idle) if idle.is_valid() else {}
    falls = (square for square in played.after.attacks(played.move.to_square) if gains.get(square, 0) >= PIECE)
    pieces = ((idle.piece_type_at(square), square) for square in falls)
    return [(kind, square) for kind, square in pieces if kind is not None and kind != chess.PAWN][:1]


def _attack_with_check(played: Played) -> Effect | None:
    """The piece that gives check attacks another piece, which is worth more or has no guard; it could not be taken with
    profit before, and the line shows that the attack counts."""
    to, other, before = played.move.to_square, not played.own, gains_on(played.before)
    found = []
    for square in played.after.attacks(to) & played.after.occupied_co[other]:
        kind = played.after.piece_type_at(square)
        if kind in (None, chess.PAWN, chess.KING) or before.get(square, 0) >= POINT:
            continue
        is_won = POINTS[kind] > POINTS[played.piece] or not played.after.attackers(other, square)
        if is_won and _matters(played, square):
            found.append((kind, square))
    found.sort(key=lambda target: -POINTS[target[0]])
    return Effect("attack", tuple(found[:_NAMED])) if found else None


def _is_uncovered(played: Played, square: chess.Square) -> bool:
    """Whether a piece attacks the square through the one that has been left."""
    left = played.move.from_square
    return any(left in chess.SquareSet.between(by, square) for by in played.after.attackers(played.own, square))


def _matters(played: Played, square: chess.Square) -> bool:
    """Whether the line shows that the attack on the square counts: the reply takes the piece away or guards it, or the
    piece falls later. Where the line is not known it may."""
    reply = played.reply
    if reply is None:
        return True
    name = chess.square_name(square)
    if reply.from_square == square:
        # With a capture or a check it goes on its own business.
        return not (played.after.is_capture(reply) or played.after.gives_check(reply))
    if any(uci[2:4] == name for uci in played.line[1::2]):
        return True
    answered = played.after.copy(stack=False)
    answered.push(reply)
    return square in answered.attacks(reply.to_square) - played.after.attacks(reply.from_square)


def offer(played: Played) -> Effect | None:
    """A queen or a rook comes to where it faces the same piece of the other side, and neither can be taken for free."""
    kind, own, start = played.piece, played.after.attacks(played.move.to_square), played.move.from_square
    if kind not in (chess.QUEEN, chess.ROOK) or can_be_taken(played.after, played.move.to_square):
        return None
    if played.after.is_check() or played.before.is_capture(played.move):
        return None  # nobody may take the offer at once, or what it takes is more
    faced = (own - played.before.attacks(start)) & played.after.pieces(kind, not played.own)
    return Effect("offer", ((kind, min(faced)),)) if faced else None


def pin(played: Played) -> Effect | None:
    """The piece that moves pins a piece to its king, and cannot be taken with profit."""
    other, to = not played.own, played.move.to_square
    if can_be_taken(played.after, to):
        return None
    for square in chess.SquareSet(played.after.occupied_co[other]):
        kind = played.after.piece_type_at(square)
        if kind in (None, chess.PAWN, chess.KING) or not played.after.is_pinned(other, square):
            continue
        ray = played.after.pin(other, square)
        if to in ray and not played.before.is_pinned(other, square):
            return Effect("pin", ((kind, square),))
    return None


def guard(played: Played) -> Effect | None:
    """It guards a piece that could be taken with profit, or takes it out of the attack."""
    idle = after_pass(played.before)
    if idle is None or played.before.is_check():
        return None
    hangs = [
        (kind, square)
        for square, gain in gains_on(idle).items()
        if (kind := idle.piece_type_at(square)) is not None and gain >= (POINT if kind == chess.PAWN else PIECE)
    ]
    still = gains_on(played.after)
    hangs.sort(key=lambda target: -POINTS[target[0]])
    for kind, square in hangs:
        if square == played.move.from_square:
            if kind == chess.PAWN or played.before.is_capture(played.move):
                continue
            return None if still.get(played.move.to_square, 0) >= POINT else Effect("escape", ((kind, square),))
        if played.after.piece_at(square) != played.before.piece_at(square):
            continue  # the rook of a king that castles
        newly = square in played.after.attacks(played.move.to_square) - played.before.attacks(played.move.from_square)
        if newly and still.get(square, 0) < POINT:
            return Effect("guard", ((kind, square),))
    return None
