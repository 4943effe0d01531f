//! Static exchange evaluation: what a series of captures on one square is worth, cheapest attacker first.

use shakmaty::{Bitboard, Chess, Move, Position, Role, Square};

use crate::chess::orientation::Orientation;
use crate::chess::piece_values::{material_gain, piece_value};

/// Static exchange evaluation: material that the side to move gains (or, negative, loses) by `m` and the best captures
/// on its target square that follow, each side free to stop. Pins are not examined.
pub fn see(chess: &Chess, m: Move) -> i32 {
    see_by(chess, m, Bitboard::first)
}

/// The same with pieces of one kind taken in the order of the oriented board, so that a mirrored position has the same
/// value (it can matter which of two pieces goes first if another stands behind it).
pub(crate) fn see_oriented(chess: &Chess, m: Move, orientation: Orientation) -> i32 {
    see_by(chess, m, |set| orientation.first(set))
}

#[inline]
fn see_by(chess: &Chess, m: Move, first: impl Fn(Bitboard) -> Option<Square>) -> i32 {
    let (Some(from), to) = (m.from(), m.to()) else { return 0 };
    if m.is_castle() {
        return 0;
    }
    let board = chess.board();
    let mut occupied = board.occupied().without(from);
    if let Move::EnPassant { from, to } = m {
        occupied.discard(Square::from_coords(to.file(), from.rank()));
    }
    // gains[i]: what the i-th capture wins if the exchange ends with it.
    let mut gains = [0i32; 32];
    gains[0] = material_gain(m);
    let mut on_square = piece_value(m.promotion().unwrap_or(m.role()));
    let mut side = !chess.turn();
    let mut count = 1;
    let sliders_diagonal = board.bishops() | board.queens();
    let sliders_straight = board.rooks() | board.queens();
    let mut attackers = attackers_of(chess, to, occupied);
    while count < 32 {
        let own = attackers & board.by_color(side) & occupied;
        let Some((square, role)) = cheapest(chess, own, &first) else { break };
        if role == Role::King && (attackers & board.by_color(!side) & occupied).any() {
            break;
        }
        gains[count] = on_square - gains[count - 1];
        on_square = piece_value(role);
        occupied.discard(square);
        attackers |= shakmaty::attacks::bishop_attacks(to, occupied) & sliders_diagonal
            | shakmaty::attacks::rook_attacks(to, occupied) & sliders_straight;
        attackers &= occupied;
        side = !side;
        count += 1;
    }
    while count > 1 {
        count -= 1;
        gains[count - 1] = -gains[count].max(-gains[count - 1]);
    }
    gains[0]
}

/// The same by legal captures alone: a pinned piece does not take back, and a check must be answered. Slower.
pub(crate) fn see_legal(chess: &Chess, m: Move) -> i32 {
    if m.is_castle() {
        return 0;
    }
    let mut after = chess.clone();
    after.play_unchecked(m);
    let back = after
        .legal_moves()
        .into_iter()
        .filter(|reply| {
            reply.is_capture() && reply.to() == m.to() && reply.promotion().is_none_or(|to| to == Role::Queen)
        })
        .min_by_key(|reply| reply.role());
    material_gain(m) - back.map_or(0, |reply| see_legal(&after, reply).max(0))
}

