//! Pieces that nobody guards, and pieces that cannot get away.

use shakmaty::{Board, Color, Position, Role};

use crate::chess::piece_values::points;
use crate::themes::attacks::{is_defended, is_trapped};
use crate::themes::line::{Evidence, Line};

/// Points of a side's pieces and pawns less those of the other side.
pub(crate) fn balance(board: &Board, color: Color) -> i32 {
    Role::ALL
        .into_iter()
        .filter(|&role| role != Role::King)
        .map(|role| {
            let count = |color: Color| (board.by_role(role) & board.by_color(color)).count() as i32;
            points(role) * (count(color) - count(!color))
        })
        .sum()
}

/// The first move takes an unguarded piece, which is not given back with the next move. Not if the piece had just taken
/// one worth as much.
pub(crate) fn hanging_piece(line: &Line) -> Option<Evidence> {
    let (bait, taker) = (line.step(0), line.step(1));
    let captured = taker.captured.filter(|&role| role != Role::Pawn)?;
    if is_defended(line.before(1).board(), taker.to) {
        return None;
    }
    if bait.to == taker.to && bait.captured.is_some_and(|role| points(role) >= points(captured)) {
        return None;
    }
    let after = |ply: usize| balance(line.after(ply).board(), line.attacker);
    (line.length() < 2 || after(3) >= after(1)).then(|| Evidence::new(1, taker.to, [taker.to]))
}

/// A piece is attacked and has no safe square; it is taken, there or where it flees to.
pub(crate) fn trapped_piece(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let (reply, taker) = (line.step(ply - 1), line.step(ply));
        taker.captured.filter(|&role| role != Role::Pawn)?;
        let trapped = if reply.to == taker.to { reply.from } else { taker.to };
        let board = line.before(ply - 1).board();
        let is_trapped = is_trapped(line.before(ply - 1), trapped);
        let by = board.attacks_to(trapped, line.attacker, board.occupied());
        let by = if by.contains(line.step(ply - 2).to) { Some(line.step(ply - 2).to) } else { by.first() };
        is_trapped.then(|| Evidence { ply: ply - 2, by, targets: vec![trapped] })
    })
}
