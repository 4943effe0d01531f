//! What could be taken next, beyond what the quiescence search sees: it lets only the mover capture.

use shakmaty::{Bitboard, Board, Color, Role};

use super::attacked::Attacked;
use super::features::*;
use super::pawns::push_threats;

pub(super) fn collect(
    board: &Board,
    color: Color,
    own: &Attacked,
    other: &Attacked,
    tally: &mut impl FnMut(usize, i32),
) {
    let them = board.by_color(!color);
    let weak = them & !other.pawns();
    let hanging = them & own.all & !other.all;
    let rooks = own.by[role_index(Role::Rook)];
    let count = |squares: Bitboard, role: Role| (squares & board.by_role(role)).count() as i32;
    for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let index = role_index(role);
        if index > 0 {
            tally(PAWN_THREAT + index - 1, count(them & own.pawns(), role));
        }
        // A rook or queen is in danger from a minor piece whether it is guarded or not.
        let by_minor = if index >= role_index(Role::Rook) { them } else { weak };
        tally(MINOR_THREAT + index, count(by_minor & own.minors(), role));
        let by_rook = if index == role_index(Role::Queen) { them } else { weak };
        tally(ROOK_THREAT + index, count(by_rook & rooks, role));
        tally(HANGING + index, count(hanging, role));
    }
    if (own.by[role_index(Role::King)] & hanging).any() {
        tally(KING_THREAT, 1);
    }
    tally(PUSH_THREAT, push_threats(board, color, own, other));
}

/// Threatened pieces of the mover, who can save one of them, and of the other side.
pub(super) fn forks([mover, waiter]: [usize; 2], tally: &mut impl FnMut(usize, i32)) {
    tally(MOVER_THREATENED + mover.min(3), 1);
    tally(WAITER_THREATENED + waiter.min(3), 1);
}
