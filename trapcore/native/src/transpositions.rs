//! The transposition table of the search.

use shakmaty::Move;

use crate::search::MATE_BOUND;

/// What a stored value says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Exact,
    Lower,
    Upper,
}

/// What is known of one position.
#[derive(Clone, Copy)]
pub struct Entry {
    key: u64,
    pub best: Option<Move>,
    value: i16,
    depth: i8,
    bound: Bound,
}

/// Fixed size; a new position always takes the place of the old one.
pub struct Table(Vec<Entry>);

const EMPTY: Entry = Entry { key: 0, best: None, value: 0, depth: -1, bound: Bound::Upper };

impl Table {
    /// `bits`: binary logarithm of the number of entries, 24 bytes each.
    pub fn new(bits: u32) -> Table {
        Table(vec![EMPTY; 1 << bits])
    }

    pub fn clear(&mut self) {
        self.0.fill(EMPTY);
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.0.len() - 1)
    }

    pub fn probe(&self, key: u64) -> Option<Entry> {
        let entry = self.0[self.slot(key)];
        (entry.key == key && entry.depth >= 0).then_some(entry)
    }

    /// `ply`: distance of the position from the root; mates are stored by their distance from the position.
    pub fn store(&mut self, key: u64, best: Option<Move>, value: i32, depth: i32, bound: Bound, ply: usize) {
        let value = match value {
            v if v >= MATE_BOUND => v + ply as i32,
            v if v <= -MATE_BOUND => v - ply as i32,
            v => v,
        };
        let slot = self.slot(key);
        self.0[slot] = Entry { key, best, value: value as i16, depth: depth.clamp(0, 127) as i8, bound };
    }
}

impl Entry {
    /// A value that settles the window `alpha` to `beta` at this depth, seen from `ply`.
    pub fn settles(&self, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        let value = match i32::from(self.value) {
            v if v >= MATE_BOUND => v - ply as i32,
            v if v <= -MATE_BOUND => v + ply as i32,
            v => v,
        };
        let usable = match self.bound {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
        (i32::from(self.depth) >= depth && usable).then_some(value)
    }
}
