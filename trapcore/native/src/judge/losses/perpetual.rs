//! Losses that may be none because of perpetual check, which few nodes seldom see to its end.

use shakmaty::{Chess, Move, Position, Role};

use crate::judge::pass::Deepening;
use crate::search::score::mate_distance;
use crate::win_chance::win_chance;

/// Win chance from which a side is said to stand better than level, where perpetual check would change that.
const NOT_LEVEL: f64 = 0.2;
/// So many plies of a line show perpetual check, unless the attacker takes a piece by the ply after so many.
const PERPETUAL_PLIES: usize = 6;
const GAIN_PLIES: usize = 8;

/// Whether perpetual check may cancel a loss. The lines are those of the best other move and of the move in question.
/// Either the side that stands worse at the end of a line gives check with each of its moves there, or the opponent
/// wins only by checks that take nothing.
pub(super) fn may_be_perpetual(position: &Chess, kept: &Deepening, baited: &Chess, left: &Deepening) -> bool {
    let is_claimed = |found: &Deepening| {
        mate_distance(found.value()).is_none() && win_chance(found.value()) >= NOT_LEVEL && !found.line.is_empty()
    };
    is_claimed(kept) && only_checks(position, &kept.line, 1) >= 2
        || is_claimed(left) && (only_checks(baited, &left.line, 1) >= 2 || only_checks(baited, &left.line, 0) >= 3)
}

/// Checks that one side, which has every second move from `first` on, gives at the beginning of a line; 0 if one of its
/// moves there is none, or if a piece is taken that it does not take itself to save the game.
fn only_checks(position: &Chess, line: &[Move], first: usize) -> usize {
    let (mut position, mut found) = (position.clone(), 0);
    for (ply, &m) in line.iter().take(GAIN_PLIES).enumerate() {
        let takes = m.capture().is_some_and(|role| role != Role::Pawn);
        position.play_unchecked(m);
        let (is_theirs, is_late) = (ply % 2 == first, ply >= PERPETUAL_PLIES);
        // The attacker shows a gain by what he takes. The defender may take as he likes.
        if is_theirs && !is_late && !position.is_check() || takes && is_theirs == (first == 0) {
            return 0;
        }
        found += usize::from(is_theirs && !is_late);
    }
    found
}
