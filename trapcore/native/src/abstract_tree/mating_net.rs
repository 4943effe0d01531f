//! The mating net: what gives the mate, and what keeps the king from each square beside it.

use shakmaty::{Chess, File, Position, Rank, Role, Square};

use crate::chess::orientation::Orientation;

/// A mating net, on the oriented board.
pub(crate) struct MatingNet {
    /// Role and offset from the king of each checking piece, ascending.
    pub checkers: Vec<(Role, (i32, i32))>,
    /// On the far rank, on the outer file, on the near rank.
    pub edges: [bool; 3],
    /// The squares beside the king that are on the board, with their offset.
    pub squares: Vec<((i32, i32), EscapeSquare)>,
}

/// Why the king cannot escape to a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EscapeSquare {
    /// A piece of its own.
    Own(Role),
    /// Attackers: bit 0 for a pawn to bit 5 for the king.
    Covered(u32),
}

impl MatingNet {
    /// `None` unless the side to move is mated.
    pub(crate) fn of(chess: &Chess) -> Option<MatingNet> {
        if !chess.is_checkmate() {
            return None;
        }
        let (board, victim) = (chess.board(), chess.turn());
        let king = board.king_of(victim)?;
        let orientation = Orientation::of(chess, !victim);
        let at = orientation.square(king);
        let role = |square: Square| board.role_at(square).expect("occupied");
        let mut checkers: Vec<_> =
            chess.checkers().into_iter().map(|square| (role(square), orientation.offset(king, square))).collect();
        checkers.sort_unstable();
        let behind = board.occupied().without(king);
        let mut squares = Vec::with_capacity(8);
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))).filter(|&step| step != (0, 0)) {
            let (file, rank) = (at.file() as i32 + dx, at.rank() as i32 + dy);
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                continue;
            }
            let square = orientation.square(Square::from_coords(File::new(file as u32), Rank::new(rank as u32)));
            let state = if board.by_color(victim).contains(square) {
                EscapeSquare::Own(role(square))
            } else {
                let by = board.attacks_to(square, !victim, behind);
                EscapeSquare::Covered(by.into_iter().fold(0, |set, square| set | 1 << (role(square) as u32 - 1)))
            };
            squares.push(((dx, dy), state));
        }
        let edges = [at.rank() == Rank::Eighth, at.file() == File::H, at.rank() == Rank::First];
        Some(MatingNet { checkers, edges, squares })
    }

    /// Roles of all pieces that mate or cover, bit 0 for a pawn to bit 5 for the king.
    pub(crate) fn attackers(&self) -> u32 {
        let covering =
            self.squares.iter().map(|(_, state)| if let EscapeSquare::Covered(set) = state { *set } else { 0 });
        let checking = self.checkers.iter().map(|(role, _)| 1 << (*role as u32 - 1));
        covering.chain(checking).fold(0, |all, set| all | set)
    }
}
