//! Attacks on the king.

use shakmaty::{Bitboard, File, Position, Rank, Square};

use crate::themes::attacks::ring;
use crate::themes::double_attacks::fork;
use crate::themes::line::{Evidence, Line};
use crate::themes::mates::edge::back_rank;

/// The first capture on f2 or f7 beside a king that has not moved from e1 or e8.
pub(crate) fn attacking_f2_f7(line: &Line) -> Option<Evidence> {
    let (pawn, home) = line.attacker.fold_wb((Square::F7, Square::E8), (Square::F2, Square::E1));
    line.plies().find_map(|ply| {
        let step = line.step(ply);
        let holds = step.to == pawn && step.captured.is_some() && line.king(line.after(ply)) == home;
        holds.then(|| Evidence::new(ply, pawn, [pawn]))
    })
}

/// The king, on its first three ranks, has no pawn beside or before it, and is checked in the course of the line.
pub(crate) fn exposed_king(line: &Line) -> Option<Evidence> {
    let board = line.after(0).board();
    let king = line.king(line.after(0));
    let rank = |square: Square| line.attacker.fold_wb(7 - square.rank() as i32, square.rank() as i32);
    let shelter: Bitboard = ring(king).into_iter().filter(|&square| rank(square) >= rank(king)).collect();
    if rank(king) > 2 || (shelter & board.pawns() & board.by_color(!line.attacker)).any() {
        return None;
    }
    line.earlier_plies()
        .skip(1)
        .find(|&ply| line.after(ply).is_check())
        .map(|ply| Evidence::new(ply, line.step(ply).to, [king]))
}

/// An attack on a king on g1 or h1 (g8, h8).
pub(crate) fn kingside_attack(line: &Line) -> Option<Evidence> {
    wing_attack(line, File::H, &[File::G, File::H], 20)
}

/// An attack on a king on a1, b1 or c1 (a8, b8, c8).
pub(crate) fn queenside_attack(line: &Line) -> Option<Evidence> {
    wing_attack(line, File::A, &[File::A, File::B, File::C], 18)
}

/// Checks, and captures near the corner, outweigh moves far from it; with `pieces` or more on the board, and neither a
/// fork nor a mate on the back rank.
fn wing_attack(line: &Line, corner: File, files: &[File], pieces: usize) -> Option<Evidence> {
    let start = line.after(0);
    let king = line.king(start);
    let home = line.attacker.fold_wb(Rank::Eighth, Rank::First);
    let corner = Square::from_coords(corner, home);
    if king.rank() != home || !files.contains(&king.file()) || start.board().occupied().count() < pieces {
        return None;
    }
    let first_check = line.plies().find(|&ply| line.after(ply).is_check())?;
    let score: i32 = line
        .plies()
        .map(|ply| {
            let step = line.step(ply);
            let far = corner.distance(step.to);
            let nearness = if step.captured.is_some() && far <= 3 { 1 } else { -i32::from(far >= 5) };
            i32::from(line.after(ply).is_check()) + nearness
        })
        .sum();
    (score >= 2 && back_rank(line).is_none() && fork(line).is_none())
        .then(|| Evidence::new(first_check, line.step(first_check).to, [king]))
}
