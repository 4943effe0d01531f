//! Mates that have a name, by the piece that makes the pattern.
//!
//! | module | what it holds |
//! |---|---|
//! | `edge` | mates along the edge of the board |
//! | `knight` | mates with a knight |
//! | `bishop` | mates with bishops |
//! | `queen` | mates by the queen |

pub(crate) mod bishop;
pub(crate) mod edge;
pub(crate) mod knight;
pub(crate) mod queen;

use shakmaty::{Board, Position, Square};

use crate::themes::line::{Evidence, Line, Step};

/// The final position of a line that mates.
struct Mate<'a> {
    line: &'a Line,
    board: &'a Board,
    /// The mated king.
    king: Square,
    /// The move that mates.
    last: &'a Step,
}

impl<'a> Mate<'a> {
    fn of(line: &'a Line) -> Option<Mate<'a>> {
        let end = line.end();
        end.is_checkmate().then(|| Mate {
            line,
            board: end.board(),
            king: line.king(end),
            last: line.step(line.last()),
        })
    }

    /// The pattern rests on this piece.
    fn by(&self, square: Square) -> Option<Evidence> {
        Some(Evidence::new(self.line.last(), square, [self.king]))
    }

    fn is_attackers(&self, square: Square) -> bool {
        self.board.color_at(square) == Some(self.line.attacker)
    }

    fn is_victims(&self, square: Square) -> bool {
        self.board.color_at(square) == Some(!self.line.attacker)
    }
}
