//! Pawns: what they are worth by their neighbours, and how far the passed ones have come.

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::attacked::{Attacked, ahead, beside, pawn_attacks, rank};
use super::features::*;

pub(super) fn collect(
    board: &Board,
    color: Color,
    own: &Attacked,
    other: &Attacked,
    tally: &mut impl FnMut(usize, i32),
) {
    let ours = board.pawns() & board.by_color(color);
    let theirs = board.pawns() & board.by_color(!color);
    for pawn in ours {
        let rank = rank(pawn, color);
        tally(SQUARE + 64 * role_index(Role::Pawn) + seen(pawn, color), 1);
        let (file, beside) = (Bitboard::from_file(pawn.file()), beside(pawn));
        let front = ahead(pawn, color);
        let open = usize::from((front & file & theirs).is_empty());
        let before = if color.is_white() { pawn.offset(8) } else { pawn.offset(-8) };
        if (front & file & ours).any() {
            tally(DOUBLED, 1);
        }
        let guarded = own.pawns().contains(pawn);
        let phalanx = (beside & Bitboard::from_rank(pawn.rank()) & ours).any();
        if guarded {
            tally(SUPPORTED + rank.min(6), 1);
        }
        if phalanx {
            tally(PHALANX + rank.min(6), 1);
        }
        if (beside & ours).is_empty() {
            tally(ISOLATED + open, 1);
        } else if !guarded
            && !phalanx
            && (beside & ours & !front).is_empty()
            && before.is_some_and(|square| other.pawns().contains(square))
        {
            tally(BACKWARD + open, 1);
        }
        if (front & (file | beside) & theirs).is_empty() && (front & file & ours).is_empty() {
            passed(board, rank, before, front & file, [own, other], tally);
        }
    }
    // Room behind the own pawns in the centre.
    let (center, behind) = if color.is_white() {
        (Bitboard(0x3c3c3c00), ours.shift(-8) | ours.shift(-16))
    } else {
        (Bitboard(0x003c_3c3c_0000_0000), ours.shift(8) | ours.shift(16))
    };
    let safe = center & !ours & !other.pawns();
    tally(SPACE, (safe.count() + (safe & behind).count()) as i32);
}

fn passed(
    board: &Board,
    rank: usize,
    before: Option<Square>,
    way: Bitboard,
    [own, other]: [&Attacked; 2],
    tally: &mut impl FnMut(usize, i32),
) {
    tally(PASSED + rank.min(6), 1);
    let Some(before) = before else { return };
    if board.occupied().contains(before) {
        tally(PASSED_BLOCKED + rank.min(6), 1);
    } else if (way & (other.all | board.occupied())).is_empty() {
        tally(PASSED_FREE + rank.min(6), 1);
    }
    if rank >= 3 {
        let weight = rank as i32 - 2;
        for (row, king) in [(PASSED_OWN_KING, own.king), (PASSED_OTHER_KING, other.king)] {
            if let Some(king) = king {
                tally(row + king.distance(before) as usize, weight);
            }
        }
    }
}

/// Pieces of the other side that a safe step of a pawn would attack.
pub(super) fn push_threats(board: &Board, color: Color, own: &Attacked, other: &Attacked) -> i32 {
    let ours = board.pawns() & board.by_color(color);
    let free = !board.occupied();
    let third = if color.is_white() { Bitboard(0xff_0000) } else { Bitboard(0xff00_0000_0000) };
    let step = |pawns: Bitboard| if color.is_white() { pawns.shift(8) } else { pawns.shift(-8) } & free;
    let once = step(ours);
    let safe = (once | step(once & third)) & !other.pawns() & (own.all | !other.all);
    let (left, right) = pawn_attacks(safe, color);
    ((left | right) & board.by_color(!color) & !board.pawns() & !board.kings()).count() as i32
}

/// Index of a square as its owner sees the board.
pub(super) fn seen(square: Square, color: Color) -> usize {
    usize::from(if color.is_white() { square } else { square.flip_vertical() })
}
