//! Moves whose point is when they come: in-between moves, clearances, quiet and defensive moves.

use shakmaty::{Position, Role, attacks};

use crate::themes::attacks::{attackers, is_en_prise, is_slider};
use crate::themes::line::{Evidence, Line};

/// The attacker could take back at once, plays another move first, and takes then.
pub(crate) fn intermezzo(line: &Line) -> Option<Evidence> {
    for ply in line.later_plies() {
        let (between, reply, taker) = (line.step(ply - 2), line.step(ply - 1), line.step(ply));
        if taker.captured.is_none()
            || between.to == taker.to
            || attackers(line.after(ply - 2).board(), !line.attacker, taker.to).contains(reply.from)
        {
            continue;
        }
        let taken = line.step(ply - 3);
        let holds = taken.to == taker.to
            && taken.captured.is_some()
            && line.before(ply - 2).legal_moves().contains(&taker.chess_move);
        return holds.then(|| Evidence::new(ply - 2, between.to, [taker.to]));
    }
    None
}

/// A piece leaves a square or a line that a line piece then uses, taking nothing.
pub(crate) fn clearance(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let (cleared, reply, user) = (line.step(ply - 2), line.step(ply - 1), line.step(ply));
        let holds = user.captured.is_none()
            && is_slider(user.became)
            && !cleared.chess_move.is_promotion()
            && cleared.to != user.from
            && cleared.to != user.to
            && !line.before(ply).is_check()
            && (!line.after(ply).is_check() || reply.became != Role::King)
            && (cleared.from == user.to || attacks::between(user.from, user.to).contains(cleared.from))
            && (cleared.captured.is_none() || is_en_prise(line.after(ply - 2).board(), cleared.to));
        holds.then(|| Evidence::new(ply - 2, cleared.to, [user.to]))
    })
}

/// Neither check nor capture nor an attack of the piece that moves.
fn is_quiet(line: &Line, ply: usize) -> bool {
    let (step, next) = (line.step(ply), line.after(ply));
    let attacked = next.board().attacks_from(step.to) & next.board().by_color(!line.attacker);
    step.captured.is_none()
        && !next.is_check()
        && attacked.is_empty()
        && !step.chess_move.is_promotion()
        && !step.is_pawn_on_sixth(line.attacker)
}

/// A move of a piece, not the last one, that gives no check, evades none, takes nothing and attacks nothing.
pub(crate) fn quiet_move(line: &Line) -> Option<Evidence> {
    line.earlier_plies().find_map(|ply| {
        let step = line.step(ply);
        let holds = step.role != Role::King && !line.before(ply).is_check() && is_quiet(line, ply);
        holds.then(|| Evidence::new(ply, step.to, []))
    })
}

/// Moves at least that a position has where one of them is called a defence.
const CHOICE: usize = 3;

/// The line ends with a quiet move, or begins with quiet moves until one evades a check.
pub(crate) fn defensive_move(line: &Line) -> Option<Evidence> {
    let last = line.last();
    let is_choice = |ply: usize| line.before(ply).legal_moves().len() >= CHOICE;
    if is_choice(last) && is_quiet(line, last) {
        return Some(Evidence::new(last, line.step(last).to, []));
    }
    for ply in line.plies() {
        if line.after(ply).is_check() || line.step(ply).captured.is_some() || !is_choice(ply) {
            return None;
        }
        if line.before(ply).is_check() {
            return Some(Evidence::new(ply, line.step(ply).to, []));
        }
    }
    None
}
