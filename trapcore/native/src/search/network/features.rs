//! Inputs of the network: which piece stands where, as one side sees it.
//!
//! A side sees the board from its own edge, and mirrored if its king stands on files e to h, so that its king is always
//! on files a to d. The trainer takes the inputs from here.

use shakmaty::{Bitboard, Board, Color, File, Role, Square};

/// Own and other pieces, six kinds, 64 squares.
pub(crate) const INPUTS: usize = 2 * 6 * 64;

/// What the squares' numbers are XORed with for one side: 56 flips the board vertically, 7 horizontally.
pub(crate) fn orientation(board: &Board, perspective: Color) -> usize {
    let mirrored = board.king_of(perspective).is_some_and(|king| king.file() >= File::E);
    perspective.fold_wb(0, 56) ^ if mirrored { 7 } else { 0 }
}

/// The input of a piece on a square.
pub(crate) fn index(perspective: Color, orientation: usize, color: Color, role: Role, square: Square) -> usize {
    usize::from(color != perspective) * 384 + (role as usize - 1) * 64 + (usize::from(square) ^ orientation)
}

/// The inputs that a board sets for one side, below [`INPUTS`]; one for each piece.
pub(crate) fn features(board: &Board, perspective: Color) -> impl Iterator<Item = usize> + '_ {
    let orientation = orientation(board, perspective);
    pieces(board).flat_map(move |(color, role, squares)| {
        squares.into_iter().map(move |square| index(perspective, orientation, color, role, square))
    })
}

/// The pieces by colour and role.
pub(super) fn pieces(board: &Board) -> impl Iterator<Item = (Color, Role, Bitboard)> + '_ {
    Color::ALL.into_iter().flat_map(move |color| {
        Role::ALL.into_iter().map(move |role| (color, role, board.by_color(color) & board.by_role(role)))
    })
}
