//! Inputs of the network: which piece stands where, as one side sees it, and in which region its king stands.
//!
//! A side sees the board from its own edge, and mirrored if its king stands on files e to h, so that its king is always
//! on files a to d. The trainer takes the inputs from here.

use shakmaty::{Bitboard, Board, Color, File, Role, Square};

/// Own and other pieces, six kinds, 64 squares.
pub(crate) const PLACES: usize = 2 * 6 * 64;

/// Regions of the own king, each with weights of its own for all places.
pub(crate) const REGIONS: usize = 9;

/// A weight for each place and region.
pub const INPUTS: usize = REGIONS * PLACES;

/// The region of a king by its rank and file as its side sees the board: each square of the first rank, two of the
/// second, two of the third and fourth, and the other half.
const REGION: [[u8; 4]; 8] =
    [[0, 1, 2, 3], [4, 4, 5, 5], [6, 6, 7, 7], [6, 6, 7, 7], [8, 8, 8, 8], [8, 8, 8, 8], [8, 8, 8, 8], [8, 8, 8, 8]];

/// How a side sees a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    perspective: Color,
    /// What the squares' numbers are XORed with: 56 flips the board vertically, 7 horizontally.
    flip: usize,
    region: usize,
}

impl View {
    pub(crate) fn new(board: &Board, perspective: Color) -> View {
        let edge = perspective.fold_wb(0, 56);
        let Some(king) = board.king_of(perspective) else { return View { perspective, flip: edge, region: 0 } };
        let flip = edge ^ if king.file() >= File::E { 7 } else { 0 };
        let seen = usize::from(king) ^ flip;
        View { perspective, flip, region: usize::from(REGION[seen / 8][seen % 8]) }
    }

    /// The input of a piece on a square.
    pub(crate) fn index(self, color: Color, role: Role, square: Square) -> usize {
        let place = usize::from(color != self.perspective) * 384 + (role as usize - 1) * 64;
        self.region * PLACES + place + (usize::from(square) ^ self.flip)
    }
}

/// The inputs that a board sets for one side, below [`INPUTS`]; one for each piece.
pub fn features(board: &Board, perspective: Color) -> impl Iterator<Item = usize> + '_ {
    let view = View::new(board, perspective);
    pieces(board)
        .flat_map(move |(color, role, squares)| squares.into_iter().map(move |square| view.index(color, role, square)))
}

/// The pieces by colour and role.
pub(super) fn pieces(board: &Board) -> impl Iterator<Item = (Color, Role, Bitboard)> + '_ {
    Color::ALL.into_iter().flat_map(move |color| {
        Role::ALL.into_iter().map(move |role| (color, role, board.by_color(color) & board.by_role(role)))
    })
}
