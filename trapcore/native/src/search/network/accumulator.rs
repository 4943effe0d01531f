//! The hidden sums along a line of play, each with the board that it belongs to.
//!
//! A position is compared with the board of the last evaluation at its ply, and with that at the ply before; the sums
//! of the one that differs in fewer squares are brought up to date. So they are right after any evaluations.

use shakmaty::{Bitboard, Board, ByColor, ByRole, Chess, Color, Position, Role, Square};

use super::features::{View, pieces};
use super::inference::{output, update};
use super::{Network, Row, bucket};

/// More pieces differ than a few moves can change: the sums are made anew.
const FAR: usize = 12;

/// Hidden sums of both sides, and what they were made of.
#[derive(Clone)]
struct Sums {
    roles: ByRole<Bitboard>,
    colors: ByColor<Bitboard>,
    views: ByColor<Option<View>>,
    hidden: ByColor<Row>,
}

/// Hidden sums by ply.
pub struct Accumulator {
    network: &'static Network,
    plies: Vec<Sums>,
}

/// Inputs that an update adds, or removes: at most one for each square.
struct Inputs {
    count: usize,
    indices: [u16; 64],
}

impl Inputs {
    const NONE: Inputs = Inputs { count: 0, indices: [0; 64] };

    fn push(&mut self, index: usize) {
        self.indices[self.count] = index as u16;
        self.count += 1;
    }

    fn as_slice(&self) -> &[u16] {
        &self.indices[..self.count]
    }
}

impl Accumulator {
    pub fn new(network: &'static Network, plies: usize) -> Accumulator {
        let empty = Sums {
            roles: ByRole::default(),
            colors: ByColor::default(),
            views: ByColor::default(),
            hidden: ByColor { white: network.bias, black: network.bias },
        };
        Accumulator { network, plies: vec![empty; plies] }
    }

    /// The value of a position at a ply below the number of plies, in centipawns for the side to move.
    pub fn evaluate(&mut self, chess: &Chess, ply: usize) -> i32 {
        self.bring_up_to_date(chess.board(), ply);
        let hidden = &self.plies[ply].hidden;
        let pieces = bucket(chess.board().occupied().count());
        output(self.network, pieces, hidden.get(chess.turn()), hidden.get(!chess.turn()))
    }

    fn bring_up_to_date(&mut self, board: &Board, ply: usize) {
        let same = self.plies[ply].distance(board);
        let before = if ply > 0 && same > 0 { self.plies[ply - 1].distance(board) } else { usize::MAX };
        let (source, distance) = if before < same { (ply - 1, before) } else { (ply, same) };
        if same == 0 {
            return;
        }
        let views = ByColor::new_with(|color| View::new(board, color));
        for perspective in Color::ALL {
            let view = *views.get(perspective);
            let current = distance <= FAR && *self.plies[source].views.get(perspective) == Some(view);
            let (mut added, mut removed) = (Inputs::NONE, Inputs::NONE);
            for (color, role, now) in pieces(board) {
                let old = if current {
                    *self.plies[source].colors.get(color) & *self.plies[source].roles.get(role)
                } else {
                    Bitboard::EMPTY
                };
                let input = |square: Square| view.index(color, role, square);
                (now & !old).into_iter().for_each(|square| added.push(input(square)));
                (old & !now).into_iter().for_each(|square| removed.push(input(square)));
            }
            let from = if current { *self.plies[source].hidden.get(perspective) } else { self.network.bias };
            let to = self.plies[ply].hidden.get_mut(perspective);
            update(self.network, &from, to, added.as_slice(), removed.as_slice());
        }
        let (roles, colors) = board.clone().into_bitboards();
        let sums = &mut self.plies[ply];
        (sums.roles, sums.colors, sums.views) = (roles, colors, views.map(Some));
    }
}

impl Sums {
    /// About how many pieces stand on only one of the boards; 0 only if they are equal.
    fn distance(&self, board: &Board) -> usize {
        let colors: usize =
            Color::ALL.into_iter().map(|color| (*self.colors.get(color) ^ board.by_color(color)).count()).sum();
        let roles: usize =
            Role::ALL.into_iter().map(|role| (*self.roles.get(role) ^ board.by_role(role)).count()).sum();
        roles.max(colors)
    }
}
