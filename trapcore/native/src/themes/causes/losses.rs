//! Causes that exchanges on one square show: a piece is put where it is taken, takes and is retaken, leaves another one,
//! uncovers it, cuts it off, or takes its retreat away.

use shakmaty::{Bitboard, Board, Position, Role, Square, attacks};

use crate::chess::moves::after;
use crate::themes::attacks::{attackers, is_slider};
use crate::themes::causes::exchange::{SOMETHING, put_back, taking, wins};
use crate::themes::causes::mistake::Mistake;

type Squares = Option<Vec<Square>>;

/// The piece moves, taking nothing, to where it is taken.
pub(crate) fn puts_where_taken(mistake: &Mistake) -> Squares {
    let bait = mistake.bait();
    (bait.captured.is_none() && is_taken_there(mistake)).then(|| vec![bait.to])
}

/// The piece takes, and is taken for more.
pub(crate) fn takes_and_is_retaken(mistake: &Mistake) -> Squares {
    let bait = mistake.bait();
    (bait.captured.is_some() && is_taken_there(mistake)).then(|| vec![bait.to])
}

/// The killer takes the moved piece where it is, and that piece is what the line wins.
fn is_taken_there(mistake: &Mistake) -> bool {
    let to = mistake.bait().to;
    mistake.killer().to == to
        && mistake.killer().captured.is_some()
        && mistake.lost_piece().is_some_and(|(_, victim)| victim == to)
        && wins(mistake.baited(), mistake.attacker(), to)
}

/// The piece moves to where it is lost, although not at once.
pub(crate) fn goes_astray(mistake: &Mistake) -> Squares {
    let (_, victim) = mistake.lost_piece().filter(|&(_, victim)| victim == mistake.bait().to)?;
    let later = mistake.prize.is_some_and(|prize| (3..=5).contains(&prize.ply));
    (later && mistake.threatened != Some(true)).then(|| vec![victim])
}

/// Another piece is lost, by exchanges on its square, that the bait has made worth while: their square, and whether so.
fn newly_lost(mistake: &Mistake) -> Option<Square> {
    let square = mistake.lost_bystander()?;
    let (before, now) = (mistake.board(), mistake.baited());
    before.piece_at(square).filter(|piece| Some(*piece) == now.piece_at(square))?;
    let gain = |board| taking(board, mistake.attacker(), square);
    (gain(now) >= SOMETHING && gain(before) < SOMETHING.max(gain(now) / 2)).then_some(square)
}

/// The board on which another piece is taken, the bait taken back: its square there, what exchanges win there, and the
/// board. `None` if the moved piece has moved on, or if its first square is no longer free.
fn taken_back(mistake: &Mistake) -> Option<(Square, Board)> {
    let (bait, prize) = (mistake.bait(), mistake.prize?);
    let board = mistake.line.before(prize.ply).board();
    let stands = board.piece_at(bait.to) == Some(bait.became.of(mistake.mover));
    let moved =
        (1..prize.ply).any(|ply| mistake.line.step(ply).from == bait.to || mistake.line.step(ply).to == bait.to);
    if !stands || moved || bait.captured.is_some() || bait.became != bait.role || mistake.lost_bystander().is_none() {
        return None;
    }
    let back = put_back(board, bait.to, bait.from)?;
    (wins(board, mistake.attacker(), prize.square) && !wins(&back, mistake.attacker(), prize.square))
        .then_some((prize.square, back))
}

/// The piece guarded another one, which is lost without it.
pub(crate) fn leaves_guarded(mistake: &Mistake) -> Squares {
    let bait = mistake.bait();
    let later = || {
        let (square, back) = taken_back(mistake).filter(|_| mistake.threatened != Some(true))?;
        let guards = |board: &Board, from: Square| board.attacks_from(from).contains(square);
        (guards(&back, bait.from) && !mistake.guards().contains(square)).then_some(square)
    };
    let Some(square) = newly_lost(mistake) else { return later().map(|square| vec![square, bait.from]) };
    let guarded = mistake.guarded().contains(square) || guards_behind(mistake, square);
    (guarded && !mistake.guards().contains(square)).then(|| vec![square, bait.from])
}

/// The moved piece stood behind another one of its side on the same line, guarding through it.
fn guards_behind(mistake: &Mistake, square: Square) -> bool {
    let bait = mistake.bait();
    let board = mistake.board();
    let between = attacks::between(bait.from, square) & board.occupied();
    let Some(front) = between.single_square() else { return false };
    is_slider(bait.role)
        && board.color_at(front) == Some(mistake.mover)
        && board.attacks_from(front).contains(square)
        && attacks::attacks(bait.from, bait.role.of(mistake.mover), board.occupied().without(front)).contains(square)
}

