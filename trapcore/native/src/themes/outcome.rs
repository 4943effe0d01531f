//! What the line comes to, and how long it is.

use shakmaty::Position;

use crate::themes::line::{Evidence, Line};

/// The last move mates.
pub(crate) fn mate(line: &Line) -> Option<Evidence> {
    let king = line.king(line.end());
    line.end().is_checkmate().then(|| Evidence::new(line.last(), line.step(line.last()).to, [king]))
}

/// Mate with the attacker's move of this number, 5 standing for more as well.
pub(crate) fn mate_in(line: &Line, moves: usize) -> Option<Evidence> {
    if line.length().min(5) == moves { mate(line) } else { None }
}

/// The attacker's moves: 1, 2 or 3, or 4 for more as well.
pub(crate) fn length(line: &Line, moves: usize) -> Option<Evidence> {
    (line.length().min(4) == moves).then(Evidence::of_line)
}
