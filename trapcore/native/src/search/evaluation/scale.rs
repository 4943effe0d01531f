//! How much of an advantage counts in endings that are drawn more often than the material says.
//!
//! Facts of endgame theory pick the kind of an ending. How much of an advantage counts in each kind is fitted.

use shakmaty::{Bitboard, Board, Color, File, Rank, Square};

use super::attacked::{ahead, rank};
use crate::chess::piece_values::piece_points;

/// All of an advantage: shares are counted in 64ths.
pub(crate) const UNSCALED: i32 = 64;

/// Endings in which an advantage often wins nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Without pawns, and with less than a rook or with two knights, nobody mates.
    CannotMate,
    /// Pawns on one rook's file, with no bishop that guards their last square, against a king that does.
    RookFile,
    /// No pawns, and at most a knight or bishop more.
    NoPawns,
    /// Each side has one bishop and no other piece; the bishops are of opposite colours. At most one pawn more, and more.
    OppositeBishops,
    OppositeBishopsAhead,
    /// A rook and a pawn against a rook, with the king in front of the pawn, and not.
    RookPawnStopped,
    RookPawn,
    /// A rook on each side, and at most one pawn more.
    Rooks,
    /// A knight or bishop and a pawn against a knight or bishop, with the king in front of the pawn.
    MinorPawnStopped,
    /// A queen on each side, and at most one pawn more.
    Queens,
    /// One pawn, at most a knight or bishop more, and a piece that the other side can give for the pawn.
    LastPawn,
}

impl Kind {
    /// All kinds, in the order of [`SHARES`].
    pub(crate) const ALL: [Kind; 11] = [
        Kind::CannotMate,
        Kind::RookFile,
        Kind::NoPawns,
        Kind::OppositeBishops,
        Kind::OppositeBishopsAhead,
        Kind::RookPawnStopped,
        Kind::RookPawn,
        Kind::Rooks,
        Kind::MinorPawnStopped,
        Kind::Queens,
        Kind::LastPawn,
    ];

    /// The kind of an ending in which `strong` is ahead; `None` where an advantage counts in full.
    pub(crate) fn of(board: &Board, strong: Color) -> Option<Kind> {
        let (own, their) = (board.by_color(strong), board.by_color(!strong));
        let pawns = own & board.pawns();
        let (value, against) = (piece_points(board, strong), piece_points(board, !strong));
        let more = value as i32 - against as i32;
        if pawns.is_empty() {
            let knights = own & !board.kings() == own & board.knights();
            return if value < ROOK || knights && value <= 2 * MINOR {
                Some(Kind::CannotMate)
            } else {
                (more <= MINOR as i32).then_some(Kind::NoPawns)
            };
        }
        if is_kept_from_corner(board, strong, pawns) {
            return Some(Kind::RookFile);
        }
        let count = pawns.count();
        let few = count <= (their & board.pawns()).count() + 1;
        let alone = count == 1 && (their & board.pawns()).is_empty();
        let stopped = pawns.into_iter().all(|pawn| is_stopped(board, strong, pawn));
        match (value, against) {
            (MINOR, MINOR) if are_opposite(board) => {
                Some(if few { Kind::OppositeBishops } else { Kind::OppositeBishopsAhead })
            }
            (MINOR, MINOR) if alone => stopped.then_some(Kind::MinorPawnStopped),
            (ROOK, ROOK) if alone => Some(if stopped { Kind::RookPawnStopped } else { Kind::RookPawn }),
            (ROOK, ROOK) if few => Some(Kind::Rooks),
            (QUEEN, QUEEN) if few && (board.queens() & own).any() && (board.queens() & their).any() => {
                Some(Kind::Queens)
            }
            (MINOR, MINOR) => None,
            _ => (count == 1 && more <= MINOR as i32 && against >= MINOR).then_some(Kind::LastPawn),
        }
    }

    /// How much of an advantage counts, in 64ths.
    pub(crate) fn share(self) -> i32 {
        SHARES[self as usize]
    }
}

/// Points of the pieces.
const MINOR: usize = 3;
const ROOK: usize = 5;
const QUEEN: usize = 9;

/// By [`Kind::ALL`], in 64ths, fitted by `python -m workshop.coverage.endings.scale` to 1,169 positions of 250 training endings
/// of master games.
const SHARES: [i32; Kind::ALL.len()] = [0, 0, 4, 22, 20, 7, 54, 47, 8, 40, 41];

