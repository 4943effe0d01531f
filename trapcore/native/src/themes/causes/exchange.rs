//! What captures on one square win, counted with the pieces as they stand: cheapest first, without those that a pin holds.
//!
//! The board is enough: whether the mover is in check, so that no pass would be legal, makes no difference here.

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use crate::chess::piece_values::piece_value;
use crate::themes::attacks::pinner;

/// Centipawns from which captures win something: less than a pawn, more than a bishop is worth above a knight.
pub(crate) const SOMETHING: i32 = 80;

/// Centipawns of a side's pieces and pawns less those of the other side.
pub(crate) fn material(board: &Board, color: Color) -> i32 {
    let of = |color: Color| -> i32 {
        let own = board.by_color(color) & !board.kings();
        own.into_iter().filter_map(|square| board.role_at(square)).map(piece_value).sum()
    };
    of(color) - of(!color)
}

/// What `by` wins if it takes on the square: 0 or less where it cannot, or had better not. Centipawns.
pub(crate) fn taking(board: &Board, by: Color, square: Square) -> i32 {
    let Some(role) = board.role_at(square).filter(|_| board.color_at(square) == Some(!by)) else { return 0 };
    let pinned = pinned(board, Color::White, square) | pinned(board, Color::Black, square);
    let mut occupied = board.occupied();
    let (mut gains, mut on_square, mut side) = (Vec::new(), piece_value(role), by);
    loop {
        let all = (board.attacks_to(square, Color::White, occupied) | board.attacks_to(square, Color::Black, occupied))
            & occupied
            & !pinned;
        let Some((from, role)) = cheapest(board, all & board.by_color(side)) else { break };
        if role == Role::King && (all & board.by_color(!side)).any() {
            break;
        }
        gains.push(on_square - gains.last().copied().unwrap_or(0));
        on_square = piece_value(role);
        occupied.discard(from);
        side = !side;
    }
    let Some(mut value) = gains.pop() else { return 0 };
    while let Some(earlier) = gains.pop() {
        value = earlier.min(-value);
    }
    value
}

/// Pieces of a side that a pin keeps from going to the square.
fn pinned(board: &Board, color: Color, square: Square) -> Bitboard {
    let Some(king) = board.king_of(color) else { return Bitboard::EMPTY };
    (attacks::queen_attacks(king, board.occupied()) & board.by_color(color))
        .into_iter()
        .filter(|&piece| pinner(board, king, piece).is_some() && !attacks::ray(king, piece).contains(square))
        .collect()
}

fn cheapest(board: &Board, of: Bitboard) -> Option<(Square, Role)> {
    Role::ALL.into_iter().find_map(|role| (of & board.by_role(role)).first().map(|square| (square, role)))
}

/// Whether `by` wins something on the square.
pub(crate) fn wins(board: &Board, by: Color, square: Square) -> bool {
    taking(board, by, square) >= SOMETHING
}

/// The most that `by` wins by captures on one square, and the square; `None` where it wins nothing.
pub(crate) fn best_taking(board: &Board, by: Color) -> Option<(i32, Square)> {
    let taken = board.by_color(!by) & !board.kings();
    taken.into_iter().map(|square| (taking(board, by, square), square)).filter(|&(gain, _)| gain > 0).max()
}

/// The board with a piece put back from one square to another.
pub(crate) fn put_back(board: &Board, from: Square, to: Square) -> Option<Board> {
    let mut board = board.clone();
    let piece = board.remove_piece_at(from)?;
    if board.piece_at(to).is_some() {
        return None;
    }
    board.set_piece_at(to, piece);
    Some(board)
}
