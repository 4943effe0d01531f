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
pub fn material_gain(m: Move) -> i32 {
    m.capture().map_or(0, piece_value) + m.promotion().map_or(0, |role| piece_value(role) - piece_value(Role::Pawn))
}

/// Points of a piece as players count them; the king is worth more than all others.
pub(crate) fn points(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 10,
    }
}

/// Points of a side's pieces, kings and pawns not counted.
pub(crate) fn piece_points(board: &Board, color: Color) -> usize {
    let own = board.by_color(color);
    let value = |role: Role| points(role) as usize * (own & board.by_role(role)).count();
    [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().map(value).sum()
}
