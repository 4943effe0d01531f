//! Mates that have a name, by the piece that makes the pattern.
//!
//! | module | what it holds |
//! |---|---|
//! | `edge` | mates along the edge of the board |
//! | `knight` | mates with a knight |
//! | `bishop` | mates with bishops |
//! | `rook` | mates with a rook |
//! | `queen` | mates by the queen |

pub(crate) mod bishop;
pub(crate) mod edge;
pub(crate) mod knight;
pub(crate) mod queen;
pub(crate) mod rook;

use shakmaty::{Bitboard, Board, Position, Square};

use crate::themes::attacks::{attackers, ring};
use crate::themes::line::{Evidence, Line, Step};

/// The final position of a line that mates.
struct Mate<'a> {
    line: &'a Line,
    board: &'a Board,
    /// The mated king.
    king: Square,
    /// The move that mates.
    last: &'a Step,
    checkers: Bitboard,
}

impl<'a> Mate<'a> {
    fn of(line: &'a Line) -> Option<Mate<'a>> {
        let end = line.end();
        let last = line.step(line.last());
        let (board, king, checkers) = (end.board(), line.king(end), end.checkers());
        end.is_checkmate().then_some(Mate { line, board, king, last, checkers })
    }

    /// The pattern rests on this piece.
    fn by(&self, square: Square) -> Option<Evidence> {
        Some(Evidence::new(self.line.last(), square, [self.king]))
    }

    /// The attacker's pieces.
    fn own(&self) -> Bitboard {
        self.board.by_color(self.line.attacker)
    }

    /// The attacker's pieces that guard a square of theirs.
    fn guards(&self, square: Square) -> Bitboard {
        attackers(self.board, self.line.attacker, square)
    }

    /// Squares beside the king that its own pieces do not block.
    fn flights(&self) -> Bitboard {
        ring(self.king) & !self.board.by_color(!self.line.attacker)
    }

    /// The attacker's pieces that keep the king from a square, also those that reach it through where the king is.
    fn keepers(&self, square: Square) -> Bitboard {
        let behind = self.board.occupied().without(self.king);
        self.board.attacks_to(square, self.line.attacker, behind)
    }

    fn is_attackers(&self, square: Square) -> bool {
        self.board.color_at(square) == Some(self.line.attacker)
    }

    fn is_victims(&self, square: Square) -> bool {
        self.board.color_at(square) == Some(!self.line.attacker)
    }
}
