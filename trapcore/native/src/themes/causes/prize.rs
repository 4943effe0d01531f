//! The result of a line for the player of its odd moves: mate, a piece, a pawn that promotes, or nothing visible.

use shakmaty::{Chess, Color, Move, Position, Role, Square};

use crate::chess::moves::{ends, positions_along};
use crate::themes::causes::exchange::{SOMETHING, best_taking, material, taking};

/// Plies of a line that count: later ones are what a search happened to examine.
const PLIES: usize = 7;

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

fn class(role: Role) -> usize {
    match role {
        Role::Pawn => 0,
        Role::Knight | Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen | Role::King => 3,
    }
}

/// Moves, and the positions before each and after the last.
pub(crate) struct Played<'a> {
    pub moves: &'a [Move],
    pub positions: Vec<Chess>,
}

impl<'a> Played<'a> {
    pub(crate) fn new(start: &Chess, moves: &'a [Move]) -> Played<'a> {
        Played { moves, positions: positions_along(start, moves) }
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
        let swings: Vec<(usize, i32)> = own.map(|ply| (ply, self.settled(ply, side) - start)).collect();
        let Some(&(_, gain)) = swings.last().filter(|&&(_, gain)| gain >= SOMETHING) else {
            return self.at_once(first, &swings);
        };
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

    /// The piece that the first move takes with profit, where later moves of the line give some of it back, not all.
    fn at_once(&self, first: usize, swings: &[(usize, i32)]) -> Option<Prize> {
        let (m, board) = (*self.moves.get(first)?, self.positions[first].board());
        let &(_, won) = swings.first()?;
        let gain = taking(board, self.positions[first].turn(), m.to()).min(won);
        let lasts = swings.iter().all(|&(_, swing)| swing > 0);
        let kind = Kind::Piece(m.capture()?);
        (gain >= SOMETHING && lasts).then_some(Prize { kind, ply: first, square: m.to(), gain })
    }

    /// The dearest class of pieces of which the side has taken more than it gave, until its move `last`.
    fn net(&self, first: usize, last: usize) -> Option<usize> {
        let mut net = [0; CLASSES];
        let end = (last + 1).min(self.moves.len() - 1);
        for ply in first..=end {
            if let Some(class) = self.class_won(ply) {
                net[class] += if (ply - first).is_multiple_of(2) { 1 } else { -1 };
            }
        }
        if end == last {
            // The line ends: what can be taken then counts as given.
            let board = self.positions[last + 1].board();
            let side = self.positions[first].turn();
            if let Some((_, square)) = best_taking(board, !side) {
                net[board.role_at(square).map_or(0, class)] -= 1;
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
        m.promotion().or(m.capture()).map(class)
    }

    /// Material of a side after its move with this index and the answer; at the end of the line after the best exchange
    /// that the other has.
    fn settled(&self, ply: usize, side: Color) -> i32 {
        match self.positions.get(ply + 2) {
            Some(answered) => material(answered.board(), side),
            None => {
                let board = self.positions[ply + 1].board();
                material(board, side) - best_taking(board, !side).map_or(0, |(gain, _)| gain)
            }
        }
    }

    /// Where the piece that stands on `square` before the move with index `ply` stood before the move `earlier`.
    pub(crate) fn stood(&self, square: Square, ply: usize, earlier: usize) -> Square {
        (earlier..ply).rev().fold(square, |square, index| {
            let (from, to) = ends(self.moves[index]);
            if to == square { from } else { square }
        })
    }
}
