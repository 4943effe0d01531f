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
        Place::reached(after(&self.chess, m), self.key_after(m))
    }

    /// The key of the position after a legal move, if it is quickly found.
    pub(super) fn key_after(&self, m: Move) -> Option<u64> {
        self.chess.update_zobrist_hash(Zobrist64(self.key), m, EnPassantMode::Legal).map(|key| key.0)
    }

    /// A position with its key, if that is known.
    pub(super) fn reached(chess: Chess, key: Option<u64>) -> Place {
        let (key, in_check) = (key.unwrap_or_else(|| key_of(&chess)), chess.is_check());
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
