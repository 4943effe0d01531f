//! Moves: where they lead, their squares, their number, their mirror image.

use shakmaty::{CastlingSide, Chess, Move, Position, Square};

/// The position after a legal move.
pub(crate) fn after(chess: &Chess, m: Move) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(m);
    next
}

/// Where a piece comes from and goes to; castling is the king's move.
pub(crate) fn ends(m: Move) -> (Square, Square) {
    match m {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(rook > king);
            (king, Square::from_coords(side.king_to_file(), king.rank()))
        }
        _ => (m.from().unwrap_or(m.to()), m.to()),
    }
}

/// A move in 15 bits, never 0; only compared with moves of the same position.
pub(crate) fn move_code(m: Move) -> u16 {
    let from = m.from().map_or(0, u16::from);
    from | u16::from(m.to()) << 6 | m.promotion().map_or(0, |role| role as u16) << 12
}

/// The move on the mirrored board.
pub(crate) fn mirror_move(m: Move) -> Move {
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            Move::Normal { role, from: from.flip_vertical(), capture, to: to.flip_vertical(), promotion }
        }
        Move::EnPassant { from, to } => Move::EnPassant { from: from.flip_vertical(), to: to.flip_vertical() },
        Move::Castle { king, rook } => Move::Castle { king: king.flip_vertical(), rook: rook.flip_vertical() },
        Move::Put { role, to } => Move::Put { role, to: to.flip_vertical() },
    }
}
