"""What a move does on the board besides what it takes: threats, pins, trades, pawns, squares.

Each effect is a fact of the position before and the position after the move, so that a sentence may state it. Whether
it is the reason why a move is good, a reader of two such moves decides: `first_new` leaves out what both do.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import chess

from db.wording.stands import PIECE, POINT, Target, gains_on, mates_at_once, taken_by
from trapcore import _native
from trapcore.piece_values import POINTS

_NAMED = 2  # pieces that are named as attacked
_DEVELOPED_UNTIL = 31  # half-moves until which a piece that leaves its first rank is developed
_PROMOTES_IN = 9  # plies of a line until which a pawn promotes that its first move brings through
_CENTRE = chess.SquareSet(chess.BB_FILE_C | chess.BB_FILE_D | chess.BB_FILE_E | chess.BB_FILE_F)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a move does."""

    does: str
    """One of `EFFECTS`."""
    targets: tuple[Target, ...] = ()
    """Pieces that it acts on, and where they stand, the most valuable first."""
    square: chess.Square | None = None
    """The square, or a square of the file, that it is about."""


@dataclass(frozen=True, slots=True)
class _Move:
    """A move of a line, with the positions around it."""

    before: chess.Board
    after: chess.Board
    move: chess.Move
    line: tuple[str, ...]
    """UCI: what follows."""
    half_move: int
    """As `db.wording.moves.line` takes it."""

    @property
    def own(self) -> chess.Color:
        return self.before.turn

    @property
    def piece(self) -> chess.PieceType:
        """What moves."""
        kind = self.before.piece_type_at(self.move.from_square)
        assert kind is not None
        return kind

    @property
    def reply(self) -> chess.Move | None:
        return chess.Move.from_uci(self.line[0]) if self.line else None


def effects_of(before: chess.Board, line: Sequence[str], half_move: int) -> Iterator[Effect]:
    """What the first move of a line (UCI, from the position ``before``) does, what says most first."""
    after = before.copy(stack=False)
    move = after.push_uci(line[0])
    played = _Move(before, after, move, tuple(line[1:]), half_move)
    is_taken = played.reply is not None and played.reply.to_square == move.to_square
    for find in _FINDERS:
        effect = find(played)
        if effect is not None and (not is_taken or effect.does in _LASTING):
            yield effect


_LASTING = frozenset({"win", "promotes", "promotion", "doubled", "trade", "exchange", "take", "no_castling"})
"""Effects that stay if the piece that moved is taken."""


def _win(played: _Move) -> Effect | None:
    """It takes a piece with profit."""
    taken = taken_by(played.before, played.move)
    if taken is None or taken[0] == chess.PAWN or _gain(played) < PIECE:
        return None
    return Effect("win", (taken,))


def _take(played: _Move) -> Effect | None:
    """It takes something, no pawn that costs more, and is not taken back: neither at once nor after a check between."""
    taken, here = taken_by(played.before, played.move), chess.square_name(played.move.to_square)
    checks = played.reply is not None and played.after.gives_check(played.reply)
    is_taken_back = any(uci[2:4] == here for uci in played.line[: 3 if checks else 1 : 2])
    if taken is None or is_taken_back or (taken[0] == chess.PAWN and _gain(played) < 0):
        return None
    return Effect("take", (taken,))


def _mate_threat(played: _Move) -> Effect | None:
    """It threatens mate in one, and is not simply taken."""
    is_known = played.reply is not None  # then a reader of effects sees whether it is taken
    idle = _idle(played.after) if is_known or not _can_be_taken(played.after, played.move.to_square) else None
    return Effect("mate_threat") if idle is not None and mates_at_once(idle) else None


def _promotion(played: _Move) -> Effect | None:
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


