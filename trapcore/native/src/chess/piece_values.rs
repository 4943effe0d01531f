//! Piece values, for everything but the evaluation, whose weights were fitted.

use shakmaty::{Board, Color, Move, Role};

/// Value of a piece in centipawns, as exchanges are counted.
pub(crate) fn piece_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 20_000,
    }
}

/// Centipawns that a move takes off the board or adds by promotion.
pub(crate) fn material_gain(m: Move) -> i32 {
    m.capture().map_or(0, piece_value) + m.promotion().map_or(0, |role| piece_value(role) - piece_value(Role::Pawn))
}

/// Points of a side's pieces, pawns not counted: 3 for a minor piece, 5 for a rook, 9 for a queen.
pub(crate) fn piece_points(board: &Board, color: Color) -> usize {
    let own = board.by_color(color);
    let count = |role: Role| (own & board.by_role(role)).count();
    3 * (count(Role::Knight) + count(Role::Bishop)) + 5 * count(Role::Rook) + 9 * count(Role::Queen)
}