/// How much of an advantage of this side counts, in 64ths.
pub fn scale(board: &Board, strong: Color) -> i32 {
    Kind::of(board, strong).map_or(UNSCALED, Kind::share)
}

/// Whether all that a side has are pawns on one rook's file and bishops that do not guard their last square, and the
/// other king stands on that square or beside it.
fn is_kept_from_corner(board: &Board, strong: Color, pawns: Bitboard) -> bool {
    let own = board.by_color(strong);
    let Some(file) = [File::A, File::H].into_iter().find(|&file| (pawns & !Bitboard::from_file(file)).is_empty())
    else {
        return false;
    };
    let corner = Square::from_coords(file, strong.fold_wb(Rank::Eighth, Rank::First));
    let guards = if corner.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
    (own & !(board.kings() | pawns | board.bishops())).is_empty()
        && (own & board.bishops() & guards).is_empty()
        && board.king_of(!strong).is_some_and(|king| king.distance(corner) <= 1)
}

/// Whether the other king stands in front of a pawn that is not yet on its seventh rank.
fn is_stopped(board: &Board, strong: Color, pawn: Square) -> bool {
    let is_before = |king: Square| {
        ahead(pawn, strong).contains(king) && (i32::from(king.file()) - i32::from(pawn.file())).abs() <= 1
    };
    rank(pawn, strong) < 6 && board.king_of(!strong).is_some_and(is_before)
}

/// Whether the only bishops are one of each side, of opposite colours.
fn are_opposite(board: &Board) -> bool {
    let bishops = board.bishops();
    bishops.count() == 2 && (board.white() & bishops).count() == 1 && (bishops & Bitboard::DARK_SQUARES).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{mirror, parse};
    use shakmaty::Position;

    #[test]
    fn the_kind_of_an_ending_is_found_for_either_side() {
        for (fen, kind) in [
            ("7k/8/8/8/5B2/4K3/7P/8 w - - 0 1", None),
            ("7k/8/8/8/4B3/4K3/7P/8 w - - 0 1", Some(Kind::RookFile)),
            ("8/8/8/4k3/8/4K3/7P/7B w - - 0 1", None),
            ("k7/8/8/1P6/5B2/4K3/P7/8 w - - 0 1", None),
            ("8/8/4k3/8/8/3NKN2/8/8 w - - 0 1", Some(Kind::CannotMate)),
            ("8/4p3/4k3/8/8/3NKN2/8/8 w - - 0 1", Some(Kind::CannotMate)),
            ("8/4n3/4k3/8/8/4KR2/8/8 w - - 0 1", Some(Kind::NoPawns)),
            ("8/8/4k3/4p3/8/4KR2/8/8 w - - 0 1", None),
            ("8/4kn2/8/3P4/4K3/4B3/8/8 w - - 0 1", Some(Kind::MinorPawnStopped)),
            ("8/4kb2/8/3PP3/4K3/8/5B2/8 w - - 0 1", Some(Kind::OppositeBishopsAhead)),
            ("8/4k3/r7/3P4/4K3/8/5R2/8 w - - 0 1", Some(Kind::RookPawnStopped)),
            ("6k1/8/r7/3P4/4K3/8/5R2/8 w - - 0 1", Some(Kind::RookPawn)),
            ("6k1/3P4/r7/4K3/8/8/5R2/8 w - - 0 1", Some(Kind::RookPawn)),
            ("6k1/6p1/r7/3P4/4K3/6P1/5R2/8 w - - 0 1", Some(Kind::Rooks)),
            ("6k1/8/r7/3P4/4K3/6P1/5R2/8 w - - 0 1", None),
            ("6k1/5q2/8/3P4/4K3/8/5Q2/8 w - - 0 1", Some(Kind::Queens)),
        ] {
            let position = parse(fen).unwrap();
            assert_eq!(Kind::of(position.chess.board(), Color::White), kind, "{fen}");
            assert_eq!(Kind::of(mirror(&position).chess.board(), Color::Black), kind, "{fen}");
        }
    }

    #[test]
    fn every_kind_stands_in_its_place() {
        assert!(Kind::ALL.iter().enumerate().all(|(index, &kind)| kind as usize == index));
    }
}
