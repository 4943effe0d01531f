//! Relevance zone of a forced win: the squares that its moves depend on, by the time when they do.
//!
//! A reply that cannot touch such a square in time changes nothing: the win goes on as if the opponent had passed. So it
//! is with relevance zones of Shih, Wei, Wu and Wu, "A Novel Approach to Solving Goal-Achieving Problems for Board
//! Games", AAAI 2022; theirs have no time.

use super::distance::MOST_MOVES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Zone {
    /// What the attacker's move after 0, 1, … further moves of his needs.
    needs: [u64; MOST_MOVES],
    /// Moves of the attacker to the win, at most.
    pub(super) moves: u8,
}

impl Zone {
    /// The game is won already.
    pub(super) const WON: Zone = Zone { needs: [0; MOST_MOVES], moves: 0 };

    /// The zone before a move that needs these squares, after which this is the zone.
    pub(super) fn before(&self, needs: u64) -> Zone {
        let mut found = Zone { needs: [needs; MOST_MOVES], moves: self.moves + 1 };
        found.needs[1..].copy_from_slice(&self.needs[..MOST_MOVES - 1]);
        found
    }

    /// The zone of two wins, if the opponent chooses between them.
    pub(super) fn join(&mut self, other: &Zone) {
        self.needs.iter_mut().zip(other.needs).for_each(|(need, other)| *need |= other);
        self.moves = self.moves.max(other.moves);
    }

    /// Whether a move of the opponent that reaches these squares, with 0, 1, … further moves of his, can disturb it:
    /// before the attacker's move number `n` he has made `n` further ones.
    pub(super) fn is_touched(&self, reach: &[u64; MOST_MOVES]) -> bool {
        let moves = usize::from(self.moves);
        self.needs[..moves].iter().zip(reach).any(|(need, reach)| need & reach != 0)
    }
}
