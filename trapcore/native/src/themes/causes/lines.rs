//! Causes that the way of the killer shows: the bait has opened its line, left its square, or guards it no more.

use shakmaty::{Bitboard, Position, Role, Square, attacks};

use crate::chess::moves::after;
use crate::themes::attacks::is_slider;
use crate::themes::causes::exchange::wins;
use crate::themes::causes::mistake::Mistake;
use crate::themes::causes::tactics::stood;

type Squares = Option<Vec<Square>>;

/// A line piece comes through the square that the bait has left, with the killer or with the move that takes the prize,
/// or checks through it.
pub(crate) fn opens_line(mistake: &Mistake) -> Squares {
    if mistake.threatened == Some(true) {
        return None;
    }
    let left = mistake.bait().from;
    let deciding = mistake.prize.map_or(1, |prize| prize.ply.min(3));
    (1..=deciding).step_by(2).find_map(|ply| {
        let step = mistake.line.step(ply);
        let through = is_slider(step.role) && attacks::between(step.from, step.to).contains(left);
        through.then(|| vec![stood(&mistake.line, step.from, ply, 0), left])
    })
}

/// The killer comes to the square that the bait has left, where nothing attacked it.
pub(crate) fn vacates(mistake: &Mistake) -> Squares {
    let (bait, killer) = (mistake.bait(), mistake.killer());
    let driven = wins(mistake.board(), mistake.attacker(), bait.from);
    (killer.to == bait.from && !driven && mistake.threatened != Some(true)).then(|| vec![bait.from])
}

/// The moved piece would have taken the killer where it comes to, and nobody does now; or it kept the king away.
pub(crate) fn gives_up_square(mistake: &Mistake) -> Squares {
    let (bait, killer) = (mistake.bait(), mistake.killer());
    if killer.role == Role::King && mistake.guarded().contains(killer.to) && killer.to != bait.to {
        let others = mistake.board().attacks_to(killer.to, mistake.mover, mistake.board().occupied());
        return (others == Bitboard::from_square(bait.from)).then(|| vec![killer.to, bait.from]);
    }
    let passed = mistake.passed.as_ref()?;
    if killer.to == bait.to
        || killer.to == bait.from
        || !mistake.guarded().contains(killer.to)
        || mistake.guards().contains(killer.to)
        || !passed.is_legal(killer.chess_move)
    {
        return None;
    }
    let would_take = wins(after(passed, killer.chess_move).board(), mistake.mover, killer.to);
    let takes = wins(mistake.line.after(1).board(), mistake.mover, killer.to);
    (would_take && !takes && mistake.threatened != Some(true)).then(|| vec![killer.to, bait.from])
}
