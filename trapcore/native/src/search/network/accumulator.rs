//! The hidden sums along a line of play, each with the board that it belongs to.
//!
//! A position is compared with the board of the last evaluation at its ply, and with that at the ply before; the sums
//! of the one that differs in fewer squares are brought up to date. So they are right after any evaluations.

use shakmaty::{Bitboard, Board, ByColor, ByRole, Chess, Color, Position, Role};

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

/// What an update adds and removes for one side.
struct Changes {
    added: Inputs,
    removed: Inputs,
}

impl Changes {
    const NONE: Changes = Changes { added: Inputs::NONE, removed: Inputs::NONE };

    /// The pieces of a kind stand on other squares now.
    fn note(&mut self, view: View, (color, role): (Color, Role), now: Bitboard, old: Bitboard) {
        for square in now & !old {
            self.added.push(view.index(color, role, square));
        }
        for square in old & !now {
            self.removed.push(view.index(color, role, square));
        }
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
        let (before, at) = self.plies.split_at_mut(ply);
        let sums = &mut at[0];
        let same = sums.distance(board);
        if same == 0 {
            return;
        }
        let parent = before.last().map(|parent| (parent, parent.distance(board))).filter(|&(_, far)| far < same);
        let (source, distance) = parent.unwrap_or((sums, same));
        let views = ByColor::new_with(|color| View::new(board, color));
        let current = ByColor::new_with(|color| distance <= FAR && *source.views.get(color) == Some(*views.get(color)));
        let mut changes = ByColor::new_with(|_| Changes::NONE);
        if distance <= FAR {
            for (color, role, now) in pieces(board) {
                let old = *source.colors.get(color) & *source.roles.get(role);
                if now != old {
                    for (view, changes) in views.iter().zip(changes.iter_mut()) {
                        changes.note(*view, (color, role), now, old);
                    }
                }
            }
        }
        for perspective in Color::ALL {
            let view = *views.get(perspective);
            let changes = changes.get_mut(perspective);
            let from = if !current.get(perspective) {
                *changes = Changes::NONE;
                for (color, role, now) in pieces(board) {
                    changes.note(view, (color, role), now, Bitboard::EMPTY);
                }
                Some(&self.network.bias)
            } else {
                parent.map(|(parent, _)| parent.hidden.get(perspective))
            };
            let to = sums.hidden.get_mut(perspective);
            update(self.network, from, to, changes.added.as_slice(), changes.removed.as_slice());
        }
        let (roles, colors) = board.clone().into_bitboards();
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