def _attack(played: _Move) -> Effect | None:
    """It attacks pieces that could be taken with profit, if the other side did nothing, and could not before."""
    if _can_be_taken(played.after, played.move.to_square):
        return None
    idle = _idle(played.after)
    if idle is None:
        return _attack_with_check(played)
    before, found = gains_on(played.before), []
    own = played.after.attacks(played.move.to_square)
    for square, gain in gains_on(idle).items():
        kind = idle.piece_type_at(square)
        if played.before.is_check() and square not in own:
            continue  # it may have been attacked before
        if kind is not None and gain >= (POINT if kind == chess.PAWN else PIECE) and 2 * before.get(square, 0) < gain:
            found.append((kind, square))
    found.sort(key=lambda target: -POINTS[target[0]])
    found = [target for target in found if target[1] in own or _is_uncovered(played, target[1])]
    found = [target for target in found if _matters(played, target[1])]
    pieces = [target for target in found if target[0] != chess.PAWN]
    if len(pieces) == 1 and pieces[0][0] == played.piece and pieces[0][1] in own:
        return Effect("offer", tuple(pieces))
    named = (pieces or found)[:_NAMED]
    if not named:
        return None
    by_itself = named[0][1] in own
    named = [each for each in named if (each[1] in own) == by_itself]
    if by_itself and len(named) == 1:
        named += _behind(played, idle, named[0])
    return Effect("attack" if by_itself else "uncover", tuple(named))


def _behind(played: _Move, idle: chess.Board, front: Target) -> list[Target]:
    """A piece of less worth behind the attacked one on the same line, which could be taken with profit without that.
    ``idle`` is the position after a pass of the other side."""
    idle = idle.copy(stack=False)
    idle.remove_piece_at(front[1])
    opened = idle.attacks(played.move.to_square) - played.after.attacks(played.move.to_square)
    gains = gains_on(idle) if idle.is_valid() else {}
    kinds = [(idle.piece_type_at(square), square) for square in opened if gains.get(square, 0) >= POINT]
    return [(kind, square) for kind, square in kinds if kind and 1 < POINTS[kind] < POINTS[front[0]]][:1]


def _attack_with_check(played: _Move) -> Effect | None:
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
    return Effect("attack", tuple(found[:_NAMED])) if found and played.after.checkers_mask() == 1 << to else None


def _is_uncovered(played: _Move, square: chess.Square) -> bool:
    """Whether a piece attacks the square through the one that has been left."""
    left = played.move.from_square
    return any(left in chess.SquareSet.between(by, square) for by in played.after.attackers(played.own, square))


def _matters(played: _Move, square: chess.Square) -> bool:
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


def _offer(played: _Move) -> Effect | None:
    """A queen or a rook comes to where it faces the same piece of the other side, and neither can be taken for free."""
    kind, own, start = played.piece, played.after.attacks(played.move.to_square), played.move.from_square
    if kind not in (chess.QUEEN, chess.ROOK) or _can_be_taken(played.after, played.move.to_square):
        return None
    if played.after.is_check() or played.before.is_capture(played.move):
        return None  # nobody may take the offer at once, or what it takes is more
    faced = (own - played.before.attacks(start)) & played.after.pieces(kind, not played.own)
    return Effect("offer", ((kind, min(faced)),)) if faced else None


def _pin(played: _Move) -> Effect | None:
    """The piece that moves pins a piece to its king, and cannot be taken with profit."""
    other, to = not played.own, played.move.to_square
    if _can_be_taken(played.after, to):
        return None
    for square in chess.SquareSet(played.after.occupied_co[other]):
        kind = played.after.piece_type_at(square)
        if kind in (None, chess.PAWN, chess.KING) or not played.after.is_pinned(other, square):
            continue
        ray = played.after.pin(other, square)
        if to in ray and not played.before.is_pinned(other, square):
            return Effect("pin", ((kind, square),))
    return None


def _guard(played: _Move) -> Effect | None:
    """It guards a piece that could be taken with profit, or takes it out of the attack."""
    idle = _idle(played.before)
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


def _no_castling(played: _Move) -> Effect | None:
    """It is a check after which the other side can no longer castle."""
    other = not played.own
    if not played.after.is_check() or not played.before.has_castling_rights(other):
        return None
    king = played.after.king(other)
    moves = list(played.after.legal_moves)
    return Effect("no_castling") if moves and all(move.from_square == king for move in moves) else None


def _trade(played: _Move) -> Effect | None:
    """It takes a piece that is worth as much as the one that takes, and is taken back."""
    kind, reply = played.before.piece_type_at(played.move.to_square), played.reply
    if kind is None or reply is None or reply.to_square != played.move.to_square:
        return None
    if kind == played.piece:
        return Effect("trade", ((kind, played.move.to_square),))
    own = ((played.piece, played.move.to_square), (kind, played.move.to_square))
    return Effect("exchange", own) if abs(POINTS[kind] - POINTS[played.piece]) < 1 else None