/// Whether [`see`] of the move is at least `threshold`; faster, because it ends as soon as that is clear.
pub(crate) fn see_reaches(chess: &Chess, m: Move, threshold: i32) -> bool {
    let (Some(from), to) = (m.from(), m.to()) else { return threshold <= 0 };
    if m.is_castle() {
        return threshold <= 0;
    }
    // What the side that has just captured has beyond its aim if its piece is not taken, or (below) if it is.
    let mut balance = material_gain(m) - threshold;
    if balance < 0 {
        return false;
    }
    balance -= piece_value(m.promotion().unwrap_or(m.role()));
    if balance >= 0 {
        return true;
    }
    let board = chess.board();
    let mut occupied = board.occupied().without(from);
    if let Move::EnPassant { from, to } = m {
        occupied.discard(Square::from_coords(to.file(), from.rank()));
    }
    let (diagonal, straight) = (board.bishops_and_queens(), board.rooks_and_queens());
    let mut attackers = attackers_of(chess, to, occupied);
    let mut side = !chess.turn();
    while let Some((square, role)) = cheapest(chess, attackers & board.by_color(side), Bitboard::first) {
        if role == Role::King && (attackers & board.by_color(!side)).any() {
            break;
        }
        occupied.discard(square);
        attackers |= shakmaty::attacks::bishop_attacks(to, occupied) & diagonal
            | shakmaty::attacks::rook_attacks(to, occupied) & straight;
        attackers &= occupied;
        side = !side;
        balance = -balance - 1 - piece_value(role);
        if balance >= 0 {
            break;
        }
    }
    // The side that would have to go on has lost.
    side != chess.turn()
}

fn attackers_of(chess: &Chess, to: Square, occupied: Bitboard) -> Bitboard {
    let board = chess.board();
    (board.attacks_to(to, shakmaty::Color::White, occupied) | board.attacks_to(to, shakmaty::Color::Black, occupied))
        & occupied
}

fn cheapest(chess: &Chess, own: Bitboard, first: impl Fn(Bitboard) -> Option<Square>) -> Option<(Square, Role)> {
    let board = chess.board();
    Role::ALL.into_iter().find_map(|role| first(own & board.by_role(role)).map(|square| (square, role)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{parse, parse_move};

    #[test]
    fn a_threshold_is_reached_as_the_full_value_says() {
        let (mut seen, mut random) = (0, 5_u64);
        for _ in 0..60 {
            let mut chess = Chess::default();
            for _ in 0..90 {
                let moves = chess.legal_moves();
                for &m in &moves {
                    let full = see(&chess, m);
                    for threshold in [full - 1, full, full + 1, -90, 0, 100] {
                        assert_eq!(see_reaches(&chess, m, threshold), full >= threshold, "{chess:?} {m:?} {threshold}");
                    }
                    seen += usize::from(full != 0);
                }
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if moves.is_empty() {
                    break;
                }
                chess.play_unchecked(moves[(random >> 33) as usize % moves.len()]);
            }
        }
        assert!(seen > 1000);
    }

    fn value(fen: &str, uci: &str) -> i32 {
        let s = parse(fen).unwrap();
        see(&s.chess, parse_move(&s, uci).unwrap())
    }

    #[test]
    fn exchanges_end_where_they_pay() {
        assert_eq!(value("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
        assert_eq!(value("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5"), 100 - 320);
        assert_eq!(value("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"), 100);
        assert_eq!(value("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), 850);
        assert_eq!(value("4k3/3p4/4q3/8/8/8/4R3/4K3 w - - 0 1", "e2e6"), 950 - 500);
        assert_eq!(value("4k3/8/3p4/4p3/8/8/4R3/4K3 w - - 0 1", "e2e5"), 100 - 500);
    }

    #[test]
    fn a_pinned_piece_does_not_take_back() {
        for (fen, uci, legal, plain) in [
            // The pawn on b3 is pinned to its king, then the king has left.
            ("1r5k/8/8/8/q1B5/1P6/1K6/8 b - - 0 1", "a4c4", 330, 330 - 950),
            ("1r5k/8/8/8/q1B5/1P6/8/4K3 b - - 0 1", "a4c4", 330 - 950, 330 - 950),
            // The knight gives check from behind, and the pawn that takes it does not answer that.
            ("4k3/1p6/2n5/4N3/8/8/8/4RK2 w - - 0 1", "e5c6", 320, 0),
        ] {
            let s = parse(fen).unwrap();
            let m = parse_move(&s, uci).unwrap();
            assert_eq!((see_legal(&s.chess, m), see(&s.chess, m)), (legal, plain), "{fen}");
        }
    }
}
