//! Moves: where they lead, their squares, their number, their mirror image.

use shakmaty::{CastlingSide, Chess, Move, Position, Rank, Role, Square, attacks};

/// The position after a legal move.
pub fn after(chess: &Chess, m: Move) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(m);
    next
}

/// The position before each move of a line, and after the last one.
pub(crate) fn positions_along(start: &Chess, moves: &[Move]) -> Vec<Chess> {
    let mut positions = Vec::with_capacity(moves.len() + 1);
    positions.push(start.clone());
    for (index, &m) in moves.iter().enumerate() {
        positions.push(after(&positions[index], m));
    }
    positions
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
pub fn move_code(m: Move) -> u16 {
    let from = m.from().map_or(0, u16::from);
    from | u16::from(m.to()) << 6 | m.promotion().map_or(0, |role| role as u16) << 12
}

/// The legal move of this code, if the position has it.
pub(crate) fn coded_move(chess: &Chess, code: u16) -> Option<Move> {
    let square = |bits: u16| Square::new(u32::from(bits & 63));
    let (from, to) = (square(code), square(code >> 6));
    let board = chess.board();
    let role = board.role_at(from)?;
    let promotion = ((code >> 12) > 0).then(|| Role::try_from(code >> 12)).transpose().ok()?;
    let m = if role == Role::King && board.piece_at(to) == Some(Role::Rook.of(chess.turn())) {
        Move::Castle { king: from, rook: to }
    } else if role == Role::Pawn && chess.maybe_ep_square() == Some(to) && from.file() != to.file() {
        Move::EnPassant { from, to }
    } else {
        Move::Normal { role, from, capture: board.role_at(to), to, promotion }
    };
    chess.is_legal(m).then_some(m)
}

/// Captures and promotions to a queen, in no order; some may leave the own king in check.
pub(crate) fn pseudo_legal_captures(chess: &Chess, mut each: impl FnMut(Move)) {
    let (board, turn) = (chess.board(), chess.turn());
    let (own, other, occupied) = (chess.us(), chess.them(), board.occupied());
    let pawns = board.pawns() & own;
    let seventh = turn.fold_wb(Rank::Seventh, Rank::Second);
    for from in pawns {
        let promotion = (from.rank() == seventh).then_some(Role::Queen);
        for to in attacks::pawn_attacks(turn, from) & other {
            each(Move::Normal { role: Role::Pawn, from, capture: board.role_at(to), to, promotion });
        }
        if promotion.is_some()
            && let Some(to) = from.offset(turn.fold_wb(8, -8)).filter(|&to| !occupied.contains(to))
        {
            each(Move::Normal { role: Role::Pawn, from, capture: None, to, promotion });
        }
    }
    if chess.maybe_ep_square().is_some() {
        chess.en_passant_moves().into_iter().for_each(&mut each);
    }
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
        for from in own & board.by_role(role) {
            for to in attacks::attacks(from, role.of(turn), occupied) & other {
                each(Move::Normal { role, from, capture: board.role_at(to), to, promotion: None });
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::parse;

    #[test]
    fn codes_lead_back_and_captures_are_complete() {
        let mut random = 9_u64;
        let mut captures = 0;
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "4k3/8/8/3pP3/8/8/8/B3RK2 w - d6 0 1",
        ] {
            for _ in 0..20 {
                let mut chess = parse(fen).unwrap().chess;
                for _ in 0..60 {
                    let moves = chess.legal_moves();
                    for &m in &moves {
                        assert_eq!(coded_move(&chess, move_code(m)), Some(m));
                    }
                    let mut found = Vec::new();
                    pseudo_legal_captures(&chess, |m| found.push(m));
                    let loud =
                        |m: &Move| m.promotion() == Some(Role::Queen) || m.is_capture() && m.promotion().is_none();
                    let wanted = moves.iter().filter(|m| loud(m)).count();
                    captures += wanted;
                    assert_eq!(found.iter().filter(|m| moves.contains(m)).count(), wanted);
                    let king = chess.turn();
                    for m in found.iter().filter(|m| !moves.contains(m)) {
                        let next = after(&chess, *m);
                        let at = next.board().king_of(king).unwrap();
                        assert!(next.board().attacks_to(at, !king, next.board().occupied()).any(), "{m:?}");
                    }
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    if moves.is_empty() {
                        break;
                    }
                    chess = after(&chess, moves[(random >> 33) as usize % moves.len()]);
                }
            }
        }
        assert!(captures > 5_000);
    }
}
