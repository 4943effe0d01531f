//! The transposition table of the search.

use shakmaty::Move;

use crate::search::score::MATE_BOUND;

/// Bound: what a stored value says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Exact,
    Lower,
    Upper,
}

/// Table entry: what is known of one position.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    key: u64,
    pub best: Option<Move>,
    value: i16,
    generation: u16,
    pub depth: i8,
    bound: Bound,
}

/// Fixed size; a new position always takes the place of the old one.
pub(crate) struct Table {
    entries: Vec<Entry>,
    generation: u16,
}

const EMPTY: Entry = Entry { key: 0, best: None, value: 0, generation: 0, depth: 0, bound: Bound::Upper };

impl Table {
    /// `bits`: binary logarithm of the number of entries, 24 bytes each.
    pub(crate) fn new(bits: u32) -> Table {
        Table { entries: vec![EMPTY; 1 << bits], generation: 1 }
    }

    /// Forgets everything. The entries stay, but belong to another generation: to wipe a large table takes longer than
    /// a small search.
    pub(crate) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.entries.fill(EMPTY);
            self.generation = 1;
        }
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        let entry = self.entries[self.slot(key)];
        (entry.key == key && entry.generation == self.generation).then_some(entry)
    }

    /// `ply`: distance of the position from the root; mates are stored by their distance from the position.
    pub(crate) fn store(&mut self, key: u64, best: Option<Move>, value: i32, depth: i32, bound: Bound, ply: usize) {
        let value = match value {
            v if v >= MATE_BOUND => v + ply as i32,
            v if v <= -MATE_BOUND => v - ply as i32,
            v => v,
        };
        let slot = self.slot(key);
        let (value, depth) = (value as i16, depth.clamp(0, 127) as i8);
        self.entries[slot] = Entry { key, best, value, generation: self.generation, depth, bound };
    }
}

impl Entry {
    /// The value as seen from `ply`, if what is stored cuts off the window `alpha` to `beta` at any depth.
    fn bounded(&self, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
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
        usable.then_some(value)
    }

    /// A value that cuts off the window `alpha` to `beta` at this depth, seen from `ply`.
    pub(crate) fn cutoff(&self, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        if i32::from(self.depth) >= depth { self.bounded(alpha, beta, ply) } else { None }
    }

    /// A better guess than the static value, if what is stored bounds it on that side; mates are none.
    pub(crate) fn refined(&self, value: i32, ply: usize) -> Option<i32> {
        self.bounded(value, value, ply).filter(|v| v.abs() < MATE_BOUND)
    }
}
