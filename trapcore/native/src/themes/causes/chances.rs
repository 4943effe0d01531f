//! Causes that lie in what was not played: a mate, a promotion, a capture; and endings.

use shakmaty::{Bitboard, Position, Role, Square};

use crate::chess::moves::ends;
use crate::chess::piece_values::{piece_points, piece_value};
use crate::themes::causes::exchange::SOMETHING;
use crate::themes::causes::mistake::Mistake;
use crate::themes::causes::prize::Kind;

type Squares = Option<Vec<Square>>;

/// Win chance below which an ending is lost, and what must have been there at least.
const LOST: f64 = -0.4;
/// Win chance of an advantage that can be let go, and centipawns that the best line wins then.
const ADVANTAGE: f64 = 0.2;
const MUCH: i32 = 180;
/// Index of the move of the best line that takes something, at most.
const SOON: usize = 2;
/// Points of pieces that each side has at most in an ending.
const ENDING: usize = 8;

/// The best move mated.
pub(crate) fn lets_mate_go(mistake: &Mistake) -> Squares {
    let chance = mistake.chance.filter(|chance| chance.kind == Kind::Mate)?;
    (!mistake.mates() || mistake.question.after.is_some_and(|after| after < 1.0)).then(|| vec![chance.square])
}

/// The best line promotes a pawn.
pub(crate) fn lets_promotion_go(mistake: &Mistake) -> Squares {
    let chance = mistake.chance.filter(|chance| chance.kind == Kind::Promotion)?;
    outweighs(mistake, chance.gain).then(|| vec![chance.square])
}

/// The best move takes something, or wins a piece soon, that the bait lets go.
pub(crate) fn lets_capture_go(mistake: &Mistake) -> Squares {
    let chance = mistake.chance?;
    let Kind::Piece(_) = chance.kind else { return None };
    let best = mistake.question.best_line;
    // Where the piece stands before the bait.
    let square = (0..chance.ply).rev().fold(chance.square, |square, ply| {
        let (from, to) = ends(best[ply]);
        if to == square { from } else { square }
    });
    let is_theirs = mistake.board().color_at(square) == Some(mistake.attacker());
    let later = chance.ply > SOON || chance.ply > 0 && chance.gain < MUCH;
    let is_played = mistake.bait().to == square || later;
    (is_theirs && !is_played && outweighs(mistake, chance.gain)).then(|| vec![square])
}

/// The mover had the advantage, and the best line wins a piece, not at once.
pub(crate) fn lets_win_go(mistake: &Mistake) -> Squares {
    let chance = mistake.chance.filter(|chance| chance.ply > SOON && chance.gain >= MUCH)?;
    let better = mistake.question.before.is_some_and(|before| before >= ADVANTAGE);
    (better && outweighs(mistake, chance.gain)).then(|| vec![chance.square])
}

/// Whether what the best line wins is more than what the bait's line loses.
fn outweighs(mistake: &Mistake, gain: i32) -> bool {
    !mistake.mates() && gain >= SOMETHING && gain > mistake.gain()
}

/// A pawn promotes, and the moved piece guarded a square of its way.
pub(crate) fn lets_pawn_through(mistake: &Mistake) -> Squares {
    let prize = mistake.prize.filter(|prize| prize.kind == Kind::Promotion)?;
    let way = mistake.line.plies().filter(|&ply| ply <= prize.ply && mistake.line.step(ply).role == Role::Pawn);
    let way: Bitboard = way.map(|ply| mistake.line.step(ply).to).collect();
    let left = mistake.guarded() & way & !mistake.guards();
    (mistake.threatened != Some(true)).then(|| left.first()).flatten().map(|square| vec![prize.square, square])
}

/// Pieces go off the board, and what is left is a lost ending.
pub(crate) fn trades_into_lost_ending(mistake: &Mistake) -> Squares {
    let after = mistake.question.after.filter(|&after| after <= LOST)?;
    mistake.question.before.filter(|before| before - after >= -LOST / 2.0)?;
    let (bait, killer) = (mistake.bait(), mistake.killer());
    if mistake.prize.is_some() {
        return None;
    }
    let is_piece = |role: Option<Role>| role.is_some_and(|role| role != Role::Pawn);
    let retaken = killer.to == bait.to && is_piece(bait.captured) && is_piece(killer.captured);
    let offered = is_piece(killer.captured)
        && mistake.line.last() + 1 >= 2
        && mistake.line.plies().any(|ply| ply == 3)
        && mistake.line.step(2).to == killer.to
        && is_piece(mistake.line.step(2).captured);
    let end = if retaken { 1 } else { 2 };
    if !retaken && !offered {
        return None;
    }
    let values = [bait.captured, killer.captured].map(|role| role.map_or(0, piece_value));
    let even = !retaken || (values[0] - values[1]).abs() < SOMETHING;
    let board = mistake.line.after(end).board();
    let is_ending = [mistake.mover, mistake.attacker()].into_iter().all(|color| piece_points(board, color) <= ENDING);
    (even && is_ending).then(|| vec![bait.to])
}

/// Pieces beside kings and pawns with which zugzwang is searched for, at most.
pub(crate) const ZUGZWANG_PIECES: usize = 4;

/// Whether the board after the bait has few pieces.
pub(crate) fn is_ending(mistake: &Mistake) -> bool {
    let board = mistake.baited();
    let pieces: Bitboard = board.occupied() & !board.kings() & !board.pawns();
    pieces.count() <= ZUGZWANG_PIECES && !mistake.line.after(1).is_check()
}
