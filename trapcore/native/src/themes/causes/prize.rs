//! What a line comes to for who plays its odd moves: mate, a piece, a pawn that promotes, or nothing that the board shows.

use shakmaty::{Chess, Color, Move, Position, Role, Square};

use crate::chess::moves::{after, ends};
use crate::themes::causes::exchange::{SOMETHING, best_taking, material};

/// Plies of a line that count: later ones are what a search happened to look at.
const PLIES: usize = 9;

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
        let mut before = 0;
        let mut steps = Vec::new();
        for ply in own {
            let won = self.settled(ply + 1, side) - start;
            steps.push((ply, won - before));
            before = won;
        }
        if before < SOMETHING {
            return None;
        }
        // The first of the greatest steps.
        let &(ply, _) = steps.iter().rev().max_by_key(|&&(_, step)| step)?;
        let ply = (first..=ply).rev().step_by(2).find(|&ply| self.takes(ply))?;
        let (m, square) = (self.moves[ply], self.moves[ply].to());
        let kind = match m.capture() {
            Some(role) if !m.is_promotion() => Kind::Piece(role),
            _ => Kind::Promotion,
        };
        Some(Prize { kind, ply, square, gain: before })
    }

    fn takes(&self, ply: usize) -> bool {
        self.moves[ply].is_capture() || self.moves[ply].is_promotion()
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