def _doubled(played: _Move) -> Effect | None:
    """It is taken back by a pawn that is doubled then."""
    reply = played.reply
    if reply is None or reply.to_square != played.move.to_square or not played.before.is_capture(played.move):
        return None
    if played.after.piece_type_at(reply.from_square) != chess.PAWN:
        return None
    if any(played.after.piece_type_at(chess.parse_square(uci[2:4])) is not None for uci in played.line[1:3]):
        return None  # something else is taken next
    file = chess.BB_FILES[chess.square_file(reply.to_square)]
    return Effect("doubled", square=reply.to_square) if played.after.pieces(chess.PAWN, not played.own) & file else None


def _passed(played: _Move) -> Effect | None:
    """A pawn move makes a passed pawn, or brings one forward beyond the middle."""
    if played.piece != chess.PAWN or played.move.promotion is not None:
        return None
    to = played.move.to_square
    if not _is_passed(played.after, to, played.own) or _can_be_taken(played.after, to):
        return None
    if not _is_passed(played.before, played.move.from_square, played.own):
        return Effect("passed", square=to)
    rank = chess.square_rank(to if played.own else chess.square_mirror(to))
    return Effect("advance", square=to) if rank >= 4 else None


def _seventh(played: _Move) -> Effect | None:
    """A rook comes to the last rank but one, where it is safe and pawns or the king are."""
    to, rank = played.move.to_square, chess.BB_RANK_7 if played.own else chess.BB_RANK_2
    comes = rank & chess.BB_SQUARES[to] and not rank & chess.BB_SQUARES[played.move.from_square]
    if played.piece != chess.ROOK or not comes:
        return None
    last = chess.BB_RANK_8 if played.own else chess.BB_RANK_1
    king = played.after.pieces_mask(chess.KING, not played.own) & last
    pawns = played.after.pieces_mask(chess.PAWN, not played.own) & rank
    return Effect("seventh", square=to) if (king or pawns) and not _can_be_taken(played.after, to) else None


def _open_file(played: _Move) -> Effect | None:
    """A rook comes to a file without pawns, from one that has some."""
    to, start = played.move.to_square, played.move.from_square
    if played.piece != chess.ROOK or chess.square_file(to) == chess.square_file(start):
        return None
    files = [chess.BB_FILES[chess.square_file(square)] & played.after.pawns for square in (to, start)]
    heavy = played.after.occupied_co[not played.own] & (played.after.rooks | played.after.queens)
    if heavy & chess.BB_FILES[chess.square_file(to)]:
        return None  # the other side has it, too
    return Effect("open_file", square=to) if not files[0] and files[1] and not _can_be_taken(played.after, to) else None


def _half_open(played: _Move) -> Effect | None:
    """A rook comes from a file with own pawns to one without, where a pawn of the other side stands."""
    to, start = played.move.to_square, played.move.from_square
    if played.piece != chess.ROOK or chess.square_file(to) == chess.square_file(start):
        return None
    own = played.after.pieces_mask(chess.PAWN, played.own)
    files = [chess.BB_FILES[chess.square_file(square)] for square in (to, start)]
    is_half_open = not own & files[0] and own & files[1] and played.after.pawns & files[0]
    return Effect("half_open", square=to) if is_half_open and not _can_be_taken(played.after, to) else None


def _outpost(played: _Move) -> Effect | None:
    """A knight comes to a square beyond the middle that a pawn guards, and that no pawn can attack."""
    to = played.move.to_square
    rank = chess.square_rank(to if played.own else chess.square_mirror(to))
    if played.piece != chess.KNIGHT or rank not in (4, 5) or _can_be_taken(played.after, to):
        return None
    guards = played.after.attackers(played.own, to) & played.after.pieces(chess.PAWN, played.own)
    ahead = _ahead(to, played.own) & ~chess.BB_FILES[chess.square_file(to)]
    return Effect("outpost", square=to) if guards and not ahead & played.after.pieces_mask(
        chess.PAWN, not played.own
    ) else None  # fmt: skip


