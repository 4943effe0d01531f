//! Kinds of moves: promotions, en passant, castling, advanced pawns; and material that is given up.

use shakmaty::{Position, Role};

use crate::themes::line::{Evidence, Line, Step};
use crate::themes::loose_pieces::balance;

/// The attacker's first move of a kind.
fn first(line: &Line, is_kind: impl Fn(&Step) -> bool) -> Option<Evidence> {
    let ply = line.plies().find(|&ply| is_kind(line.step(ply)))?;
    let step = line.step(ply);
    Some(Evidence::new(ply, step.to, step.captured.map(|_| step.to)))
}

/// A pawn comes to the seventh rank, or promotes.
pub(crate) fn advanced_pawn(line: &Line) -> Option<Evidence> {
    first(line, |step| step.is_pawn_on_seventh(line.attacker))
}

pub(crate) fn promotion(line: &Line) -> Option<Evidence> {
    first(line, |step| step.chess_move.is_promotion())
}

/// A promotion to another piece than a queen; with mate, only to a knight, because a queen would mate as well.
pub(crate) fn under_promotion(line: &Line) -> Option<Evidence> {
    line.plies().find_map(|ply| {
        let step = line.step(ply);
        let role = step.chess_move.promotion().filter(|&role| role != Role::Queen)?;
        let holds = role == Role::Knight || !line.after(ply).is_checkmate();
        holds.then(|| Evidence::new(ply, step.to, step.captured.map(|_| step.to)))
    })
}

pub(crate) fn en_passant(line: &Line) -> Option<Evidence> {
    first(line, |step| step.chess_move.is_en_passant())
}

pub(crate) fn castling(line: &Line) -> Option<Evidence> {
    first(line, |step| step.chess_move.is_castle())
}

/// Points that the attacker has less, at least, after a sacrifice.
const SACRIFICED: i32 = 2;

/// After a later move the attacker has two points less than after the bait, and no pawn of the victim promoted. It
/// rests on the most valuable piece given up until then.
pub(crate) fn sacrifice(line: &Line) -> Option<Evidence> {
    let start = balance(line.after(0).board(), line.attacker);
    let down = line.later_plies().find(|&ply| balance(line.after(ply).board(), line.attacker) <= start - SACRIFICED)?;
    if (2..=line.last()).step_by(2).any(|ply| line.step(ply).chess_move.is_promotion()) {
        return None;
    }
    let given = (2..down).step_by(2).filter(|&ply| line.step(ply).captured.is_some());
    let ply = given.max_by_key(|&ply| (line.step(ply).captured, std::cmp::Reverse(ply)))?;
    let square = line.step(ply).to;
    Some(Evidence::new(ply - 1, square, []))
}
