//! Phase of the game and kind of endgame, by the pieces after the bait.

use shakmaty::{Bitboard, Board, Position, Rank, Role};

use crate::themes::line::{Evidence, Line};

/// Pieces other than kings and pawns, of both sides, at most in an endgame.
const ENDGAME_PIECES: usize = 6;
/// The same in every middlegame.
const MIDDLEGAME_PIECES: usize = 10;
/// Pieces at least on the first rank of both sides in an opening.
const HOME_PIECES: usize = 4;

fn pieces(board: &Board) -> usize {
    (board.occupied() & !board.kings() & !board.pawns()).count()
}

fn is_developed(board: &Board) -> bool {
    let home = |side: Bitboard, rank| (side & Bitboard::from_rank(rank)).count() < HOME_PIECES;
    home(board.white(), Rank::First) || home(board.black(), Rank::Eighth)
}

pub(crate) fn opening(line: &Line) -> Option<Evidence> {
    let board = line.after(0).board();
    (pieces(board) > MIDDLEGAME_PIECES && !is_developed(board)).then(Evidence::of_line)
}

pub(crate) fn middlegame(line: &Line) -> Option<Evidence> {
    (endgame(line).is_none() && opening(line).is_none()).then(Evidence::of_line)
}

pub(crate) fn endgame(line: &Line) -> Option<Evidence> {
    (pieces(line.after(0).board()) <= ENDGAME_PIECES).then(Evidence::of_line)
}

/// Kings, pawns and pieces of this one kind, before and after the first move.
fn only(line: &Line, role: Role) -> Option<Evidence> {
    let holds = |board: &Board| {
        board.by_role(role).any()
            && (board.occupied() & !board.kings() & !board.pawns() & !board.by_role(role)).is_empty()
    };
    (holds(line.before(1).board()) && holds(line.after(1).board())).then(Evidence::of_line)
}

pub(crate) fn pawn_endgame(line: &Line) -> Option<Evidence> {
    only(line, Role::Pawn)
}

pub(crate) fn knight_endgame(line: &Line) -> Option<Evidence> {
    only(line, Role::Knight)
}

pub(crate) fn bishop_endgame(line: &Line) -> Option<Evidence> {
    only(line, Role::Bishop)
}

pub(crate) fn rook_endgame(line: &Line) -> Option<Evidence> {
    only(line, Role::Rook)
}

pub(crate) fn queen_endgame(line: &Line) -> Option<Evidence> {
    only(line, Role::Queen)
}

/// One queen, rooks, and nothing else but pawns, before and after the first move.
pub(crate) fn queen_rook_endgame(line: &Line) -> Option<Evidence> {
    let holds = |board: &Board| {
        board.queens().count() == 1 && board.rooks().any() && (board.knights() | board.bishops()).is_empty()
    };
    (holds(line.before(1).board()) && holds(line.after(1).board())).then(Evidence::of_line)
}
