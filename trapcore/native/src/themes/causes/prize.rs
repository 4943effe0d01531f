//! What a line comes to for who plays its odd moves: mate, a piece, a pawn that promotes, or nothing that the board shows.

use shakmaty::{Chess, Color, Move, Position, Role, Square};

use crate::chess::moves::{after, ends};
use crate::themes::causes::exchange::{SOMETHING, best_taking, material};

/// Plies of a line that count: later ones are what a search happened to look at.
const PLIES: usize = 9;

/// Classes of pieces that are traded for each other.
const CLASSES: usize = 4;

/// The capture, the promotion or the mate that a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prize {
    pub kind: Kind,
    /// Index of the move that takes it.
    pub ply: usize,
    /// Where it is taken.
    pub square: Square,
    /// Centipawns that the line wins in all; those of a king for a mate.
    pub gain: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Mate,
    Piece(Role),
    Promotion,
}

/// Moves, and the positions before each and after the last.
pub(crate) struct Played<'a> {
    pub moves: &'a [Move],
    pub positions: Vec<Chess>,
}

impl<'a> Played<'a> {
    pub(crate) fn new(start: &Chess, moves: &'a [Move]) -> Played<'a> {
        let mut positions = vec![start.clone()];
        for &m in moves {
            positions.push(after(&positions[positions.len() - 1], m));
        }
        Played { moves, positions }
    }

    /// What the side wins that makes the move with index `first` and every second one after it, counted from the first
    /// position on.
    pub(crate) fn prize(&self, first: usize) -> Option<Prize> {
        let side = self.positions.get(first)?.turn();
        let last = self.moves.len().min(first + PLIES);
        let own = (first..last).step_by(2);
        if let Some(end) = self.positions.last().filter(|end| end.is_checkmate() && end.turn() != side) {
            let square = end.board().king_of(!side)?;
            return Some(Prize { kind: Kind::Mate, ply: self.moves.len() - 1, square, gain: 20_000 });
        }
        let start = material(self.positions[0].board(), side);
        let swings: Vec<(usize, i32)> = own.map(|ply| (ply, self.settled(ply + 1, side) - start)).collect();
        let &(_, gain) = swings.last().filter(|&&(_, gain)| gain >= SOMETHING)?;
        let least = SOMETHING.max(gain / 2);
        let lasts = |&&(ply, _): &&(usize, i32)| swings.iter().all(|&(later, won)| later < ply || won >= least);
        let &(decided, _) = swings.iter().find(lasts)?;
        let wanted = self.net(first, decided)?;
        let step = |ply: usize| {
            let at = swings.iter().position(|&(other, _)| other == ply).expect("it is one of the side's moves");
            swings[at].1 - at.checked_sub(1).map_or(0, |before| swings[before].1)
        };
        let takes = (first..=decided).step_by(2).filter(|&ply| self.class_won(ply) == Some(wanted));
        // The first of the greatest steps.
        let ply = takes.min_by_key(|&ply| std::cmp::Reverse(step(ply)))?;
        let m = self.moves[ply];
        let kind = match m.capture() {
            Some(role) if !m.is_promotion() => Kind::Piece(role),
            _ => Kind::Promotion,
        };
        Some(Prize { kind, ply, square: m.to(), gain })
    }

    /// The dearest class of pieces of which the side has taken more than it gave, until its move `last`.
    fn net(&self, first: usize, last: usize) -> Option<usize> {
        let mut net = [0; CLASSES];
        for ply in first..=last {
            if let Some(class) = self.class_won(ply) {
                net[class] += if (ply - first).is_multiple_of(2) { 1 } else { -1 };
            }
        }
        // What the move before the first one took was given for it.
        if let Some(class) = first.checked_sub(1).and_then(|ply| self.class_won(ply)) {
            net[class] -= 1;
        }
        (0..CLASSES).rev().find(|&class| net[class] > 0)
    }

    /// What a move takes, or makes of a pawn: a pawn, a minor piece, a rook, a queen.
    fn class_won(&self, ply: usize) -> Option<usize> {
        let m = self.moves[ply];
        m.promotion().or(m.capture()).map(|role| match role {
            Role::Pawn => 0,
            Role::Knight | Role::Bishop => 1,
            Role::Rook => 2,
            Role::Queen | Role::King => 3,
        })
    }

    /// Material of a side in a position in which the other is to move, after the best exchange that this has.
    fn settled(&self, index: usize, side: Color) -> i32 {
        let board = self.positions[index].board();
        material(board, side) - best_taking(board, !side)
    }

    /// Where the piece that stands on `square` before the move with index `ply` stood before the move `earlier`.
    pub(crate) fn stood(&self, square: Square, ply: usize, earlier: usize) -> Square {
        (earlier..ply).rev().fold(square, |square, index| {
            let (from, to) = ends(self.moves[index]);
            if to == square { from } else { square }
        })
    }
}
