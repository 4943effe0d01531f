//! What is done to the pieces that guard: lured away, lured to a worse square, cut off, taken, given too much to do.

use shakmaty::{Bitboard, Position, Role, Square, attacks};

use crate::chess::piece_values::points;
use crate::themes::attacks::{attackers, is_defended, is_slider};
use crate::themes::line::{Evidence, Line};

/// A guard is made to leave, by a sacrifice that it takes or by a check, and what it guarded is taken, or a pawn promotes
/// where it stood in the way.
pub(crate) fn deflection(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let (lure, reply, taker) = (line.step(ply - 2), line.step(ply - 1), line.step(ply));
        let promotes = taker.chess_move.is_promotion();
        if taker.captured.is_none() && !promotes
            || taker.captured.is_some_and(|role| points(role) > points(taker.became))
            || lure.captured.is_some_and(|role| points(role) >= points(lure.became))
            || taker.to == reply.to
            || taker.to == lure.to
            || reply.to != lure.to && !line.after(ply - 2).is_check()
        {
            return None;
        }
        let guarded = line.after(ply - 2).board().attacks_from(reply.from);
        let did_guard = guarded.contains(taker.to)
            || promotes && taker.to.file() == reply.from.file() && guarded.contains(taker.from);
        let guards_still = line.before(ply).board().attacks_from(reply.to).contains(taker.to);
        (did_guard && !guards_still).then(|| Evidence::new(ply - 2, lure.to, [reply.from, taker.to]))
    })
}

/// King, queen or rook takes on a square where the next move attacks it: the king is checked, another piece taken.
pub(crate) fn attraction(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let (lure, reply, attack) = (line.step(ply - 2), line.step(ply - 1), line.step(ply));
        let attacked = reply.to == lure.to && line.after(ply).board().attacks_from(attack.to).contains(lure.to);
        let holds = attacked
            && match reply.became {
                Role::King => true,
                Role::Queen | Role::Rook => ply + 2 <= line.last() && line.step(ply + 2).to == lure.to,
                _ => false,
            };
        holds.then(|| Evidence::new(ply - 2, lure.to, [reply.from]))
    })
}

/// A guard is taken, and then what it guarded; or mate follows on the square that it guarded.
pub(crate) fn capturing_defender(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let (first, reply, taker) = (line.step(ply - 2), line.step(ply - 1), line.step(ply));
        let takes_loose = taker.became != Role::King
            && taker.captured.is_some_and(|role| points(role) <= points(taker.became))
            && !is_defended(line.before(ply).board(), taker.to)
            && reply.to != taker.to;
        let start = line.before(ply - 2);
        let holds = (takes_loose || line.after(ply).is_checkmate())
            && first.captured.is_some()
            && first.to != taker.from
            && !line.after(ply - 2).is_check()
            && !start.is_check()
            && attackers(start.board(), !line.attacker, taker.to).contains(first.to);
        holds.then(|| Evidence::new(ply - 2, first.to, [first.to, taker.to]))
    })
}

/// A piece comes between a piece and the one that guards it, which is then taken. It may be the victim's own piece.
pub(crate) fn interference(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let taker = line.step(ply);
        taker.captured?;
        let board = line.before(ply).board();
        if board.piece_at(taker.to).is_none() || is_defended(board, taker.to) {
            return None;
        }
        let cut_by = |blocker: Square, earlier: usize| -> Option<Square> {
            let start = line.before(earlier).board();
            start.piece_at(taker.to).filter(|piece| piece.color != line.attacker)?;
            attackers(start, !line.attacker, taker.to).into_iter().find(|&guard| {
                start.role_at(guard).is_some_and(is_slider) && attacks::between(taker.to, guard).contains(blocker)
            })
        };
        let (own, reply) = (line.step(ply - 2), line.step(ply - 1));
        let guard =
            cut_by(reply.to, ply - 1).or_else(|| if reply.to == taker.to { None } else { cut_by(own.to, ply - 2) })?;
        Some(Evidence::new(ply - 2, own.to, [guard, taker.to]))
    })
}

/// A piece is the only guard of two: the first is taken, it takes back, and the second is taken.
pub(crate) fn overloading(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let (first, reply, taker) = (line.step(ply - 2), line.step(ply - 1), line.step(ply));
        if first.captured.is_none() || taker.captured.is_none() || reply.to != first.to || taker.to == first.to {
            return None;
        }
        let start = line.before(ply - 2).board();
        let alone = Bitboard::from_square(reply.from);
        let guards = |square: Square| attackers(start, !line.attacker, square);
        let holds = guards(first.to) == alone
            && guards(taker.to) == alone
            && attackers(start, line.attacker, taker.to).any()
            && !is_defended(line.before(ply).board(), taker.to);
        holds.then(|| Evidence::new(ply - 2, first.to, [reply.from, first.to, taker.to]))
    })
}
