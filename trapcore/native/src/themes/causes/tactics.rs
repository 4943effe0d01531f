//! Causes that are tactics which were not there before: the bait walks into a fork, a pin, a skewer, a discovered attack.

use shakmaty::Square;

use crate::themes::causes::mistake::Mistake;
use crate::themes::causes::prize::{Kind, Prize};
use crate::themes::line::{Evidence, Line};
use crate::themes::{alignments, double_attacks, loose_pieces};

type Squares = Option<Vec<Square>>;

/// Plies of the line in which a tactic has to come.
const LATEST: usize = 3;

pub(crate) fn walks_into_fork(mistake: &Mistake) -> Squares {
    walks_into(mistake, double_attacks::fork(&mistake.line))
}

pub(crate) fn walks_into_skewer(mistake: &Mistake) -> Squares {
    walks_into(mistake, alignments::skewer(&mistake.line))
}

pub(crate) fn walks_into_pin(mistake: &Mistake) -> Squares {
    walks_into(mistake, alignments::pin(&mistake.line))
}

pub(crate) fn walks_into_discovery(mistake: &Mistake) -> Squares {
    let found = double_attacks::double_check(&mistake.line)
        .filter(|found| found.ply <= LATEST)
        .or_else(|| double_attacks::discovered_attack(&mistake.line));
    walks_into(mistake, found)
}

pub(crate) fn walks_into_trap(mistake: &Mistake) -> Squares {
    walks_into(mistake, loose_pieces::trapped_piece(&mistake.line))
}

/// The tactic was not there before, comes soon, and acts on what is lost.
fn walks_into(mistake: &Mistake, found: Option<Evidence>) -> Squares {
    let found = found?;
    // A mover in check could not have passed: there the tactic is new if it acts on the moved piece.
    let new = mistake.threatened.map_or(found.targets.contains(&mistake.bait().to), |threatened| !threatened);
    let wins = mistake.prize.is_some_and(|prize| wins_by(&mistake.line, prize, &found));
    (new && found.ply <= LATEST && wins).then(|| found.by.into_iter().chain(found.targets).collect())
}

/// Whether what the line wins is among the targets of the tactic, with the move that shows it or a later one.
pub(crate) fn wins_by(line: &Line, prize: Prize, found: &Evidence) -> bool {
    match prize.kind {
        Kind::Piece(_) => {
            prize.ply >= found.ply && found.targets.contains(&stood(line, prize.square, prize.ply, found.ply))
        }
        Kind::Mate => found.targets.contains(&line.king(line.after(found.ply))),
        Kind::Promotion => false,
    }
}

/// Where the piece that is taken on `square` with the move `ply` stood after the move `earlier`, or where that took it.
pub(crate) fn stood(line: &Line, square: Square, ply: usize, earlier: usize) -> Square {
    (earlier + 1..ply).rev().fold(square, |square, index| {
        let step = line.step(index);
        if step.to == square { step.from } else { square }
    })
}