def _challenge(played: _Move) -> Effect | None:
    """A pawn attacks a pawn of the centre."""
    if played.piece != chess.PAWN or played.before.is_capture(played.move):
        return None
    pawns = played.after.pieces(chess.PAWN, not played.own) & _CENTRE
    for square in played.after.attacks(played.move.to_square) & pawns:
        return Effect("challenge", ((chess.PAWN, square),))
    return None


def _centre(played: _Move) -> Effect | None:
    """A pawn comes to the middle of the board in the opening, where it is safe."""
    to = played.move.to_square
    if played.piece != chess.PAWN or not chess.BB_CENTER & chess.BB_SQUARES[to] or played.half_move > _DEVELOPED_UNTIL:
        return None
    if chess.BB_CENTER & chess.BB_SQUARES[played.move.from_square]:
        return None
    return None if played.before.is_capture(played.move) or _can_be_taken(played.after, to) else Effect("centre")


def _development(played: _Move) -> Effect | None:
    """A knight or a bishop leaves its first rank in the opening."""
    first = chess.BB_RANK_1 if played.own else chess.BB_RANK_8
    leaves = chess.BB_SQUARES[played.move.from_square] & first and not chess.BB_SQUARES[played.move.to_square] & first
    if played.piece not in (chess.KNIGHT, chess.BISHOP) or not leaves or played.half_move > _DEVELOPED_UNTIL:
        return None
    safe = not played.before.is_capture(played.move) and not _can_be_taken(played.after, played.move.to_square)
    return Effect("development", ((played.piece, played.move.to_square),)) if safe else None


def _castling(played: _Move) -> Effect | None:
    """It castles."""
    return Effect("castles") if played.before.is_castling(played.move) else None


def _opposition(played: _Move) -> Effect | None:
    """In a pawn ending the king comes to face the other one, with one square between them."""
    others = played.after.knights | played.after.bishops | played.after.rooks | played.after.queens
    king = played.after.king(not played.own)
    if played.piece != chess.KING or others or king is None:
        return None
    to = played.move.to_square
    is_between = chess.square_distance(to, king) == 2 and len(chess.SquareSet.between(to, king)) == 1
    return Effect("opposition") if is_between and not chess.BB_DIAG_ATTACKS[to][0] & chess.BB_SQUARES[king] else None


_FINDERS: tuple[Callable[[_Move], Effect | None], ...] = (
    _win, _mate_threat, _promotion, _trade, _doubled, _take, _attack, _offer, _pin, _guard, _no_castling, _passed,
    _opposition, _seventh, _outpost, _open_file, _half_open, _challenge, _development, _castling, _centre,
)  # fmt: skip

EFFECTS = (
    "win", "mate_threat", "promotes", "promotion", "trade", "exchange", "doubled", "take", "attack",
    "uncover", "offer", "pin", "guard",
    "escape", "no_castling", "passed", "advance", "opposition", "seventh", "outpost", "open_file", "half_open",
    "challenge", "development", "castles", "centre",
)  # fmt: skip
"""What a move may do."""


def _gain(played: _Move) -> int:
    """What the move wins by exchanges on its square, centipawns."""
    return dict(_native.exchanges(played.before.fen())).get(played.move.uci(), 0)


def _idle(board: chess.Board) -> chess.Board | None:
    """The position with the other side to move; None if the one that is to move is in check."""
    if board.is_check():
        return None
    board = board.copy(stack=False)
    board.push(chess.Move.null())
    return board


def _can_be_taken(board: chess.Board, square: chess.Square) -> bool:
    """Whether the side to move can take what stands there with profit."""
    return gains_on(board).get(square, 0) >= POINT


def _ahead(square: chess.Square, colour: chess.Color) -> int:
    """The squares in front of a pawn on its file and on those beside it."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    files = chess.BB_FILES[file]
    files |= chess.BB_FILES[file - 1] if file else 0
    files |= chess.BB_FILES[file + 1] if file < 7 else 0
    ranks = range(rank + 1, 8) if colour else range(rank)
    return files & sum(chess.BB_RANKS[each] for each in ranks)


def _is_passed(board: chess.Board, square: chess.Square, colour: chess.Color) -> bool:
    return not _ahead(square, colour) & board.pieces_mask(chess.PAWN, not colour)
