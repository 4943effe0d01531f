//! Kings: the pawns around the own one, and what bears on the enemy's.

use shakmaty::{Bitboard, Board, Color, File, Role, attacks};

use super::attacked::{Attacked, ahead, rank};
use super::features::*;
use super::pawns::seen;

/// What a knight, bishop, rook, queen adds to the danger when it attacks a square beside the king.
const BEARING: [usize; 6] = [0, 2, 2, 3, 4, 0];

pub(super) fn collect(
    board: &Board,
    color: Color,
    own: &Attacked,
    other: &Attacked,
    tally: &mut impl FnMut(usize, i32),
) {
    if let Some(king) = own.king {
        tally(SQUARE + 64 * role_index(Role::King) + seen(king, color), 1);
        let low = (king.file() as u32).clamp(1, 6) - 1;
        for file in low..low + 3 {
            let edge = file.min(7 - file) as usize;
            let file = Bitboard::from_file(File::new(file));
            let front = (ahead(king, color) | Bitboard::from_rank(king.rank())) & file & board.pawns();
            let distance = |pawns: Bitboard, most: usize| {
                pawns.into_iter().map(|p| rank(p, color) - rank(king, color)).min().map_or(0, |d| (d + 1).min(most))
            };
            tally(SHELTER + 5 * edge + distance(front & board.by_color(color), 4), 1);
            tally(STORM + 6 * edge + distance(front & board.by_color(!color), 5), 1);
        }
    }
    if let Some(king) = other.king {
        bearing(board, color, king, own, other, tally);
    }
}

fn bearing(
    board: &Board,
    color: Color,
    king: shakmaty::Square,
    own: &Attacked,
    other: &Attacked,
    tally: &mut impl FnMut(usize, i32),
) {
    let ring = attacks::king_attacks(king);
    let zone = ring | Bitboard::from_square(king);
    let (mut attackers, mut danger) = (0, 0);
    for &(role, _, reach) in own.reach.iter() {
        let hits = (reach & zone).count();
        if hits > 0 {
            attackers += 1;
            danger += BEARING[role_index(role)];
            tally(KING_ATTACKS + role_index(role) - 1, hits as i32);
        }
    }
    tally(KING_ATTACKERS + attackers.min(5), 1);
    let guarded = other.pawns() | other.minors() | other.by[role_index(Role::Rook)];
    let weak = (ring & own.all & !guarded).count();
    tally(KING_WEAK + weak, 1);
    // Safe to check from: not guarded, or only by king or queen where we come twice.
    let safe = !board.by_color(color) & (!other.all | own.twice & !other.twice & !guarded);
    let occupied = board.occupied() & !(board.by_color(!color) & board.queens());
    let (straight, slanted) = (attacks::rook_attacks(king, occupied), attacks::bishop_attacks(king, occupied));
    let lines = [attacks::knight_attacks(king), slanted, straight, straight | slanted];
    for (index, role) in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().enumerate() {
        if (lines[index] & own.by[role_index(role)] & safe).any() {
            tally(SAFE_CHECK + index, 1);
            danger += 2;
        }
    }
    danger += weak;
    if (board.by_color(color) & board.queens()).is_empty() {
        danger /= 2;
    }
    tally(KING_DANGER + danger.min(19), 1);
}
