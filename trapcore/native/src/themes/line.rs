//! The line whose themes are searched for, and what a theme rests on.

use shakmaty::{Chess, Color, Move, Position, Role, Square};

use crate::chess::moves::{ends, positions_along};

/// A move of the line; castling is the king's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub chess_move: Move,
    pub from: Square,
    pub to: Square,
    /// What it was before the move.
    pub role: Role,
    /// What it is after the move: another piece after a promotion.
    pub became: Role,
    /// What was taken, en passant as well.
    pub captured: Option<Role>,
}

impl Step {
    fn of(chess_move: Move) -> Step {
        let (from, to) = ends(chess_move);
        let role = chess_move.role();
        let became = chess_move.promotion().unwrap_or(role);
        Step { chess_move, from, to, role, became, captured: chess_move.capture() }
    }

    /// A pawn that comes to the seventh rank, or promotes.
    pub(crate) fn is_pawn_on_seventh(&self, mover: Color) -> bool {
        self.role == Role::Pawn && self.to.rank() as i32 * side(mover) >= mover.fold_wb(6, -1)
    }

    /// A pawn that comes to the sixth rank or further.
    pub(crate) fn is_pawn_on_sixth(&self, mover: Color) -> bool {
        self.role == Role::Pawn && self.to.rank() as i32 * side(mover) >= mover.fold_wb(5, -2)
    }
}

/// Up the board for White, down for Black.
pub(crate) fn side(color: Color) -> i32 {
    color.fold_wb(1, -1)
}

/// The bait and the line that punishes it: move 0 is the bait, moves 1, 3, 5 … are the attacker's.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The side that punishes the bait.
    pub attacker: Color,
    /// Before each move, and after the last one.
    positions: Vec<Chess>,
    steps: Vec<Step>,
}

impl Line {
    /// `moves`: legal one after the other; the bait and at least one more.
    pub(crate) fn new(start: &Chess, moves: &[Move]) -> Line {
        assert!(moves.len() >= 2, "a line has a bait and an answer");
        let positions = positions_along(start, moves);
        let steps = moves.iter().map(|&m| Step::of(m)).collect();
        Line { attacker: !start.turn(), positions, steps }
    }

    /// The line of the player to move, as if the other had passed before it; one legal move at least.
    pub(crate) fn unprovoked(start: &Chess, moves: &[Move]) -> Line {
        assert!(!moves.is_empty(), "a line has a move");
        let attacker = start.turn();
        let king = start.board().king_of(!attacker).expect("a legal position has both kings");
        let pass = Move::Normal { role: Role::King, from: king, to: king, capture: None, promotion: None };
        let positions = [vec![start.clone()], positions_along(start, moves)].concat();
        let steps = [pass].iter().chain(moves).map(|&m| Step::of(m)).collect();
        Line { attacker, positions, steps }
    }

    pub(crate) fn step(&self, ply: usize) -> &Step {
        &self.steps[ply]
    }

    pub(crate) fn before(&self, ply: usize) -> &Chess {
        &self.positions[ply]
    }

    pub(crate) fn after(&self, ply: usize) -> &Chess {
        &self.positions[ply + 1]
    }

    /// Number of the attacker's moves.
    pub(crate) fn length(&self) -> usize {
        self.steps.len() / 2
    }

    /// The attacker's last move.
    pub(crate) fn last(&self) -> usize {
        2 * self.length() - 1
    }

    /// The attacker's moves.
    pub(crate) fn plies(&self) -> impl Iterator<Item = usize> + use<> {
        (1..=self.last()).step_by(2)
    }

    /// The attacker's moves after the first one.
    pub(crate) fn later_plies(&self) -> impl Iterator<Item = usize> + use<> {
        (3..=self.last()).step_by(2)
    }

    /// The attacker's moves before the last one.
    pub(crate) fn earlier_plies(&self) -> impl Iterator<Item = usize> + use<> {
        (1..self.last()).step_by(2)
    }

    /// The position after the attacker's last move.
    pub(crate) fn end(&self) -> &Chess {
        self.after(self.last())
    }

    /// Where the victim's king stands in a position of the line.
    pub(crate) fn king(&self, chess: &Chess) -> Square {
        chess.board().king_of(!self.attacker).expect("a legal position has both kings")
    }
}

/// What a theme rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Index of the attacker's move that shows it: 1, 3, 5 …
    pub ply: usize,
    /// Where the piece that acts stands after that move.
    pub by: Option<Square>,
    /// What it acts on.
    pub targets: Vec<Square>,
}

impl Evidence {
    pub(crate) fn new(ply: usize, by: Square, targets: impl IntoIterator<Item = Square>) -> Evidence {
        Evidence { ply, by: Some(by), targets: targets.into_iter().collect() }
    }

    /// Of the line as a whole.
    pub(crate) fn of_line() -> Evidence {
        Evidence { ply: 1, by: None, targets: Vec::new() }
    }
}