/// The piece stood between a line piece and another one, which that piece takes now: it was pinned to it.
pub(crate) fn uncovers(mistake: &Mistake) -> Squares {
    let square = mistake.lost_bystander()?;
    let bait = mistake.bait();
    let gain = |board| taking(board, mistake.attacker(), square);
    let by = attackers(mistake.baited(), mistake.attacker(), square)
        .into_iter()
        .find(|&from| attacks::between(from, square).contains(bait.from) && is_line(mistake, from))?;
    let prize = mistake.prize?;
    let taker = mistake.line.step(prize.ply);
    let is_taken = taker.to == square && attacks::between(taker.from, square).contains(bait.from);
    (is_taken && gain(mistake.baited()) >= SOMETHING && gain(mistake.board()) < SOMETHING).then(|| vec![square, by])
}

fn is_line(mistake: &Mistake, square: Square) -> bool {
    mistake.baited().role_at(square).is_some_and(is_slider)
}

/// The piece comes between another one and the line piece that guards it.
pub(crate) fn cuts_off(mistake: &Mistake) -> Squares {
    let square = newly_lost(mistake)?;
    let bait = mistake.bait();
    let guards = attackers(mistake.board(), mistake.mover, square);
    let cut = guards.into_iter().find(|&guard| {
        guard != bait.from
            && mistake.board().role_at(guard).is_some_and(is_slider)
            && attacks::between(guard, square).contains(bait.to)
    })?;
    Some(vec![square, cut])
}

/// The piece is the guard of two, and after the bait it guards only one.
pub(crate) fn overloaded(mistake: &Mistake) -> Squares {
    let square = newly_lost(mistake)?;
    let bait = mistake.bait();
    let (board, attacker) = (mistake.board(), mistake.attacker());
    let alone = |target: Square| attackers(board, mistake.mover, target) == Bitboard::from_square(bait.from);
    let attacked = |target: Square| attackers(board, attacker, target).any();
    let other = (mistake.guarded() & board.by_color(mistake.mover))
        .into_iter()
        .chain(bait.captured.map(|_| bait.to))
        .find(|&other| other != square && (other == bait.to || alone(other) && attacked(other)))?;
    (alone(square) && !mistake.guards().contains(square)).then(|| vec![square, other])
}

/// The piece stands where another one would have fled to, or passed through.
pub(crate) fn blocks_retreat(mistake: &Mistake) -> Squares {
    let square = mistake.lost_bystander()?;
    let bait = mistake.bait();
    let role = mistake.baited().role_at(square)?;
    let killer = mistake.killer();
    if role == Role::Pawn || killer.captured.is_some() || mistake.board().role_at(square) != Some(role) {
        return None;
    }
    let passed = mistake.passed.as_ref()?;
    if !passed.is_legal(killer.chess_move) {
        return None;
    }
    let free = after(passed, killer.chess_move);
    if free.is_check() {
        return None;
    }
    let safe = |from: Square| -> Vec<Square> {
        let moves = free.legal_moves().into_iter().filter(|m| m.from() == Some(from) && !m.is_castle());
        moves.filter(|&m| !wins(after(&free, m).board(), mistake.attacker(), m.to())).map(|m| m.to()).collect()
    };
    let flights = safe(square);
    let uses = |&to: &Square| to == bait.to || attacks::between(square, to).contains(bait.to);
    (!flights.is_empty() && flights.iter().all(uses)).then(|| vec![square, bait.to])
}

/// The killer attacks the moved piece, which nothing took there before.
pub(crate) fn walks_into_attack(mistake: &Mistake) -> Squares {
    let (bait, killer) = (mistake.bait(), mistake.killer());
    let hits = |board: &Board| wins(board, mistake.attacker(), bait.to);
    let new = mistake.threatened != Some(true) && bait.role != Role::King && killer.to != bait.to;
    (new && hits(mistake.line.after(1).board()) && !hits(mistake.baited())).then(|| vec![bait.to, killer.to])
}

/// The moved piece has no square left where it is not taken, although it is not taken at once.
pub(crate) fn runs_out_of_squares(mistake: &Mistake) -> Squares {
    let to = mistake.bait().to;
    let (role, victim) = mistake.lost_piece()?;
    if victim != to || matches!(role, Role::Pawn | Role::King) || mistake.killer().captured.is_some() {
        return None;
    }
    let trapped = mistake.line.after(1);
    crate::themes::attacks::is_trapped(trapped, to).then(|| vec![to])
}
