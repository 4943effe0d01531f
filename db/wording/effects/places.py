"""Effects of a move on places: pawns, files, squares, kings."""

import chess

from db.wording.effects.played import Effect, Played, can_be_taken

_DEVELOPED_UNTIL = 31  # half-moves until which a piece that leaves its first rank is developed
_SOON = 6  # plies of a line in which a passed pawn must not fall
_CENTRE = chess.SquareSet(chess.BB_FILE_C | chess.BB_FILE_D | chess.BB_FILE_E | chess.BB_FILE_F)


def no_castling(played: Played) -> Effect | None:
    """It is a check after which the other side can no longer castle."""
    other = not played.own
    if not played.after.is_check() or not played.before.has_castling_rights(other):
        return None
    king = played.after.king(other)
    moves = list(played.after.legal_moves)
    return Effect("no_castling") if moves and all(move.from_square == king for move in moves) else None


def doubled(played: Played) -> Effect | None:
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


def passed(played: Played) -> Effect | None:
    """A pawn move makes a passed pawn, or brings one forward beyond the middle."""
    if played.piece != chess.PAWN or played.move.promotion is not None:
        return None
    to = played.move.to_square
    is_lost = any(uci[2:4] == chess.square_name(to) for uci in played.line[:_SOON:2])
    if is_lost or not _is_passed(played.after, to, played.own) or can_be_taken(played.after, to):
        return None
    if not _is_passed(played.before, played.move.from_square, played.own):
        return Effect("passed", square=to)
    rank = chess.square_rank(to if played.own else chess.square_mirror(to))
    return Effect("advance", square=to) if rank >= 4 else None


def seventh(played: Played) -> Effect | None:
    """A rook comes to the last rank but one, where it is safe and pawns or the king are."""
    to, rank = played.move.to_square, chess.BB_RANK_7 if played.own else chess.BB_RANK_2
    comes = rank & chess.BB_SQUARES[to] and not rank & chess.BB_SQUARES[played.move.from_square]
    if played.piece != chess.ROOK or not comes:
        return None
    last = chess.BB_RANK_8 if played.own else chess.BB_RANK_1
    king = played.after.pieces_mask(chess.KING, not played.own) & last
    pawns = played.after.pieces_mask(chess.PAWN, not played.own) & rank
    return Effect("seventh", square=to) if (king or pawns) and not can_be_taken(played.after, to) else None


def open_file(played: Played) -> Effect | None:
    """A rook comes to a file without pawns, from one that has some."""
    to, start = played.move.to_square, played.move.from_square
    if played.piece != chess.ROOK or chess.square_file(to) == chess.square_file(start) or played.after.is_check():
        return None
    files = [chess.BB_FILES[chess.square_file(square)] & played.after.pawns for square in (to, start)]
    heavy = played.after.occupied_co[not played.own] & (played.after.rooks | played.after.queens)
    if heavy & chess.BB_FILES[chess.square_file(to)]:
        return None  # the other side has it, too
    return Effect("open_file", square=to) if not files[0] and files[1] and not can_be_taken(played.after, to) else None


def half_open(played: Played) -> Effect | None:
    """A rook comes from a file with own pawns to one without, where a pawn of the other side stands."""
    to, start = played.move.to_square, played.move.from_square
    if played.piece != chess.ROOK or chess.square_file(to) == chess.square_file(start) or played.after.is_check():
        return None
    own = played.after.pieces_mask(chess.PAWN, played.own)
    files = [chess.BB_FILES[chess.square_file(square)] for square in (to, start)]
    is_half_open = not own & files[0] and own & files[1] and played.after.pawns & files[0]
    return Effect("half_open", square=to) if is_half_open and not can_be_taken(played.after, to) else None


def outpost(played: Played) -> Effect | None:
    """A knight comes to a square beyond the middle that a pawn guards, and that no pawn can attack."""
    to = played.move.to_square
    rank = chess.square_rank(to if played.own else chess.square_mirror(to))
    if played.piece != chess.KNIGHT or rank not in (4, 5) or can_be_taken(played.after, to):
        return None
    guards = played.after.attackers(played.own, to) & played.after.pieces(chess.PAWN, played.own)
    ahead = _ahead(to, played.own) & ~chess.BB_FILES[chess.square_file(to)]
    return Effect("outpost", square=to) if guards and not ahead & played.after.pieces_mask(
        chess.PAWN, not played.own
    ) else None  # fmt: skip


def challenge(played: Played) -> Effect | None:
    """A pawn attacks a pawn of the centre."""
    if played.piece != chess.PAWN or played.before.is_capture(played.move):
        return None
    pawns = played.after.pieces(chess.PAWN, not played.own) & _CENTRE
    for square in played.after.attacks(played.move.to_square) & pawns:
        return Effect("challenge", ((chess.PAWN, square),))
    return None


def centre(played: Played) -> Effect | None:
    """A pawn comes to the middle of the board in the opening, where it is safe."""
    to = played.move.to_square
    if played.piece != chess.PAWN or not chess.BB_CENTER & chess.BB_SQUARES[to] or played.half_move > _DEVELOPED_UNTIL:
        return None
    if chess.BB_CENTER & chess.BB_SQUARES[played.move.from_square]:
        return None
    return None if played.before.is_capture(played.move) or can_be_taken(played.after, to) else Effect("centre")


def development(played: Played) -> Effect | None:
    """A knight or a bishop leaves its first rank in the opening."""
    first = chess.BB_RANK_1 if played.own else chess.BB_RANK_8
    leaves = chess.BB_SQUARES[played.move.from_square] & first and not chess.BB_SQUARES[played.move.to_square] & first
    if played.piece not in (chess.KNIGHT, chess.BISHOP) or not leaves or played.half_move > _DEVELOPED_UNTIL:
        return None
    safe = not played.before.is_capture(played.move) and not can_be_taken(played.after, played.move.to_square)
    return Effect("development", ((played.piece, played.move.to_square),)) if safe else None


def castling(played: Played) -> Effect | None:
    """It castles."""
    return Effect("castles") if played.before.is_castling(played.move) else None


def opposition(played: Played) -> Effect | None:
    """In a pawn ending the king comes to face the other one, with one square between them."""
    others = played.after.knights | played.after.bishops | played.after.rooks | played.after.queens
    king = played.after.king(not played.own)
    if played.piece != chess.KING or others or king is None:
        return None
    to = played.move.to_square
    is_between = chess.square_distance(to, king) == 2 and len(chess.SquareSet.between(to, king)) == 1
    return Effect("opposition") if is_between and not chess.BB_DIAG_ATTACKS[to][0] & chess.BB_SQUARES[king] else None


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
