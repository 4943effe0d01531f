//! The board as the attacker sees it, so that positions that are mirror images have the same description.

use shakmaty::{Bitboard, CastlingMode, Chess, Color, EnPassantMode, File, Move, Position, Role, Square};

use crate::chess::moves::ends;
use crate::chess::position::{GamePosition, mirror, playable};

/// How the board is turned: attacker upwards, the victim's king on the right half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orientation {
    pub attacker: Color,
    flipped: bool,
}

impl Orientation {
    pub(crate) fn of(chess: &Chess, attacker: Color) -> Orientation {
        let king = chess.board().king_of(!attacker).expect("a legal position has both kings");
        Orientation { attacker, flipped: king.file() <= File::D }
    }

    /// The square as it stands on the oriented board; or back, because turning twice changes nothing.
    pub(crate) fn square(self, square: Square) -> Square {
        let square = if self.attacker == Color::Black { square.flip_vertical() } else { square };
        if self.flipped { square.flip_horizontal() } else { square }
    }

    /// The square of a set that comes first on the oriented board.
    pub(crate) fn first(self, set: Bitboard) -> Option<Square> {
        if !set.more_than_one() {
            return set.first();
        }
        set.into_iter().min_by_key(|&square| self.square(square))
    }

    /// Where `to` lies from `king`: files to the right, ranks upwards, on the oriented board, each -7 to 7.
    pub(crate) fn offset(self, king: Square, to: Square) -> (i32, i32) {
        let (king, to) = (self.square(king), self.square(to));
        (to.file() as i32 - king.file() as i32, to.rank() as i32 - king.rank() as i32)
    }

    /// Where a move stands in the order of the oriented board; no two moves of a position share a place.
    pub(crate) fn place(self, m: Move) -> (Square, Square, Option<Role>, bool) {
        let (from, to) = ends(m);
        (self.square(from), self.square(to), m.promotion(), m.is_castle())
    }

    /// The position with the attacker as White, and mirrored left to right where the view is and castling, which has no
    /// mirror image, is over: for judgements that tell the colours or the wings apart.
    pub(crate) fn turned(self, chess: Chess) -> Chess {
        let mode = chess.castles().mode();
        let chess = if self.attacker.is_black() { mirror(&GamePosition { chess, mode }).chess } else { chess };
        if !self.flipped || chess.castles().any() {
            return chess;
        }
        let mut setup = chess.to_setup(EnPassantMode::Legal);
        setup.board.flip_horizontal();
        setup.ep_square = setup.ep_square.map(|square| square.flip_horizontal());
        playable(setup, CastlingMode::Standard).expect("a mirrored legal position is legal")
    }
}
