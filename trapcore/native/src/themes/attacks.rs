//! Pieces that are attacked, loose, trapped or pinned. Attacks are those of the pieces as they stand; a pinned piece
//! attacks and defends as any other.

use shakmaty::{Bitboard, Board, Chess, Color, Position, Role, Square, attacks};

use crate::chess::moves::after;
use crate::chess::piece_values::points;

pub(crate) fn attackers(board: &Board, color: Color, square: Square) -> Bitboard {
    board.attacks_to(square, color, board.occupied())
}

/// Pieces of a side that move along lines.
pub(crate) fn sliders(board: &Board, color: Color) -> Bitboard {
    (board.bishops() | board.rooks_and_queens()) & board.by_color(color)
}

pub(crate) fn is_slider(role: Role) -> bool {
    matches!(role, Role::Bishop | Role::Rook | Role::Queen)
}

/// Does a piece of its own side guard the piece on this square, be it through a line piece that attacks it?
pub(crate) fn is_defended(board: &Board, square: Square) -> bool {
    let Some(color) = board.color_at(square) else { return false };
    attackers(board, color, square).any()
        || (attackers(board, !color, square) & sliders(board, !color))
            .into_iter()
            .any(|slider| board.attacks_to(square, color, board.occupied().without(slider)).any())
}

/// Can the piece on this square be taken for nothing, or by something cheaper?
pub(crate) fn is_en_prise(board: &Board, square: Square) -> bool {
    let Some(piece) = board.piece_at(square) else { return false };
    let takers = attackers(board, !piece.color, square);
    let is_cheaper =
        |taker| board.role_at(taker).is_some_and(|role| role != Role::King && points(role) < points(piece.role));
    takers.any() && (!is_defended(board, square) || takers.into_iter().any(is_cheaper))
}

/// Is a piece of the side to move, not a pawn or the king, attacked and without a move that saves it?
pub(crate) fn is_trapped(chess: &Chess, square: Square) -> bool {
    let board = chess.board();
    let Some(piece) = board.piece_at(square) else { return false };
    if piece.color != chess.turn()
        || matches!(piece.role, Role::Pawn | Role::King)
        || chess.is_check()
        || pin_line(board, square).is_some()
        || !is_en_prise(board, square)
    {
        return false;
    }
    chess.legal_moves().into_iter().filter(|m| m.from() == Some(square) && !m.is_castle()).all(|m| {
        m.capture().is_none_or(|captured| points(captured) < points(piece.role))
            && is_en_prise(after(chess, m).board(), m.to())
    })
}

/// The line on which the piece on this square is pinned to its king.
pub(crate) fn pin_line(board: &Board, square: Square) -> Option<Bitboard> {
    let color = board.color_at(square)?;
    let king = board.king_of(color)?;
    pinner(board, king, square).map(|_| attacks::ray(king, square))
}

/// The piece that pins the piece on `square` to its king.
pub(crate) fn pinner(board: &Board, king: Square, square: Square) -> Option<Square> {
    let color = board.color_at(square)?;
    let straight = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    ((straight | diagonal) & board.by_color(!color))
        .into_iter()
        .find(|&slider| attacks::between(king, slider) & board.occupied() == Bitboard::from_square(square))
}

/// The squares around this one.
pub(crate) fn ring(square: Square) -> Bitboard {
    attacks::king_attacks(square)
}
