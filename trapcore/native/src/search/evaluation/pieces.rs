//! Knights, bishops, rooks and queens: where they stand, how far they reach, and whether they can get away.

use shakmaty::{Bitboard, Board, Color, Role};

use super::attacked::{Attacked, ahead, beside, rank};
use super::features::*;
use super::pawns::seen;

/// Returns how many of these pieces something cheaper attacks, or are attacked and not guarded.
pub(super) fn collect(
    board: &Board,
    color: Color,
    own: &Attacked,
    other: &Attacked,
    tally: &mut impl FnMut(usize, i32),
) -> usize {
    let us = board.by_color(color);
    let pawns = board.pawns() & us;
    let theirs = board.pawns() & !us;
    let mut threatened = 0;
    let mut home = 0;
    for &(role, square, reach) in own.reach.iter() {
        tally(SQUARE + 64 * role_index(role) + seen(square, color), 1);
        let by_cheaper = other.cheaper(role);
        let safe = (reach & !us & !by_cheaper).count();
        let row = match role {
            Role::Knight => KNIGHT_MOBILITY,
            Role::Bishop => BISHOP_MOBILITY,
            Role::Rook => ROOK_MOBILITY,
            _ => QUEEN_MOBILITY,
        };
        tally(row + safe, 1);
        if own.pinned.contains(square) {
            tally(PINNED + role_index(role) - 1, 1);
        }
        if by_cheaper.contains(square) || other.all.contains(square) && !own.all.contains(square) {
            threatened += 1;
            // A square that is attacked by an equal is no escape unless it is guarded by another than this piece.
            if (reach & !us & !by_cheaper & (!other.all | own.twice)).is_empty() {
                tally(CAUGHT + role_index(role) - 1, 1);
            }
        }
        match role {
            Role::Knight | Role::Bishop => {
                home += usize::from(rank(square, color) == 0);
                let guarded = own.pawns().contains(square);
                if guarded && rank(square, color) >= 3 && (ahead(square, color) & beside(square) & theirs).is_empty() {
                    tally(OUTPOST + role_index(role) - 1, 1);
                }
                if role == Role::Bishop {
                    let shade = if square.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
                    tally(BISHOP_PAWNS, (pawns & shade).count() as i32);
                }
            }
            Role::Rook => {
                let file = Bitboard::from_file(square.file());
                if (file & board.pawns()).is_empty() {
                    tally(ROOK_FILE, 1);
                } else if (file & pawns).is_empty() {
                    tally(ROOK_FILE + 1, 1);
                }
            }
            _ => {}
        }
    }
    tally(UNDEVELOPED + home.min(4), 1);
    threatened
}
