//! One move that attacks two things: forks, discovered attacks, discovered and double checks.

use shakmaty::{Bitboard, Position, Role, Square, attacks};

use crate::chess::piece_values::points;
use crate::themes::attacks::{attackers, is_defended, is_en_prise};
use crate::themes::line::{Evidence, Line};

/// A piece that is safe itself attacks two or more that are worth more than it, or loose and do not attack it.
pub(crate) fn fork(line: &Line) -> Option<Evidence> {
    line.earlier_plies().find_map(|ply| {
        let step = line.step(ply);
        let board = line.after(ply).board();
        if step.role == Role::King || is_en_prise(board, step.to) {
            return None;
        }
        let back = attackers(board, !line.attacker, step.to);
        let is_forked = |&square: &Square| {
            let role = board.role_at(square).expect("attacked squares are those of pieces");
            points(role) > points(step.became) || !is_defended(board, square) && !back.contains(square)
        };
        let attacked = board.attacks_from(step.to) & board.by_color(!line.attacker) & !board.pawns();
        let forked: Vec<Square> = attacked.into_iter().filter(is_forked).collect();
        (forked.len() > 1).then(|| Evidence::new(ply, step.to, forked))
    })
}

/// A move opens the line of another piece, which takes along it with the next move; or a discovered check that is
/// no double check.
pub(crate) fn discovered_attack(line: &Line) -> Option<Evidence> {
    plain_discovered_check(line).or_else(|| {
        for ply in line.later_plies() {
            let (opener, reply, taker) = (line.step(ply - 2), line.step(ply - 1), line.step(ply));
            if taker.captured.is_none() {
                continue;
            }
            if reply.to == taker.to {
                return None;
            }
            let opened = attacks::between(taker.from, taker.to).contains(opener.from);
            if opened && opener.to != taker.to && opener.to != taker.from && !opener.chess_move.is_castle() {
                return Some(Evidence::new(ply - 2, taker.from, [taker.to]));
            }
        }
        None
    })
}

/// Check by a piece that did not move, whether the one that moved checks as well or not.
pub(crate) fn discovered_check(line: &Line) -> Option<Evidence> {
    line.plies().find_map(|ply| discovered_check_at(line, ply))
}

fn discovered_check_at(line: &Line, ply: usize) -> Option<Evidence> {
    let step = line.step(ply);
    let checker = line.after(ply).checkers().without(step.to).first()?;
    (!step.chess_move.is_castle()).then(|| Evidence::new(ply, checker, [line.king(line.after(ply))]))
}

/// The same, where the piece that moved does not check; a double check has its own name.
fn plain_discovered_check(line: &Line) -> Option<Evidence> {
    line.plies()
        .filter(|&ply| !line.after(ply).checkers().contains(line.step(ply).to))
        .find_map(|ply| discovered_check_at(line, ply))
}

/// Check by two pieces.
pub(crate) fn double_check(line: &Line) -> Option<Evidence> {
    line.plies().find_map(|ply| {
        let checkers: Bitboard = line.after(ply).checkers();
        checkers.more_than_one().then(|| Evidence::new(ply, line.step(ply).to, [line.king(line.after(ply))]))
    })
}
