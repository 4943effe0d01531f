//! A position of the line being searched, with what every node asks of it.

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, Position};

use crate::chess::moves::after;

/// A position, its key, and whether the side to move is in check.
pub(crate) struct Place {
    pub(super) chess: Chess,
    pub(super) key: u64,
    pub(super) in_check: bool,
}

impl Place {
    pub(super) fn new(chess: Chess) -> Place {
        let (key, in_check) = (key_of(&chess), chess.is_check());
        Place { chess, key, in_check }
    }

    /// After a legal move.
    pub(super) fn after(&self, m: Move) -> Place {
        self.followed_by(m, after(&self.chess, m))
    }

    /// The same, where the position after the move is there already.
    pub(super) fn followed_by(&self, m: Move, chess: Chess) -> Place {
        let changed = self.chess.update_zobrist_hash(Zobrist64(self.key), m, EnPassantMode::Legal);
        let (key, in_check) = (changed.map_or_else(|| key_of(&chess), |key| key.0), chess.is_check());
        Place { chess, key, in_check }
    }

    /// After a pass; `None` if that is no legal position.
    pub(super) fn passed(&self) -> Option<Place> {
        self.chess.clone().swap_turn().ok().map(Place::new)
    }
}

/// Identity of a position for repetition and the table.
pub(crate) fn key_of(chess: &Chess) -> u64 {
    chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}
