//! Pieces on one line: pins, skewers, X-rays.

use shakmaty::{Bitboard, Board, Color, Position, Rank, Role, Square, attacks};

use crate::chess::piece_values::points;
use crate::themes::attacks::{attackers, is_defended, is_en_prise, is_slider, pinner};
use crate::themes::line::{Evidence, Line};

/// A piece is pinned to its king, and so cannot take what it attacks, or cannot leave although it is attacked.
pub(crate) fn pin(line: &Line) -> Option<Evidence> {
    line.plies().find_map(|ply| {
        let board = line.after(ply).board();
        let king = line.king(line.after(ply));
        let screens = attacks::queen_attacks(king, board.occupied()) & board.by_color(!line.attacker);
        screens.into_iter().find_map(|pinned| {
            let by = pinner(board, king, pinned)?;
            let along = attacks::ray(king, pinned);
            let matters = cannot_take(board, pinned, along) || cannot_leave(board, pinned, along);
            matters.then(|| Evidence::new(ply, by, [pinned, king]))
        })
    })
}

/// It attacks, off the line of the pin, a piece worth more than itself or a loose one.
fn cannot_take(board: &Board, pinned: Square, along: Bitboard) -> bool {
    let Some(piece) = board.piece_at(pinned) else { return false };
    let off = board.attacks_from(pinned) & board.by_color(!piece.color) & !along;
    off.into_iter().any(|square| {
        board.role_at(square).is_some_and(|role| points(role) > points(piece.role)) || !is_defended(board, square)
    })
}

/// It is attacked along the line by a piece worth less, or is loose, cannot take back, and could move otherwise.
fn cannot_leave(board: &Board, pinned: Square, along: Bitboard) -> bool {
    let Some(piece) = board.piece_at(pinned) else { return false };
    (attackers(board, !piece.color, pinned) & along).into_iter().any(|attacker| {
        board.role_at(attacker).is_some_and(|role| points(piece.role) > points(role))
            || !is_defended(board, pinned)
                && !board.attacks_from(pinned).contains(attacker)
                && (pseudo_legal_targets(board, pinned) & !along).any()
    })
}

/// Where the piece could go if it were not pinned.
fn pseudo_legal_targets(board: &Board, square: Square) -> Bitboard {
    let Some(piece) = board.piece_at(square) else { return Bitboard::EMPTY };
    let reached = board.attacks_from(square) & !board.by_color(piece.color);
    if piece.role != Role::Pawn {
        return reached;
    }
    reached & board.by_color(!piece.color) | pushes(board, piece.color, square)
}

fn pushes(board: &Board, color: Color, pawn: Square) -> Bitboard {
    let step = color.fold_wb(8, -8);
    let free = |from: Square| from.offset(step).filter(|&to| !board.occupied().contains(to));
    let mut reached = Bitboard::EMPTY;
    if let Some(to) = free(pawn) {
        reached.add(to);
        if pawn.rank() == color.fold_wb(Rank::Second, Rank::Seventh) {
            reached.extend(free(to));
        }
    }
    reached
}

/// The more valuable piece leaves the line, and the one behind it, which was not safe, is taken.
pub(crate) fn skewer(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let (fled, taker) = (line.step(ply - 1), line.step(ply));
        let captured = taker.captured?;
        let holds = is_slider(taker.became)
            && fled.to != taker.to
            && attacks::between(taker.from, taker.to).contains(fled.from)
            && points(fled.became) > points(captured)
            && is_en_prise(line.before(ply).board(), taker.to)
            && !line.after(ply).is_checkmate();
        holds.then(|| Evidence::new(ply - 2, taker.from, [fled.from, taker.to]))
    })
}

/// Exchanges on one square: the piece that takes back stood between a line piece and the square, which takes last.
pub(crate) fn x_ray_attack(line: &Line) -> Option<Evidence> {
    line.later_plies().find_map(|ply| {
        let (first, recapture, taker) = (line.step(ply - 2), line.step(ply - 1), line.step(ply));
        let holds = taker.captured.is_some()
            && recapture.to == taker.to
            && first.to == taker.to
            && recapture.became != Role::King
            && attacks::between(taker.from, taker.to).contains(recapture.from);
        holds.then(|| Evidence::new(ply - 2, taker.from, [recapture.from, taker.to]))
    })
}
